import { createPrivateKey, createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ControlCase,
  diffControl,
  diffOauth,
  findControlMistakes,
  findOauthMistakes,
} from '../../../src/signing/diagnose/index.js';
import { anyText } from '../../support/any-text.js';
import { propertyRuns } from '../../support/property-runs.js';
import { rsaPairs } from '../../support/rsa-pairs.js';
import { caseOf, plain } from './orders.js';
import { baseString, header, hmac, type Order, type Pair, percent, rsa, sha1 } from './signer.js';

const text = anyText({ maxLength: 20 });
const name = fc.oneof(
  text,
  fc.constantFrom(
    '__proto__',
    'constructor',
    '10',
    'c@',
    'c2',
    'a',
    'a[0]',
    'a[1]',
    'client_orderid',
    'realm',
    'oauth_token',
  ),
);
const value = fc.oneof(text, fc.constantFrom('', ' ', '+', 'a b', "!'()*~", '%2B', '10.42', 'Zürich'));
const pairs = fc
  .array(fc.tuple(name, value), { maxLength: 8 })
  .filter((list) => list.every(([key]) => key !== 'oauth_signature'));
const secret = anyText({ minLength: 1, maxLength: 40 });
const queryText = (list: readonly Pair[]) => list.map(([key, each]) => `${percent(key)}=${percent(each)}`).join('&');

const orders: fc.Arbitrary<Order> = fc
  .record({
    method: fc.constantFrom('POST', 'GET', 'PUT'),
    scheme: fc.constantFrom('http', 'https', 'HTTPS'),
    host: fc.constantFrom(
      'gateway.example',
      'Gateway.Example:8443',
      '[::1]:8484',
      '127.0.0.1',
      'gateway.example:443',
      'localhost:80',
    ),
    path: fc.constantFrom('/', '/a/b', '/A%2fb/', "/a'(b)*", '/x/../y'),
    queryPairs: fc.oneof(fc.constant([]), pairs),
    body: pairs,
    consumerKey: fc.string({ minLength: 1, maxLength: 20 }),
    nonce: fc.string({ minLength: 1, maxLength: 20 }),
    timestamp: fc.integer({ min: 1_000_000_000, max: 9_999_999_999 }).map(String),
    version: fc.boolean(),
    token: fc.option(fc.string({ maxLength: 10 }), { nil: undefined }),
    realm: fc.option(fc.stringMatching(/^[a-z ]{0,10}$/), { nil: undefined }),
    secret,
    tokenSecret: fc.oneof(fc.constant(''), secret),
  })
  .map(({ token, realm, ...order }) => ({
    ...order,
    query: queryText(order.queryPairs),
    signatureMethod: 'HMAC-SHA1',
    ...(token === undefined ? {} : { token }),
    ...(realm === undefined ? {} : { realm }),
  }));

const hold = <Ts>(property: fc.IProperty<Ts>, runs = propertyRuns) => fc.assert(property, { numRuns: runs });
// Where nothing is found, everything is tried: thousands of signatures in each run.
const few = process.env['FC_RUNS'] === undefined ? 1 : 25;
const fits = { match: true, mistakes: [], explanations: [] };
const nameless = { match: false, mistakes: [], explanations: [] };

describe('no false name', () => {
  test('for a right HMAC-SHA1 signature, base string or header', () => {
    hold(
      fc.property(orders, (order) => {
        const [given, signature] = [caseOf(order), hmac(order)];
        expect(findOauthMistakes(given, signature)).toEqual(fits);
        expect(diffOauth(given, { baseString: baseString(order) })).toEqual(fits);
        expect(diffOauth(given, { header: header(order, signature) })).toEqual(fits);
      }),
    );
  });

  const pair = rsaPairs()();
  const [privateKey, publicKey] = [createPrivateKey(pair.privateKey), createPublicKey(pair.publicKey)];

  test('for a right RSA-SHA256 signature', () => {
    hold(
      fc.property(orders, (given) => {
        const order = { ...given, signatureMethod: 'RSA-SHA256' };
        const pem = privateKey.export({ format: 'pem', type: 'pkcs8' });
        expect(findOauthMistakes(caseOf(order, { publicKey }), rsa(order, pem))).toEqual(fits);
      }),
      Math.min(propertyRuns, 100),
    );
  });

  test('for a signature by chance', () => {
    const bytes = fc.uint8Array({ minLength: 20, maxLength: 20 });
    hold(
      fc.property(orders, bytes, (order, chance) => {
        expect(findOauthMistakes(caseOf(order), Buffer.from(chance).toString('base64'))).toEqual(nameless);
      }),
      few,
    );
  });

  test('for an RSA signature by chance', () => {
    const long = fc.uint8Array({ minLength: 256, maxLength: 256 });
    hold(
      fc.property(orders, long, (order, chance) => {
        const given = caseOf({ ...order, signatureMethod: 'RSA-SHA256' }, { publicKey });
        expect(findOauthMistakes(given, Buffer.from(chance).toString('base64'))).toEqual(nameless);
      }),
      few,
    );
  });

  test('for the right signature of another request', () => {
    hold(
      fc.property(orders, fc.stringMatching(/^[a-z]{8}$/), (order, other) => {
        const theirs = { ...order, body: [...order.body, ['surplus', other] as const] };
        expect(findOauthMistakes(caseOf(order), hmac(theirs))).toMatchObject(nameless);
        expect(diffOauth(caseOf(order), { baseString: baseString(theirs) })).toMatchObject({
          ...nameless,
          difference: { pair: { theirs: ['surplus', other] } },
        });
      }),
      few,
    );
  });
});

const word = anyText({ maxLength: 12 });
const controls: fc.Arbitrary<ControlCase> = fc
  .record({
    login: word,
    endpointId: fc.integer({ min: 1 }).map(String),
    id: word,
    orderId: fc.oneof(fc.constant(''), fc.integer({ min: 1 }).map(String)),
    minor: fc.integer({ min: 1, max: 99_999_999 }).map(String),
    currency: fc.constantFrom('USD', 'EUR'),
    email: word,
    key: anyText({ minLength: 1, maxLength: 40 }),
    owner: fc.constantFrom('login' as const, 'endpointId' as const),
  })
  .map(({ id, orderId, minor, owner, ...rest }) => {
    const values = {
      [owner]: rest[owner],
      clientOrderId: id,
      ...(owner === 'login' ? { orderId } : {}),
      amount: minor,
      email: rest.email,
    };
    return {
      ...rest,
      slots: Object.entries(values).map(([each, held]) => ({ name: each, wire: each, value: held })),
      amountText: `${minor.slice(0, -2) || '0'}.${minor.slice(-2).padStart(2, '0')}`,
      encoding: 'hex-lower' as const,
      otherEndpoints: ['1'],
      otherKeys: [{ name: 'x', key: 'y' }],
    };
  });
const joined = ({ slots }: ControlCase) => slots.map((slot) => slot.value).join('');

describe('no false name for a checksum', () => {
  test('that is right', () => {
    hold(
      fc.property(controls, (given) => {
        expect(findControlMistakes(given, sha1(joined(given) + given.key))).toEqual(fits);
        expect(diffControl(given, { string: joined(given) })).toEqual(fits);
        expect(diffControl(given, { string: joined(given) + given.key })).toEqual(fits);
      }),
    );
  });

  test('by chance, or over something else', () => {
    hold(
      fc.property(controls, fc.nat(), (given, chance) => {
        const texts = [`by chance ${chance}`, `${joined(given)}surplus${given.key}`];
        for (const text of texts) expect(findControlMistakes(given, sha1(text))).toEqual(nameless);
      }),
      few,
    );
  });
});

describe('hostile texts', () => {
  const half = '\ud800';
  const broken: readonly (readonly [string, Partial<Order>])[] = [
    ['field', { body: [['field', half]] }],
    ['oauth_nonce', { nonce: half }],
    ['oauth_consumer_key', { consumerKey: half }],
    ['secret', { secret: half }],
  ];

  test.each(broken)('half a surrogate pair in %s is refused, naming it', (field, change) => {
    expect(() => findOauthMistakes(caseOf({ ...plain, ...change }), 'x')).toThrow(new RegExp(`^${field}: `));
  });

  test.each([
    ['user info', { host: 'user@pay.example' }, /user name or password/],
    ['a bad escape in the query', { query: 'a=%zz' }, /^query of the url: /],
    ['a method with a blank', { method: 'PO ST' }, /^method: /],
  ] as const)('%s is refused', (_, change, message) => {
    expect(() => diffOauth(caseOf({ ...plain, ...change }), { baseString: 'x' })).toThrow(message);
  });

  test('any text in the place of a signature or a base string gives an answer', () => {
    hold(
      fc.property(anyText({ maxLength: 200 }), fc.string({ maxLength: 60 }), (base, signature) => {
        expect(diffOauth(caseOf(plain), { baseString: base }).match).toBe(false);
        expect(findOauthMistakes(caseOf(plain), signature).match).toBe(false);
        expect(findOauthMistakes(caseOf({ ...plain, signatureMethod: 'RSA-SHA256' }), signature).match).toBe(false);
      }),
      few,
    );
  });

  test('huge values and many names are read', () => {
    // The search signs all of it again for each try.
    const many = 40;
    const body = [...Array(many).keys()].map((at): Pair => [`name${at % (many / 2)}`, 'ü'.repeat((at * 200) / many)]);
    const order = { ...plain, body: [...body, ['__proto__', 'x'] as const, ['', ''] as const] };
    expect(findOauthMistakes(caseOf(order), hmac(order))).toEqual(fits);
    const first = { parameters: (own: Order) => [...new Map([...own.body].reverse())].concat(protocolOf(own)) };
    expect(
      findOauthMistakes(caseOf(order), hmac(order, first), { quick: true }).mistakes.map((each) => each.name),
    ).toEqual(['repeated-or-nested-names']);
  });
});

const protocolOf = (order: Order): [string, string][] => [
  ['oauth_consumer_key', order.consumerKey],
  ['oauth_nonce', order.nonce],
  ['oauth_signature_method', order.signatureMethod],
  ['oauth_timestamp', order.timestamp],
  ['oauth_version', '1.0'],
];
