import { describe, expect, test } from 'vitest';
import { diffOauth, type OauthCase } from '../../../src/signing/diagnose/index.js';
import { caseOf, plain, rich } from './orders.js';
import { baseString, header, hmac, type Order, percent } from './signer.js';

const names = (given: OauthCase, text: string) =>
  diffOauth(given, { header: text }).mistakes.map(({ name, variant }) => `${name} ${variant}`);

/** A nonce with which the signature holds a plus sign and a slash. */
const marked: Order = (() => {
  for (let count = 0; count < 1000; count += 1) {
    const order = { ...plain, nonce: `n${count}` };
    if (/\+.*\//.test(hmac(order))) return order;
  }
  throw new Error('no such nonce');
})();
const signature = hmac(marked);
const given = caseOf(marked);

describe('header-not-encoded', () => {
  test.each([
    ['raw', header(marked, signature, (text) => text)],
    ['twice', header(marked, signature, (text) => percent(percent(text)))],
    ['plus-became-blank', header(marked, signature.replaceAll('+', ' '))],
  ])('%s', (variant, text) => {
    expect(names(given, text)).toEqual([`header-not-encoded ${variant}`]);
  });

  test('with another mistake behind it: both', () => {
    const wrong = hmac(marked, { method: () => 'GET' });
    expect(
      names(
        given,
        header(marked, wrong, (text) => text),
      ),
    ).toEqual(['header-not-encoded raw', 'method GET']);
    expect(
      names(
        given,
        header(marked, wrong, (text) => percent(percent(text))),
      ),
    ).toEqual(['header-not-encoded twice', 'method GET']);
  });

  test('with a signature nothing explains: it alone', () => {
    const other = hmac({ ...marked, body: [['a', 'b']] });
    const raw = header(marked, other, (text) => text);
    const { mistakes } = diffOauth(given, { header: raw });
    expect(mistakes.map(({ name, variant }) => `${name} ${variant}`)).toEqual(['header-not-encoded raw']);
  });

  test('not for lower-case escapes, blanks around commas, another order or the name of the header', () => {
    const lower = header(marked, signature).replace(/%../g, (each) => each.toLowerCase());
    const spaced = header(marked, signature).replaceAll(', ', ' ,\t');
    const [scheme = '', ...pairs] = header({ ...marked, realm: 'x' }, signature).split(/ (?=oauth_|realm)/);
    const turned = `${scheme} ${pairs
      .map((pair) => pair.replace(/,$/, ''))
      .reverse()
      .join(', ')}`;
    for (const text of [lower, spaced, turned, `Authorization: ${header(marked, signature)}\n`])
      expect(diffOauth(given, { header: text })).toMatchObject({ match: true, mistakes: [] });
  });
});

test('what each attempt has of its own is taken from the header', () => {
  const theirs: Order = {
    ...marked,
    nonce: 'theirs',
    timestamp: '1700009999',
    consumerKey: 'other',
    version: false,
    token: 't',
    realm: 'r',
  };
  expect(diffOauth(given, { header: header(theirs, hmac(theirs)) })).toEqual({
    match: true,
    mistakes: [],
    explanations: [],
    taken: ['consumer key', 'nonce', 'timestamp', 'version', 'token', 'realm'],
  });
  expect(names(given, header(theirs, hmac(theirs, { method: () => 'GET' })))).toEqual(['method GET']);
});

test('the realm of the header may be the one that was signed', () => {
  const theirs = { ...marked, realm: 'their realm' };
  const steps = { parameters: (order: Order) => [...sourced(order), ['realm', 'their realm'] as const] };
  expect(names(given, header(theirs, hmac(theirs, steps)))).toEqual(['realm signed']);
});

const sourced = (order: Order) => [
  ['oauth_consumer_key', order.consumerKey] as const,
  ['oauth_nonce', order.nonce] as const,
  ['oauth_signature_method', order.signatureMethod] as const,
  ['oauth_timestamp', order.timestamp] as const,
  ['oauth_version', '1.0'] as const,
  ...order.body,
];

test('another signature method than this request takes', () => {
  const theirs = { ...marked, signatureMethod: 'HMAC-SHA256' };
  expect(names(given, header(theirs, hmac(theirs)))).toEqual(['rsa-key-or-method method']);
});

test('thirteen digits are named although the signature fits', () => {
  const theirs = { ...marked, timestamp: '1700000000123' };
  expect(names(given, header(theirs, hmac(theirs)))).toEqual(['nonce-timestamp milliseconds']);
  expect(names(given, header(theirs, hmac(theirs, { method: () => 'GET' })))).toEqual([
    'method GET',
    'nonce-timestamp milliseconds',
  ]);
});

test.each([
  [7200, ['nonce-timestamp clock-off']],
  [-3601, ['nonce-timestamp clock-off']],
  [300, []],
  // As old as this it is more likely an old request.
  [-200_000, []],
])('a clock %i s off', (off, expected) => {
  const now = Number(marked.timestamp) - off;
  expect(names({ ...given, now }, header(marked, signature))).toEqual(expected);
});

test('shows where the headers differ', () => {
  const { difference } = diffOauth(given, { header: header(marked, hmac(marked, { method: () => 'GET' })) });
  expect(difference).toMatchObject({ of: 'header', at: expect.any(Number) });
  expect(difference?.ours).not.toBe(difference?.theirs);
});

test.each(['', 'Bearer abc', 'OAuth', 'OAuth oauth_nonce="x"', 'OAuth oauth_signature=abc', 'OAuth a="b",'])(
  '%j is refused, naming the header',
  (text) => {
    expect(() => diffOauth(given, { header: text })).toThrow(/^Authorization header: /);
  },
);

test('a base string in the header of another request has no name', () => {
  expect(diffOauth(caseOf(rich), { header: header(rich, hmac({ ...rich, path: '/other' })) })).toMatchObject({
    match: false,
    mistakes: [],
  });
  expect(baseString({ ...rich, path: '/other' })).not.toBe(baseString(rich));
});
