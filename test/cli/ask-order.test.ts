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
  test.each([
    [['order', '--timeline']],
    [['journal', 'show']],
    [['support', 'bundle']],
    [['callback', 'send', '--to', 'http://127.0.0.1:9/']],
    [['3ds', 'run', '--path', 'frictionless']],
  ])('%s offers all orders on a terminal, newest first', async (argv) => {
    const home = await homeWithTwo();
    const ran = await paycli(argv, { home, tty: true, answers: [['order', 'another order']] });
    expect(offered(ran.questions)).toEqual([pending, usual, other]);
  });

  test.each([
    [['order', '--timeline'], 'which order'],
    [['journal', 'show'], 'which order for journal show'],
  ])('%j asks: %s', async (argv, message) => {
    const ran = await paycli(argv, { home: await homeWithTwo(), tty: true, answers: [['order', '902B4FF5']] });
    expect(ran.questions).toMatchObject([{ message }]);
  });

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
    const shown = await paycli(['journal', 'show'], { home, tty: true, answers: [['order', 'second']] });
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

  test.each([['order'], ['resolve'], ['status'], ['journal show'], ['support bundle'], ['return']])(
    '%s names the argument and the list elsewhere',
    async (command) => {
      const ran = await paycli(command.split(' '), { home: homeWithProfile() });
      expect([ran.exit, ran.questions]).toEqual([2, []]);
      expect(ran.err).toContain(`as in \`paycli ${command} ORDER\``);
      expect(ran.err).toContain('`paycli orders` lists them');
    },
  );
});

describe('resolve without an order', () => {
  test('offers those that are pending or unknown, and settles the chosen one', async () => {
    const home = await homeWithTwo();
    const lost = () => ({ kind: 'lost', reason: 'the connection was reset' }) as const;
    const doubtful = await paycli([...saleFlags.with(2, 'third'), '--again'], { home, network: [lost] });
    expect(doubtful.exit, doubtful.err).toBe(8);
    const ran = await paycli(['resolve', '--once'], {
      home,
      tty: true,
      answers: [['order', 'second']],
      network: [() => status('approved', ids)],
    });
    expect(offered(ran.questions)).toEqual([
      ['third', expect.stringMatching(/^10\.42 USD, sale unknown, .*, gateway order id unknown$/)],
      pending,
      other,
    ]);
    expect(ran.exit, ran.err).toBe(0);
    const [url] = ran.requests.map((request) => request.url);
    expect(url).toContain('/status/');
  });

  test('offers an order with two open requests once, as the newest of them', async () => {
    const home = await homeWithTwo();
    const back = await paycli(['return', '902B4FF5', '--amount', '6.00'], { home, network: [() => reply(200, taken)] });
    expect(back.exit, back.err).toBe(0);
    const more = await paycli(['return', '902B4FF5', '--amount', '1.00'], {
      home,
      network: [() => status('processing', { 'transaction-type': 'reversal' }), () => reply(200, taken)],
    });
    expect(more.exit, more.err).toBe(0);
    const ran = await paycli(['resolve'], { home, tty: true, answers: [['order', 'another order']] });
    expect(offered(ran.questions)?.map((each) => each?.[0])).toEqual(['902B4FF5', 'second', 'another order']);
    expect(offered(ran.questions)?.[0]?.[1]).toMatch(/^1\.00 USD, return pending, /);
  });

  test('refuses flags that need more before it asks', async () => {
    const ran = await paycli(['resolve', '--offline', '--settle-as', 'paid'], { home: await homeWithTwo(), tty: true });
    expect([ran.exit, ran.questions]).toEqual([2, []]);
    expect(ran.err).toContain('--evidence');
  });
});

describe('a command about one callback, without its number', () => {
  test.each(['show', 'replay'])('callback %s names the list where there is none to offer', async (word) => {
    for (const tty of [false, true]) {
      const ran = await paycli(['callback', word], { home: homeWithProfile(), tty });
      expect([ran.exit, ran.questions]).toEqual([2, []]);
      expect(ran.err).toContain(`as in \`paycli callback ${word} 1\`; \`paycli callback list\` lists them`);
    }
  });
});
