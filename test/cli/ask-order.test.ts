import { describe, expect, test } from 'vitest';
import type { Question } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const offered = (questions: readonly Question[], name = 'order') => {
  const asked = questions.find((question) => question.name === name);
  return asked === undefined ? undefined : asked.choices?.map((choice) => [choice, asked.meanings?.[choice]]);
};
const other = ['another order', undefined];
const usual = ['902B4FF5', expect.stringMatching(/^10\.42 USD, sale approved, .*, gateway order id 12345$/)];

const status = (word: string, more: Readonly<Record<string, string>> = {}) =>
  reply(200, statusReply(word, { 'transaction-type': 'sale', amount: '10.42', currency: 'USD', ...more }));
const ids = { 'merchant-order-id': 'second', 'paynet-order-id': '777' };

/** An approved sale 902B4FF5, and after it a sale of another id that is pending. */
async function homeWithTwo(): Promise<string> {
  const home = homeWithProfile();
  const first = await paycli([...saleFlags, '--wait'], {
    home,
    network: [() => reply(200, taken), () => status('approved')],
  });
  expect(first.exit, first.err).toBe(0);
  const network = [() => reply(200, { ...taken, ...ids })];
  const second = await paycli([...saleFlags.with(2, 'second'), '--again'], { home, network });
  expect(second.exit, second.err).toBe(0);
  return home;
}
const pending = ['second', expect.stringMatching(/^10\.42 USD, sale pending, .*, gateway order id 777$/)];

describe('a command about one order, without it', () => {
  test.each([[['order', '--timeline']], [['support']]])(
    '%s offers all orders on a terminal, newest first',
    async (argv) => {
      const home = await homeWithTwo();
      const ran = await paycli(argv, { home, tty: true, answers: [['order', 'another order']] });
      expect(offered(ran.questions)).toEqual([pending, usual, other]);
      // Only a whole id, either one, names an order.
      expect(ran.questions.find(({ name }) => name === 'order')?.ids).toEqual({
        second: ['second', '777'],
        '902B4FF5': ['902B4FF5', '12345'],
      });
    },
  );

  test('shows the chosen one by both of its ids', async () => {
    const home = await homeWithTwo();
    const ran = await paycli(['order'], {
      home,
      tty: true,
      answers: [['order', '902B4FF5']],
      network: [() => status('approved')],
    });
    expect([ran.exit, ran.requests.length], ran.err).toEqual([0, 1]);
    expect(String(ran.requests[0]?.body)).toMatch(/client_orderid=902B4FF5&.*orderid=12345/);
    expect(ran.out).toContain('902B4FF5');
    const shown = await paycli(['journal', 'second'], { home });
    expect(shown.out).toContain('777 / second');
    expect(shown.out).not.toContain('902B4FF5');
  });

  test('takes a typed id where the journal has none', async () => {
    const ran = await paycli(['order', '--timeline'], {
      home: homeWithProfile(),
      tty: true,
      answers: [['order-id', ' 4711 ']],
    });
    expect(ran.questions.map(({ message }) => message)).toEqual([
      'the journal has none (`paycli orders` lists all); the order: its gateway order id or your client order id (idempotency key)',
    ]);
    expect(ran.err).toContain('4711');
  });
});

describe('a follow-up without an order', () => {
  test('offers those of the journal; the choice brings both ids and the currency', async () => {
    const home = await homeWithTwo();
    const network = [() => reply(200, taken)];
    const answers = [['order', '902B4FF5']] as const;
    const ran = await paycli(['return', '--amount', '5'], { home, tty: true, answers, network });
    expect(ran.exit, ran.err).toBe(0);
    const body = new URLSearchParams(ran.requests.at(-1)?.body);
    expect(['client_orderid', 'orderid', 'currency'].map((name) => body.get(name))).toEqual([
      '902B4FF5',
      '12345',
      'USD',
    ]);
  });
});

describe('resolve without an order', () => {
  test('queries what is open, and offers it for a decision of a person', async () => {
    const home = await homeWithTwo();
    const lost = () => ({ kind: 'lost', reason: 'the connection was reset' }) as const;
    const third = await paycli([...saleFlags.with(2, 'third'), '--again'], { home, network: [lost] });
    expect(third.exit, third.err).toBe(8);
    const mark = ['resolve', '--offline', '--settle-as', 'paid', '--evidence', 'statement of 31 January'];
    const answers = [
      ['order', 'third'],
      ['record it', 'yes'],
    ] as const;
    const ran = await paycli(mark, { home, tty: true, answers });
    expect(offered(ran.questions)).toEqual([
      ['third', expect.stringMatching(/^10\.42 USD, sale unknown, .*, gateway order id unknown$/)],
      pending,
      other,
    ]);
    expect(ran.exit, ran.err).toBe(0);
    expect((await paycli(mark, { home })).exit).toBe(2);
    const all = await paycli(['resolve'], { home, network: [() => status('approved', ids)] });
    expect([all.exit, all.requests.length], all.err).toEqual([0, 1]);
  });
});
