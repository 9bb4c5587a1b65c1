import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as library from '../../src/signing/library.js';
import { pem } from './support.js';

const { signRequest, verifyCallback, verifyControl, verifyRequest } = library;
const url = 'https://gateway.example/paynet/api/v2/payout/4001';
const pemText = pem('test-rsa-2048.pkcs8');
const publicPem = pem('test-rsa-2048.public');
/** Long and odd enough to be found in any message that repeats it. */
const secret = 'c0ntrol-key-7f3a';
const keys = { login: 'shop', controlKey: secret };
const control = { scheme: 'control', url, fields: { a: '1' }, values: ['1'], keys: { controlKey: secret } } as const;
const hmac = { scheme: 'HMAC-SHA1', url, fields: { a: '1' }, keys, nonce: 'n17', timestamp: 1_700_000_000 } as const;
const rsa = { ...hmac, scheme: 'RSA-SHA256', keys: { login: 'shop', privateKey: pemText } } as const;
const argument = expect.objectContaining({ name: 'TypeError', code: 'ERR_PAYCLI_ARGUMENT' });

const base = 'POST&https%3A%2F%2Fa%2F&b%3D1';
/** Arguments that are right. */
const good: Readonly<Record<string, readonly unknown[]>> = {
  percentEncode: ['a'],
  decodeForm: ['a=1'],
  baseStringUri: [url],
  normalizeParameters: [[['a', '1']]],
  signatureBaseString: ['POST', url, [['a', '1']]],
  signHmacSha1: [base, secret],
  verifyHmacSha1: [base, 'c2ln', secret],
  signRsaSha256: [base, pemText],
  verifyRsaSha256: [base, 'c2ln', publicPem],
  authorizationHeader: [[['oauth_nonce', 'n']]],
  parseAuthorizationHeader: ['OAuth a="1"'],
  controlChecksum: [['1'], secret],
  verifyControl: [['1'], 'c0', secret],
  verifyCallback: ['status=a', secret],
  signRequest: [control],
  verifyRequest: [{ scheme: 'control', fields: 'a=1', values: ['1'], keys: { controlKey: secret } }],
};

// As the JavaScript of a program would call it, whatever the types say. A forgotten key must not sign as `undefined`.
test.each(Object.entries(good))('%s refuses arguments of the wrong kind, and repeats none', (name, right) => {
  const call = Reflect.get(library, name) as (...given: unknown[]) => unknown;
  expect(() => call(...right)).not.toThrow();
  for (const at of right.keys())
    for (const wrong of [undefined, null, 17, Buffer.from(secret), [17], { a: 17 }, { toString: () => secret }]) {
      expect(() => call(...right.with(at, wrong))).toThrow(argument);
      expect(() => call(...right.with(at, wrong))).not.toThrow(secret);
    }
});

test.each<[string, () => unknown]>([
  ['an unknown encoding', () => library.controlChecksum(['1'], secret, { encoding: 'hex' } as never)],
  ['an empty key', () => library.controlChecksum(['1'], '')],
  ['no key', () => verifyCallback('a=1', [])],
  ['milliseconds', () => signRequest({ ...hmac, timestamp: Date.now() })],
  ['a scheme that is not there', () => signRequest({ ...hmac, scheme: 'PLAINTEXT' } as never)],
])('%s is a wrong argument', (_, call) => {
  expect(call).toThrow(argument);
});

test.each([
  ['text that is no PEM', secret],
  ['the public half', publicPem],
  ['1024 bits', generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey],
])('RSA with %s is refused, and it is not repeated', (_, privateKey) => {
  const sign = () => signRequest({ ...rsa, keys: { login: 'shop', privateKey } });
  expect(sign).toThrow(expect.objectContaining({ code: 'KEY_UNUSABLE' }));
  expect(sign).not.toThrow(secret);
});

describe('signRequest', () => {
  test('header and body, by hand', () => {
    const fields = [
      ['b', 'x y'],
      ['a', ''],
      ['b', '*'],
    ] as const;
    const signed = signRequest({ ...hmac, realm: 'pay', fields });
    expect(signed.body).toBe('b=x%20y&a=&b=%2A');
    // printf %s "$base" | openssl dgst -sha1 -mac HMAC -macopt 'key:c0ntrol-key-7f3a&' -binary | base64
    expect(signed.signature).toBe('Dhp6p/dLhMq1L1rHDhyIftjqBpE=');
    expect(signed.headers).toEqual({
      'Content-Type': 'application/x-www-form-urlencoded',
      Accept: 'application/vnd.pay+json',
      'Accept-Encoding': 'identity',
      Authorization:
        'OAuth realm="pay", oauth_consumer_key="shop", oauth_nonce="n17", oauth_signature_method="HMAC-SHA1", oauth_timestamp="1700000000", oauth_version="1.0", oauth_signature="Dhp6p%2FdLhMq1L1rHDhyIftjqBpE%3D"',
    });
  });

  test('the checksum goes last into the body, in the encoding that is asked for', () => {
    // printf %s '1c0ntrol-key-7f3a' | openssl dgst -sha1 -binary | base64
    const signed = signRequest({ ...control, encoding: 'base64' });
    expect(signed.pairs.at(-1)).toEqual(['control', 'z4nCz0akbJBJjoX2oKl22NdfNeA=']);
    expect(JSON.stringify(signed)).not.toContain(secret);
  });

  test('a nonce is made where none is given, anew for each request', () => {
    const { nonce: _, ...bare } = hmac;
    const nonces = [1, 2].map(() => /oauth_nonce="(\w+)"/.exec(signRequest(bare).headers['Authorization'] ?? '')?.[1]);
    expect(nonces[0]).toMatch(/^[0-9a-f]{32}$/);
    expect(nonces[0]).not.toBe(nonces[1]);
  });
});

describe('verifyRequest', () => {
  const sent = signRequest(hmac);
  const authorization = sent.headers['Authorization'];
  const received = { scheme: 'HMAC-SHA1', url, fields: sent.body ?? '', authorization, keys } as const;
  const accepted = { ok: true, nonce: 'n17', timestamp: '1700000000' };
  const checked = {
    scheme: 'control',
    // printf %s '1c0ntrol-key-7f3a' | openssl dgst -sha1
    fields: 'a=1&control=cf89c2cf46a46c90498e85f6a0a976d8d75f35e0',
    values: ['1'],
    keys: { controlKey: secret },
  } as const;

  test('accepts what was signed, by any of several keys', () => {
    expect(verifyRequest(received)).toEqual(accepted);
    expect(verifyRequest({ ...received, keys: { login: 'shop', controlKey: ['older', secret] } })).toEqual(accepted);
    expect(verifyRequest(checked)).toEqual({ ok: true });
    const publicKey = [pem('test-rsa-3072.public'), createPublicKey(publicPem)];
    const header = signRequest(rsa).headers['Authorization'];
    const signed = { ...received, scheme: 'RSA-SHA256', authorization: header } as const;
    expect(verifyRequest({ ...signed, keys: { login: 'shop', publicKey } })).toEqual(accepted);
  });

  test.each<[string, object, string]>([
    ['another field', { fields: 'a=2' }, 'oauth-signature'],
    ['another url', { url: `${url}1` }, 'oauth-signature'],
    ['another key', { keys: { login: 'shop', controlKey: 'other' } }, 'oauth-signature'],
    ['another login', { keys: { login: 'other', controlKey: secret } }, 'oauth-consumer'],
    ['no header', { authorization: undefined }, 'oauth-missing'],
    ['a bad escape', { fields: 'a=%zz' }, 'body-malformed'],
    ['a lone surrogate', { fields: [['a', '\ud83d']] }, 'oauth-malformed'],
    ['a clock too far ahead', { now: 1_700_000_301 }, 'oauth-timestamp'],
    ['a clock too far behind', { now: 1_699_999_989, tolerance: 10 }, 'oauth-timestamp'],
  ])('%s is refused', (_, change, reason) => {
    const verdict = verifyRequest({ ...received, ...change });
    expect(verdict).toMatchObject({ ok: false, reason });
    expect(JSON.stringify(verdict)).not.toContain(secret);
  });

  test.each<[string, object, string]>([
    ['other values', { values: ['2'] }, 'control-wrong'],
    ['another encoding', { encoding: 'hex-upper' }, 'control-wrong'],
    ['no control', { fields: 'a=1' }, 'control-missing'],
    ['a field sent twice', { fields: `a=2&${checked.fields}` }, 'control-wrong'],
  ])('of a checksum: %s is refused', (_, change, reason) => {
    expect(verifyRequest({ ...checked, ...change })).toMatchObject({ ok: false, reason });
  });
});

test('verifyControl compares the whole checksum', () => {
  const digest = 'cf89c2cf46a46c90498e85f6a0a976d8d75f35e0';
  expect(verifyControl(['1'], digest, secret)).toBe(true);
  for (const other of ['', digest.slice(1), digest.toUpperCase(), 'é'.repeat(20)])
    expect(verifyControl(['1'], other, secret)).toBe(false);
});

describe('verifyCallback', () => {
  // printf %s 'approved77001order-2c0ntrol-key-7f3a' | openssl dgst -sha1
  const digest = '26ffd27ba5002b567245335ce7d8be04c6fbf60b';
  const fields = { status: 'approved', orderid: '77001', client_orderid: 'order-2', control: digest };
  const query = String(new URLSearchParams(fields));

  test.each<[string, library.Fields | string, string | string[]]>([
    ['an object', fields, secret],
    ['the text of a query', `?${query}`, secret],
    ['the second of two keys', fields, ['new', secret]],
  ])('accepts %s', (_, callback, key) => {
    const accepted = { ok: true, status: 'approved', orderId: '77001', clientOrderId: 'order-2' };
    expect(verifyCallback(callback, key)).toEqual(accepted);
  });

  test.each<[string, library.Fields | string, string]>([
    ['another status', { ...fields, status: 'declined' }, 'control-wrong'],
    ['no control', { ...fields, control: '' }, 'control-missing'],
    ['two statuses', `${query}&status=declined`, 'callback-malformed'],
    ['two statuses as a parser gives them', { ...fields, status: ['approved', 'declined'] }, 'callback-malformed'],
    ['nothing', '', 'callback-malformed'],
  ])('refuses %s', (_, callback, reason) => {
    expect(verifyCallback(callback, secret)).toMatchObject({ ok: false, reason });
  });
});
