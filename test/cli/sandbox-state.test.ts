import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { testSale } from '../support/test-sale.js';

const sale = testSale('--wait', '--json', '-p', 'sandbox', '--no-input');

async function made(home: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { out } = await paycli(sale, { home, env });
  return /"paynet-order-id": "(\d+)"/.exec(out)?.[1] ?? '';
}

test('every name has data of its own', async () => {
  const home = temporaryHome();
  const order = await made(home, { PAYCLI_SANDBOX: 'two' });
  expect(readdirSync(join(home, 'state/data/sandbox')).filter((name) => name.endsWith('.db'))).toEqual(['two.db']);
  expect((await paycli(['order', order], { home, env: { PAYCLI_SANDBOX: 'two' } })).exit).toBe(0);
  expect((await paycli(['order', order], { home })).exit).toBe(4);
  for (const name of [['--name', 'two'], ['--name=two']])
    expect(JSON.parse((await paycli(['sandbox', 'status', ...name, '--json'], { home })).out)).toMatchObject({
      name: 'two',
    });
  expect((await paycli(['sandbox', 'reset', '--all', '--name', 'two'], { home })).exit).toBe(0);
  expect((await paycli(['order', order], { home, env: { PAYCLI_SANDBOX: 'two' } })).exit).toBe(4);
});

test('reset takes no other sandbox than the default one, unless it is named', async () => {
  const home = temporaryHome();
  const order = await made(home, { PAYCLI_SANDBOX: 'two' });
  expect((await paycli(['sandbox', 'reset', '--all'], { home })).exit).toBe(0);
  expect((await paycli(['order', order], { home, env: { PAYCLI_SANDBOX: 'two' } })).exit).toBe(0);
  const files = readdirSync(join(home, 'state/data/sandbox')).filter((name) => name.endsWith('.db'));
  expect(files).not.toContain('sandbox.db');
});

test.each(['../evil', 'a b', '.hidden', 'x'.repeat(41), '-x'])('the name %s is none', async (name) => {
  const home = temporaryHome();
  expect((await paycli(['sandbox', 'status', `--name=${name}`], { home })).exit).toBe(2);
  expect(existsSync(join(home, 'state/data'))).toBe(false);
});

test('a merchant is added with new keys', async () => {
  const home = temporaryHome();
  const { exit, out } = await paycli(['sandbox', 'merchant', 'suite-a', '--json'], { home });
  expect(exit).toBe(0);
  expect(JSON.parse(out)).toEqual({
    schema: 'paycli.merchant/1',
    login: 'suite-a',
    endpointId: '5001',
    controlKey: expect.stringMatching(/^[0-9a-f-]{36}$/),
    privateKeyPem: expect.stringMatching(/^-----BEGIN PRIVATE KEY-----/),
  });
  expect(await paycli(['sandbox', 'merchant', 'suite-a'], { home })).toMatchObject({
    exit: 2,
    err: expect.stringContaining(
      'already has a merchant suite-a: `paycli sandbox start --login suite-a --endpoint-id 5001 --control-key-file FILE` gives it a new control key',
    ),
  });
  const text = await paycli(['sandbox', 'merchant', 'suite-b', '--endpoint-id', '7007'], { home });
  expect(text.out).toMatch(/login +suite-b\nendpoint +7007\ncontrol key +\S+\n-----BEGIN/);
});

test('an outcome is queued for an order, an id or a merchant; options stand before or behind it', async () => {
  const home = temporaryHome();
  const order = await made(home);
  expect((await paycli(['sandbox', 'outcomes', 'next', '--order', order, 'declined'], { home })).err).toContain(
    `next follow-up on order ${order} ends as declined`,
  );
  const capture = await paycli(['sandbox', 'outcomes', 'next', 'declined', '--client-order-id', 'mine'], { home });
  expect([capture.exit, capture.err]).toEqual([0, 'queued for merchant sandbox: order mine ends as declined\n']);
  const asKey = '7C9EABCD-74CD-40DE-944B-EABCDEF90AE7';
  expect((await paycli(['sandbox', 'outcomes', 'next', 'declined', '--client-order-id', asKey], { home })).err).toBe(
    'queued for merchant sandbox: that order ends as declined\n',
  );
  expect((await paycli([...sale, '--client-order-id', 'mine'], { home })).exit).toBe(5);
  expect((await paycli(['sandbox', 'outcomes', 'next', 'declined', '--login', 'nobody'], { home })).exit).toBe(2);
  expect((await paycli(['sandbox', 'outcomes', 'next', 'perhaps'], { home })).exit).toBe(2);
});

test('an outcome queued for an order is for the merchant of that order', async () => {
  const home = temporaryHome();
  const order = await made(home);
  await paycli(['sandbox', 'merchant', 'shop-a'], { home });
  expect((await paycli(['sandbox', 'outcomes', 'next', 'declined', '--order', order], { home })).err).toBe(
    `queued for merchant sandbox: the next follow-up on order ${order} ends as declined\n`,
  );
});

test('a lost reply in the box is an unknown outcome', async () => {
  const home = temporaryHome();
  await paycli(['sandbox', 'outcomes', 'next', 'no-answer-done'], { home });
  const lost = await paycli([...sale.filter((word) => word !== '--wait'), '--client-order-id', 'lost'], { home });
  expect(lost.exit).toBe(8);
  expect((await paycli(['status', '--client-order-id', 'lost', '--wait', '-p', 'sandbox'], { home })).exit).toBe(0);
});

test('stop without a listening sandbox does nothing, and start --run needs a command', async () => {
  const home = temporaryHome();
  expect(await paycli(['sandbox', 'stop'], { home })).toMatchObject({
    exit: 0,
    err: expect.stringContaining('sandbox default is not listening'),
  });
  expect((await paycli(['sandbox', 'start', '--run'], { home })).exit).toBe(2);
  expect((await paycli(['sandbox', 'start', 'true'], { home })).exit).toBe(2);
});
