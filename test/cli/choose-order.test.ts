import { describe, expect, test } from 'vitest';
import type { Question } from '../../src/runtime/ports.js';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, saleFlags, statusReply, taken } from './profiles.js';

const orders = (questions: readonly Question[]) => {
  const asked = questions.find(({ name }) => name === 'order');
  return (asked?.choices ?? []).map((choice) => [choice, asked?.meanings?.[choice]]);
};
const other = ['another order', undefined];
// No order is typed: the question that was asked is all that is looked at.
const stop = [['order', 'another order'] as const, ['order-id', 'nowhere'] as const];

describe('the orders that a prompt offers in the sandbox', () => {
  async function homeAfter(...lines: readonly string[]): Promise<string> {
    const home = temporaryHome();
    for (const line of lines) {
      const { exit, err } = await paycli(line.split(' '), { home });
      expect(exit, err).toBe(0);
    }
    return home;
  }
  const asked = async (home: string, command: string) =>
    (await paycli([command], { home, tty: true, answers: stop })).questions;
  const opened = (operation: string, id: string, more = '--wait') =>
    `${operation} --amount 25.00 --currency EUR --test-card approved --client-order-id ${id} ${more}`;

  test('are those that can be captured, with amount, what is left, status and age', async () => {
    const home = await homeAfter(
      opened('sale', 'sale-1'),
      opened('preauth', 'hold-1'),
      opened('preauth', 'hold-2'),
      'return hold-2 --amount 5.00 --wait',
      opened('preauth', 'voided'),
      'void voided --wait',
      opened('preauth', 'captured'),
      'capture captured --amount 5.00 --wait',
      opened('preauth', 'unqueried', '-q'),
      'sandbox clock advance 2m',
    );
    expect(orders(await asked(home, 'capture'))).toEqual([
      ['unqueried', expect.stringMatching(/^25\.00 EUR, preauth approved, /)],
      [
        'hold-2',
        expect.stringMatching(
          /^20\.00 of 25\.00 EUR remaining, preauth approved, (?:just now|.* ago), gateway order id \d+$/,
        ),
      ],
      ['hold-1', expect.stringMatching(/^25\.00 EUR, preauth approved, (?:just now|.* ago), gateway order id \d+$/)],
      other,
    ]);
  });

  test('are those of which something is left to return', async () => {
    const home = await homeAfter(
      opened('sale', 'part'),
      'return part --amount 5.00 --wait',
      opened('sale', 'all'),
      'return all --all --wait',
      opened('preauth', 'captured'),
      'capture captured --amount 12.00 --wait',
    );
    expect(orders(await asked(home, 'return'))).toEqual([
      ['captured', expect.stringMatching(/^12\.00 of 25\.00 EUR remaining, preauth approved, /)],
      ['part', expect.stringMatching(/^20\.00 of 25\.00 EUR remaining, sale approved, /)],
      other,
    ]);
  });

  test('are holds for a void, and none that expired', async () => {
    const home = await homeAfter(
      opened('preauth', 'old'),
      'sandbox clock advance 8d',
      opened('preauth', 'returned'),
      'return returned --amount 5.00 --wait',
      opened('preauth', 'hold-1'),
    );
    expect(orders(await asked(home, 'void'))).toEqual([['hold-1', expect.stringMatching(/^25\.00 EUR, /)], other]);
  });
});

describe('behind a gateway the orders offered are', () => {
  const hold = saleFlags.map((word) => (word === 'sale' ? 'preauth' : word));
  const status = (type: string, word = 'approved') =>
    reply(200, statusReply(word, { 'transaction-type': type, amount: '10.42', currency: 'USD' }));
  async function homeWithHold(): Promise<string> {
    const home = homeWithProfile();
    const ran = await paycli([...hold, '--wait'], {
      home,
      network: [() => reply(200, taken), () => status('preauth')],
    });
    expect(ran.exit, ran.err).toBe(0);
    return home;
  }
  const offered = async (home: string, command: string) => {
    const ran = await paycli([command, '--dry-run'], { home, tty: true, answers: stop });
    expect(ran.requests).toEqual([]);
    return orders(ran.questions).map(([id]) => id);
  };

  test('found without a query to the gateway', async () => {
    const home = await homeWithHold();
    expect(await offered(home, 'capture')).toEqual(['902B4FF5', 'another order']);
  });

  test.each([
    ['a void', ['void', '902B4FF5'], 'void'],
    ['a capture', ['capture', '902B4FF5', '--all'], 'capture'],
  ])('none after %s whose outcome is pending, nor after it', async (_, argv, type) => {
    const home = await homeWithHold();
    const pending = await paycli(argv, { home, network: [() => reply(200, taken)] });
    expect(pending.exit, pending.err).toBe(0);
    const open = await paycli(['void', '--dry-run'], { home, tty: true, answers: [['order-id', '12345']] });
    expect(open.questions.map(({ name }) => name)).toEqual(['order-id']);
    await paycli(['status', '902B4FF5'], { home, network: [() => status(type)] });
    const done = await paycli(['void', '--dry-run'], { home, tty: true, answers: [['order-id', '12345']] });
    expect(done.questions.map(({ name }) => name)).toEqual(['order-id']);
  });

  test('none that waits for its payer', async () => {
    const home = homeWithProfile();
    await paycli(saleFlags, { home, network: [() => reply(200, taken)] });
    const challenge = { 'transaction-type': 'sale', tds_status: 'CReqForm', amount: '10.42', currency: 'USD' };
    await paycli(['status', '902B4FF5'], { home, network: [() => reply(200, statusReply('processing', challenge))] });
    const ran = await paycli(['return', '--dry-run'], { home, tty: true, answers: [['order-id', '12345']] });
    expect(ran.questions.map(({ name }) => name)).toEqual(['order-id']);
  });

  test.each([
    ['returned', { 'transaction-type': 'reversal', 'total-reversal-amount': '10.42' }, 'no remaining amount to return'],
    ['declined', { 'transaction-type': 'sale', status: 'declined' }, 'the sale is declined, and a return needs'],
  ])('asked for again where status shows that the chosen one was %s elsewhere', async (_, answer, why) => {
    const home = homeWithProfile();
    const sold = [() => reply(200, taken), () => status('sale')];
    expect((await paycli([...saleFlags, '--wait'], { home, network: sold })).exit).toBe(0);
    const second = { ...taken, 'merchant-order-id': 'second', 'paynet-order-id': '777' };
    const own = { 'merchant-order-id': 'second', 'paynet-order-id': '777', 'transaction-type': 'sale' };
    await paycli([...saleFlags.with(2, 'second'), '--wait', '--again'], {
      home,
      network: [
        () => reply(200, second),
        () => reply(200, statusReply('approved', { ...own, amount: '10.42', currency: 'USD' })),
      ],
    });
    const gone = { ...own, amount: '10.42', 'initial-amount': '10.42', currency: 'USD', ...answer };
    const ran = await paycli(['return'], {
      home,
      tty: true,
      answers: [
        ['order', 'second'],
        ['order', '902B4FF5'],
        ['all', 'no'],
      ],
      network: [() => reply(200, statusReply('approved', gone)), () => status('sale'), () => status('sale')],
    });
    expect(ran.questions.map(({ message, choices }) => [message, choices])).toEqual([
      ['which order to return', ['second', '902B4FF5', 'another order']],
      [expect.stringMatching(new RegExp(`^second: ${why}.*; which order to return$`)), ['902B4FF5', 'another order']],
      ['Return 10.42 USD, the remaining amount of order 12345 (client order id 902B4FF5)?', ['no', 'yes']],
    ]);
    expect(ran.exit).toBe(10);
  });
});
