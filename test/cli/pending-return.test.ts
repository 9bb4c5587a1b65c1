import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const sold = reply(200, statusReply('approved', { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' }));
const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = [], tty = false) =>
  paycli(argv, { home, tty, network: replies.map((one) => () => one) });

/** A sale of 10.42 USD, and a return of 6.00 that the gateway is processing. */
async function pendingReturn(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, [...saleFlags, '--wait'], [reply(200, taken), sold])).exit).toBe(0);
  expect((await run(home, ['return', '902B4FF5', '--amount', '6.00'], [reply(200, taken)])).exit).toBe(0);
  return home;
}

test('a second return says what is pending and what is left', async () => {
  const ran = await run(await pendingReturn(), ['return', '902B4FF5', '--amount', '4.42'], [reply(200, taken)]);
  expect([ran.exit, ran.requests.length]).toEqual([0, 1]);
  expect(ran.err).toContain('a return of this order is still pending (6.00 USD); 4.42 USD is left to return');
});

test('above what is left nothing is sent, and the way out is named', async () => {
  const ran = await run(await pendingReturn(), ['return', '902B4FF5', '--amount', '4.43', '-p', 'shop']);
  expect([ran.exit, ran.requests]).toEqual([10, []]);
  expect(ran.err).toContain('a return of this order is still pending (6.00 USD): at most 4.42 USD is left to return');
  expect(ran.err).toContain('paycli status 12345 --wait');
});

test.each([true, false])('without an amount nothing is sent or asked, on a terminal: %s', async (tty) => {
  const all = tty ? [] : ['--all'];
  const ran = await run(await pendingReturn(), ['return', '902B4FF5', ...all], [], tty);
  expect([ran.exit, ran.requests, ran.questions]).toEqual([10, [], []]);
  expect(ran.err).toContain('give --amount, at most 4.42 USD');
});
