import { cpSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { countsIn } from '../batch/files.js';
import { homeWithProfile, saleFlags } from '../cli/profiles.js';
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
