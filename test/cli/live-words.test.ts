import { expect, test } from 'vitest';
import { amountInWords, numberInWords } from '../../src/cli/format/amount-in-words.js';

test.each<readonly [bigint, number, string, string]>([
  [12345n, 2, 'USD', '123.45 USD (one hundred twenty-three and 45/100 USD, 12345 in minor units)'],
  [1042n, 2, 'EUR', '10.42 EUR (ten and 42/100 EUR, 1042 in minor units)'],
  [5n, 2, 'EUR', '0.05 EUR (zero and 05/100 EUR, 5 in minor units)'],
  [1n, 2, 'EUR', '0.01 EUR (zero and 01/100 EUR, 1 in minor units)'],
  [100n, 2, 'EUR', '1.00 EUR (one EUR, 100 in minor units)'],
  [50000n, 2, 'EUR', '500.00 EUR (five hundred EUR, 50000 in minor units)'],
  [1042n, 0, 'JPY', '1042 JPY (one thousand forty-two JPY, 1042 in minor units)'],
  [10420n, 3, 'KWD', '10.420 KWD (ten and 420/1000 KWD, 10420 in minor units)'],
  [104207n, 4, 'CLF', '10.4207 CLF (ten and 4207/10000 CLF, 104207 in minor units)'],
  [13n, 1, 'XXX', '1.3 XXX (one and 3/10 XXX, 13 in minor units)'],
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
    'nine hundred ninety-nine billion nine hundred ninety-nine million nine hundred ninety-nine thousand nine hundred ninety-nine',
  ],
  [9_999_000_000_000_001n, 'nine quadrillion nine hundred ninety-nine trillion one'],
])('%d in words', (number, words) => {
  expect(numberInWords(number)).toBe(words);
});
