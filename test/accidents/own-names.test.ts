import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { homeWithProfile, noSuchOrder, saleFlags, statusReply, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply } from '../support/runtime.js';

const mask = '\u2022';

/** Digits with a check digit behind them, as a card number ends. */
function withCheckDigit(digits: string): string {
  const sum = [...digits].reverse().reduce((total, digit, at) => {
    const value = Number(digit) * (at % 2 === 0 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

const digits = (min: number, max: number) =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: min, maxLength: max });
/** 12 to 19 digits, half of them a number that a card could have. */
const long = fc.oneof(
  digits(12, 19),
  fc.tuple(fc.constantFrom('4', '51', '37', '6011', '62'), digits(11, 14)).map(([start, rest]) => {
    const length = start === '37' ? 15 : 16;
    return withCheckDigit(`${start}${rest}00000`.slice(0, length - 1));
  }),
);
const day = fc
  .tuple(fc.integer({ min: 2020, max: 2039 }), fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 28 }))
  .map(([year, month, date]) => `${year}${String(month).padStart(2, '0')}${String(date).padStart(2, '0')}`);
const time = fc.integer({ min: 0, max: 235_959 }).map((each) => String(each).padStart(6, '0'));

/** An id, a file or a phone number, and a command line that is refused and names it. */
const named = fc.oneof(
  fc.tuple(day, digits(4, 6)).map(([date, end]) => [`b-${date}-${end}`, ['batch', 'show']] as const),
  fc
    .tuple(day, time)
    .map(([date, at]) => [`missing-${date}-${at}.csv`, ['batch', 'plan', '--operation', 'payout']] as const),
  long.map((number) => [`rows-${number}.csv`, ['batch', 'plan', '--operation', 'payout']] as const),
  fc.tuple(day, time, digits(6, 6)).map((parts) => [`pc-${parts.join('-')}`, ['resolve']] as const),
  long.map((number) => [`order-${number}`, ['order', '--timeline']] as const),
  long.map((number) => [number, ['resolve', '--order-id']] as const),
);

const shown = (ran: Ran) => ran.out + ran.err;

test('an id, a date, a file and a number that a person typed as one stay whole in what is refused', async () => {
  const home = homeWithProfile();
  await fc.assert(
    fc.asyncProperty(named, fc.constantFrom([], ['--json']), async ([name, words], more) => {
      const ran = await paycli([...words, name, ...more], { home });
      expect([2, 3], shown(ran)).toContain(ran.exit);
      expect(shown(ran)).not.toContain(mask);
      expect(shown(ran)).toContain(name);
    }),
  );
});

test('the number by which the processor knows a payment is kept whole', async () => {
  const home = homeWithProfile();
  const told = statusReply('approved', {
    ...{ 'transaction-type': 'sale', amount: '10.42', currency: 'USD', 'initial-amount': '10.42' },
    ...{ 'processor-tx-id': '4012888888881881', 'processor-rrn': '123456789012' },
  });
  const sold = await paycli([...saleFlags, '--wait', '-v'], {
    home,
    network: [() => reply(200, taken), () => reply(200, told)],
  });
  expect(sold.exit, sold.err).toBe(0);
  expect(sold.err).toContain('< processor-tx-id = 4012888888881881');
  const kept = await paycli(['journal', '902B4FF5', '--json'], { home });
  expect(kept.out).toContain('"processor-tx-id": "4012888888881881"');
});

describe('a card number that was typed by mistake', () => {
  const card = '5555555555554444';

  test.each([
    ['as the id of an order', ['resolve', card]],
    ['as an amount', ['sale', '--amount', card, '--currency', 'USD']],
    ['with blanks', ['sale', '--card-numbr', '5555 5555 5555 4444']],
    ['behind a sign of equality', ['sale', '--field', `pan=${card}`]],
  ])('is not repeated %s', async (_, argv) => {
    for (const more of [[], ['--json']]) {
      const ran = await paycli([...argv, ...more], { home: homeWithProfile() });
      expect([2, 3], shown(ran)).toContain(ran.exit);
      expect(shown(ran).replaceAll(/[ -]/g, '')).not.toContain(card);
    }
  });

  test('nor is one that a gateway sends, beside ids that stay whole', async () => {
    const words = `card ${card} of order-20261128-1722, plan b-20261128-4145ve, RRN 123456789012, +4930123456789`;
    const ran = await paycli([...saleFlags, '--json'], {
      home: homeWithProfile(),
      network: [() => reply(400, { type: 'validation-error', 'error-message': words }), () => noSuchOrder],
    });
    expect(JSON.parse(ran.out).result['error-message']).toBe(words.replace(card, '•••• 4444'));
  });
});
