import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ControlCase, diagnoseControl, diagnoseOauth } from '../../../src/signing/diagnose/index.js';
import { anyText, propertyRuns } from '../../support/properties.js';
import { plain, requestOf } from './orders.js';
import { baseString, header, hmac, type Order, type Pair, percent, sha1 } from './signer.js';

const text = anyText({ maxLength: 20 });
const odd = ['__proto__', 'constructor', '10', 'c@', 'c2', 'a[0]', 'a[1]', 'client_orderid', 'realm', 'oauth_token'];
const values = ['', ' ', '+', 'a b', "!'()*~", '%2B', '10.42', 'Zürich'];
const pairs = fc
  .array(fc.tuple(fc.oneof(text, fc.constantFrom(...odd)), fc.oneof(text, fc.constantFrom(...values))), {
    maxLength: 8,
  })
  .filter((list) => list.every(([name]) => name !== 'oauth_signature'));
const secret = anyText({ minLength: 1, maxLength: 40 });
const queryText = (list: readonly Pair[]) =>
  list.map(([name, value]) => `${percent(name)}=${percent(value)}`).join('&');

const orders: fc.Arbitrary<Order> = fc
  .record({
    scheme: fc.constantFrom('http', 'https', 'HTTPS'),
    host: fc.constantFrom(
      'gateway.example',
      'Gateway.Example:8443',
      '[::1]:8484',
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
    secret,
  })
  .map((order) => ({ ...order, query: queryText(order.queryPairs), signatureMethod: 'HMAC-SHA1' }));

const hold = <Ts>(property: fc.IProperty<Ts>, runs = propertyRuns) => fc.assert(property, { numRuns: runs });
const fits = { match: true, mistakes: [] };

describe('no false name', () => {
  test('for a right signature, base string or header', () => {
    hold(
      fc.property(orders, (order) => {
        const [given, signature] = [requestOf(order), hmac(order)];
        expect(diagnoseOauth(given, { signature })).toMatchObject(fits);
        expect(diagnoseOauth(given, { baseString: baseString(order) })).toMatchObject(fits);
        expect(diagnoseOauth(given, { header: header(order, signature) })).toMatchObject(fits);
      }),
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
    const slots = { [owner]: rest[owner], clientOrderId: id, orderId, amount: minor, email: rest.email };
    return {
      ...rest,
      slots: Object.entries(slots).map(([name, value]) => ({ name, wire: name, value })),
      body: [['amount', `${minor.slice(0, -2) || '0'}.${minor.slice(-2).padStart(2, '0')}`] as const],
      encoding: 'hex-lower' as const,
      otherEndpoints: ['1'],
      otherKeys: [{ name: 'x', key: 'y' }],
    };
  });
const joined = ({ slots }: ControlCase) => slots.map(({ value }) => value).join('');

describe('no false name for a checksum', () => {
  test('that is right', () => {
    hold(
      fc.property(controls, (given) => {
        for (const theirs of [{ control: sha1(joined(given) + given.key) }, { string: joined(given) }])
          expect(diagnoseControl(given, theirs)).toMatchObject(fits);
      }),
    );
  });
});

describe('hostile texts', () => {
  const half = '\ud800';
  test.each<readonly [string, Partial<Order>]>([
    ['field', { body: [['field', half]] }],
    ['oauth_nonce', { nonce: half }],
    ['secret', { secret: half }],
    ['query of the url', { query: 'a=%zz' }],
  ])('%s: what no signature can cover is refused, naming it', (field, change) => {
    const given = requestOf({ ...plain, ...change });
    expect(() => diagnoseOauth(given, { signature: 'x' })).toThrow(new RegExp(`^${field}: `));
  });
});
