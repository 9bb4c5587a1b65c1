import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const status = (word: string, more: Readonly<Record<string, string>> = {}) =>
  reply(200, statusReply(word, { 'transaction-type': 'sale', amount: '10.42', currency: 'USD', ...more }));
const paths = ({ requests }: Awaited<ReturnType<typeof paycli>>) => requests.map(({ url }) => url.split('/').at(-2));

async function soldAs(word: 'approved'): Promise<string> {
  const home = homeWithProfile();
  await run(home, [...saleFlags, '--wait'], reply(200, taken), status(word));
  return home;
}

describe('more than the journal knows to be left', () => {
  test('is sent where nobody answers the query, and the gateway decides', async () => {
    const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
    const ran = await run(
      await soldAs('approved'),
      ['return', '12345', '--amount', '11'],
      lost,
      lost,
      lost,
      reply(200, taken),
    );
    expect([ran.exit, paths(ran).at(-1)], ran.err).toEqual([0, 'return']);
  });

  test.each([
    ['10.43', 11, ['status'], '10.43 is more than the remaining 10.42'],
    ['10.42', 0, ['return'], ''],
  ])('is a return of %s of 10.42', async (amount, exit, sent, why) => {
    const argv = ['return', '12345', '--amount', amount];
    const answers = exit === 11 ? [status('approved')] : [reply(200, taken)];
    const ran = await run(await soldAs('approved'), argv, ...answers);
    expect([ran.exit, paths(ran)], ran.err).toEqual([exit, sent]);
    expect(ran.err).toContain(why);
  });
});
