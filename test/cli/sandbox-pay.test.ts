import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

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

describe.each(['3ds-method', '3ds-challenge', '3ds-pares', '3ds-simplified'])('a sale with the card %s', (card) => {
  test.each(behaviours)('%j: %s', async (flags, end, verified) => {
    const { home } = await waiting('sale', ...money, '--test-card', card);
    const paid = await pay(home, 'o', ...flags);
    expect([paid.exit, paid.err]).toEqual([0, '']);
    expect(paid.document).toMatchObject({ clientOrderId: 'o', status: end, verified3d: verified });
    expect(await status(home)).toMatchObject({ status: end, 'verified-3d-status': verified });
  });
});

test.each([
  ['preauth', ...money],
  ['account-verification'],
  ['transfer', ...money, '--destination-card-number', '5555666644441111', '--ip-address', '192.0.2.1'],
])('%s goes through 3-D Secure as well, also where the bank asks nothing', async (...line) => {
  for (const card of ['3ds-challenge', '3ds-frictionless']) {
    const { home } = await waiting(...line, '--test-card', card);
    expect((await pay(home, 'o')).document).toMatchObject({ status: 'approved', verified3d: 'AUTHENTICATED' });
  }
});

describe('a hosted form', () => {
  test.each(['sale', 'preauth', 'payment', 'payout', 'account-verification'])('%s', async (kind) => {
    const { home, page } = await waiting('form', kind, ...(kind === 'account-verification' ? [] : money));
    expect((await pay(home, page)).exit).toBe(0);
    expect(await status(home)).toMatchObject({ status: 'approved' });
  });

  test.each([
    [['--test-card', '3ds-form'], 0, 'approved'],
    [['--test-card', '3ds-simplified'], 0, 'approved'],
    [['--test-card', '3ds-challenge', '--fail'], 0, 'declined'],
    [['--test-card', 'funds'], 5, 'declined'],
    [['--cancel'], 0, 'declined'],
  ] as const)('%s: exit %i, %s', async (flags, exit, end) => {
    const { home } = await waiting('form', 'sale', ...money);
    const paid = await pay(home, 'o', ...flags);
    expect([paid.exit, paid.document.status]).toEqual([exit, end]);
  });

  test('sends the payer back to a shop on this machine, with the result', async () => {
    const { home } = await waiting('form', 'sale', ...money, '--redirect-url', 'http://127.0.0.1:3000/back');
    const answer = { kind: 'reply', reply: { status: 200, headers: {}, body: Buffer.from('') } } as const;
    const ran = await paycli(['sandbox', 'pay', 'o', '--json'], { home, network: [() => answer] });
    expect(JSON.parse(ran.out)).toMatchObject({ returned: true, fields: { status: 'approved' } });
    expect(ran.requests.map(({ url }) => url)).toEqual(['http://127.0.0.1:3000/back']);
    expect(String(ran.requests[0]?.body)).toMatch(/status=approved.*client_orderid=o.*control=[0-9a-f]{40}/);
  });
});

test('with --no-return the payer stays on the last page', async () => {
  const { home } = await waiting('form', 'sale', ...money, '--redirect-url', 'http://127.0.0.1:3000/back');
  const paid = await pay(home, 'o', '--no-return');
  expect([paid.exit, paid.requests, paid.document.returned]).toEqual([0, [], false]);
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
