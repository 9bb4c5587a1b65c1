import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { testSale } from '../support/test-sale.js';
import { strangeCard } from './listed.js';

const sale = testSale('--wait', '--json', '-p', 'sandbox', '--no-input');

async function made(home: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const { out } = await paycli(sale, { home, env });
  return /"paynet-order-id": "(\d+)"/.exec(out)?.[1] ?? '';
}

test('every name has data of its own, and reset takes no other', async () => {
  const home = temporaryHome();
  const order = await made(home, { PAYCLI_SANDBOX: 'two' });
  expect(readdirSync(join(home, 'state/sandbox')).filter((name) => name.endsWith('.db'))).toEqual(['two.db']);
  expect((await paycli(['order', order, '-p', 'sandbox'], { home })).exit).toBe(4);
  expect((await paycli(['sandbox', 'reset', '--all'], { home })).exit).toBe(0);
  expect((await paycli(['order', order, '-p', 'sandbox'], { home, env: { PAYCLI_SANDBOX: 'two' } })).exit).toBe(0);
});

test.each(['../evil', 'x'.repeat(41)])('the name %s is none', async (name) => {
  const home = temporaryHome();
  expect((await paycli(['sandbox', 'status'], { home, env: { PAYCLI_SANDBOX: name } })).exit).toBe(2);
  expect(existsSync(join(home, 'state/sandbox'))).toBe(false);
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
  expect((await paycli(['sandbox', 'merchant', 'suite-a'], { home })).exit).toBe(2);
  const filed = await paycli(['sandbox', 'merchant', 'suite-b', '--endpoint-id', '7007', '--out', 'keys', '--json'], {
    home,
  });
  expect(filed.exit, filed.err).toBe(0);
  const files = ['control.key', 'rsa.pem'].map((name) => join(home, 'keys', `suite-b-${name}`));
  expect(JSON.parse(filed.out)).toMatchObject({
    ...{ login: 'suite-b', endpointId: '7007', controlKeyFile: files[0], privateKeyFile: files[1] },
  });
  expect(files.map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600]);
  expect(filed.out).not.toMatch(/PRIVATE KEY|[0-9a-f]{8}-/i);
  // A login that exists, and a file that is there, are refused before a merchant is made.
  expect((await paycli(['sandbox', 'merchant', 'suite-b', '--out', 'keys'], { home })).exit).toBe(2);
});

test('an outcome is queued for an order, an id or a merchant; options stand before or behind it', async () => {
  const home = temporaryHome();
  const order = await made(home);
  expect((await paycli(['sandbox', 'outcomes', 'next', '--order', order, 'declined'], { home })).exit).toBe(0);
  const queued = await paycli(['sandbox', 'outcomes', 'next', 'declined', '--client-order-id', 'mine'], { home });
  expect([queued.exit, queued.err]).toEqual([0, 'queued for merchant sandbox: declined\n']);
  expect((await paycli([...sale, '--client-order-id', 'mine'], { home })).exit).toBe(5);
  expect((await paycli(['sandbox', 'outcomes', 'next', 'declined', '--login', 'nobody'], { home })).exit).toBe(2);
  expect((await paycli(['sandbox', 'outcomes', 'next', 'perhaps'], { home })).exit).toBe(2);
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

const sale1 = testSale('--client-order-id', 'order-1', '--wait');

test('the log shows what happened, one event a line on request', async () => {
  const home = temporaryHome();
  const before = await paycli(['sandbox', 'log'], { home });
  expect([before.exit, before.out, before.err]).toEqual([
    0,
    '',
    expect.stringContaining('the log has nothing on this'),
  ]);
  expect((await paycli(sale1, { home })).exit).toBe(0);
  const text = await paycli(['sandbox', 'log', '--order', 'order-1'], { home });
  expect(text.out).toMatch(/request +\d+ +sale accepted +HTTP 200, control valid, [\d.]+ ms\n/);
  // People read the words of the command line, programs those of the gateway.
  expect(text.out).toMatch(/stage .* sale approved\n/);
  const stages = JSON.parse((await paycli(['sandbox', 'log', '--json'], { home })).out).events;
  expect(stages).toContainEqual(expect.objectContaining({ kind: 'stage', title: 'sale_approved' }));
  const event = stages.at(-1);
  expect(event).toMatchObject({
    schema: 'paycli.event/1',
    kind: 'request',
    title: 'status answered: approved',
    login: 'sandbox',
  });
  expect(event.fields).toMatchObject({ client_orderid: 'order-1', control: '•••' });
});

test('the audit is clean after a sale, and exits with 11 after a mistake', async () => {
  const home = temporaryHome();
  await paycli(sale1, { home });
  const clean = await paycli(['sandbox', 'log', '--findings'], { home });
  expect([clean.exit, clean.out, clean.err]).toEqual([0, '', expect.stringContaining('no findings')]);
  const refused = await paycli(testSale('--client-order-id', 'sale-2', '--card-number', strangeCard), { home });
  expect(refused.exit).toBe(4);
  const found = await paycli(['sandbox', 'log', '--findings'], { home });
  expect(found.exit).toBe(11);
  expect(found.out).toMatch(/client_orderid: sale-2.*fix:/s);
  const json = await paycli(['sandbox', 'log', '--findings', '--json'], { home });
  expect([json.exit, JSON.parse(json.out)]).toEqual([
    11,
    expect.objectContaining({
      ok: false,
      findings: [
        expect.objectContaining({
          rule: 'card-not-test',
          count: 1,
          orders: ['sale-2'],
        }),
      ],
    }),
  ]);
});

const money = ['--amount', '10.42', '--currency', 'EUR'];

/** Home of an order that waits for its payer, and the address of its page. */
async function waiting(...line: readonly string[]): Promise<{ readonly home: string; readonly page: string }> {
  const home = temporaryHome();
  const made = await paycli([...line, '--client-order-id', 'o', '-p', 'sandbox', '--json'], { home });
  expect(made.exit, made.err).toBe(0);
  return { home, page: String(JSON.parse(made.out).result['redirect-url']) };
}

async function pay(home: string, ...line: readonly string[]) {
  const ran = await paycli(['sandbox', 'pay', ...line, '--json'], { home });
  return { ...ran, document: ran.exit === 0 || ran.exit === 5 ? JSON.parse(ran.out) : {} };
}

async function status(home: string): Promise<unknown> {
  const asked = await paycli(['status', '--client-order-id', 'o', '-p', 'sandbox', '--json'], { home });
  return JSON.parse(asked.out).result;
}

const behaviours = [
  [[], 'approved', 'AUTHENTICATED'],
  [['--fail'], 'declined', 'NOT_AUTHENTICATED'],
  [['--cancel'], 'declined', 'NOT_AUTHENTICATED'],
] as const;

describe.each(['3ds-method', '3ds-pares'])('a sale with the card %s', (card) => {
  test.each(behaviours)('%j: %s', async (flags, end, verified) => {
    const { home } = await waiting('sale', ...money, '--test-card', card);
    const paid = await pay(home, 'o', ...flags);
    expect([paid.exit, paid.err]).toEqual([0, '']);
    expect(paid.document).toMatchObject({ clientOrderId: 'o', status: end, verified3d: verified });
    expect(await status(home)).toMatchObject({ status: end, 'verified-3d-status': verified });
  });
});

describe('a hosted form', () => {
  test.each(['payment', 'account-verification'])('%s', async (kind) => {
    const { home, page } = await waiting('form', kind, ...(kind === 'account-verification' ? [] : money));
    expect((await pay(home, page)).exit).toBe(0);
    expect(await status(home)).toMatchObject({ status: 'approved' });
  });

  test.each([
    [['--test-card', '3ds-form'], 0, 'approved'],
    [['--test-card', '3ds-challenge', '--fail'], 0, 'declined'],
    [['--test-card', 'funds'], 5, 'declined'],
    [['--cancel'], 0, 'declined'],
  ] as const)('%s: exit %i, %s', async (flags, exit, end) => {
    const { home } = await waiting('form', 'sale', ...money);
    const paid = await pay(home, 'o', ...flags);
    expect([paid.exit, paid.document.status]).toEqual([exit, end]);
  });

  test('says where the payer goes back to, with the result', async () => {
    const { home } = await waiting('form', 'sale', ...money, '--redirect-url', 'http://127.0.0.1:3000/back');
    const paid = await pay(home, 'o');
    expect(paid.document).toMatchObject({ to: 'http://127.0.0.1:3000/back', fields: { status: 'approved' } });
  });
});

describe('what cannot be paid', () => {
  test('a link that no order has is unknown or expired, not something to repeat', async () => {
    const ran = await pay(temporaryHome(), 'http://127.0.0.1:8484/gateway/pages/form/aaaa');
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('unknown or expired')]);
    expect(ran.err).not.toMatch(/repeat|try again/);
  });

  test('a form that expired, and an order that is over', async () => {
    const { home, page } = await waiting('form', 'sale', ...money);
    expect((await paycli(['sandbox', 'clock', '+31m'], { home })).exit).toBe(0);
    const late = await pay(home, page);
    expect([late.exit, late.err]).toEqual([2, expect.stringContaining('The hosted form expired')]);
    const sold = await waiting('sale', ...money, '--test-card', 'approved');
    expect([(await pay(sold.home, 'o')).exit, (await pay(sold.home, 'other')).exit]).toEqual([2, 2]);
  });
});
