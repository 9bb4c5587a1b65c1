import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { homeWithProfile, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply, type TestOptions } from '../support/runtime.js';

// What people did who did nothing clever, and paid twice.

type Fields = Readonly<Record<string, string>>;

const without = (flag: string) =>
  saleFlags.filter((_, at) => at !== saleFlags.indexOf(flag) && saleFlags[at - 1] !== flag);
const sale = without('--client-order-id');
const withId = (id: string) => [...sale, '--client-order-id', id];
const approved = statusReply('approved', { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' });

/** The form fields of a request. */
const sent = ({ requests }: Ran) =>
  requests.map(({ url, body }) => ({ path: new URL(url).pathname, fields: new URLSearchParams(body) }));

/** Runs a command against a gateway that answers each path, in this order, with these fields. */
function run(home: string, argv: readonly string[], replies: readonly Fields[], more: TestOptions = {}): Promise<Ran> {
  const answers = replies.map((fields) => ({ body }: { body: string }) => {
    const id = new URLSearchParams(body).get('client_orderid') ?? '';
    return reply(200, { ...fields, 'merchant-order-id': id });
  });
  return paycli([...argv, '--json'], { home, network: answers, ...more });
}

const minutesLater = (minutes: number): TestOptions => ({
  outside: (usual) => ({
    ...usual,
    clock: {
      now: () => Date.UTC(2030, 0, 7, 12) + minutes * 60_000,
      monotonic: () => usual.clock.monotonic(),
      sleep: (ms) => usual.clock.sleep(ms),
    },
  }),
});

describe('the same sale typed once more, without a client order id', () => {
  const first = async (spec = {}) => {
    const home = homeWithProfile(spec);
    expect((await run(home, [...sale, '--wait'], [taken, approved])).exit).toBe(0);
    return home;
  };

  test('is refused in a script, names the first, and --again sends it', async () => {
    const home = await first();
    const second = await run(home, [...sale, '--wait'], []);
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(JSON.parse(second.err)).toMatchObject({
      code: 'SAME_CONTENT_SENT',
      next: expect.stringContaining('--again'),
    });
    const again = await run(home, [...sale, '--wait', '--again'], [taken, approved]);
    expect([again.exit, sent(again).length]).toEqual([0, 2]);
  });

  test.each([
    ['no', 10, []],
    ['yes', 0, [{ ...taken, 'paynet-order-id': '12346' }]],
  ])('is asked about on a terminal: %s', async (answer, exit, replies) => {
    const home = await first();
    const second = await run(home, sale, replies, { tty: true, answers: [['again', answer]] });
    expect([second.exit, second.requests.length]).toEqual([exit, replies.length]);
  });

  test('counts for 15 minutes, also where the clock went back since, and as long as repeat-window says', async () => {
    const replies = [approved, { ...taken, 'paynet-order-id': '12346' }];
    const home = await first();
    for (const minutes of [14, -60]) expect((await run(home, sale, [], minutesLater(minutes))).exit).toBe(10);
    expect((await run(home, sale, replies, minutesLater(17))).exit).toBe(0);
    const short = await first({ more: ['repeat-window: 2m'] });
    expect((await run(short, sale, replies, minutesLater(5))).exit).toBe(0);
  });

  test('counts by the clock of the gateway, also where that of this machine jumped ahead', async () => {
    const home = homeWithProfile();
    const at = (minutes: number, fields: Fields): Delivery => {
      const date = new Date(Date.UTC(2030, 0, 7, 12, minutes)).toUTCString();
      const answer = reply(200, fields);
      return answer.kind === 'reply'
        ? { ...answer, reply: { ...answer.reply, headers: { ...answer.reply.headers, date } } }
        : answer;
    };
    // Both are an hour behind at first.
    const send = (clock: number, ...network: Delivery[]) =>
      paycli([...sale, '--json'], { home, network: network.map((one) => () => one), ...minutesLater(clock) });
    const { 'merchant-order-id': _, ...made } = taken;
    await send(-60, at(0, { ...made, status: 'approved' }));
    const { 'merchant-order-id': __, ...shown } = approved;
    expect((await send(0, at(1, shown))).exit).toBe(10);
    expect((await send(20, at(2, shown))).exit).toBe(10);
    expect((await send(20, at(16, shown), at(16, { ...made, 'paynet-order-id': '12346' }))).exit).toBe(0);
  });

  test('is another payment with another card or amount, and in a profile of class sandbox', async () => {
    const home = await first();
    const replies = [{ ...taken, 'paynet-order-id': '12346' }];
    const other = sale.map((word) => (word === '10.42' ? '10.43' : word));
    expect((await run(home, other, replies)).exit).toBe(0);
    expect((await run(home, sale.with(sale.indexOf('--card-number') + 1, '5555555555554444'), replies)).exit).toBe(0);
    expect((await run(await first({ class: 'sandbox', baseUrl: 'http://127.0.0.1:8080' }), sale, replies)).exit).toBe(
      0,
    );
  });
});

describe('while the first is pending, the gateway is asked about it', () => {
  test.each([
    ['processing', 10, 1],
    ['approved', 10, 1],
    ['declined', 0, 2],
  ])('%s', async (word, exit, requests) => {
    const home = homeWithProfile();
    await run(home, withId('order-1'), [taken]);
    const status = { ...approved, status: word };
    const second = await run(
      home,
      withId('order-2'),
      [status, { ...taken, 'paynet-order-id': '12346' }].slice(0, requests),
    );
    expect([second.exit, sent(second).map(({ path }) => path.split('/').at(-2))]).toEqual([
      exit,
      ['status', 'sale'].slice(0, requests),
    ]);
  });
});
