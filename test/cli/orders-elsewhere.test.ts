import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, partialReturn, returnedStatus, taken } from './profiles.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const refused = reply(400, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '3' });
const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const returned = (sum: string, more: Readonly<Record<string, string>> = {}) =>
  reply(200, returnedStatus(sum, { 'by-request-sn': taken['serial-number'], ...more }));
const found = async (home: string, ...flags: readonly string[]) =>
  JSON.parse((await run(home, ['orders', ...flags, '--json'])).out);

describe('an order that was made elsewhere', () => {
  test('is listed once a part of it was returned from here', async () => {
    const home = homeWithProfile();
    const whole = { amount: '3.00', 'initial-amount': '10.42' };
    expect(
      (await run(home, [...partialReturn('3.00'), '--wait'], reply(200, taken), returned('3.00', whole))).exit,
    ).toBe(0);
    expect((await run(home, partialReturn('2.00'), reply(200, taken))).exit).toBe(0);
    const { total, orders } = await found(home);
    expect([total, orders]).toEqual([1, [expect.objectContaining({ orderId: '12345', clientOrderId: '902B4FF5' })]]);
    expect(orders[0]).toMatchObject({
      ...{ operation: null, status: 'approved', gatewayStatus: null, state: null, amount: '10.42', currency: 'USD' },
      ...{ captured: null, returned: '3.00', pending: '2.00', left: null, leftToCapture: null },
      reason: 'made elsewhere; return of 2.00 pending',
    });
    expect((await run(home, ['orders'])).out).toMatch(
      /12345 +902B4FF5 +10\.42 USD +approved .*returned 3\.00 +made elsewhere; return of 2\.00 pending$/m,
    );
    expect((await found(home, '--status', 'approved')).total).toBe(1);
    expect((await found(home, '--operation', 'return')).total).toBe(1);
    expect((await found(home, '--operation', 'capture')).total).toBe(0);
    expect((await found(home, '--amount', '3.00')).total).toBe(0);
    expect((await found(home, '12345')).total).toBe(1);
  });

  test('is no order where the gateway refused what was sent, and one with an unknown outcome where it did not', async () => {
    const home = homeWithProfile();
    expect((await run(home, partialReturn('3.00'), refused)).exit).toBe(4);
    expect(await found(home)).toMatchObject({ total: 0, orders: [] });
    expect((await run(home, partialReturn('4.00'), lost)).exit).toBe(8);
    expect(await found(home)).toMatchObject({
      total: 1,
      orders: [
        { status: null, returned: '0.00', pending: '4.00', reason: 'made elsewhere; return 4.00 USD is unknown' },
      ],
    });
    expect((await found(home, '--status', 'approved')).total).toBe(0);
  });

  test('shows what a return of all that was left came to, and nothing before that is known', async () => {
    const home = homeWithProfile();
    const all = ['return', '12345', '--client-order-id', '902B4FF5', '--all'];
    expect((await run(home, all, refused, reply(200, taken))).exit).toBe(0);
    expect((await found(home)).orders).toMatchObject([{ returned: null, pending: null, reason: 'made elsewhere' }]);
    const done = { amount: '7.42', 'initial-amount': '10.42' };
    expect((await run(home, ['status', '12345'], returned('10.42', done))).exit).toBe(0);
    expect((await found(home)).orders).toMatchObject([{ status: 'approved', returned: '7.42', amount: '10.42' }]);
  });
});

test('--operation finds orders made by it, and orders with one of it since', async () => {
  const home = temporaryHome();
  const usd = ['--amount', '10', '--currency', 'USD', '--test-card', 'approved', '--wait', '--no-input'];
  for (const [operation, id] of [
    ['sale', 's-1'],
    ['sale', 's-2'],
    ['preauth', 'h-1'],
    ['preauth', 'h-2'],
  ] as const)
    expect((await run(home, [operation, ...usd, '--client-order-id', id])).exit).toBe(0);
  expect((await run(home, ['return', 's-1', '--amount', '4', '--wait'])).exit).toBe(0);
  expect((await run(home, ['capture', 'h-1', '--amount', '6', '--wait'])).exit).toBe(0);
  expect((await run(home, ['return', 'h-1', '--amount', '1', '--wait'])).exit).toBe(0);
  expect((await run(home, ['void', 'h-2', '--wait'])).exit).toBe(0);
  const ids = async (operation: string) =>
    (await found(home, '--operation', operation)).orders.map((each: { clientOrderId: string }) => each.clientOrderId);
  expect(await ids('sale')).toEqual(['s-2', 's-1']);
  expect(await ids('return')).toEqual(['h-1', 's-1']);
  expect(await ids('capture')).toEqual(['h-1']);
  expect(await ids('void')).toEqual(['h-2']);
  expect(await ids('payout')).toEqual([]);
  expect((await found(home)).total).toBe(4);
});
