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

  test('is none in orders either', async () => {
    const home = await homeWithReturn();
    expect(await listed(home)).toMatchObject({ captured: null, released: '0.00', returned: '4.00', left: null });
  });

  test('is none where only status tells of the return', async () => {
    const home = homeWithProfile();
    const preauth = ['preauth', ...saleFlags.slice(1), '--wait'];
    await run(home, preauth, [reply(200, taken), approvedReply('preauth', { amount: '10.42' })]);
    const { amounts } = await orderOf(
      home,
      approvedReply('reversal', { amount: '4.00', 'total-reversal-amount': '4.00' }),
    );
    expect(amounts).toMatchObject({ captured: null, released: '0.00', leftToCapture: null, left: null });
    expect(amounts).toMatchObject({ returned: '4.00', returnedElsewhere: '4.00', leftAtMost: '6.42' });
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
    const entries = JSON.parse((await run(home, ['journal', 'list', '--json'])).out).entries;
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

test('of an order of which only a return from here is known, a capture is not said to be that of a sale', async () => {
  const home = homeWithProfile();
  const sold = approvedReply('reversal', {
    amount: '5.00',
    'initial-amount': '10.42',
    'total-reversal-amount': '5.00',
  });
  const returned = approvedReply('reversal', {
    ...own,
    amount: '5.42',
    'initial-amount': '10.42',
    'total-reversal-amount': '10.42',
  });
  const ran = await run(home, ['return', '902B4FF5', '--all', '--wait'], [sold, sold, reply(200, taken), returned]);
  expect(ran.exit, ran.err).toBe(0);
  const { next } = await orderOf(home, returned);
  expect(JSON.stringify(next)).not.toContain('only a preauth can be captured');
  expect(JSON.stringify(next)).toContain('the status shows only a return');
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

test('a card that was tokenized from here is so where status does not show the reference', async () => {
  const home = homeWithProfile();
  const sold = approvedReply('sale', { amount: '10.42', 'last-four-digits': '1111' });
  await run(home, [...saleFlags, '--wait'], [reply(200, taken), sold]);
  const stored = reply(200, { type: 'create-card-ref-response', 'card-ref-id': '661240', 'serial-number': 's-7' });
  const made = await run(home, ['card-ref', 'create', '902B4FF5'], [stored]);
  expect(made.exit, made.err).toBe(0);
  const { out } = await run(home, ['order', '902B4FF5'], [sold]);
  expect(out).toMatch(/^ {2}card reference +661240$/m);
  expect(out).not.toContain('not tokenized yet');
  expect(out).toContain('--card-ref-id 661240');
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

  test('a return of all that is left names what the status then shows', async () => {
    const home = await captured();
    const shown = approvedReply('capture', { amount: '7.00', ...total });
    const ran = await paycli(['return', '902B4FF5'], {
      home,
      tty: true,
      answers: [['all', 'no']],
      network: [() => shown],
    });
    expect(ran.questions.map(({ message }) => message)).toEqual([
      'Return 7.00 USD, the remaining amount of order 12345 (client order id 902B4FF5)?',
    ]);
  });

  // The status shows 4.42 in all: of that 3.42 may have been released before the capture, or returned after it.
  test('after a return from here no more is said to be left than may be', async () => {
    const home = await captured();
    const newest = approvedReply('reversal', { ...own, amount: '1.00', 'total-reversal-amount': '4.42' });
    await run(home, ['return', '902B4FF5', '--amount', '1.00', '--wait'], [reply(200, taken), newest]);
    const { amounts } = await orderOf(home, newest);
    expect(amounts).toMatchObject({ captured: '7.00', returned: null, left: null, leftAtMost: '6.00' });
    const text = (await run(home, ['order', '902B4FF5'], [newest])).out;
    expect(text).toMatch(/^ {2}amounts +10\.42 USD, captured 7\.00, refundable at most 6\.00$/m);
    expect(text).toMatch(/^ {2}elsewhere +returned or released 3\.42: shown by the gateway, not in this journal$/m);
    const ran = await paycli(['return', '902B4FF5'], {
      home,
      tty: true,
      answers: [['all', 'no']],
      network: [() => newest],
    });
    expect(ran.questions.map(({ message }) => message)).toEqual([
      'Return at most 6.00 USD, the full remaining amount of order 12345 (client order id 902B4FF5)?',
    ]);
  });

  test('what status shows as a return of its own is known to be one', async () => {
    const home = await captured();
    const { amounts } = await orderOf(
      home,
      approvedReply('reversal', { amount: '3.42', 'total-reversal-amount': '3.42' }),
    );
    expect(amounts).toMatchObject({ captured: '7.00', returned: '3.42', left: '3.58' });
  });
});
