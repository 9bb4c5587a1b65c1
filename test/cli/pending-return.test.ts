import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, returnedStatus, saleFlags, statusReply, taken } from './profiles.js';

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

const serial = { 'by-request-sn': taken['serial-number'], 'transaction-type': 'reversal', currency: 'USD' };
const pending = reply(200, statusReply('processing', { ...serial, amount: '6.00' }));
const returned = reply(200, statusReply('approved', { ...serial, amount: '6.00', 'total-reversal-amount': '6.00' }));

test('a second return asks for the status of the first, then says what is pending and what is left', async () => {
  const home = await pendingReturn();
  const ran = await run(home, ['return', '902B4FF5', '--amount', '4.42'], [pending, reply(200, taken)]);
  expect([ran.exit, ran.requests.map(({ url }) => url.includes('/status/'))]).toEqual([0, [true, false]]);
  expect(ran.err).toContain('a return of this order is still pending (6.00 USD); 4.42 USD remains');
});

test('once the first is final, nothing is pending, and all that is left may be returned', async () => {
  const ran = await run(await pendingReturn(), ['return', '902B4FF5', '--all'], [returned, reply(200, taken)]);
  expect([ran.exit, ran.requests.length]).toEqual([0, 2]);
  expect(ran.err).not.toContain('pending');
  expect(ran.err).toContain('return of at most 4.42 USD: the full remaining amount');
});

test('without an answer the journal decides', async () => {
  const unsaid = reply(400, { type: 'error', 'error-message': 'try again later', 'error-code': '9' });
  const ran = await run(await pendingReturn(), ['return', '902B4FF5', '--amount', '4.43'], [unsaid]);
  expect([ran.exit, ran.requests.length]).toEqual([10, 1]);
});

test('--again asks as well, and above what is left sends nothing', async () => {
  const ran = await run(await pendingReturn(), ['return', '902B4FF5', '--amount', '6.00', '--again'], [pending]);
  expect([ran.exit, ran.requests.length]).toEqual([10, 1]);
  expect(ran.err).toContain('at most 4.42 USD remains');
});

test('above what is left nothing is sent, and the way out is named', async () => {
  const ran = await run(await pendingReturn(), ['return', '902B4FF5', '--amount', '4.43', '-p', 'shop'], [pending]);
  expect([ran.exit, ran.requests.length]).toEqual([10, 1]);
  expect(ran.err).toContain('a return of this order is still pending (6.00 USD): at most 4.42 USD remains');
  expect(ran.err).toContain('paycli status 12345 --wait');
});

test.each([true, false])('without an amount nothing is sent or asked, on a terminal: %s', async (tty) => {
  const all = tty ? [] : ['--all'];
  const ran = await run(await pendingReturn(), ['return', '902B4FF5', ...all], [pending], tty);
  expect([ran.exit, ran.requests.length, ran.questions]).toEqual([10, 1, []]);
  expect(ran.err).toContain('give --amount, at most 4.42 USD');
});

test('while the outcome of one is unknown, no other is sent, not even with --again', async () => {
  const home = homeWithProfile();
  const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
  expect((await run(home, [...saleFlags, '--wait'], [reply(200, taken), sold])).exit).toBe(0);
  expect((await run(home, ['return', '902B4FF5', '--amount', '6.00'], [lost])).exit).toBe(8);
  for (const argv of [
    ['return', '902B4FF5', '--amount', '4.00'],
    ['return', '902B4FF5', '--amount', '4.00', '--again'],
    ['return', '902B4FF5', '--amount', '6.00', '--again'],
    ['return', '902B4FF5', '--all'],
    ['void', '902B4FF5'],
  ]) {
    const ran = await run(home, argv);
    expect([ran.exit, ran.requests], argv.join(' ')).toEqual([10, []]);
    expect(ran.err).toContain('return of 6.00 USD on order 12345 is unknown');
  }
});

test('Ctrl-C while the status of the first is queried ends the command: the second is not sent', async () => {
  const stops = new Set<(signal: 'SIGINT') => void>();
  const onStop = (stop: (signal: 'SIGINT') => void) => {
    stops.add(stop);
    return () => stops.delete(stop);
  };
  // About no request in particular, so that the first return is queried by its own serial number.
  const unnamed = reply(200, returnedStatus('6.00', { amount: '6.00' }));
  const interrupted = (): Delivery => {
    for (const stop of stops) stop('SIGINT');
    return { kind: 'lost', reason: 'interrupted' };
  };
  const ran = await paycli(['return', '902B4FF5', '--amount', '4.42'], {
    home: await pendingReturn(),
    network: [() => unnamed, interrupted],
    outside: (usual) => ({ ...usual, processes: { ...usual.processes, onStop } }),
  });
  expect([ran.exit, ran.requests.length]).toEqual([130, 2]);
});
