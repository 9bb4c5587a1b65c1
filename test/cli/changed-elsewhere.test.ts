import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { approvedReply, homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

// Another machine works on the same order: the journal of this one knows a part of what happened.

const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const own = { 'by-request-sn': taken['serial-number'] };
const orderOf = async (home: string, answer: Delivery, ...more: string[]) =>
  JSON.parse((await run(home, ['order', '902B4FF5', '--json', ...more], [answer])).out);
const listed = async (home: string) => JSON.parse((await run(home, ['orders', '--json'])).out).orders[0];

describe('a hold that another machine captured in part', () => {
  const returned = approvedReply('reversal', { ...own, amount: '4.00', 'total-reversal-amount': '4.00' });

  async function homeWithReturn(): Promise<string> {
    const home = homeWithProfile();
    const preauth = ['preauth', ...saleFlags.slice(1), '--wait'];
    expect((await run(home, preauth, [reply(200, taken), approvedReply('preauth', { amount: '10.42' })])).exit).toBe(0);
    const all = ['return', '902B4FF5', '--amount', '4.00', '--wait'];
    const ran = await run(home, all, [reply(200, taken), returned]);
    expect(ran.exit, ran.err).toBe(0);
    return home;
  }

  test('is no hold after a return of it from here: what was captured is not known', async () => {
    const home = await homeWithReturn();
    const { amounts, next } = await orderOf(home, returned);
    const legal = (next as { operation: string; legal: boolean; reason: string | null }[]).filter((each) => each.legal);
    expect(amounts).toMatchObject({ captured: null, released: '0.00', leftToCapture: null, left: null });
    expect(amounts).toMatchObject({ returned: '4.00', leftAtMost: '6.42' });
    expect(legal.map(({ operation }) => operation)).not.toEqual(expect.arrayContaining(['capture']));
    expect(JSON.stringify(next)).toContain('it was already captured');
    const text = (await run(home, ['order', '902B4FF5'], [returned])).out;
    expect(text).not.toMatch(/released 4\.00|remaining to capture/);
  });
});

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
    const first = await run(home, ['return', '902B4FF5', '--amount', '5', '--currency', 'USD'], [elsewhere, wrong]);
    expect([first.exit, sent(first)]).toEqual([4, [null, 'USD']]);
    const second = await run(home, ['return', '902B4FF5', '--amount', '5'], [elsewhere, reply(200, taken)]);
    expect([second.exit, sent(second)], second.err).toEqual([0, [null, 'EUR']]);
    expect(second.err).toContain('--currency EUR: from the status of the order');
  });

  test('once one was accepted another currency is refused here', async () => {
    const home = homeWithProfile();
    await run(home, ['return', '902B4FF5', '--amount', '5', '--currency', 'USD'], [elsewhere, wrong]);
    const right = await run(home, ['return', '902B4FF5', '--amount', '5'], [elsewhere, reply(200, taken)]);
    expect(right.exit, right.err).toBe(0);
    const ran = await run(home, ['return', '902B4FF5', '--amount', '1', '--currency', 'USD']);
    expect([ran.exit, sent(ran)]).toEqual([2, []]);
    expect(ran.err).toContain('is in EUR, not in USD');
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
    expect(JSON.parse(ran.out).amounts).toMatchObject({ returned: '9.00', pending: '0.00', left: '1.42' });
    const entries = JSON.parse((await run(home, ['journal', '--json'])).out).entries;
    expect(entries.map(({ state }: { state: string }) => state)).toEqual(expect.arrayContaining(['refused', 'done']));
  });
});

describe('a return from here that is pending while another machine returns', () => {
  test('counts once in what is left: its own status is queried', async () => {
    const home = homeWithProfile();
    await run(home, [...saleFlags, '--wait'], [reply(200, taken), approvedReply('sale', { amount: '10.42' })]);
    expect((await run(home, ['return', '902B4FF5', '--amount', '3.00'], [reply(200, taken)])).exit).toBe(0);
    // 3.00 from here and 2.00 from elsewhere, of which the status shows the newest.
    const total = { 'total-reversal-amount': '5.00' };
    const ran = await run(
      home,
      ['order', '902B4FF5', '--json'],
      [
        approvedReply('reversal', { amount: '2.00', ...total }),
        approvedReply('reversal', { ...own, amount: '3.00', ...total }),
      ],
    );
    expect(ran.exit, ran.err).toBe(0);
    expect(new URLSearchParams(String(ran.requests[1]?.body)).get('by-request-sn')).toBe(taken['serial-number']);
    expect(JSON.parse(ran.out).amounts).toMatchObject({
      ...{ returned: '5.00', returnedElsewhere: '2.00', pending: '0.00', left: '5.42' },
    });
  });
});

describe('a request from here that is pending while the status shows a later one of another machine', () => {
  const total = { 'total-reversal-amount': '3.00' };
  const held = approvedReply('preauth', { amount: '10.42' });
  const askedOwn = (ran: Awaited<ReturnType<typeof run>>) =>
    ran.requests.map(({ body }) => new URLSearchParams(String(body)).get('by-request-sn'));

  async function homeWithHold(): Promise<string> {
    const home = homeWithProfile();
    const preauth = ['preauth', ...saleFlags.slice(1), '--wait'];
    expect((await run(home, preauth, [reply(200, taken), held])).exit).toBe(0);
    return home;
  }

  test('a capture before a return: its own status is queried', async () => {
    const home = await homeWithHold();
    expect((await run(home, ['capture', '902B4FF5', '--amount', '7.00'], [reply(200, taken)])).exit).toBe(0);
    const returned = approvedReply('reversal', { amount: '3.00', ...total });
    const captured = approvedReply('capture', { ...own, amount: '7.00', ...total });
    const ran = await run(home, ['order', '902B4FF5', '--json'], [returned, captured]);
    expect(askedOwn(ran), ran.err).toEqual([null, taken['serial-number']]);
    expect(JSON.parse(ran.out).amounts).toMatchObject({ captured: '7.00', capturePending: '0.00', left: '4.00' });
  });

  test('a release before a capture: it is no longer pending, and counts once', async () => {
    const home = await homeWithHold();
    expect((await run(home, ['return', '902B4FF5', '--amount', '3.00'], [reply(200, taken)])).exit).toBe(0);
    const captured = approvedReply('capture', { amount: '7.42', ...total });
    const released = approvedReply('cancel', { ...own, amount: '3.00', ...total });
    const ran = await run(home, ['order', '902B4FF5', '--json'], [captured, released]);
    expect(askedOwn(ran), ran.err).toEqual([null, taken['serial-number']]);
    expect(JSON.parse(ran.out).amounts).toMatchObject({ released: '3.00', pending: '0.00', left: '7.42' });
  });
});

test('a script that returns all of what was returned elsewhere is refused, as a terminal is', async () => {
  const gone = approvedReply('reversal', {
    amount: '10.42',
    'initial-amount': '10.42',
    'total-reversal-amount': '10.42',
  });
  const ran = await run(homeWithProfile(), ['return', '902B4FF5', '--all'], [gone, gone]);
  expect(ran.exit, ran.err).toBe(11);
  expect(ran.err).toContain('no remaining amount to return');
  expect(ran.requests.every(({ url }) => url.includes('/status/'))).toBe(true);
});

describe('a hold of which another machine released a part before it was captured here', () => {
  const total = { 'total-reversal-amount': '3.42' };

  async function captured(): Promise<string> {
    const home = homeWithProfile();
    const held = approvedReply('preauth', { amount: '10.42' });
    await run(home, ['preauth', ...saleFlags.slice(1), '--wait'], [reply(200, taken), held]);
    const capture = approvedReply('capture', { ...own, amount: '7.00', ...total });
    const ran = await run(home, ['capture', '902B4FF5', '--amount', '7.00', '--wait'], [reply(200, taken), capture]);
    expect(ran.exit, ran.err).toBe(0);
    return home;
  }

  test('what was released is not taken for returned while the capture is the newest transaction', async () => {
    const home = await captured();
    const { amounts } = await orderOf(home, approvedReply('capture', { amount: '7.00', ...total }));
    expect(amounts).toMatchObject({ captured: '7.00', returnedElsewhere: '3.42', released: '3.42', returned: '0.00' });
    expect(amounts).toMatchObject({ left: '7.00', leftAtMost: '7.00' });
    expect(await listed(home)).toMatchObject({ returned: '0.00', returnedElsewhere: '3.42', left: null });
  });
});
