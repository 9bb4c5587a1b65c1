import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { operations } from '../../src/spec/index.js';
import { dead, open, sale } from '../journal/support.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const unknownOrder = reply(400, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '6' });
const forbidden: Delivery = reply(403, { type: 'error', 'error-message': 'Forbidden', 'error-code': '403' });
const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const withId = (id: string) => saleFlags.map((word) => (word === '902B4FF5' ? id : word));
const next = (text: string) => /^next: +(.*)$/m.exec(text)?.[1];

/** A sale whose reply was lost. */
async function lostSale(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, saleFlags, lost)).exit).toBe(8);
  return home;
}

describe('while the outcome of a sale is unknown', () => {
  test('an identical one under another client order id is refused, and the first is to be settled', async () => {
    const home = await lostSale();
    const second = await run(home, withId('second'));
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(second.err).toContain('an identical payment has no final outcome yet: order 902B4FF5 is unknown');
    expect(next(second.err)).toBe(
      'nothing was sent; settle it first with `paycli resolve 902B4FF5`; if this is meant as a second payment, --again \
sends it all the same',
    );
    expect(JSON.parse((await run(home, [...withId('second'), '--json'])).err)).toMatchObject({
      ...{ code: 'SAME_CONTENT_OPEN', exit: 10, next: expect.stringContaining('`paycli resolve 902B4FF5`') },
    });
  });

  test('--again sends it with a warning, and once only', async () => {
    const home = await lostSale();
    const again = [...withId('second'), '--again'];
    const second = await run(home, again, reply(200, { ...taken, 'merchant-order-id': 'second' }));
    expect(second.requests).toHaveLength(1);
    expect(second.err).toContain(
      'warning: sale of 10.42 USD on order 902B4FF5 is identical and its outcome is unknown; this request has another \
client order id and may be a second payment; `paycli resolve 902B4FF5` settles the first',
    );
    const third = await run(home, again, reply(200, statusReply('processing', { 'transaction-type': 'sale' })));
    expect(new Set(third.requests.map(({ url }) => url))).toEqual(
      new Set(['https://gate.example/prefix/api/v2/status/1144']),
    );
  });

  test.each([
    ['no', 10, 0],
    ['yes', 0, 1],
  ])('on a terminal it is asked about: %s', async (answer, exit, requests) => {
    const home = await lostSale();
    const second = await paycli(withId('second'), {
      home,
      tty: true,
      answers: [['again', answer]],
      network: requests === 0 ? [] : [() => reply(200, { ...taken, 'merchant-order-id': 'second' })],
    });
    expect([second.exit, second.requests.length]).toEqual([exit, requests]);
  });

  test('no question is asked about another payment, or with --no-input', async () => {
    const home = await lostSale();
    const other = withId('second').with(saleFlags.indexOf('10.42'), '11.00');
    const network = [() => reply(200, { ...taken, 'merchant-order-id': 'second' })];
    expect((await paycli(other, { home, tty: true, network })).exit).toBe(0);
    expect((await paycli([...withId('third'), '--no-input'], { home, tty: true })).exit).toBe(10);
  });

  test('no warning follows once it has an outcome', async () => {
    const home = await lostSale();
    const approved = reply(200, statusReply('approved', { 'transaction-type': 'sale', amount: '10.42' }));
    expect((await run(home, ['resolve', '902B4FF5', '--once'], approved)).exit).toBe(0);
    const second = await run(home, withId('second'), reply(200, { ...taken, 'merchant-order-id': 'second' }));
    expect([second.requests.length, second.err]).toEqual([1, expect.not.stringContaining('warning')]);
  });

  test.each([[[]], [['--again']]])('one without a client order id is refused, also with %j', async (more) => {
    const home = await lostSale();
    const generated = saleFlags.filter((_, at) => at !== 1 && at !== 2);
    const second = await run(home, [...generated, ...more]);
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(next(second.err)).toBe('nothing was sent; settle it first with `paycli resolve 902B4FF5`');
  });

  test('another amount under its id is refused, and the first is to be settled before anything else', async () => {
    const home = await lostSale();
    const second = await run(home, saleFlags.with(saleFlags.indexOf('10.42'), '11.00'));
    expect([second.exit, second.requests]).toEqual([2, []]);
    expect(next(second.err)).toBe('nothing was sent; settle it first with `paycli resolve 902B4FF5`');
  });

  test('another amount under its id is refused while the first is pending, and no other id is offered', async () => {
    const home = homeWithProfile();
    expect((await run(home, saleFlags, reply(200, taken))).exit).toBe(0);
    const second = await run(home, saleFlags.with(saleFlags.indexOf('10.42'), '11.00'));
    expect([second.exit, second.requests]).toEqual([2, []]);
    expect(next(second.err)).toBe('nothing was sent; that request is not final: see `paycli order 12345`');
  });

  test.each([
    ['once', ['--once'], 1, 'wait a few minutes, then settle it with `paycli resolve 902B4FF5`'],
    [
      'for six minutes',
      [],
      6,
      'find out from gateway support what became of it, then settle it with `paycli resolve --entry 1 --settle-as \
paid --evidence TEXT` or `paycli resolve --entry 1 --settle-as not-paid --evidence TEXT`',
    ],
  ])('resolve names what can be done after it queried %s', async (_, flags, queries, step) => {
    const home = await lostSale();
    const resolved = await run(home, ['resolve', '902B4FF5', ...flags], ...Array(queries).fill(unknownOrder));
    expect([resolved.exit, resolved.requests.length]).toEqual([8, queries]);
    expect(next(resolved.err)).toBe(`do not send it again; ${step}`);
    expect(resolved.err.includes('--settle-as')).toBe(queries > 1);
  });

  test('resolve names the remedy first where waiting does not help', async () => {
    const home = await lostSale();
    const resolved = await run(home, ['resolve', '902B4FF5', '--json'], forbidden);
    expect([resolved.exit, resolved.requests.length]).toEqual([8, 1]);
    expect(JSON.parse(resolved.err.trim().split('\n').at(-1) ?? '').next).toMatch(
      /^do not send it again; .*allow.*, then settle it with `paycli resolve 902B4FF5`$/,
    );
  });
});

describe('while a sale is pending', () => {
  test.each([
    ['another', withId('second')],
    ['a generated', saleFlags.filter((_, at) => at !== 1 && at !== 2)],
  ])('an identical one under %s client order id is warned of', async (_, argv) => {
    const home = homeWithProfile();
    await run(home, saleFlags, reply(200, taken));
    const second = await run(home, argv, reply(200, taken));
    expect(second.requests).toHaveLength(1);
    expect(second.err).toContain(
      'warning: sale of 10.42 USD on order 12345 is identical and still pending; this request has another client order \
id and may be a second payment; `paycli status 12345 --wait` waits for its outcome',
    );
  });
});

describe('the same goes for every operation that opens an order with money', () => {
  const opening = operations.filter(({ opens, effect }) => opens && effect === 'money');

  test.each(opening.map((row) => [row.command, row] as const))('%s', (_, row) => {
    const first = { ...sale, operation: row.id, effect: 'money' } as const;
    const { journal } = open();
    const lostOne = journal.plan(first, dead).intent;
    journal.begin(lostOne);
    journal.settle(lostOne.id, 'unknown', { reason: 'lost' });
    const second = { ...first, clientOrderId: 'second' };
    expect(() => journal.plan(second, dead)).toThrow(/identical payment/);
    expect(journal.plan(second, { ...dead, again: true }).do).toBe('send');
  });
});
