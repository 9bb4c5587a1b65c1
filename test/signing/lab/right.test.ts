/**
 * Requests that are signed rightly, by a signer with nothing from src: no diagnosis may name a mistake. By day a few;
 * SIGNING_LAB=1 takes 10,000 of each scheme, and 1,000 of RSA.
 */
import { createPrivateKey, createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type ControlCase,
  diffControl,
  diffOauth,
  findControlMistakes,
  findOauthMistakes,
  type OauthCase,
} from '../../../src/signing/diagnose/index.js';
import { rsaPairs } from '../../support/rsa-pairs.js';
import { caseOf } from '../diagnose/orders.js';
import { baseString, header, hmac, type Order, type Pair, percent, rsa, sha1 } from '../diagnose/signer.js';

const isWhole = process.env['SIGNING_LAB'] !== undefined;
const [many, someRsa] = isWhole ? [10_000, 1000] : [20, 4];

const awkward = fc.constantFrom(
  ...['', ' ', ' 7', '+', '%2B', '%', '&', 'a=b', "it's", '"q"', '~*!()', 'é', 'é', '漢字 😀', 'null', '0', '007'],
  ...['10.40', '1040', 'USD', 'Jane+x@Example.com', 'a\r\nb', '\u{feff}x', 'payer@example.com', 'undefined', 'b1=='],
);
const value = fc.oneof(awkward, fc.string({ unit: 'grapheme', maxLength: 12 }), fc.string({ maxLength: 6 }));
const name = fc.oneof(
  fc.constantFrom('amount', 'client_orderid', 'client-order-id', 'c@', 'c2', 'd', 'd-e', '10', '__proto__', 'realm'),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !text.startsWith('oauth_')),
);
const pairs = fc.array(fc.tuple(name, value), { maxLength: 10 });
const word = fc.stringMatching(/^[A-Za-z0-9_.@+=-]{1,20}$/);

const orders = fc
  .record({
    method: fc.constantFrom('POST', 'POST', 'POST', 'PUT', 'GET'),
    scheme: fc.constantFrom('https', 'http', 'HTTPS'),
    host: fc.constantFrom(
      'pay.example',
      'Pay.Example',
      'pay.example:8443',
      'pay.example:443',
      '127.0.0.1:80',
      '[::1]:9',
    ),
    path: fc.constantFrom('/', '/paynet/api/v2/payout/17', '/api/v4/transfer/17/', '/a%2Fb/a(b)', '/~x/%C3%A9'),
    queryPairs: fc.array(fc.tuple(name, value), { maxLength: 3 }),
    body: pairs,
    consumerKey: word,
    nonce: word,
    timestamp: fc.constantFrom('1700000000', '1893456000', '1'),
    version: fc.boolean(),
    realm: fc.constantFrom(undefined, 'Payments', 'pay', 'a b'),
    secret: fc.oneof(
      word,
      fc.constantFrom('B17F59B4-A7DC-41B4-8FF9-37D986B43D20', 'k+/ é&=', ' k', 'K\n', 'null', '&'),
    ),
    tokenSecret: fc.constantFrom('', '', '', 't&+'),
  })
  .map(
    ({ realm, ...made }): Order => ({
      ...made,
      ...(realm === undefined ? {} : { realm }),
      signatureMethod: 'HMAC-SHA1',
      query: made.queryPairs.map(([one, other]) => `${percent(one)}=${percent(other)}`).join('&'),
    }),
  );

/** What the diagnosis says of it through each way a request comes in. */
function named(given: OauthCase, order: Order, signature: string): unknown {
  const said = [
    findOauthMistakes(given, signature),
    diffOauth(given, { signature }),
    diffOauth(given, { baseString: baseString(order) }),
    diffOauth(given, { header: header(order, signature) }),
  ];
  return said.map(({ match, mistakes, explanations }) => ({ match, mistakes, explanations }));
}

const nothing = Array.from({ length: 4 }, () => ({ match: true, mistakes: [], explanations: [] }));

test('HMAC-SHA1', { timeout: 600_000 }, () => {
  const property = fc.property(orders, (order) => {
    expect(named(caseOf(order), order, hmac(order))).toEqual(nothing);
  });
  fc.assert(property, { numRuns: many });
});

test('RSA-SHA256', { timeout: 600_000 }, () => {
  const next = rsaPairs();
  const keys = [next(), next()].map(({ privateKey }) => createPrivateKey(privateKey));
  const property = fc.property(orders, fc.constantFrom(...keys), fc.boolean(), (drawn, key, isPrivateKnown) => {
    const order = { ...drawn, signatureMethod: 'RSA-SHA256' };
    const given = caseOf(order, { publicKey: createPublicKey(key), ...(isPrivateKnown ? { privateKey: key } : {}) });
    expect(named(given, order, rsa(order, key))).toEqual(nothing);
  });
  fc.assert(property, { numRuns: someRsa });
});

const recipes: readonly (readonly Pair[])[] = [
  [
    ['endpointId', 'endpointId'],
    ['clientOrderId', 'client_orderid'],
    ['amount', 'amount'],
    ['email', 'email'],
  ],
  [
    ['endpointId', 'endpointId'],
    ['clientOrderId', 'client_orderid'],
    ['email', 'email'],
  ],
  [
    ['login', 'login'],
    ['clientOrderId', 'client_orderid'],
    ['orderId', 'orderid'],
  ],
  [
    ...([
      ['login', 'login'],
      ['clientOrderId', 'client_orderid'],
      ['orderId', 'orderid'],
    ] as const),
    ...([
      ['amount', 'amount'],
      ['currency', 'currency'],
    ] as const),
  ],
  [
    ...([
      ['login', 'login'],
      ['clientOrderId', 'client_orderid'],
      ['cardRefId', 'cardrefid'],
    ] as const),
    ...([
      ['amount', 'amount'],
      ['currency', 'currency'],
    ] as const),
  ],
];

test('control', { timeout: 600_000 }, () => {
  const drawn = fc.record({
    recipe: fc.constantFrom(...recipes),
    encoding: fc.constantFrom('hex-lower', 'hex-upper', 'base64'),
    key: fc.oneof(
      value.filter((text) => text !== ''),
      fc.constantFrom('B17F59B4-A7DC-41B4-8FF9-37D986B43D20', 'k\n'),
    ),
    login: word,
    endpointId: fc.constantFrom('1', '17', '4001', '17001'),
    orderId: fc.constantFrom('', '0', '77', '0077001'),
    cents: fc.bigInt({ min: 1n, max: 999_999n }).map((number) => String(number).padStart(3, '0')),
    currency: fc.constantFrom('USD', 'EUR'),
    free: fc.tuple(value, value),
  });
  const property = fc.property(drawn, ({ recipe, encoding, key, cents, free, ...all }) => {
    const { login, endpointId, orderId, currency } = all;
    const [clientOrderId, email] = free;
    const minor = cents.replace(/^0+/, '');
    const values = new Map(
      Object.entries({ login, endpointId, orderId, currency, clientOrderId, email, cardRefId: '1234', amount: minor }),
    );
    const slots = recipe.map(([slot, wire]) => ({ name: slot, wire, value: values.get(slot) ?? '' }));
    const hasAmount = recipe.some(([slot]) => slot === 'amount');
    const amountText = hasAmount ? `${cents.slice(0, -2)}.${cents.slice(-2)}` : undefined;
    const given: ControlCase = { slots, key, encoding, amountText, currency, email, login, endpointId };
    const text = slots.map((slot) => slot.value).join('');
    const hex = sha1(text + key);
    const written = { 'hex-lower': hex, 'hex-upper': hex.toUpperCase() };
    const control = encoding === 'base64' ? Buffer.from(hex, 'hex').toString('base64') : written[encoding];
    const said = [
      findControlMistakes(given, control),
      diffControl(given, { control }),
      diffControl(given, { string: text }),
    ];
    for (const { match, mistakes, explanations } of said)
      expect({ match, mistakes, explanations }).toEqual({ match: true, mistakes: [], explanations: [] });
  });
  fc.assert(property, { numRuns: many });
});
