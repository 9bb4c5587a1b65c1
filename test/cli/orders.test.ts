import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { homeWith, payoutFile, payoutLine, plan } from '../batch/files.js';
import { copiesOf, paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, lost, saleFlags, statusReply, taken } from './profiles.js';

const run = (home: string, argv: string | readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

interface Found {
  readonly total: number;
  readonly orders: readonly Readonly<Record<string, unknown>>[];
}

async function found(home: string, ...flags: readonly string[]): Promise<Found> {
  const ran = await run(home, ['orders', ...flags, '--json']);
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out);
}

const idsIn = ({ orders }: Found) => orders.map(({ clientOrderId }) => clientOrderId);

/** An approved and partly returned sale, a declined one, a partly captured preauth, and one with a lost reply. */
const shop = copiesOf(async () => {
  const home = temporaryHome();
  const pay = (operation: string, amount: string, id: string, card = 'approved') =>
    run(home, [
      ...[operation, '--amount', amount, '--currency', 'EUR', '--test-card', card],
      ...['--client-order-id', id, '--wait', '--no-input'],
    ]);
  expect((await pay('sale', '25.00', 'order-1')).exit).toBe(0);
  expect((await run(home, 'return order-1 --amount 5 --wait')).exit).toBe(0);
  expect((await pay('sale', '12.00', 'order-2', 'declined')).exit).toBe(5);
  expect((await pay('preauth', '30.00', 'order-3')).exit).toBe(0);
  expect((await run(home, 'capture order-3 --amount 20 --wait')).exit).toBe(0);
  return home;
});

test('orders lists what was made, newest last, with what followed and why a bank declined', async () => {
  const home = await shop();
  const all = await found(home);
  expect(idsIn(all)).toEqual(['order-1', 'order-2', 'order-3']);
  expect(all.orders).toMatchObject([
    {
      ...{ operation: 'sale', status: 'approved', amount: '25.00', gatewayStatus: 'approved', card: '1111' },
      followUps: [{ operation: 'return', amount: '5.00', currency: 'EUR', state: 'done' }],
    },
    { operation: 'sale', status: 'declined', reason: expect.stringMatching(/bank/), followUps: [] },
    { operation: 'preauth', status: 'approved', amount: '30.00', followUps: [{ operation: 'capture' }] },
  ]);
  expect(all).toMatchObject({ total: 3, statuses: { approved: 2, declined: 1 } });
  const text = await run(home, 'orders');
  for (const { orderId } of all.orders) expect(text.out).toContain(String(orderId));
  expect(text.err).toMatch(/3 in all: .*2 approved/);
});

test('an order that was made elsewhere is listed once something was sent on it from here', async () => {
  const home = homeWithProfile();
  const giveBack = ['return', '12345', '--client-order-id', '902B4FF5', '--amount', '3.00', '--currency', 'USD'];
  expect((await run(home, giveBack, reply(200, taken))).exit).toBe(0);
  expect((await found(home)).orders).toMatchObject([
    {
      ...{ orderId: '12345', operation: null, status: null, amount: null, state: null, gatewayStatus: null },
      ...{ reason: expect.stringMatching(/^made elsewhere/), followUps: [{ operation: 'return', amount: '3.00' }] },
    },
  ]);
});

test('an order that was only queried is listed as seen, until something is sent on it from here', async () => {
  const home = homeWithProfile();
  expect((await run(home, [...saleFlags, '--wait'], reply(200, taken), reply(200, statusReply('approved')))).exit).toBe(
    0,
  );
  const other = statusReply('approved', {
    ...{ 'paynet-order-id': '777', 'merchant-order-id': 'shop-7', 'transaction-type': 'sale' },
    ...{ amount: '7.00', 'initial-amount': '7.00', currency: 'USD' },
  });
  const queried = await run(home, 'order 777', reply(200, other));
  expect(queried.exit, queried.err).toBe(0);
  const both = await found(home);
  expect(both).toMatchObject({ total: 2, statuses: { approved: 2 } });
  expect(both.orders[1]).toMatchObject({
    ...{ orderId: '777', operation: null, status: 'approved', gatewayStatus: 'approved', amount: '7.00' },
    ...{ currency: 'USD', state: null, endpointId: null, reason: 'seen, made elsewhere', followUps: [] },
  });
  expect((await found(home, '--status', 'declined')).total).toBe(0);
  expect((await found(home, '--limit', '1')).orders).toMatchObject([{ orderId: '777' }]);
  const back = ['return', 'shop-7', '--amount', '3.00'];
  const answer = { ...taken, 'paynet-order-id': '777', 'merchant-order-id': 'shop-7' };
  const returned = await run(home, [...back, '--again'], reply(200, answer));
  expect(returned.exit, returned.err).toBe(0);
  const sent = new URLSearchParams(returned.requests[0]?.body);
  expect([sent.get('orderid'), sent.get('client_orderid'), sent.get('currency')]).toEqual(['777', 'shop-7', 'USD']);
  expect((await found(home)).orders[1]).toMatchObject({ orderId: '777', followUps: [{ operation: 'return' }] });
});

test('an empty journal is no list without declines, and suggests no payment', async () => {
  const ran = await run(temporaryHome(), 'orders');
  expect([ran.exit, ran.out]).toEqual([0, '']);
  expect(ran.err).toContain('nothing was sent from this machine');
  expect(ran.err).not.toMatch(/sale/);
});

test('what the gateway calls filtered or error is declined, with the word and the code of the gateway', async () => {
  const home = temporaryHome();
  const sell = (id: string, card: string) =>
    run(home, [
      ...[...'sale --amount 25.00 --currency EUR --test-card'.split(' '), card],
      ...['--client-order-id', id, '--wait', '--no-input'],
    ]);
  expect((await sell('ok-1', 'approved')).exit).toBe(0);
  expect((await sell('fraud-1', 'filtered')).exit).toBe(5);
  expect((await sell('error-1', 'error')).exit).toBe(5);
  const shown = (await found(home)).orders.map(({ clientOrderId, status, gatewayStatus, errorCode }) => [
    ...[clientOrderId, status, gatewayStatus, errorCode],
  ]);
  expect(shown).toEqual([
    ['ok-1', 'approved', 'approved', null],
    ['fraud-1', 'declined', 'filtered', '59'],
    ['error-1', 'declined', 'error', '96'],
  ]);
  for (const word of ['declined', 'filtered'])
    expect(idsIn(await found(home, '--status', word))).toEqual(['fraud-1', 'error-1']);
  expect(idsIn(await found(home, '--status', 'processing'))).toEqual([]);
  const [head = '', , fraud = ''] = (await run(home, 'orders -o csv')).out.split('\r\n');
  const at = (name: string) => head.split(',').indexOf(`"${name}"`);
  expect(['status', 'gatewayStatus', 'errorCode'].map((name) => fraud.split(',')[at(name)])).toEqual([
    '"declined"',
    '"filtered"',
    '"59"',
  ]);
});

test('filters choose by status, card, amount, text and time', async () => {
  const home = await shop();
  expect(idsIn(await found(home, '--status', 'declined', '--since', 'today'))).toEqual(['order-2']);
  expect(idsIn(await found(home, '--status', 'approved', '--status', 'declined'))).toHaveLength(3);
  expect(idsIn(await found(home, '--amount', '25.00 EUR'))).toEqual(['order-1']);
  expect(idsIn(await found(home, '--amount', '25 eur'))).toEqual(['order-1']);
  expect(idsIn(await found(home, '--card', '11'))).toHaveLength(3);
  expect(idsIn(await found(home, '--card', '9999'))).toEqual([]);
  expect(idsIn(await found(home, 'ORDER-2'))).toEqual(['order-2']);
  expect(idsIn(await found(home, '--until', '2020-01-01'))).toEqual([]);
  const newest = await run(home, 'orders --limit 1');
  expect(newest.out).not.toContain('order-1');
  expect(newest.err).toContain('1 of 3 orders shown, only the newest');
});

test('a lost reply is unknown, and a refused request was no payment', async () => {
  const home = homeWithProfile();
  expect((await run(home, saleFlags, lost)).exit).toBe(8);
  expect(await found(home, '--status', 'unknown')).toMatchObject({ orders: [{ orderId: null, status: 'unknown' }] });
  const other = homeWithProfile();
  const ran = await run(other, [...saleFlags, '--wait'], reply(200, taken), reply(200, statusReply('approved')));
  expect(ran.exit, ran.err).toBe(0);
  expect(idsIn(await found(other, '--status', 'unknown'))).toEqual([]);
});

test.each([
  [['--status', 'aproved'], 'did you mean approved'],
  [['--card', '12345'], '--card: use the last digits'],
  [['--limit', '0'], '--limit: use a whole number'],
  [['--since', 'tomorrow'], '--since: use'],
  [['--amount', '25,00'], '--amount: use an amount such as 25.00'],
])('%s is refused', async (flags, why) => {
  expect(await run(temporaryHome(), ['orders', ...flags])).toMatchObject({
    exit: 2,
    err: expect.stringContaining(why),
  });
});

test('what the gateway itself does not know the outcome of is unknown, and pending once it is processed', async () => {
  const home = homeWithProfile();
  const status = (word: string) => reply(200, statusReply(word, { 'transaction-type': 'sale' }));
  expect((await run(home, saleFlags, reply(200, taken))).exit).toBe(0);
  expect(idsIn(await found(home, '--status', 'pending'))).toEqual(['902B4FF5']);
  await run(home, 'status 902B4FF5', status('unknown'));
  expect(idsIn(await found(home, '--status', 'pending'))).toEqual([]);
  expect(await found(home, '--status', 'unknown')).toMatchObject({
    orders: [
      {
        clientOrderId: '902B4FF5',
        status: 'unknown',
        gatewayStatus: 'unknown',
        reason: 'the gateway itself does not know the outcome',
      },
    ],
  });
  await run(home, 'status 902B4FF5', status('processing'));
  expect(idsIn(await found(home, '--status', 'pending'))).toEqual(['902B4FF5']);
});

test('an amount in another currency than the order is refused, and nothing is sent', async () => {
  const home = homeWithProfile();
  expect((await run(home, saleFlags, reply(200, taken))).exit).toBe(0);
  for (const order of [['902B4FF5'], ['12345'], ['--order-id', '12345', '--client-order-id', '902B4FF5']]) {
    const ran = await run(home, ['return', ...order, '--amount', '5', '--currency', 'EUR']);
    expect([ran.exit, ran.requests.length], ran.err).toEqual([2, 0]);
    expect(ran.err).toContain('the order is in USD');
  }
});

test('a request that cannot be signed leaves nothing in the journal', async () => {
  const home = homeWithProfile();
  const check = ['payout', 'check', '--client-order-id', 'p-1', '--amount', '50.00', '--currency', 'EUR'];
  const ran = await run(home, [...check, '--receiver-phone', '+4930123456', '--bank-id', '100']);
  expect([ran.exit, ran.err]).toEqual([3, expect.stringContaining('lacks a private key')]);
  expect(idsIn(await found(home))).toEqual([]);
});

test('programs get every order, or as many as --limit says', async () => {
  const home = await shop();
  const lines = async (...flags: readonly string[]) =>
    (await run(home, ['orders', '-q', ...flags])).out.trimEnd().split('\n').length;
  const count = idsIn(await found(home)).length;
  expect(count).toBeGreaterThan(2);
  expect(await lines('-o', 'csv')).toBe(count + 1);
  expect(await lines('-o', 'ndjson')).toBe(count);
  expect(await lines('-o', 'ndjson', '--limit', '2')).toBe(2);
});

test('a list of several pages is written whole for programs, in every form alike; people get the newest', async () => {
  const count = 501;
  const ids = Array.from({ length: count }, (_, at) => `row-${at}`);
  const home = homeWith(payoutFile(...ids.map((id) => payoutLine(id, '1.00', 'EUR', id))));
  const made = await plan(home);
  expect(made.exit, made.err).toBe(0);
  const unsent = ['--status', 'not-sent'];
  const all = await found(home, ...unsent);
  expect(all).toMatchObject({ total: count, statuses: { 'not-sent': count } });
  expect(idsIn(all)).toEqual(ids);
  const printed = async (...flags: readonly string[]) => (await run(home, ['orders', ...unsent, ...flags])).out;
  const lines = (await printed('-o', 'ndjson')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line))).toEqual(all.orders);
  const chosen = ids.map((clientOrderId) => ({ clientOrderId }));
  expect(JSON.parse(await printed('--fields', 'clientOrderId'))).toEqual(chosen);
  expect((await printed()).match(/row-\d+/g)).toEqual(ids.slice(-50));
});
