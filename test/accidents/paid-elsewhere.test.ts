import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { homeWithProfile, type ProfileSpec, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply } from '../support/runtime.js';

// A payment that another machine made, or this one with another state folder, an older copy of it, or another address.

const unknownOrder = reply(400, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '6' });
const made = (status: string, more: Readonly<Record<string, string>> = {}) =>
  reply(
    200,
    statusReply(status, {
      ...{ 'transaction-type': 'sale', amount: '10.42', currency: 'USD', 'initial-amount': '10.42' },
      ...more,
    }),
  );

const run = (home: string, argv: readonly string[], replies: readonly Delivery[], tty = false) =>
  paycli([...argv, '--json'], { home, network: replies.map((each) => () => each), tty });
const newMachine = (spec: ProfileSpec = {}) => homeWithProfile({ asksFirst: true, ...spec });
const paths = ({ requests }: Ran) => requests.map(({ url }) => new URL(url).pathname.split('/').at(-2));

async function stateIn(home: string): Promise<string | undefined> {
  return JSON.parse((await run(home, ['journal'], [])).out).entries[0]?.state;
}

describe('before the first sale with a client order id of mine the gateway is asked about it', () => {
  test('it has no such order: the sale is sent, and the same again asks about that one only', async () => {
    const home = newMachine();
    const first = await run(home, saleFlags, [unknownOrder, reply(200, taken)]);
    expect([first.exit, paths(first)]).toEqual([0, ['status', 'sale']]);
    expect(new URLSearchParams(first.requests[0]?.body).get('client_orderid')).toBe('902B4FF5');
    expect(paths(await run(home, saleFlags, [made('approved')]))).toEqual(['status']);
  });

  test.each([
    ['approved', 0, 'done'],
    ['declined', 5, 'declined'],
    ['unknown', 8, 'accepted'],
  ])('it was made elsewhere and is %s: nothing is sent, and that is the outcome here', async (word, exit, state) => {
    const home = newMachine();
    const ran = await run(home, saleFlags, [made(word)]);
    expect([ran.exit, paths(ran), await stateIn(home)]).toEqual([exit, ['status'], state]);
    if (exit === 0) expect(JSON.parse(ran.out)).toMatchObject({ sent: false });
  });

  test.each([
    ['of another amount', { 'initial-amount': '99.00', amount: '99.00' }],
    ['of another operation', { 'transaction-type': 'payout' }],
    ['at another endpoint', { 'end-point-id': '2255' }],
    ['that cannot be compared', { amount: '', 'initial-amount': '' }],
  ])('it has an order %s: exit 10, nothing sent', async (_, more) => {
    const home = newMachine();
    const ran = await run(home, saleFlags, [made('approved', more)]);
    expect([ran.exit, paths(ran), await stateIn(home)]).toEqual([10, ['status'], undefined]);
  });

  test('it does not answer: exit 6, and the same command sends once it answers', async () => {
    const home = newMachine();
    const page: Delivery = { kind: 'lost', reason: 'the connection was reset' };
    const ran = await run(home, saleFlags, [page, page, page]);
    expect([ran.exit, new Set(paths(ran))]).toEqual([6, new Set(['status'])]);
    expect((await run(home, saleFlags, [unknownOrder, reply(200, taken)])).exit).toBe(0);
  });

  test('not with ask-first: off, which the result says, nor with an id that was made up, nor in class sandbox', async () => {
    const off = await run(homeWithProfile(), saleFlags, [reply(200, taken)]);
    expect([off.exit, paths(off), off.out]).toEqual([0, ['sale'], expect.stringContaining('ask-first')]);
    const generated = saleFlags.filter((_, at) => at !== 1 && at !== 2);
    const { 'merchant-order-id': _, ...noId } = taken;
    expect(paths(await run(newMachine(), generated, [reply(200, noId)]))).toEqual(['sale']);
    const sandbox = await run(newMachine({ class: 'sandbox', baseUrl: 'http://127.0.0.1:8080' }), saleFlags, [
      reply(200, taken),
    ]);
    expect([paths(sandbox), sandbox.err]).toEqual([['sale'], '']);
  });

  test('without a control key it cannot be asked: exit 3', async () => {
    const ran = await run(newMachine({ withoutControlKey: true }), saleFlags, []);
    expect([ran.exit, ran.requests]).toEqual([3, []]);
    expect(ran.err).toContain('profile set-key');
  });
});

test('the same id at another endpoint of the merchant is the same payment, whatever else it says', async () => {
  const home = newMachine();
  await run(home, saleFlags, [unknownOrder, reply(200, taken)]);
  const other = saleFlags.map((word) => (word === '10.42' ? '11.00' : word));
  const ran = await run(home, [...other, '--endpoint-id', '2255'], []);
  expect([ran.exit, ran.requests]).toEqual([10, []]);
});

describe('before a return the gateway is asked what was returned', () => {
  const giveBack = ['return', '12345', '--client-order-id', '902B4FF5', '--amount', '5.00', '--currency', 'USD'];
  const returned = (sum: string) =>
    made('approved', { 'transaction-type': 'reversal', amount: sum, 'total-reversal-amount': sum });

  test('a return from elsewhere: exit 10 in a script, --again sends', async () => {
    const home = newMachine();
    const ran = await run(home, giveBack, [returned('5.00')]);
    expect([ran.exit, paths(ran)]).toEqual([10, ['status']]);
    expect(paths(await run(home, [...giveBack, '--again'], [reply(200, taken)]))).toEqual(['return']);
  });

  test('it does not say what was returned: exit 6, and nothing is sent', async () => {
    const lost = { kind: 'lost', reason: 'reset' } as const;
    const ran = await run(newMachine(), giveBack, [lost, lost, lost]);
    expect([ran.exit, new Set(paths(ran))]).toEqual([6, new Set(['status'])]);
  });

  test.each([
    ['no', 10, ['status']],
    ['yes', 0, ['status', 'return']],
  ])('a terminal asks: %s', async (answer, exit, expected) => {
    const network = [returned('5.00'), reply(200, taken)].slice(0, expected.length).map((each) => () => each);
    const ran = await paycli(giveBack, { home: newMachine(), tty: true, network, answers: [['again', answer]] });
    expect([ran.exit, paths(ran)]).toEqual([exit, expected]);
  });

  test('what this journal returned is known', async () => {
    const home = newMachine();
    await run(home, giveBack, [made('approved'), reply(200, taken)]);
    const more = giveBack.map((word) => (word === '5.00' ? '1.00' : word));
    const ran = await run(home, more, [
      returned('5.00'),
      returned('5.00'),
      reply(200, { ...taken, 'serial-number': '2' }),
    ]);
    expect([ran.exit, paths(ran)]).toEqual([0, ['status', 'status', 'return']]);
  });
});
