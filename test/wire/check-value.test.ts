import { isIP } from 'node:net';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assumeDefaults, type Field, type KindName, kindOf, kinds } from '../../src/spec/index.js';
import { checkValue } from '../../src/wire/check-request.js';
import { isCountry } from '../../src/wire/value-checks.js';
import { processorTime } from '../support/processor-time.js';
import { propertyRuns } from '../support/property-runs.js';

function fieldOf(kind: KindName, more: Partial<Field> = {}): Field {
  return {
    wire: 'x',
    kind,
    meaning: 'x',
    need: 'optional',
    basis: 'stated',
    ...(kind === 'choice' ? { values: ['Y', 'N', 'U'] } : {}),
    ...more,
  };
}

const samples = (which: 'good' | 'bad') =>
  Object.entries(kinds).flatMap(([name, kind]) =>
    kind[which].map((text) => [name, text, fieldOf(kindNamed(name))] as const),
  );

function kindNamed(text: string): KindName {
  const found = Object.keys(kinds).find((name): name is KindName => name === text);
  if (found === undefined) throw new Error(`no kind ${text}`);
  return found;
}

describe('the samples of every kind', () => {
  test.each(samples('good'))('%s takes %j', (_, text, field) => {
    expect(checkValue(field, text)).toBeUndefined();
  });

  test.each(samples('bad'))('%s refuses %j', (_, text, field) => {
    expect(checkValue(field, text)).toBeTypeOf('string');
  });
});

describe('checkValue', () => {
  test.each<[KindName, string, string]>([
    ['amount', '1e3', 'use a decimal number such as 10.42'],
    ['amount', '0.00', 'use an amount above zero'],
    ['amount', '1,00', 'use a point instead of the comma: write 1.00'],
    ['amount', '.50', 'use a digit before the point: write 0.50'],
    ['amount', '99999999999999', 'use at most 12 digits before the point'],
    ['amount', '1.23456', 'use at most 4 digits after the decimal point; example: 10.42'],
    ['cardNumber', '4444333322221112', 'check the number: its check digit is wrong'],
    ['currency', 'XXZ', 'use an ISO 4217 currency code'],
    ['country', 'ZZ', 'use an ISO 3166 country code'],
    ['date', '2029-02-29', 'use a date that exists'],
    ['date', '2030-13-01', 'use a date that exists'],
    ['date', '2030-00-10', 'use a date that exists'],
    ['date', '2100-02-29', 'use a date that exists'],
    ['birthday', '19900431', 'use a date that exists'],
    ['ip', '1.2.3.4.5', 'use an IPv4 or IPv6 address'],
    ['ip', '01.2.3.4', 'use an IPv4 or IPv6 address'],
    ['ip', '1::2::3', 'use an IPv4 or IPv6 address'],
    ['url', 'https://@shop.example', 'use an http or https address with a host and without a user name'],
    ['url', 'https:///return', 'use an http or https address with a host and without a user name'],
    ['url', 'https://shop.example/\u0000', 'use an http or https address with a host and without a user name'],
    ['url', 'https://shop.example/\u202e', 'use an http or https address with a host and without a user name'],
    ['amountList', '10.00,0.00', 'use amounts above zero separated by commas, such as 10.00,5.00'],
    ['amountList', '10.00.1', 'use amounts above zero separated by commas, such as 10.00,5.00'],
    ['base64', 'eyJhIjoxfQ=', 'use complete Base64: its length or its padding is wrong'],
    ['base64', 'ab+_', 'use complete Base64: its length or its padding is wrong'],
    ['base64', 'abcde', 'use complete Base64: its length or its padding is wrong'],
    ['choice', 'x', 'use one of Y, N, U'],
    ['choice', 'y', 'use one of Y, N, U; did you mean Y?'],
    ['choice', 'yes', 'use one of Y, N, U'],
    ['currency', 'usd', 'use a three-letter ISO 4217 code in upper case; did you mean USD?'],
    ['currency', 'USDD', 'use a three-letter ISO 4217 code in upper case; did you mean USD?'],
    ['currency', 'EURO', 'use a three-letter ISO 4217 code in upper case; did you mean EUR?'],
    ['currency', '€', 'use a three-letter ISO 4217 code in upper case; write the code, such as EUR'],
    ['currency', '$', 'use a three-letter ISO 4217 code in upper case; write the code, such as USD, CAD or AUD'],
    ['country', 'de', 'use a two-letter ISO 3166 code in upper case; did you mean DE?'],
    ['boolean', 'True', 'use true or false; did you mean true?'],
    ['text', 'a\ud800b', 'use text that UTF-8 can encode; this contains an unpaired surrogate'],
  ])('%s %j %s', (kind, text, why) => {
    expect(checkValue(fieldOf(kind), text)).toBe(why);
  });

  test.each<[KindName, string]>([
    ['date', '2000-02-29'],
    ['ip', '::ffff:192.0.2.1'],
    ['ip', '0.0.0.0'],
    ['amountList', '10'],
    ['base64', 'ab-_'],
    ['base64', 'abcd'],
    ['cardNumber', '6011000990139424'],
    ['cardNumber', '378282246310005'],
    ['choice', 'U'],
    ['url', 'http://[2001:db8::1]:8080/x?y=z#a'],
  ])('%s takes %s', (kind, text) => {
    expect(checkValue(fieldOf(kind), text)).toBeUndefined();
  });

  test('counts characters, not UTF-16 units', () => {
    const short = fieldOf('text', { max: 3 });
    expect(checkValue(short, '😀😀😀')).toBeUndefined();
    expect(checkValue(short, '😀😀😀😀')).toBe('use at most 3 characters');
    expect(checkValue(short, 'abcd')).toBe('use at most 3 characters');
  });

  test("a field's own limit wins over its kind's, both ways", () => {
    expect(checkValue(fieldOf('email', { max: 200 }), `${'a'.repeat(150)}@example.com`)).toBeUndefined();
    expect(checkValue(fieldOf('email', { max: 50 }), `${'a'.repeat(60)}@example.com`)).toBe(
      'use at most 50 characters',
    );
  });

  test('an e-mail of more than 50 characters is taken, as the longer of the published lengths has it (A49)', () => {
    expect(checkValue(fieldOf('email'), `${'a'.repeat(116)}@example.com`)).toBeUndefined();
    expect(checkValue(fieldOf('email'), `${'a'.repeat(117)}@example.com`)).toBe('use at most 128 characters');
  });

  test.each(['Fête ©™ 5', '№ 5 ® ☎', '™'])('a client order id may hold signs that are no emoji: %s', (text) => {
    expect(checkValue(fieldOf('clientOrderId'), text)).toBeUndefined();
  });

  test('a client order id has no emoji, unless the profile says that any character will do (A53)', () => {
    const any = { ...assumeDefaults, 'order-id-characters': 'any' };
    for (const text of ['17😀', '17©\ufe0f', '👩‍👧']) {
      expect(checkValue(fieldOf('clientOrderId'), text)).toBe(
        'use 1 to 128 printable characters without emoji or leading or trailing spaces',
      );
      expect(checkValue(fieldOf('clientOrderId'), text, any)).toBeUndefined();
    }
    expect(checkValue(fieldOf('clientOrderId'), 'a\nb', any)).toBeDefined();
  });

  test('an id of the gateway is letters, digits, - and _, as long as the profile says (A52)', () => {
    const short = { ...assumeDefaults, 'gateway-id-length': '20' };
    for (const text of ['PAYNET-112233', 'ref_9-A', '12345', 'x'.repeat(128)])
      expect(checkValue(fieldOf('gatewayId'), text)).toBeUndefined();
    expect(checkValue(fieldOf('gatewayId'), 'x'.repeat(129))).toBe('use at most 128 characters');
    expect(checkValue(fieldOf('gatewayId'), 'x'.repeat(21), short)).toBe('use at most 20 characters');
    expect(checkValue(fieldOf('gatewayId'), '12/3')).toBe("use the gateway's id: letters, digits, - and _");
  });

  test('a very long text is refused quickly', () => {
    const took = processorTime();
    for (const kind of Object.keys(kinds))
      expect(checkValue(fieldOf(kindNamed(kind), { max: 1e7 }), `${'1 '.repeat(500_000)}\n`)).toBeDefined();
    expect(took()).toBeLessThan(2000);
  });

  test('no reason repeats a value that is not open', () => {
    const hidden = Object.keys(kinds)
      .map(kindNamed)
      .filter((name) => kindOf(name).secrecy !== 'open');
    expect(hidden).toContain('cardNumber');
    fc.assert(
      fc.property(fc.constantFrom(...hidden), fc.string({ unit: 'grapheme', minLength: 4 }), (kind, text) => {
        expect(checkValue(fieldOf(kind), `#${text}#`) ?? '').not.toContain(text);
      }),
    );
  });
});

test('an address is an IP address exactly when node says so', () => {
  const text = fc.oneof(fc.ipV4(), fc.ipV6(), fc.string({ unit: fc.constantFrom(...'0125:.fF'), maxLength: 18 }));
  fc.assert(
    fc.property(text, (address) => {
      const isRight = isIP(address) !== 0 && !address.includes('%');
      expect(checkValue(fieldOf('ip'), address) === undefined, address).toBe(isRight);
    }),
    { numRuns: propertyRuns * 10 },
  );
});

// The regions ICU can name, less those that ISO 3166-1 only reserves, has withdrawn, or leaves to users.
test('the countries are those of ISO 3166-1', () => {
  const notAssigned =
    'AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH QO RH SU TA TP UK UN VD XA XB XK YD YU ZR ZZ'.split(' ');
  const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const codes = letters.flatMap((first) => letters.map((second) => first + second)).filter((code) => isCountry(code));
  expect(codes).toHaveLength(249);
  expect(codes.filter((code) => names.of(code) === undefined || notAssigned.includes(code))).toEqual([]);
});
