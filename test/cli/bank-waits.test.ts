import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { at } from './live-at.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

/** Runs a command so many minutes after Monday, 2030-01-07 12:00:00 UTC. */
const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = [], minutes = 0) =>
  paycli(argv, {
    home,
    network: replies.map((one) => () => one),
    outside: at(minutes),
  });

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const status = (word: string, more: Readonly<Record<string, string>> = {}) =>
  reply(200, statusReply(word, { 'transaction-type': 'sale', currency: 'USD', 'initial-amount': '10.42', ...more }));
const processing = status('processing', { 'order-stage': 'sale_processing' });
const since = 'since 2030-01-07T12:00:00Z';
const advice =
  'do not send it again; `paycli status 12345 --wait` waits for the outcome; the gateway states no time limit: if it is still pending the next day, ask its support';
const factsIn = (out: string) =>
  Object.fromEntries(
    [...out.matchAll(/^ {2}([a-z-]+(?: [a-z-]+)*) {2,}(.+)$/gm)].map(([, name, text]) => [name, text]),
  );

async function sold(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, saleFlags, [reply(200, taken)])).exit).toBe(0);
  return home;
}

describe('an order that is processing and expects nothing from its payer waits for the bank', () => {
  test('status says so, and since when; with --wait, how often it was queried', async () => {
    const home = await sold();
    const asked = await run(home, ['status', '12345'], [processing], 5);
    expect(asked.out).toContain(`! waiting for the bank (${since})\n`);
    const waited = await run(home, ['status', '12345', '--wait', '--wait-timeout', '1'], [processing, processing], 6);
    expect(waited.exit).toBe(7);
    expect(waited.err).toContain(`error: still pending: waiting for the bank (${since}, polled 2 times)\n`);
    expect(waited.err).toContain('next:  paycli status 12345 --wait');
  });

  test('order says so too, with what to do and what not', async () => {
    const shown = await run(await sold(), ['order', '12345'], [processing], 5);
    expect(factsIn(shown.out)).toMatchObject({ status: `waiting for the bank (${since})`, 'what to do': advice });
  });

  test('from the moment it was sent, where its reply was lost and status found it later', async () => {
    const home = homeWithProfile();
    await run(home, saleFlags, [lost]);
    await run(home, ['status', '--client-order-id', '902B4FF5'], [processing], 20);
    const shown = await run(home, ['order', '12345'], [processing], 25);
    expect(factsIn(shown.out)['status']).toBe(`waiting for the bank (${since})`);
  });

  test('a return that waits for it is named, and its order stays approved', async () => {
    const home = await sold();
    await run(home, ['status', '12345'], [status('approved')], 1);
    await run(home, ['return', '902B4FF5', '--amount', '5.00'], [reply(200, { ...taken, 'serial-number': 'r' })], 2);
    const pending = status('processing', { 'transaction-type': 'reversal', amount: '5.00', 'by-request-sn': 'r' });
    const shown = await run(home, ['order', '12345'], [pending], 5);
    expect(factsIn(shown.out)).toMatchObject({
      status: 'approved',
      'follow-up': 'return 5.00 USD: waiting for the bank (since 2030-01-07T12:02:00Z)',
      'what to do': advice,
    });
  });

  test('orders, which queries nothing, says that no final status was seen', async () => {
    const home = await sold();
    await run(home, ['status', '12345'], [processing], 5);
    expect((await run(home, ['orders'])).out).toMatch(/pending .* accepted, no final status seen yet$/m);
  });
});

test.each([
  ['a payout that is checked', { 'transaction-type': 'payout', 'order-stage': 'payout_check_validating' }],
  ['a form that may be unfilled', { 'order-stage': 'sale_starting' }],
  ['an order that another bank is tried for', { status: 'chain_declined' }],
])('%s does not wait for the bank', async (_, more) => {
  const shown = await run(await sold(), ['status', '12345'], [status('processing', more)]);
  expect(shown.out).not.toContain('the bank (');
});

test('where the gateway was not asked, nobody knows who is waited for', async () => {
  const shown = await run(await sold(), ['order', '12345', '--offline']);
  expect(factsIn(shown.out)['status']).toMatch(/^processing according to the journal/);
  expect(shown.out).not.toContain('what to do');
});
