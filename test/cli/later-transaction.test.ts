import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const money = { amount: '3.00', currency: 'USD', 'initial-amount': '10.42' };
const returned = (word: string) => reply(200, statusReply(word, { 'transaction-type': 'reversal', ...money }));
const preauth = saleFlags.with(0, 'preauth');
const waiting = ['--wait', '--wait-timeout', '4'];

/** A hold that is pending in the journal, with a capture that the gateway approved at once. */
async function captured(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, preauth, reply(200, taken))).exit).toBe(0);
  const approved = reply(200, { ...taken, status: 'approved' });
  expect((await run(home, ['capture', '902B4FF5', '--amount', '10.42'], approved)).exit).toBe(0);
  return home;
}

describe('a declined return of the order says nothing of the payment itself', () => {
  test('whose reply was lost: it is pending, not declined', async () => {
    const home = homeWithProfile();
    expect((await run(home, saleFlags, lost)).exit).toBe(8);
    const ran = await run(home, [...saleFlags, ...waiting], ...Array(4).fill(returned('declined')));
    expect([ran.exit, ran.out], ran.err).toEqual([7, expect.not.stringContaining('declined')]);
    const again = await run(home, saleFlags, returned('declined'));
    expect([again.exit, again.out]).toEqual([0, expect.not.stringContaining('declined')]);
    const [order] = JSON.parse((await run(home, ['orders', '--json'])).out).orders;
    expect(order).toMatchObject({ status: 'pending', errorCode: null });
  });

  test('while it is waited for', async () => {
    const replies = [reply(200, taken), ...Array(3).fill(returned('declined'))];
    const ran = await run(homeWithProfile(), [...saleFlags, ...waiting], ...replies);
    expect([ran.exit, ran.out], ran.err).toEqual([7, expect.not.stringContaining('declined')]);
  });

  test('that its capture proves to be approved', async () => {
    for (const word of ['declined', 'processing']) {
      const ran = await run(await captured(), [...preauth, ...waiting], returned(word));
      expect([ran.exit, ran.out], ran.err).toEqual([
        0,
        expect.stringContaining('already approved; nothing was sent now'),
      ]);
    }
    const home = await captured();
    expect((await run(home, ['status', '902B4FF5'], returned('declined'))).exit).toBe(0);
    for (const more of [[], ['--expect', 'approved']]) {
      const shown = await run(home, [...preauth, ...more]);
      expect([shown.exit, shown.requests], shown.err).toEqual([0, []]);
      expect(shown.out).toContain('already approved; nothing was sent now');
    }
  });
});

test.each([
  ['approved', 0],
  ['declined', 5],
  ['filtered', 5],
])('a sale whose reply itself says %s ends with exit %i, also without --wait', async (word, exit) => {
  const home = homeWithProfile();
  const ran = await run(home, [...saleFlags, '--json'], reply(200, { ...taken, status: word }));
  expect([ran.exit, JSON.parse(ran.out).ok]).toEqual([exit, exit === 0]);
  expect((await run(home, saleFlags)).exit).toBe(exit);
});
