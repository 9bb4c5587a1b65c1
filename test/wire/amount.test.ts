import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPaycliError } from '../../src/errors/index.js';
import { decimalText, digitsOf, isCurrency, minorText, parseAmount, parseMinor } from '../../src/wire/amount.js';

function formOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (isPaycliError(error) && error.code === 'AMOUNT_INVALID') return String(error.facts['form']);
    throw error;
  }
  return 'accepted';
}

describe('digitsOf', () => {
  // ISO 4217: every currency of the table that has other than two digits.
  test.each([
    [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
    [2, 'USD EUR GBP CHF HUF TWD IDR MGA MRU CVE LAK UZS AFN ALL'],
    [3, 'BHD IQD JOD KWD LYD OMR TND'],
    [4, 'CLF UYW'],
  ])('gives %i for %s', (digits, codes) => {
    for (const code of codes.split(' ')) expect(digitsOf(code, 'iso4217', '1'), code).toBe(digits);
  });

  test.each(['XXX', 'XTS', 'usd', 'US', '', 'USDD', 'default', 'constructor'])('does not know %j', (code) => {
    expect(digitsOf(code, 'iso4217', '1')).toBeUndefined();
    expect(digitsOf(code, 'hundredths', '1')).toBeUndefined();
    expect(isCurrency(code)).toBe(false);
  });

  test('gives two for all under hundredths', () => {
    expect(['JPY', 'KWD', 'USD'].map((code) => digitsOf(code, 'hundredths', '1'))).toEqual([2, 2, 2]);
  });

  test.each([
    ['JPY=2', 'JPY', '7', 2],
    ['JPY=2', 'KWD', '7', 3],
    ['JPY=2,4001/KWD=2', 'KWD', '4001', 2],
    ['JPY=2,4001/KWD=2', 'KWD', '400', 3],
    ['4001/ISK=2,ISK=1', 'ISK', '4001', 2],
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
    ['10', 'USD', 2, 1000n],
    ['0.01', 'USD', 2, 1n],
    ['4.35', 'USD', 2, 435n],
    ['1.1', 'USD', 2, 110n],
    ['100', 'JPY', 0, 100n],
    ['1.234', 'KWD', 3, 1234n],
    ['1.2', 'KWD', 3, 1200n],
    ['0.0001', 'CLF', 4, 1n],
    ['999999999999.99', 'USD', 2, 99999999999999n],
    ['90071992547.40993', 'USD', 5, 9007199254740993n],
  ])('reads %s %s at %i digits', (text, currency, digits, minor) => {
    expect(parseAmount(text, currency, digits)).toBe(minor);
  });

  test.each([
    ['1e3'],
    ['10.005'],
    ['-1'],
    ['+5'],
    ['.5'],
    ['5.'],
    ['1,000.00'],
    ['1.000,00'],
    ['10,42'],
    [' 5'],
    ['5 '],
    ['5\n'],
    ['0x10'],
    ['１０'],
    ['١٠'],
    ['12345678901234567890'],
    ['1234567890123'],
    ['00012'],
    ['01'],
    ['0'],
    ['0.00'],
    ['Infinity'],
    ['NaN'],
    [''],
    ['1_000'],
    ['10.4.2'],
    ['10n'],
    ['٫5'],
  ])('refuses %j in USD', (text) => {
    expect(formOf(() => parseAmount(text, 'USD', 2))).toBe('10.42');
  });

  test.each([
    ['100.00', 'JPY', 0, '500'],
    ['100.', 'JPY', 0, '500'],
    ['1.2345', 'KWD', 3, '10.420'],
    ['1.00000', 'CLF', 4, '10.4200'],
    ['1.00', 'ISK', 1, '10.4'],
    ['10.42', 'XXX', undefined, '10.42 with a currency such as USD'],
  ])('refuses %s %s and shows the right form', (text, currency, digits, form) => {
    expect(formOf(() => parseAmount(text, currency, digits))).toBe(form);
  });

  test('says what is wrong', () => {
    expect(() => parseAmount('100.00', 'JPY', 0)).toThrow('amount: must be whole: JPY has no decimals');
    expect(() => parseAmount('10.005', 'USD', 2)).toThrow(
      'amount: must have at most 2 digits after the decimal point in USD',
    );
    expect(() => parseAmount('0.00', 'USD', 2)).toThrow('amount: must not be zero');
    expect(() => parseAmount('1', 'XXX', digitsOf('XXX', 'iso4217', '1'))).toThrow(
      'amount: needs an ISO 4217 currency',
    );
  });
});

describe('parseMinor', () => {
  test.each([
    ['1', 1n],
    ['1042', 1042n],
    ['9007199254740993', 9007199254740993n],
  ])('reads %s', (text, minor) => {
    expect(parseMinor(text)).toBe(minor);
  });

  test.each(['0', '00', '01', '-1', '1.0', '1e3', ' 1', '', '1'.repeat(17)])('refuses %j', (text) => {
    expect(formOf(() => parseMinor(text))).toBe('1042');
  });
});

describe('decimalText', () => {
  test.each([
    [1042n, 2, '10.42'],
    [1050n, 2, '10.50'],
    [1n, 2, '0.01'],
    [10n, 2, '0.10'],
    [100n, 2, '1.00'],
    [1042n, 0, '1042'],
    [1n, 3, '0.001'],
    [10420n, 3, '10.420'],
    [1n, 4, '0.0001'],
    [0n, 2, '0.00'],
    [9007199254740993n, 2, '90071992547409.93'],
  ])('writes %s at %i digits as %s', (minor, digits, text) => {
    expect(decimalText(minor, digits)).toBe(text);
  });
});

const minors = fc.bigInt({ min: 1n, max: 999_999_999_999n });

test('an amount comes back from its decimal and its minor text', () => {
  fc.assert(
    fc.property(minors, fc.integer({ min: 0, max: 4 }), (minor, digits) => {
      expect(parseAmount(decimalText(minor, digits), 'USD', digits)).toBe(minor);
      expect(parseMinor(minorText(minor))).toBe(minor);
    }),
  );
});

test('no text but the grammar is an amount', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789.,+-eExX ١'), maxLength: 8 }), (text) => {
      const isAmount = /^(0|[1-9][0-9]{0,11})(\.[0-9][0-9]?)?$/.test(text) && /[1-9]/.test(text);
      expect(formOf(() => parseAmount(text, 'USD', 2))).toBe(isAmount ? 'accepted' : '10.42');
    }),
  );
});
