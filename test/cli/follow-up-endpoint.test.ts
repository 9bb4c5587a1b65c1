import { expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, noSuchOrder, saleFlags, soldStatus, statusReply, taken } from './profiles.js';

const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };

/** An approved order in dollars, which the profile sends to endpoint 1150; everything else goes to 1144. */
async function homeWithSale(): Promise<string> {
  const home = homeWithProfile({ more: ['endpoints: { USD: 1150 }'] });
  const sold = await run(home, [...saleFlags, '--wait'], reply(200, taken), reply(200, soldStatus));
  expect([sold.exit, sold.requests[0]?.url]).toEqual([0, expect.stringMatching(/\/sale\/1150$/)]);
  return home;
}

test.each([
  ['a part of a return', ['return', '12345', '--amount', '5']],
  ['a return of all', ['return', '12345', '--all']],
  ['by the client order id', ['return', '902B4FF5', '--all']],
])('%s goes to the endpoint of the currency of its order, whether it names one or not', async (_, argv) => {
  const ran = await run(await homeWithSale(), argv, reply(200, taken));
  expect([ran.exit, ran.requests[0]?.url], ran.err).toEqual([0, expect.stringMatching(/\/return\/1150$/)]);
});

test('while one return is in doubt, none is sent to another endpoint', async () => {
  const home = await homeWithSale();
  const first = await run(home, ['return', '12345', '--amount', '5'], lost);
  expect(first.exit, first.err).toBe(8);
  for (const rest of [['--all'], ['--amount', '2']]) {
    const ran = await run(home, ['return', '12345', ...rest, '--endpoint-id', '1144']);
    expect([ran.exit, ran.requests.length], ran.err).toEqual([10, 0]);
    expect(ran.err).toContain('nothing was sent; resolve it first');
  }
});

test('a return that was made at one endpoint is not made again at another', async () => {
  const home = await homeWithSale();
  const made = await run(home, ['return', '12345', '--amount', '5'], reply(200, taken));
  expect(made.exit, made.err).toBe(0);
  const status = reply(200, statusReply('approved', { 'transaction-type': 'reversal', amount: '5.00' }));
  const ran = await run(home, ['return', '12345', '--amount', '5', '--endpoint-id', '1144'], status);
  expect(ran.requests.map(({ url }) => /\/(\w+)\/\d+$/.exec(url)?.[1])).not.toContain('return');
  expect(ran.err).toContain('already sent');
});

test('a status answer counts for all requests on its order, whatever endpoint each went to', async () => {
  const home = homeWithProfile({ more: ['endpoints: { USD: 1150 }'] });
  await run(home, saleFlags, reply(200, taken));
  await run(home, ['return', '12345', '--amount', '5', '--endpoint-id', '1144'], lost);
  const states = async () =>
    JSON.parse((await run(home, ['journal', '--json'])).out).entries.map(
      (entry: Record<string, unknown>) => `${entry['operation']} ${entry['state']}`,
    );
  expect(await states()).toEqual(['SALE accepted', 'RETURN unknown']);
  const status = reply(200, statusReply('approved', { 'transaction-type': 'sale', amount: '10.42' }));
  const ran = await run(home, ['status', '12345', '--endpoint-id', '1144'], status);
  expect(ran.exit, ran.err).toBe(0);
  expect(await states()).toEqual(['SALE done', 'RETURN unknown']);
});

test('the status before a return is asked at the endpoint that the return goes to', async () => {
  const home = homeWithProfile({ asksFirst: true, more: ['endpoints: { USD: 1150 }'] });
  await run(home, saleFlags, noSuchOrder, reply(200, taken));
  const declined = reply(200, statusReply('declined', { 'transaction-type': 'sale', amount: '10.42' }));
  const ran = await run(home, ['return', '12345', '--amount', '5'], declined);
  expect([ran.exit, ran.requests.map(({ url }) => url)], ran.err).toEqual([
    10,
    [expect.stringMatching(/\/status\/1150$/)],
  ]);
});
