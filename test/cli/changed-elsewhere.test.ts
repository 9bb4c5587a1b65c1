import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { approvedReply, homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

// Another machine works on the same order: the journal of this one knows a part of what happened.

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
describe('an order that another machine made, in EUR', () => {
  const elsewhere = reply(
    200,
    statusReply('approved', {
      'transaction-type': 'sale',
      currency: 'EUR',
      amount: '10.42',
      'initial-amount': '10.42',
    }),
  );
  const wrong = reply(400, { type: 'validation-error', 'error-message': 'currency must be EUR', 'error-code': '2' });
  const sent = (ran: Awaited<ReturnType<typeof run>>) =>
    ran.requests.map(({ body }) => new URLSearchParams(String(body)).get('currency'));

  test('a follow-up does not take the currency of an earlier one that the gateway refused', async () => {
    const home = homeWithProfile();
    const first = await run(
      home,
      ['return', '--client-order-id', '902B4FF5', '--amount', '5', '--currency', 'USD'],
      [elsewhere, wrong],
    );
    expect([first.exit, sent(first)]).toEqual([4, [null, 'USD']]);
    const second = await run(
      home,
      ['return', '--client-order-id', '902B4FF5', '--amount', '5'],
      [elsewhere, reply(200, taken)],
    );
    expect([second.exit, sent(second)], second.err).toEqual([0, [null, 'EUR']]);
  });

  test('once one was accepted another currency is refused here', async () => {
    const home = homeWithProfile();
    await run(
      home,
      ['return', '--client-order-id', '902B4FF5', '--amount', '5', '--currency', 'USD'],
      [elsewhere, wrong],
    );
    const right = await run(
      home,
      ['return', '--client-order-id', '902B4FF5', '--amount', '5'],
      [elsewhere, reply(200, taken)],
    );
    expect(right.exit, right.err).toBe(0);
    const ran = await run(home, ['return', '902B4FF5', '--amount', '1', '--currency', 'USD']);
    expect([ran.exit, sent(ran)]).toEqual([2, []]);
    expect(ran.err).toContain('the order is in EUR');
  });
});

describe('a return that the gateway refused', () => {
  const sold = approvedReply('sale', { amount: '10.42' });
  const tooMuch = reply(400, { type: 'validation-error', 'error-message': 'more than remains', 'error-code': '2' });

  test('is not in conflict because returns of other machines add up to its amount', async () => {
    const home = homeWithProfile();
    await run(home, [...saleFlags, '--wait'], [reply(200, taken), sold]);
    const refused = await run(home, ['return', '902B4FF5', '--amount', '9.00'], [tooMuch]);
    expect(refused.exit, refused.err).toBe(4);
    const both = approvedReply('reversal', { amount: '7.00', 'total-reversal-amount': '9.00' });
    const ran = await run(home, ['order', '902B4FF5', '--json'], [both]);
    expect(ran.err).not.toContain('conflict');
    expect(JSON.parse(ran.out).totalReturned).toBe('9.00');
    const entries = JSON.parse((await run(home, ['journal', '--json'])).out).entries;
    expect(entries.map(({ state }: { state: string }) => state)).toEqual(expect.arrayContaining(['refused', 'done']));
  });
});
