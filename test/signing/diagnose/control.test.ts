import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type ControlCase, diagnoseControl } from '../../../src/signing/diagnose/index.js';
import { sha1 } from './signer.js';

const key = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';
const base = {
  body: [],
  key,
  encoding: 'hex-lower',
  login: 'Shop',
  endpointId: '4001',
  otherEndpoints: ['5005', 'group-9'],
  otherKeys: [{ name: 'profile test', key: 'OTHER-KEY' }],
} as const;
/** What the body says of money. */
const money = (amount: string, currency = 'USD') =>
  [
    ['amount', amount],
    ['currency', currency],
  ] as const;
const slots = (list: Readonly<Record<string, string>>): ControlCase['slots'] =>
  Object.entries(list).map(([name, value]) => ({ name, wire: wires[name] ?? name, value }));
const wires: Readonly<Record<string, string>> = { clientOrderId: 'client_orderid', orderId: 'orderid' };

const sale: ControlCase = {
  ...base,
  slots: slots({ endpointId: '4001', clientOrderId: 'Order-1', amount: '1050', email: 'Jane@example.com' }),
  body: [...money('10.5'), ['email', 'Jane@example.com']],
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
  body: money('10.42'),
};
const status: ControlCase = { ...base, slots: slots({ login: 'Shop', clientOrderId: 'Zürich €', orderId: '' }) };
const full: ControlCase = {
  ...base,
  slots: slots({ login: 'Shop', clientOrderId: 'Order-1', orderId: '17', amount: '', currency: '' }),
};
const yen: ControlCase = {
  ...sale,
  slots: slots({ endpointId: '4001', clientOrderId: 'Order-1', amount: '1042', email: 'j@e.org' }),
  body: money('1042', 'JPY'),
};
// 4.35 * 100 is 434.99999999999994 in floating point.
const odd: ControlCase = {
  ...sale,
  slots: slots({ endpointId: '4001', clientOrderId: 'a', amount: '435', email: 'j@e.org' }),
  body: money('4.35'),
};

const raw = (text: string | Buffer, hash = 'sha1') => createHash(hash).update(text).digest();

const fits = { match: true, mistakes: [] };
const names = ({ mistakes }: { readonly mistakes: readonly { readonly name: string; readonly variant: string }[] }) =>
  mistakes.map(({ name, variant }) => `${name} ${variant}`);

test.each<readonly [string, ControlCase, string]>([
  ['sale', sale, `4001Order-11050Jane@example.com${key}`],
  ['capture', capture, `ShopOrder-190071992547409931042USD${key}`],
  ['status by client order id', status, `ShopZürich €${key}`],
])('the right checksum of a %s fits, and its string with and without the key', (_, given, text) => {
  for (const theirs of [{ control: sha1(text) }, { string: text }, { string: text.slice(0, -key.length) }])
    expect(diagnoseControl(given, theirs)).toMatchObject(fits);
  const base64 = raw(text).toString('base64');
  expect(diagnoseControl({ ...given, encoding: 'base64' }, { control: base64 })).toMatchObject(fits);
});

type Text = readonly [name: string, variant: string, given: ControlCase, text: string];

/** Everything that is hashed, key included. */
const texts: readonly Text[] = [
  ['order', 'permuted', sale, `Order-140011050Jane@example.com${key}`],
  ['order', 'key-first', sale, `${key}4001Order-11050Jane@example.com`],
  ['order', 'key-inside', sale, `4001${key}Order-11050Jane@example.com`],
  ['decimal-amount', 'as-sent', sale, `4001Order-110.5Jane@example.com${key}`],
  ['decimal-amount', 'comma', sale, `4001Order-110,50Jane@example.com${key}`],
  ['decimal-amount', 'cut', odd, `4001a434j@e.org${key}`],
  ['decimal-amount', 'decimals-added', yen, `4001Order-11042.00j@e.org${key}`],
  ['decimal-amount', 'other-digits', yen, `4001Order-1104200j@e.org${key}`],
  ['missing-email', 'left-out', sale, `4001Order-11050${key}`],
  ['endpoint-login', 'exchanged', sale, `ShopOrder-11050Jane@example.com${key}`],
  ...['null', 'undefined', '0', 'None'].map(
    (word): Text => ['orderid-text', word, status, `ShopZürich €${word}${key}`],
  ),
  ['orderid-text', 'client-order-id', status, `ShopZürich €Zürich €${key}`],
  ['orderid-text', 'left-out', capture, `ShopOrder-11042USD${key}`],
  ['amount-currency', 'left-out', capture, `ShopOrder-190071992547409931042${key}`],
  ['amount-currency', 'kept', sale, `4001Order-11050USDJane@example.com${key}`],
  ['amount-currency', 'null', full, `ShopOrder-117null${key}`],
  ['key-whitespace', 'line-feed', sale, `4001Order-11050Jane@example.com${key}\n`],
  ['key-whitespace', 'blank', sale, `4001Order-11050Jane@example.com${key} `],
  ['key-whitespace', 'trimmed', { ...sale, key: ` ${key} ` }, `4001Order-11050Jane@example.com${key}`],
  ['other-key', 'profile', sale, '4001Order-11050Jane@example.comOTHER-KEY'],
  ['other-key', 'none', sale, '4001Order-11050Jane@example.com'],
  ['upper-case', 'values', sale, `4001ORDER-11050JANE@EXAMPLE.COM${key}`],
  ['upper-case', 'key-lower', sale, `4001Order-11050Jane@example.com${key.toLowerCase()}`],
  ['charset', 'percent-encoded', sale, `4001Order-11050Jane%40example.com${key}`],
  ['charset', 'form-encoded', status, `ShopZ%C3%BCrich+%E2%82%AC${key}`],
  ['endpoint-group', 'other', sale, `5005Order-11050Jane@example.com${key}`],
];

describe.each(texts)('%s, %s', (name, variant, given, text) => {
  test('is named by its checksum', () => {
    expect(names(diagnoseControl(given, { control: sha1(text) }))).toEqual([`${name} ${variant}`]);
  });

  test('is named by its string', () => {
    // Without its key it is the right string.
    if (variant !== 'none') expect(names(diagnoseControl(given, { string: text }))).toEqual([`${name} ${variant}`]);
  });
});

const right = `4001Order-11050Jane@example.com${key}`;
const latin = Buffer.from(`ShopZürich ?${key}`, 'latin1');

test.each<readonly [string, string, ControlCase, string]>([
  ['upper-case', 'digest', sale, sha1(right).toUpperCase()],
  ['upper-case', 'digest-lower', { ...sale, encoding: 'hex-upper' }, sha1(right)],
  ['base64', 'digest', sale, raw(right).toString('base64')],
  ['base64', 'of-hex', sale, Buffer.from(sha1(right)).toString('base64')],
  ['base64', 'hex', { ...sale, encoding: 'base64' }, sha1(right)],
  ['charset', 'latin-1', status, sha1(latin)],
  ['charset', 'utf-16le', sale, sha1(Buffer.from(right, 'utf16le'))],
  ['digest', 'md5', sale, raw(right, 'md5').toString('hex')],
  ['digest', 'sha256', sale, raw(right, 'sha256').toString('hex')],
  ['digest', 'hmac-sha1', sale, createHmac('sha1', key).update('4001Order-11050Jane@example.com').digest('hex')],
  ['digest', 'twice', sale, sha1(sha1(right))],
])('%s, %s', (name, variant, given, control) => {
  expect(names(diagnoseControl(given, { control }))).toEqual([`${name} ${variant}`]);
});

const addressed: ControlCase = {
  ...sale,
  slots: slots({ endpointId: '4001', clientOrderId: '100234', amount: '1999', email: 'jo+ann@example.com' }),
  body: [
    ['client_orderid', '100234'],
    ['amount', '19.99'],
    ['currency', 'EUR'],
    ['email', 'jo+ann@example.com'],
    ['comment', 'Two books'],
  ],
};
const verification: ControlCase = {
  ...base,
  slots: slots({ endpointId: '4001', clientOrderId: 'A', email: 'j@e.org' }),
  body: [['email', 'j@e.org']],
};
const original = {
  ...{ amount: '1050', amountText: '10.50', currency: 'EUR', email: 'Jane@example.com' },
  ...{ orderId: '17', clientOrderId: 'Order-1' },
};
const followUp: ControlCase = { ...full, original };

test.each<readonly [string, string, ControlCase, string]>([
  [
    'a form',
    'order whole-body',
    addressed,
    'client_orderid=100234&amount=19.99&currency=EUR&email=jo%2Bann%40example.com&comment=Two+books',
  ],
  ['names and values', 'order names-signed', verification, 'endpointId=4001&client_orderid=A&email=j@e.org'],
  ['the recipe of a status', 'order other-operation', verification, 'ShopA'],
  ['a blank as +', 'charset blank-as-plus', { ...sale, slots: slots({ clientOrderId: 'A 7/' }) }, 'A+7/'],
  ['money of the order, in a capture without', 'amount-currency original', followUp, 'ShopOrder-1171050EUR'],
  ['the recipe of sale in a return', 'order other-operation', followUp, '4001Order-11050Jane@example.com'],
  ['the same, its absent amount as 0', 'amount-currency 0, order other-operation', full, '4001Order-10'],
])('%s before the key is %s', (_, expected, given, text) => {
  expect(
    names(diagnoseControl(given, { control: sha1(text + key) }))
      .sort()
      .join(', '),
  ).toBe(expected);
});

describe('no name', () => {
  test.each<readonly [string, string, readonly string[]]>([
    ['another value', sha1(`4001Order-12077Jane@example.com${key}`), []],
    ['half of it', 'deadbeef', ['digest length']],
    ['a lot', 'a'.repeat(1_000_000), ['digest length']],
  ])('for %s but its length', (_, control, expected) => {
    expect(names(diagnoseControl(sale, { control }))).toEqual(expected);
  });
});

test('what stands behind the right values is another key, and not shown', () => {
  const found = diagnoseControl(sale, { string: '4001Order-11050Jane@example.comSOMEBODY-ELSES-KEY' });
  expect(names(found)).toEqual(['other-key unknown']);
  expect(JSON.stringify(found.mistakes)).not.toMatch(/SOMEBODY/);
});

test('half a surrogate pair is refused, naming the field', () => {
  const half = { ...sale, slots: slots({ email: '\ud800' }) };
  expect(() => diagnoseControl(half, { control: 'x' })).toThrow(/^email: /);
  expect(() => diagnoseControl({ ...sale, key: '\udc00' }, { string: 'x' })).toThrow(/^control key: /);
});
