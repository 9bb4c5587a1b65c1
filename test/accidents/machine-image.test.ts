import { cpSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countsIn } from '../batch/files.js';
import { homeWithProfile, rsaKey, saleFlags } from '../cli/profiles.js';
import { FakeGateway, planPayouts } from './fake-gateway.js';

// A virtual machine is set back to an earlier moment: all of its files are older, and nothing in them says so.

function imageOf(home: string): string {
  const image = mkdtempSync(join(tmpdir(), 'paycli-image-'));
  cpSync(home, image, { recursive: true });
  return image;
}

test('a sale that was sent after the image was made is found at the gateway, and not sent again', async () => {
  const gateway = new FakeGateway();
  const home = homeWithProfile({ asksFirst: true });
  expect((await gateway.run(home, ['journal'])).exit).toBe(0);
  const image = imageOf(home);
  expect((await gateway.run(home, saleFlags)).exit).toBe(0);
  const again = await gateway.run(image, saleFlags);
  expect([again.exit, JSON.parse(again.out).sent]).toEqual([0, false]);
  expect(gateway.sent('902B4FF5')).toBe(1);
});

test('a batch that ran after the image was made pays no row twice', async () => {
  const gateway = new FakeGateway();
  const home = homeWithProfile({ asksFirst: true });
  const plan = await planPayouts(home, 4, gateway);
  const image = imageOf(home);
  expect((await gateway.run(home, ['batch', 'run', plan, '--max-rows', '3'])).exit).toBe(12);
  expect((await gateway.run(image, ['batch', 'run', plan])).exit).toBe(10);
  const rest = await gateway.run(image, ['batch', 'run', plan, '--ask-all']);
  expect([rest.exit, countsIn(rest.out)]).toEqual([0, { done: 4 }]);
  expect([1, 2, 3, 4].map((number) => gateway.sent(`row-${number}`))).toEqual([1, 1, 1, 1]);
});

test.each([
  ['a capture', ['capture', '71', '--client-order-id', 'g1', '--amount', '5.00', '--currency', 'USD']],
  ['a void', ['void', '71', '--client-order-id', 'g1']],
  ['a payout that was checked', ['payout', 'pay', '71', '--client-order-id', 'g1']],
])('%s that was made after the image was made is found at the gateway, and not made again', async (_, argv) => {
  const gateway = new FakeGateway();
  const home = homeWithProfile({ asksFirst: true });
  expect((await gateway.run(home, ['journal'])).exit).toBe(0);
  const image = imageOf(home);
  const words = argv[0] === 'payout' ? [...argv, '--private-key-file', rsaKey(home)] : argv;
  expect((await gateway.run(home, words)).exit).toBe(0);
  expect((await gateway.run(image, words)).exit).toBe(10);
  expect(gateway.sent('g1')).toBe(1);
});

test('a batch of captures that ran after the image was made captures nothing twice', async () => {
  const gateway = new FakeGateway();
  const home = homeWithProfile({ asksFirst: true });
  const file = join(home, 'captures.csv');
  writeFileSync(file, 'client_orderid,orderid,amount,currency\ng1,71,5.00,EUR\ng2,72,6.00,EUR\n', { mode: 0o600 });
  const words = ['--operation', 'capture', '--expect-count', '2', '--expect-total', 'EUR=11.00'];
  const planned = await gateway.run(home, ['batch', 'plan', file, ...words]);
  const { plan } = JSON.parse(planned.out);
  const image = imageOf(home);
  expect((await gateway.run(home, ['batch', 'run', plan])).exit).toBe(0);
  expect((await gateway.run(image, ['batch', 'run', plan])).exit).toBe(10);
  expect(['g1', 'g2'].map((id) => gateway.sent(id))).toEqual([1, 1]);
});
