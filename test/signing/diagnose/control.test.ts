import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type ControlCase,
  controlHypotheses,
  diffControl,
  findControlMistakes,
} from '../../../src/signing/diagnose/index.js';
import { sha1 } from './signer.js';

const key = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const base = {
  key,
  encoding: 'hex-lower',
  login: 'Shop',
  endpointId: '4001',
  otherEndpoints: ['5005', 'group-9'],
  otherKeys: [{ name: 'profile test', key: 'OTHER-KEY' }],
} as const;
const slots = (list: Readonly<Record<string, string>>): ControlCase['slots'] =>
  Object.entries(list).map(([name, value]) => ({ name, wire: wires[name] ?? name, value }));
const wires: Readonly<Record<string, string>> = { clientOrderId: 'client_orderid', orderId: 'orderid' };

const sale: ControlCase = {
  ...base,
  slots: slots({ endpointId: '4001', clientOrderId: 'Order-1', amount: '1050', email: 'Jane@example.com' }),
  amountText: '10.5',
  currency: 'USD',
  email: 'Jane@example.com',
};
const capture: ControlCase = {
  ...base,
  slots: slots({
    login: 'Shop',
    clientOrderId: 'Order-1',
    orderId: '9007199254740993',
    amount: '1042',
    currency: 'USD',
  }),
  amountText: '10.42',
  currency: 'USD',
};
const status: ControlCase = { ...base, slots: slots({ login: 'Shop', clientOrderId: 'Zürich €', orderId: '' }) };
const full: ControlCase = {
  ...base,
  slots: slots({ login: 'Shop', clientOrderId: 'Order-1', orderId: '17', amount: '', currency: '' }),
};
const yen: ControlCase = {
  ...sale,
  slots: slots({ endpointId: '4001', clientOrderId: 'Order-1', amount: '1042', email: 'j@e.org' }),
  amountText: '1042',
  currency: 'JPY',
};
const dinar: ControlCase = { ...yen, amountText: '1.042', currency: 'KWD' };
const big: ControlCase = {
  ...sale,
  slots: slots({ endpointId: '4001', clientOrderId: 'a', amount: '123450', email: 'j@e.org' }),
  amountText: '1234.50',
};
// 4.35 * 100 is 434.99999999999994 in floating point.
const odd: ControlCase = {
  ...sale,
  slots: slots({ endpointId: '4001', clientOrderId: 'a', amount: '435', email: 'j@e.org' }),
  amountText: '4.35',
};

const even: ControlCase = {
  ...odd,
  slots: slots({ endpointId: '4001', clientOrderId: 'a', amount: '100', email: 'j@e.org' }),
  amountText: '1',
};

const raw = (text: string | Buffer, hash = 'sha1') => createHash(hash).update(text).digest();

test.each<readonly [string, ControlCase, string]>([
  ['sale', sale, `4001Order-11050Jane@example.com${key}`],
  ['capture', capture, `ShopOrder-190071992547409931042USD${key}`],
  ['status by client order id', status, `ShopZürich €${key}`],
])('the right checksum of a %s fits, and its string with and without the key', (_, given, text) => {
  const fits = { match: true, mistakes: [], explanations: [] };
  expect(findControlMistakes(given, sha1(text))).toEqual(fits);
  expect(diffControl(given, { control: sha1(text) })).toEqual(fits);
  expect(diffControl(given, { string: text })).toEqual(fits);
  expect(diffControl(given, { string: text.slice(0, -key.length) })).toEqual(fits);
  expect(findControlMistakes({ ...given, encoding: 'base64' }, raw(text).toString('base64'))).toEqual(fits);
});

type Text = readonly [name: string, variant: string, given: ControlCase, text: string];

/** Everything that is hashed, key included. */
const texts: readonly Text[] = [
  ['order', 'permuted', sale, `Order-140011050Jane@example.com${key}`],
  ['order', 'permuted', capture, `ShopOrder-19007199254740993USD1042${key}`],
  ['order', 'permuted', sale, `Jane@example.com1050Order-14001${key}`],
  ['order', 'key-first', sale, `${key}4001Order-11050Jane@example.com`],
  ['order', 'key-inside', sale, `4001${key}Order-11050Jane@example.com`],
  ['decimal-amount', 'as-sent', sale, `4001Order-110.5Jane@example.com${key}`],
  ['decimal-amount', 'full', sale, `4001Order-110.50Jane@example.com${key}`],
  ['decimal-amount', 'whole', sale, `4001Order-110.00Jane@example.com${key}`],
  ['decimal-amount', 'comma', sale, `4001Order-110,50Jane@example.com${key}`],
  ['decimal-amount', 'grouped', big, `4001a1,234.50j@e.org${key}`],
  ['decimal-amount', 'number', big, `4001a1234.5j@e.org${key}`],
  ['decimal-amount', 'cut', odd, `4001a434j@e.org${key}`],
  ['decimal-amount', 'floating', odd, `4001a434.99999999999994j@e.org${key}`],
  ['decimal-amount', 'decimals-added', yen, `4001Order-11042.00j@e.org${key}`],
  ['decimal-amount', 'other-digits', yen, `4001Order-1104200j@e.org${key}`],
  ['decimal-amount', 'as-sent', even, `4001a1j@e.org${key}`],
  ['decimal-amount', 'full', even, `4001a1.00j@e.org${key}`],
  ['decimal-amount', 'other-digits', yen, `4001Order-110.42j@e.org${key}`],
  ['decimal-amount', 'as-sent', dinar, `4001Order-11.042j@e.org${key}`],
  ['decimal-amount', 'other-digits', dinar, `4001Order-1104j@e.org${key}`],
  ['missing-email', 'left-out', sale, `4001Order-11050${key}`],
  ['endpoint-login', 'exchanged', sale, `ShopOrder-11050Jane@example.com${key}`],
  ['endpoint-login', 'exchanged', status, `4001Zürich €${key}`],
  ['endpoint-login', 'both', sale, `4001ShopOrder-11050Jane@example.com${key}`],
  ['endpoint-login', 'both', sale, `Shop4001Order-11050Jane@example.com${key}`],
  ['endpoint-login', 'left-out', sale, `Order-11050Jane@example.com${key}`],
  ...['null', 'undefined', '0', 'None', 'nil', 'NULL', 'false', '[]'].map(
    (word): Text => ['orderid-text', word, status, `ShopZürich €${word}${key}`],
  ),
  ['orderid-text', 'client-order-id', status, `ShopZürich €Zürich €${key}`],
  ['orderid-text', 'number', capture, `ShopOrder-190071992547409921042USD${key}`],
  ['orderid-text', 'left-out', capture, `ShopOrder-11042USD${key}`],
  ['orderid-text', 'left-out', sale, `40011050Jane@example.com${key}`],
  ['amount-currency', 'left-out', capture, `ShopOrder-190071992547409931042${key}`],
  ['amount-currency', 'left-out', capture, `ShopOrder-19007199254740993${key}`],
  ['amount-currency', 'left-out', capture, `ShopOrder-19007199254740993USD${key}`],
  ['amount-currency', 'kept', sale, `4001Order-11050USDJane@example.com${key}`],
  ['amount-currency', 'kept', sale, `4001Order-11050Jane@example.comUSD${key}`],
  ['amount-currency', 'null', full, `ShopOrder-117null${key}`],
  ['amount-currency', '0.00', full, `ShopOrder-1170.00${key}`],
  ['amount-currency', 'kept', { ...full, amountText: '10.42' }, `ShopOrder-1171042${key}`],
  ['amount-currency', 'kept', { ...full, currency: 'USD' }, `ShopOrder-117USD${key}`],
  ['key-whitespace', 'line-feed', sale, `4001Order-11050Jane@example.com${key}\n`],
  ['key-whitespace', 'crlf', sale, `4001Order-11050Jane@example.com${key}\r\n`],
  ['key-whitespace', 'blank', sale, `4001Order-11050Jane@example.com${key} `],
  ['key-whitespace', 'blanks', sale, `4001Order-11050Jane@example.com ${key} `],
  ['key-whitespace', 'trimmed', { ...sale, key: ` ${key} ` }, `4001Order-11050Jane@example.com${key}`],
  ['other-key', 'profile', sale, '4001Order-11050Jane@example.comOTHER-KEY'],
  ['other-key', 'none', sale, '4001Order-11050Jane@example.com'],
  ['upper-case', 'values', sale, `4001ORDER-11050JANE@EXAMPLE.COM${key}`],
  ['upper-case', 'email-lower', sale, `4001Order-11050jane@example.com${key}`],
  ['upper-case', 'key-lower', sale, `4001Order-11050Jane@example.com${key.toLowerCase()}`],
  ['charset', 'percent-encoded', sale, `4001Order-11050Jane%40example.com${key}`],
  ['charset', 'form-encoded', status, `ShopZ%C3%BCrich+%E2%82%AC${key}`],
  ['endpoint-group', 'other', sale, `5005Order-11050Jane@example.com${key}`],
  ['endpoint-group', 'other', sale, `group-9Order-11050Jane@example.com${key}`],
];

describe.each(texts)('%s, %s', (name, variant, given, text) => {
  const expected = { match: false, mistakes: [{ name, variant }] };

  test('is found for its checksum', () => {
    expect(diffControl(given, { control: sha1(text) })).toMatchObject(expected);
  });

  test('is found for its string, and no key is shown', () => {
    // Without its key it is the right string.
    if (variant === 'none') return;
    const { difference, ...rest } = diffControl(given, { string: text });
    expect(rest).toMatchObject(expected);
    expect(`${difference?.ours} ${difference?.theirs}`).not.toContain(key.slice(0, 8));
  });
});

const right = `4001Order-11050Jane@example.com${key}`;
const city = `ShopZürich €${key}`;
const latin = Buffer.from(`ShopZürich ?${key}`, 'latin1');

test.each<readonly [string, string, ControlCase, string]>([
  ['upper-case', 'digest', sale, sha1(right).toUpperCase()],
  ['upper-case', 'digest-lower', { ...sale, encoding: 'hex-upper' }, sha1(right)],
  ['base64', 'digest', sale, raw(right).toString('base64')],
  ['base64', 'of-hex', sale, Buffer.from(sha1(right)).toString('base64')],
  ['base64', 'url-safe', capture, raw(`ShopOrder-190071992547409931042USD${key}`).toString('base64url')],
  ['base64', 'hex', { ...sale, encoding: 'base64' }, sha1(right)],
  ['base64', 'no-padding', { ...sale, encoding: 'base64' }, raw(right).toString('base64').replace('=', '')],
  ['charset', 'latin-1', status, sha1(latin)],
  [
    'charset',
    'windows-1252',
    status,
    sha1(Buffer.concat([Buffer.from('ShopZ\xfcrich \x80', 'latin1'), Buffer.from(key)])),
  ],
  ['charset', 'byte-by-byte', status, sha1(Buffer.from(city).toString('latin1'))],
  ['charset', 'utf-16le', sale, sha1(Buffer.from(right, 'utf16le'))],
  ['charset', 'utf-16be', sale, sha1(Buffer.from(right, 'utf16le').swap16())],
  ['digest', 'md5', sale, raw(right, 'md5').toString('hex')],
  ['digest', 'sha256', sale, raw(right, 'sha256').toString('hex')],
  ['digest', 'hmac-sha1', sale, createHmac('sha1', key).update('4001Order-11050Jane@example.com').digest('hex')],
  ['digest', 'twice', sale, sha1(sha1(right))],
])('%s, %s', (name, variant, given, control) => {
  const { match, mistakes } = findControlMistakes(given, control);
  expect({ match, first: mistakes[0] }).toMatchObject({ match: false, first: { name, variant } });
});

test.each<readonly [string, string, string]>([
  [' ', 'missing-email value-line-end', 'key-whitespace blank'],
  ['\n', 'missing-email value-line-end', 'key-whitespace line-feed-before'],
  ['\r', 'missing-email value-line-end', 'key-whitespace carriage-return-before'],
  ['\r\n', 'missing-email value-line-end', 'key-whitespace crlf-before'],
  ['\t', 'missing-email value-line-end', 'key-whitespace tab-before'],
])('%j between the last value and the key is named as of either, the value first', (mark, ...expected) => {
  const { explanations } = findControlMistakes(sale, sha1(`4001Order-11050Jane@example.com${mark}${key}`));
  expect(explanations.map((all) => all.map(({ name, variant }) => `${name} ${variant}`).join())).toEqual(expected);
});

const addressed: ControlCase = {
  ...sale,
  slots: slots({ endpointId: '4001', clientOrderId: '100234', amount: '1999', email: 'jo+ann@example.com' }),
  amountText: '19.99',
  body: [
    ['client_orderid', '100234'],
    ['amount', '19.99'],
    ['currency', 'EUR'],
    ['email', 'jo+ann@example.com'],
    ['comment', 'Two books'],
  ],
};
const spaced: ControlCase = {
  ...sale,
  slots: slots({ endpointId: '4001', clientOrderId: 'A 7/ü', amount: '1999', email: 'j@e.org' }),
};
const verification: ControlCase = {
  ...base,
  slots: slots({ endpointId: '4001', clientOrderId: 'A', email: 'j@e.org' }),
  email: 'j@e.org',
};

test.each<readonly [string, string, ControlCase, string]>([
  [
    'a form',
    'order whole-body',
    addressed,
    'client_orderid=100234&amount=19.99&currency=EUR&email=jo%2Bann%40example.com&comment=Two+books',
  ],
  [
    'a form as it is',
    'order whole-body',
    addressed,
    'client_orderid=100234&amount=19.99&currency=EUR&email=jo+ann@example.com&comment=Two books',
  ],
  ['all values by name', 'order all-fields', addressed, '19.99100234Two booksEURjo+ann@example.com'],
  ['names and values', 'order names-signed', verification, 'endpointId=4001&client_orderid=A&email=j@e.org'],
  ['a JSON array', 'order json', verification, '["4001","A","j@e.org"]'],
  ['dashes', 'order separator-dash', verification, '4001-A-j@e.org'],
  ['the recipe of a status', 'order other-operation', verification, 'ShopA'],
])('%s before the key is %s', (_, expected, given, text) => {
  const [named = []] = findControlMistakes(given, sha1(text + key)).explanations;
  expect(named.map(({ name, variant }) => `${name} ${variant}`).join()).toBe(expected);
});

describe('two mistakes together', () => {
  const pairs: readonly (readonly [string, string, ControlCase, string])[] = [
    ['decimal-amount', 'upper-case', sale, sha1(`4001Order-110.50Jane@example.com${key}`).toUpperCase()],
    ['decimal-amount', 'order', sale, sha1(`Order-1400110.50Jane@example.com${key}`)],
    ['missing-email', 'endpoint-login', sale, sha1(`ShopOrder-11050${key}`)],
    ['decimal-amount', 'missing-email', sale, sha1(`4001Order-110.5${key}`)],
    ['key-whitespace', 'base64', sale, raw(`${right}\n`).toString('base64')],
    ['orderid-text', 'key-whitespace', status, sha1(`ShopZürich €null${key}\n`)],
    ['other-key', 'endpoint-group', sale, sha1('5005Order-11050Jane@example.comOTHER-KEY')],
    ['amount-currency', 'order', sale, sha1(`Order-140011050USDJane@example.com${key}`)],
    ['upper-case', 'charset', status, sha1(latin).toUpperCase()],
    ['order', 'digest', sale, raw(`Order-140011050Jane@example.com${key}`, 'sha256').toString('hex')],
  ];

  test.each(pairs)('%s and %s', (one, other, given, control) => {
    const { match, mistakes, explanations } = findControlMistakes(given, control);
    expect(match).toBe(false);
    expect(explanations[0]).toHaveLength(2);
    expect(
      mistakes
        .slice(0, 2)
        .map(({ name }) => name)
        .sort(),
    ).toEqual([one, other].sort());
  });

  test('are not looked for when one alone explains it', () => {
    expect(findControlMistakes(sale, sha1(right).toUpperCase()).explanations.map((each) => each.length)).toEqual([1]);
  });
});

describe('no name', () => {
  const unexplained: readonly (readonly [string, string])[] = [
    ['another value', sha1(`4001Order-12077Jane@example.com${key}`)],
    ['chance', 'da39a3ee5e6b4b0d3255bfef95601890afd80708'],
    ['nothing', ''],
    ['half a pair', '\ud800'],
    ['a lot', 'a'.repeat(1_000_000)],
  ];

  test.each(unexplained)('for %s', (_, control) => {
    expect(findControlMistakes(sale, control)).toEqual({ match: false, mistakes: [], explanations: [] });
  });

  test('for a string of other values, but the place where it leaves ours', () => {
    expect(diffControl(sale, { string: '4001Order-21050Jane@example.com' })).toMatchObject({
      match: false,
      mistakes: [],
      explanations: [],
      difference: {
        of: 'control string',
        at: 10,
        ours: '4001Order-11050Jane@example.com',
        theirs: '4001Order-21050Jane@example.com',
      },
      differences: [{ of: 'text', at: 10, theirsAt: 10, ours: '1', theirs: '2', oddInOurs: [], oddInTheirs: [] }],
    });
  });
});

test('what stands behind the right values is another key, and not shown', () => {
  const string = '4001Order-11050Jane@example.comSOMEBODY-ELSES-KEY';
  const result = diffControl(sale, { string });
  expect(result.mistakes).toMatchObject([{ name: 'other-key', variant: 'unknown' }]);
  expect(JSON.stringify(result)).not.toMatch(/SOMEBODY/);
});

test('offsets count bytes', () => {
  // Two for ü. The mistake is a usual one, so that the search ends at once.
  expect(diffControl(spaced, { string: '4001A 7/ü10.5j@e.org' }).difference).toMatchObject({ at: 11 });
});

test('a limit bounds how many are tried', () => {
  const control = sha1(`Order-1400110.50Jane@example.com${key}`);
  expect(findControlMistakes(sale, control, { max: 20 }).mistakes).toEqual([]);
});

test('half a surrogate pair is refused, naming the field', () => {
  expect(() => findControlMistakes({ ...sale, slots: slots({ email: '\ud800' }) }, 'x')).toThrow(/^email: /);
  expect(() => diffControl({ ...sale, key: '\udc00' }, { string: 'x' })).toThrow(/^control key: /);
});

test('each hypothesis differs from the right checksum, and says what it hashed', () => {
  const all = [...controlHypotheses(sale)];
  const singles = all.filter(({ mistakes }) => mistakes.length === 1);
  expect(new Set(singles.flatMap(({ mistakes }) => mistakes.map(({ name }) => name))).size).toBeGreaterThan(10);
  const rightControl = sha1(right);
  const odd = all.filter(
    ({ control, mistakes }) =>
      control === rightControl || ![1, 2].includes(mistakes.length) || JSON.stringify(mistakes).includes(key),
  );
  expect(odd).toEqual([]);
});
