import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPaycliError } from '../../src/errors/index.js';
import { decimalText, digitsOf, isCurrency, minorText, parseAmount, parseMinor } from '../../src/wire/amount.js';

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

  // In dollars: the text, what is wrong with it, and the form shown.
  test.each([
    ['1e3', 'use a decimal number', '10.42'],
    ['１０', 'use a decimal number', '10.42'],
    ['١٠', 'use a decimal number', '10.42'],
    ['Infinity', 'use a decimal number', '10.42'],
    ['10.4.2', 'use a decimal number', '10.42'],
    ['1 00', 'leave out the spaces', '10.42'],
    ['12.5O', 'use digits only, without the letter O', '10.42'],
    ['10.005', 'use at most 2 digits after the decimal point in USD', '10.42'],
    ['-1', 'use an amount above zero', '10.42'],
    ['\u221212.50', 'use an amount above zero', '10.42'],
    ['0', 'use an amount above zero', '10.42'],
    ['+5', 'leave out the sign', '5'],
    ['.5', 'use a digit before the point', '0.5'],
    ['5.', 'use a digit after the point', '5'],
    ['1,00', 'use a point instead of the comma', '1.00'],
    ['1,000', 'leave out the commas: use a point before the decimals, and no thousands separators', '10.42'],
    ['1,000.00', 'leave out the thousands separators', '1000.00'],
    ['1.000,00', 'leave out the thousands separators', '1000.00'],
    ['1.234.567', 'leave out the thousands separators', '1234567'],
    ["1'000.00", 'leave out the thousands separators', '1000.00'],
    ['1 000,00', 'leave out the spaces', '1000.00'],
    [' 5', 'leave out the spaces', '5'],
    ['5 ', 'leave out the spaces', '5'],
    ['5\n', 'leave out the spaces', '5'],
    ['€1.00', 'leave out the currency sign', '1.00'],
    ['1,00 €', 'leave out the currency sign', '1.00'],
    ['$1,000.00', 'leave out the currency sign', '1000.00'],
    ['€1,000', 'leave out the currency sign', '10.42'],
    ['EUR 1.00', 'leave out the currency code', '1.00'],
    ['1.00 EUR', 'leave out the currency code', '1.00'],
    ['1.00 ABC', 'use a decimal number', '10.42'],
    ['00012', 'leave out the leading zero', '12'],
    ['01', 'leave out the leading zero', '1'],
    ['010.00', 'leave out the leading zero', '10.00'],
    // Could be the number of an account.
    ['0012345678', 'leave out the leading zero', '10.42'],
    ['1234567890123', 'use at most 12 digits before the point', '10.42'],
    ['12345678901234567890', 'use at most 12 digits before the point', '10.42'],
    ['1234567890,50', 'use a point instead of the comma', '10.42'],
  ])('refuses %j in USD: it %s, such as %s', (text, why, form) => {
    expect(refusal(() => parseAmount(text, 'USD', 2))).toEqual([`amount: ${why}`, form]);
  });

  test.each([
    ['100.00', 'JPY', 0, '500'],
    ['100.', 'JPY', 0, '100'],
    ['100,00', 'JPY', 0, '500'],
    ['1.000,00', 'JPY', 0, '500'],
    ['1,5', 'KWD', 3, '1.5'],
    ['1,500', 'KWD', 3, '10.420'],
    ['1.2345', 'KWD', 3, '10.420'],
    ['1.00000', 'CLF', 4, '10.4200'],
    ['1.00', 'ISK', 1, '10.4'],
    ['10.42', 'XXX', undefined, '10.42 with a currency such as USD'],
  ])('refuses %s %s and shows the right form', (text, currency, digits, form) => {
    expect(formOf(() => parseAmount(text, currency, digits))).toBe(form);
  });

  test('says what is wrong', () => {
    expect(() => parseAmount('100.00', 'JPY', 0)).toThrow('amount: use a whole number: JPY has no decimals');
    expect(() => parseAmount('10.005', 'USD', 2)).toThrow(
      'amount: use at most 2 digits after the decimal point in USD',
    );
    expect(() => parseAmount('0.00', 'USD', 2)).toThrow('amount: use an amount above zero');
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
      expect(formOf(() => parseAmount(text, 'USD', 2)) === 'accepted').toBe(isAmount);
    }),
  );
});

test('a shown form is an amount by itself, of the digits that were given', () => {
  const digitsIn = (text: string) => text.replaceAll(/\D/g, '').replace(/^0+/, '');
  const decimals = fc.constantFrom('JPY', 'USD', 'KWD');
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'01234.,+ €'), maxLength: 9 }), decimals, (text, currency) => {
      const digits = digitsOf(currency, 'iso4217', '1') ?? 0;
      const form = formOf(() => parseAmount(text, currency, digits));
      const example = { JPY: '500', USD: '10.42', KWD: '10.420' }[currency] ?? '';
      if (form === 'accepted' || form === example) return;
      expect(digitsIn(form)).toBe(digitsIn(text));
      expect(parseAmount(form, currency, digits)).toBeGreaterThan(0n);
    }),
  );
});
