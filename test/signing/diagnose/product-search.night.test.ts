import { constants, createPublicKey, sign } from 'node:crypto';
import { expect, test } from 'vitest';
import { type ControlCase, findControlMistakes, findOauthMistakes } from '../../../src/signing/diagnose/index.js';
import { oneIn } from '../../support/every.js';
import { rsaPairs } from '../../support/rsa-pairs.js';
import { atPlainAddress, caseOf } from './orders.js';
import {
  baseString,
  type Encoded,
  hmac,
  type Order,
  type Pair,
  percent,
  protocol,
  type Steps,
  sha1,
} from './signer.js';

// Two mistakes that know nothing of each other, each made by a signer with nothing from src.

const order: Order = {
  ...atPlainAddress,
  body: [
    ['client_orderid', 'PO-1002'],
    ['amount', '120.50'],
    ['bank_name', 'Bank & Co'],
    ['order_desc', "Refund (it's ~100%)! a*b"],
    ['first_name', 'Jürgen'],
    ['empty', ''],
  ],
  secret: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
};

const named = (signature: string) =>
  findOauthMistakes(caseOf(order), signature).explanations.map((all) => all.map(({ name }) => name).toSorted());

/** Not in the order of the header, of the example of the RFC or of the names. */
const places = ['oauth_timestamp', 'oauth_version', 'oauth_nonce', 'oauth_consumer_key', 'oauth_signature_method'];
const unsorted = (list: Encoded[]) => {
  const place = ({ plain: [name] }: Encoded) => (places.includes(name) ? places.indexOf(name) : places.length);
  return [...list].sort((one, other) => place(one) - place(other));
};
const withEmpty = (all: Order): Pair[] => [...protocol(all), ...all.body, ['ssn', 'null']];

const pairs: readonly (readonly [string, readonly string[], Partial<Steps>])[] = [
  [
    'not sorted, and encodeURIComponent',
    ['reserved-characters', 'sort-order'],
    { encode: encodeURIComponent, outer: encodeURIComponent, sort: unsorted },
  ],
  [
    'a field that is not sent, the parameters alone',
    ['empty-values', 'encoded-twice-or-once'],
    { parameters: withEmpty, whole: ([, , parameters]) => percent(parameters) },
  ],
  [
    'no body, and another signature method',
    ['body-left-out', 'rsa-key-or-method'],
    { parameters: (all) => protocol({ ...all, signatureMethod: 'RSA-SHA1' }) },
  ],
  [
    'values not encoded, sorted backwards',
    ['encoded-twice-or-once', 'sort-order'],
    { encode: (text) => text, sort: (list) => list.sort((a, b) => (a.name < b.name ? 1 : -1)) },
  ],
];

// A second each: one of them by day, the laboratory has many.
test.each(oneIn(pairs.length, pairs, 0))('%s', (_, names, steps) => {
  expect(named(hmac(order, steps))).toEqual([names]);
});

test.each<readonly [string, string, Partial<Steps>]>([
  [
    'the parameters behind the address with ?',
    'elements-otherwise',
    { whole: ([method, uri, parameters]) => `${method}&${percent(`${uri}?${parameters}`)}` },
  ],
  ['no parameters', 'elements-otherwise', { whole: ([method, uri]) => `${method}&${percent(uri)}&` }],
  ['a host with capitals', 'address-printed', { uri: ({ path }) => `https://Pay.Example${path}` }],
  [
    'a line feed behind the last parameter',
    'joined-otherwise',
    { join: (list) => `${list.map(({ name, value }) => `${name}=${value}`).join('&')}\n` },
  ],
  [
    'a name in groups of four',
    'values-grouped',
    {
      parameters: (all) => [
        ...protocol(all),
        ...all.body.map(([name, value]): Pair => [name, value.replace('DE8937040044', 'DE89 3704 0044')]),
      ],
    },
  ],
])('alone: %s', (_, variant, steps) => {
  const given: Order = { ...order, body: [...order.body, ['account_number', 'DE8937040044']] };
  const { explanations } = findOauthMistakes(caseOf(given), hmac(given, steps));
  expect(explanations.map((all) => all.map((mistake) => mistake.variant))).toEqual([[variant]]);
});

test('RSA: PSS padding over a text with + for spaces; another text is none', () => {
  const { privateKey, publicKey } = rsaPairs()();
  const given = { ...caseOf({ ...order, signatureMethod: 'RSA-SHA256' }), publicKey: createPublicKey(publicKey) };
  const pss = (text: string, saltLength: number) =>
    sign('sha256', Buffer.from(text), { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength });
  const plus = (text: string) => percent(text).replaceAll('%20', '+');
  const text = baseString({ ...order, signatureMethod: 'RSA-SHA256' }, { encode: plus, outer: plus });
  for (const saltLength of [0, 20, 32])
    expect(
      findOauthMistakes(given, pss(text, saltLength).toString('base64')).explanations.map((all) =>
        all.map(({ name, variant }) => `${name} ${variant}`),
      ),
    ).toEqual([['rsa-key-or-method pss-sha256', 'space-plus plus']]);
  expect(findOauthMistakes(given, pss(`${text}x`, 32).toString('base64')).explanations).toEqual([]);
});

const id = 'a-7';
const sale: ControlCase = {
  key: order.secret,
  encoding: 'hex-lower',
  login: 'shop',
  endpointId: '4001',
  slots: [
    ['endpointId', '4001'],
    ['clientOrderId', id],
    ['amount', '1999'],
    ['email', 'anna@example.com'],
  ].map(([name = '', value = '']) => ({ name, wire: name, value })),
  amountText: '19.99',
  currency: 'EUR',
  email: 'anna@example.com',
};

const controls: readonly (readonly [string, string, readonly string[]])[] = [
  [
    'the currency behind the amount, and a separator',
    ['4001', id, '1999EUR', 'anna@example.com', order.secret].join('|'),
    ['decimal-amount currency-behind', 'order separator-pipe'],
  ],
  [
    'a decimal amount, and the e-mail as Python prints bytes',
    `4001${id}19.99b'anna@example.com'${order.secret}`,
    ['decimal-amount as-sent', 'missing-email value-wrapped'],
  ],
];

test.each(oneIn(controls.length, controls, 0))('control: %s', (_, text, expected) => {
  const { explanations } = findControlMistakes(sale, sha1(text));
  expect(explanations.map((all) => all.map(({ name, variant }) => `${name} ${variant}`))).toEqual([expected]);
});
