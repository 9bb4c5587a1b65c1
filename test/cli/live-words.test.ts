import { expect, test } from 'vitest';
import { amountInWords, numberInWords } from '../../src/cli/core/live/statement.js';

test.each<readonly [bigint, number, string, string]>([
  [12345n, 2, 'USD', 'one hundred twenty-three USD and 45 hundredths (12345 in minor units)'],
  [1042n, 2, 'EUR', 'ten EUR and 42 hundredths (1042 in minor units)'],
  [5n, 2, 'EUR', 'zero EUR and 5 hundredths (5 in minor units)'],
  [1n, 2, 'EUR', 'zero EUR and 1 hundredth (1 in minor units)'],
  [50000n, 2, 'EUR', 'five hundred EUR and 0 hundredths (50000 in minor units)'],
  [1042n, 0, 'JPY', 'one thousand forty-two JPY (1042 in minor units)'],
  [10420n, 3, 'KWD', 'ten KWD and 420 thousandths (10420 in minor units)'],
  [104207n, 4, 'CLF', 'ten CLF and 4207 ten-thousandths (104207 in minor units)'],
  [13n, 1, 'XXX', 'one XXX and 3 tenths (13 in minor units)'],
])('%d at %d digits in %s', (minor, digits, currency, words) => {
  expect(amountInWords(minor, digits, currency)).toBe(words);
});

test.each<readonly [bigint, string]>([
  [0n, 'zero'],
  [13n, 'thirteen'],
  [20n, 'twenty'],
  [99n, 'ninety-nine'],
  [100n, 'one hundred'],
  [1_001n, 'one thousand one'],
  [110_011n, 'one hundred ten thousand eleven'],
  [1_000_000n, 'one million'],
  [
    999_999_999_999n,
    'nine hundred ninety-nine billion nine hundred ninety-nine million nine hundred ninety-nine thousand nine hundred \
ninety-nine',
  ],
  [9_999_000_000_000_001n, 'nine quadrillion nine hundred ninety-nine trillion one'],
])('%d in words', (number, words) => {
  expect(numberInWords(number)).toBe(words);
});
