import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const status = (more: Readonly<Record<string, string>>) =>
  reply(200, statusReply('approved', { currency: 'USD', 'initial-amount': '10.42', ...more }));
const sold = status({ 'transaction-type': 'sale', amount: '10.42' });
const returned = (total: string) =>
  status({ 'transaction-type': 'reversal', amount: '5.00', 'total-reversal-amount': total });
const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

/** A sale of 10.42 USD, and a return of 5.00 whose reply was lost. */
async function lostReturn(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, [...saleFlags, '--wait'], [reply(200, taken), sold])).exit).toBe(0);
  expect((await run(home, ['return', '902B4FF5', '--amount', '5.00'], [lost])).exit).toBe(8);
  return home;
}

const words = 'matched by operation and amount: another machine could have made it';
const matched = [
  {
    ...{ entry: 2, operation: 'return', state: 'done', amount: '5.00', currency: 'USD' },
    reason: `status: approved; ${words}`,
  },
];

describe('a lost return that status shows without naming it', () => {
  test('counts as approved, and order says on its screen and in JSON how it was matched', async () => {
    const home = await lostReturn();
    const shown = await run(home, ['order', '902B4FF5'], [returned('5.00')]);
    expect(shown.out).toMatch(/not certain +return of 5\.00 USD on order 12345 is done \(status: approved; matched by/);
    expect(shown.out).toContain('left to return 5.42');
    const json = await run(home, ['order', '902B4FF5', '--json'], [returned('5.00')]);
    expect(JSON.parse(json.out).matched).toEqual(matched);
  });

  test('status says so too, with and without waiting, and so does the return that is repeated', async () => {
    const home = await lostReturn();
    const commands = [
      ['status', '902B4FF5'],
      ['status', '902B4FF5', '--wait'],
    ];
    for (const command of commands) {
      const json = await run(home, [...command, '--json'], [returned('5.00')]);
      expect([json.exit, JSON.parse(json.out).matched]).toEqual([0, matched]);
      expect((await run(home, command, [returned('5.00')])).err).toContain(words);
    }
    const again = await run(home, ['return', '902B4FF5', '--amount', '5.00', '--json']);
    expect([again.exit, again.requests, JSON.parse(again.out).matched]).toEqual([0, [], matched]);
  });

  test('stays unknown while the gateway shows more than the journal explains', async () => {
    const home = await lostReturn();
    const asked = await run(home, ['resolve', '902B4FF5', '--once'], [returned('8.00')]);
    expect([asked.exit, asked.err]).toEqual([8, expect.stringContaining('another machine may have made a return')]);
    const second = await run(home, ['return', '902B4FF5', '--amount', '1.00']);
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(second.err).toContain('paycli resolve 12345');
  });
});

test('a sale and its status, which name each other, say nothing of the kind', async () => {
  const home = homeWithProfile();
  await run(home, saleFlags, [reply(200, taken)]);
  const json = await run(home, ['status', '902B4FF5', '--json'], [sold]);
  expect(JSON.parse(json.out)).not.toHaveProperty('matched');
});
