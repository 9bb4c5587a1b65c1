import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPaycliError } from '../../src/errors/index.js';
import { decimalText, digitsOf, isCurrency, isoDigits, parseAmount } from '../../src/wire/amount.js';

/** The words of a refused amount, and the form it shows. */
function refusal(work: () => unknown): readonly [why: string, form: string] {
  try {
    work();
  } catch (error) {
    if (isPaycliError(error) && error.code === 'AMOUNT_INVALID') return [error.message, String(error.facts['form'])];
    throw error;
  }
  throw new Error('accepted');
}

describe('digitsOf', () => {
  test.each(['XXX', 'XTS', 'usd', 'US', '', 'USDD', 'default', 'constructor'])('does not know %j', (code) => {
    expect(digitsOf(code, 'iso4217', '1')).toBeUndefined();
    expect(digitsOf(code, 'hundredths', '1')).toBeUndefined();
    expect(isCurrency(code)).toBe(false);
  });

  test.each([
    ['JPY=2', 'JPY', '7', 2],
    ['JPY=2,4001/KWD=2', 'KWD', '4001', 2],
    ['JPY=2,4001/KWD=2', 'KWD', '400', 3],
    ['ISK=1,4001/ISK=2', 'ISK', '4001', 2],
    ['ISK=1,4001/ISK=2', 'ISK', '9', 1],
    ['CLP=0', 'CLP', '9', 0],
    ['XXX=2', 'XXX', '9', undefined],
  ])('under %s gives %s at %s the digits %s', (value, code, endpoint, digits) => {
    expect(digitsOf(code, value, endpoint)).toBe(digits);
  });
});

describe('parseAmount', () => {
  test.each([
    ['10.42', 'USD', 2, 1042n],
    ['10.5', 'USD', 2, 1050n],
    ['100', 'JPY', 0, 100n],
    ['1.234', 'KWD', 3, 1234n],
    ['0.0001', 'CLF', 4, 1n],
    ['999999999999.99', 'USD', 2, 99999999999999n],
    ['90071992547.40993', 'USD', 5, 9007199254740993n],
  ])('reads %s %s at %i digits', (text, currency, digits, minor) => {
    expect(parseAmount(text, currency, digits)).toBe(minor);
  });

  test.each([
    ['1e3', 'use a decimal number'],
    ['１０', 'use a decimal number'],
    ['10.005', 'use at most 2 digits after the decimal point in USD'],
    ['-1', 'use a decimal number'],
    ['0', 'use an amount above zero'],
    ['1,00', 'use a decimal number'],
    ['010.00', 'use a decimal number'],
    ['1234567890123', 'use a decimal number'],
  ])('refuses %j in USD: %s', (text, why) => {
    expect(refusal(() => parseAmount(text, 'USD', 2))).toEqual([`amount: ${why}`, '10.42']);
  });

  test.each([
    ['100.00', 'JPY', 0, 'use a whole number: JPY has no decimals', '500'],
    ['1.2345', 'KWD', 3, 'use at most 3 digits after the decimal point in KWD', '10.420'],
    ['1.00', 'ISK', 1, 'use at most 1 digit after the decimal point in ISK', '10.4'],
    ['10.42', 'XXX', undefined, 'needs an ISO 4217 currency', '10.42 with a currency such as USD'],
  ])('refuses %s %s and shows the right form', (text, currency, digits, why, form) => {
    expect(refusal(() => parseAmount(text, currency, digits))).toEqual([`amount: ${why}`, form]);
  });
});

const minors = fc.bigInt({ min: 1n, max: 999_999_999_999n });

test('an amount comes back from its decimal text', () => {
  fc.assert(
    fc.property(minors, fc.integer({ min: 0, max: 4 }), (minor, digits) => {
      expect(parseAmount(decimalText(minor, digits), 'USD', digits)).toBe(minor);
    }),
  );
});

/** The minor units that ISO 4217 gives other than two digits. */
const digits: Readonly<Record<string, number>> = {
  ...{ BIF: 0, CLP: 0, DJF: 0, GNF: 0, ISK: 0, JPY: 0, KMF: 0, KRW: 0, PYG: 0, RWF: 0, UGX: 0, UYI: 0, VND: 0 },
  ...{ VUV: 0, XAF: 0, XOF: 0, XPF: 0, BHD: 3, IQD: 3, JOD: 3, KWD: 3, LYD: 3, OMR: 3, TND: 3, CLF: 4, UYW: 4 },
};

test('each code has its minor unit, and metals, units of account and tests are no money', () => {
  expect(isoDigits.size).toBe(166);
  expect(Object.fromEntries([...isoDigits].filter(([, each]) => each !== 2))).toEqual(digits);
  const others = 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'.split(' ');
  expect(others.filter(isCurrency)).toEqual([]);
});
