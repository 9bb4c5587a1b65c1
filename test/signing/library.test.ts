import { createPublicKey, generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import * as library from '../../src/signing/library.js';
import { oauths, pem } from './support.js';

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

/** What a call throws; a call that throws nothing fails the test. */
function thrown(call: () => unknown): Error {
  try {
    call();
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error('nothing was thrown');
}

/** As the JavaScript of a program would call it, whatever the types say. */
const untyped: Readonly<Record<string, (...given: unknown[]) => unknown>> = Object.fromEntries(
  Object.entries(library).flatMap(([name, value]) =>
    name === 'PaycliError' ? [] : [[name, value as (...given: unknown[]) => unknown]],
  ),
);

const base = 'POST&https%3A%2F%2Fa%2F&b%3D1';
/** Arguments that are right, and whether an empty text is right as well. */
const good: Readonly<Record<string, readonly { readonly value: unknown; readonly mayBeEmpty?: true }[]>> = {
  percentEncode: [{ value: 'a', mayBeEmpty: true }],
  decodeForm: [{ value: 'a=1', mayBeEmpty: true }],
  baseStringUri: [{ value: url }],
  normalizeParameters: [{ value: [['a', '1']] }],
  signatureBaseString: [{ value: 'POST' }, { value: url }, { value: [['a', '1']] }],
  signHmacSha1: [{ value: base }, { value: secret }],
  verifyHmacSha1: [{ value: base }, { value: 'c2ln', mayBeEmpty: true }, { value: secret }],
  signRsaSha256: [{ value: base }, { value: pemText }],
  verifyRsaSha256: [{ value: base }, { value: 'c2ln', mayBeEmpty: true }, { value: publicPem }],
  authorizationHeader: [{ value: [['oauth_nonce', 'n']] }],
  parseAuthorizationHeader: [{ value: 'OAuth a="1"' }],
  controlChecksum: [{ value: ['1'] }, { value: secret }],
  verifyControl: [{ value: ['1'] }, { value: 'c0', mayBeEmpty: true }, { value: secret }],
  verifyCallback: [{ value: 'status=a', mayBeEmpty: true }, { value: secret }],
  signRequest: [{ value: control }],
  verifyRequest: [{ value: { scheme: 'control', fields: 'a=1', values: ['1'], keys: { controlKey: secret } } }],
};

test('every exported function is in the table of wrong arguments', () => {
  expect(Object.keys(good).sort()).toEqual(Object.keys(untyped).sort());
});

describe('wrong arguments', () => {
  const cases = Object.entries(good).flatMap(([name, given]) => given.map((_, at) => ({ name, at })));
  const wrong: readonly unknown[] = [
    undefined,
    null,
    17,
    Number.NaN,
    true,
    17n,
    Symbol('s'),
    () => 'a',
    Buffer.from(secret),
    Buffer.alloc(0),
    new Date(0),
    Object('text'),
    [17],
    [undefined],
    new Array(1),
    { a: 17 },
    { toString: () => secret },
  ];

  test.each(cases)('$name, argument $at', ({ name, at }) => {
    const right = (good[name] ?? []).map(({ value }) => value);
    const call = (value: unknown) => () => untyped[name]?.(...right.with(at, value));
    expect(call(right[at])).not.toThrow();
    for (const value of wrong) {
      const error = thrown(call(value));
      expect(error).toEqual(argument);
      expect(error.message).not.toContain(secret);
    }
    if (good[name]?.[at]?.mayBeEmpty === true) expect(call('')).not.toThrow();
    // An empty header is text, and no header of OAuth.
    else if (name !== 'parseAuthorizationHeader') expect(call('')).toThrow(argument);
  });

  test('a forgotten key does not sign: the key of the text undefined is another one', () => {
    expect(() => untyped['signHmacSha1']?.(base, undefined)).toThrow(argument);
    // printf %s "$base" | openssl dgst -sha1 -mac HMAC -macopt 'key:undefined&' -binary | base64
    expect(library.signHmacSha1(base, 'undefined')).toBe('HiUxpYreXIL5lhIA9MVTqrwTchc=');
  });

  test.each<[string, string, unknown[]]>([
    ['a token secret', 'signHmacSha1', [base, secret, null]],
    ['a key form', 'signHmacSha1', [base, secret, '', 'plain']],
    ['a token secret', 'verifyHmacSha1', [base, 'c2ln', secret, 5]],
    ['a key form', 'verifyHmacSha1', [base, 'c2ln', secret, '', '']],
    ['an encoding', 'controlChecksum', [['1'], secret, { encoding: 'hex' }]],
    ['an encoding of the prototype', 'controlChecksum', [['1'], secret, { encoding: 'toString' }]],
    ['a misspelt option', 'controlChecksum', [['1'], secret, { encodng: 'base64' }]],
    ['options that are a text', 'controlChecksum', [['1'], secret, 'base64']],
    ['options that are null', 'verifyControl', [['1'], 'c0', secret, null]],
    ['an encoding', 'verifyCallback', ['a=1', secret, { encoding: null }]],
    ['no key at all', 'verifyCallback', ['a=1', []]],
    ['an empty one among the keys', 'verifyCallback', ['a=1', [secret, '']]],
    ['a nested field', 'verifyCallback', [{ status: { a: '1' } }, secret]],
    ['a realm', 'authorizationHeader', [[['a', '1']], { realm: 17 }]],
    ['a pair of three', 'normalizeParameters', [[['a', '1', '2']]]],
    ['a text as pairs', 'normalizeParameters', ['a=1']],
    ['a Map of numbers', 'normalizeParameters', [new Map([['a', 1]])]],
  ])('%s of %s', (_, name, given) => {
    const error = thrown(() => untyped[name]?.(...given));
    expect(error).toEqual(argument);
    expect(error.message).not.toContain(secret);
  });

  test.each<[string, unknown, RegExp]>([
    ['no scheme', { ...control, scheme: undefined }, /request\.scheme must be control, HMAC-SHA1 or RSA-SHA256/],
    ['another scheme', { ...hmac, scheme: 'PLAINTEXT' }, /request\.scheme/],
    ['no url', { ...control, url: undefined }, /request\.url must be a string, but it is undefined/],
    ['a URL object', { ...control, url: new URL(url) }, /request\.url .* an object of a class/],
    ['no fields', { ...control, fields: undefined }, /request\.fields/],
    ['the text of a body', { ...control, fields: 'a=1' }, /request\.fields must be pairs or a plain object/],
    [
      'a number among the fields',
      { ...hmac, fields: { a: '1', amount: 10.42 } },
      /value 2 of request\.fields .* a number/,
    ],
    ['control among the fields', { ...control, fields: { control: 'x' } }, /must not hold control/],
    ['oauth_ among the fields', { ...hmac, fields: { oauth_nonce: 'x' } }, /must not hold oauth_/],
    ['oauth_ in the query', { ...hmac, url: `${url}?oauth_token=x` }, /must not hold oauth_/],
    ['no values', { ...control, values: [] }, /request\.values must hold at least one value/],
    ['an amount that is a number', { ...control, values: ['4001', 1042] }, /request\.values\[1\] .* a number/],
    ['no keys', { ...control, keys: undefined }, /request\.keys must be a plain object/],
    ['a key for keys', { ...control, keys: secret }, /request\.keys must be a plain object, but it is a string/],
    ['an undefined control key', { ...hmac, keys: { login: 'shop', controlKey: undefined } }, /keys\.controlKey/],
    ['an empty control key', { ...hmac, keys: { login: 'shop', controlKey: '' } }, /controlKey must not be empty/],
    ['a Buffer for a key', { ...control, keys: { controlKey: Buffer.from(secret) } }, /controlKey .* a Buffer/],
    ['no login', { ...hmac, keys: { controlKey: secret } }, /keys\.login/],
    ['no private key', { ...rsa, keys: { login: 'shop' } }, /keys\.privateKey must be PEM text or a KeyObject/],
    [
      'a misspelt key',
      { ...hmac, keys: { login: 'shop', controlkey: secret } },
      /none of login, controlKey, privateKey/,
    ],
    ['a misspelt property', { ...hmac, timestmp: 1 }, /request has a property that is none of/],
    ['a nonce for a checksum', { ...control, nonce: 'n' }, /request has a property that is none of/],
    ['a key form for RSA', { ...rsa, keyForm: 'raw' }, /request has a property that is none of/],
    ['another key form', { ...hmac, keyForm: 'hex' }, /request\.keyForm must be encoded, raw/],
    ['oauth in the body, said by a text', { ...hmac, oauthInBody: 'no' }, /oauthInBody must be true or false/],
    ['milliseconds', { ...hmac, timestamp: 1_700_000_000_000 }, /seconds since 1970, not of milliseconds/],
    ['half a second', { ...hmac, timestamp: 1.5 }, /timestamp/],
    ['a text of seconds', { ...hmac, timestamp: '1700000000' }, /timestamp/],
    ['an empty nonce', { ...hmac, nonce: '' }, /request\.nonce must not be empty/],
    ['a GET with fields', { ...hmac, method: 'GET' }, /request\.fields must be empty for GET and HEAD/],
    ['a GET with a checksum', { ...control, method: 'get', fields: {} }, /request\.method must be one with a body/],
    ['an empty method', { ...hmac, method: '' }, /request\.method must not be empty/],
  ])('of signRequest: %s', (_, request, message) => {
    const error = thrown(() => untyped['signRequest']?.(request));
    expect(error).toEqual(argument);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain(secret);
  });

  test('what was signed stays, whatever becomes of the list it was made from', () => {
    const fields: [string, string][] = [['a', '1']];
    const signed = signRequest({ ...hmac, fields });
    fields.push(['b', '2']);
    expect(signed.pairs).toEqual([['a', '1']]);
  });

  test('keys that a scheme does not need may be there', () => {
    const all = { login: 'shop', controlKey: secret, privateKey: pemText };
    expect(signRequest({ ...control, keys: all }).signature).toBe(signRequest(control).signature);
  });

  test('fields that come with a name of the prototype are fields', () => {
    const fields = JSON.parse('{"__proto__":"1","constructor":"2"}');
    expect(signRequest({ ...hmac, fields }).body).toBe('__proto__=1&constructor=2');
  });
});

test.each<[string, () => unknown]>([
  ['verifyControl', () => verifyControl(['1'], 'c0', '\ud83d')],
  ['verifyCallback', () => verifyCallback('a=1', ['key', '\ud83d'])],
  ['verifyHmacSha1', () => library.verifyHmacSha1(base, 'c2ln', '\ud83d')],
  ['signRequest', () => signRequest({ ...control, keys: { controlKey: '\ud83d' } })],
  [
    'verifyRequest',
    () =>
      verifyRequest({
        scheme: 'HMAC-SHA1',
        url,
        fields: '',
        authorization: signRequest(hmac).headers['Authorization'],
        keys: { login: 'shop', controlKey: '\ud83d' },
      }),
  ],
])('%s throws for a key without a UTF-8 form: the request is not to blame', (_, call) => {
  expect(thrown(call)).toMatchObject({ code: 'TEXT_INVALID' });
});

describe('a usable key is needed', () => {
  const small = generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey;
  const { privateKey: curve } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  test.each<[string, string | typeof small]>([
    ['text that is no PEM', secret],
    ['the public half', publicPem],
    ['the public half, read', createPublicKey(publicPem)],
    ['1024 bits', small],
    ['an elliptic curve', curve],
  ])('%s is refused, and not repeated', (_, privateKey) => {
    const error = thrown(() => signRequest({ ...rsa, keys: { login: 'shop', privateKey } }));
    expect(error).toBeInstanceOf(library.PaycliError);
    expect(error).toMatchObject({ code: 'KEY_UNUSABLE' });
    expect(error.message).not.toContain(secret);
  });

  test('for verifying as well, whatever the request', () => {
    const request = { scheme: 'RSA-SHA256', url, fields: '', authorization: undefined } as const;
    expect(verifyRequest({ ...request, keys: { login: 'shop', publicKey: publicPem } })).toMatchObject({ ok: false });
    expect(() => verifyRequest({ ...request, keys: { login: 'shop', publicKey: '' } })).toThrow(argument);
  });
});

describe('signRequest', () => {
  test('an HMAC request is the one of the vector that openssl made', () => {
    const vector = oauths.find(({ name }) => name === 'a control key that needs encoding');
    const given = new Map(vector?.pairs);
    const fields = vector?.pairs.filter(([name]) => !name.startsWith('oauth_')) ?? [];
    const signed = signRequest({
      scheme: 'HMAC-SHA1',
      url: vector?.url ?? '',
      fields,
      keys: { login: given.get('oauth_consumer_key') ?? '', controlKey: 'k/e+y&=é' },
      nonce: given.get('oauth_nonce'),
      timestamp: Number(given.get('oauth_timestamp')),
    });
    expect(signed).toMatchObject({ method: 'POST', baseString: vector?.baseString, signature: vector?.signature });
    expect(signed.pairs).toEqual(fields);
  });

  test('header and body, by hand', () => {
    const signed = signRequest({
      ...hmac,
      realm: 'pay',
      fields: [
        ['b', 'x y'],
        ['a', ''],
        ['b', '*'],
      ],
    });
    expect(signed.body).toBe('b=x%20y&a=&b=%2A');
    expect(signed.baseString).toBe(
      'POST&https%3A%2F%2Fgateway.example%2Fpaynet%2Fapi%2Fv2%2Fpayout%2F4001&a%3D%26b%3D%252A%26b%3Dx%2520y%26oauth_consumer_key%3Dshop%26oauth_nonce%3Dn17%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1700000000%26oauth_version%3D1.0',
    );
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

  test.each<[string, library.Fields]>([
    [
      'pairs',
      [
        ['a', '1'],
        ['b', '2'],
        ['b', '3'],
      ],
    ],
    ['an object', { a: '1', b: ['2', '3'] }],
    ['URLSearchParams', new URLSearchParams('a=1&b=2&b=3')],
    ['an object without a prototype', Object.assign(Object.create(null), { a: '1', b: ['2', '3'] })],
    [
      'a Map',
      new Map(
        [
          ['a', '1'],
          ['b', '2'],
          ['b', '3'],
        ].map(([name = '', value = '']) => [`${name}${value}`, value]),
      ),
    ],
  ])('takes fields as %s', (kind, fields) => {
    const body = kind === 'a Map' ? 'a1=1&b2=2&b3=3' : 'a=1&b=2&b=3';
    expect(signRequest({ ...hmac, fields }).body).toBe(body);
  });

  test('the checksum goes last into the body, in the encoding that is asked for', () => {
    // printf %s '1c0ntrol-key-7f3a' | openssl dgst -sha1 -binary | base64
    const signed = signRequest({ ...control, encoding: 'base64' });
    expect(signed.pairs).toEqual([
      ['a', '1'],
      ['control', 'z4nCz0akbJBJjoX2oKl22NdfNeA='],
    ]);
    expect(signed).toMatchObject({ baseString: '1', signature: 'z4nCz0akbJBJjoX2oKl22NdfNeA=' });
    expect(JSON.stringify(signed)).not.toContain(secret);
  });

  test('nonce and timestamp are made where none are given, anew for each request', () => {
    const before = Math.floor(Date.now() / 1000);
    const { nonce: _, timestamp: __, ...bare } = hmac;
    const read = [1, 2].map(() => {
      const { pairs } = library.parseAuthorizationHeader(signRequest(bare).headers['Authorization'] ?? '');
      return Object.fromEntries(pairs);
    });
    expect(read[0]?.['oauth_nonce']).toMatch(/^[0-9a-f]{32}$/);
    expect(read[0]?.['oauth_nonce']).not.toBe(read[1]?.['oauth_nonce']);
    const seconds = Number(read[0]?.['oauth_timestamp']);
    expect(seconds).toBeGreaterThanOrEqual(before);
    expect(seconds).toBeLessThanOrEqual(Math.floor(Date.now() / 1000));
  });

  test('a GET is signed in upper case and has neither body nor content type', () => {
    const signed = signRequest({ ...hmac, method: 'get', url: `${url}?a=1`, fields: [] });
    expect(signed.method).toBe('GET');
    expect(signed.baseString).toMatch(/^GET&/);
    expect('body' in signed).toBe(false);
    expect(Object.keys(signed.headers)).toEqual(['Accept', 'Accept-Encoding', 'Authorization']);
  });

  test.each([
    ['ftp://gateway.example/', 'URL_INVALID'],
    ['https://user:pass@gateway.example/', 'URL_INVALID'],
  ])('%s is refused for a checksum as well, though none covers it', (address, code) => {
    expect(thrown(() => signRequest({ ...control, url: address }))).toMatchObject({ code });
  });
});

describe('verifyRequest', () => {
  const sent = signRequest(hmac);
  const received = {
    scheme: 'HMAC-SHA1',
    url,
    fields: sent.body ?? '',
    authorization: sent.headers['Authorization'],
    keys,
  } as const;
  const accepted = { ok: true, nonce: 'n17', timestamp: '1700000000' };

  test('accepts what signRequest signed', () => {
    expect(verifyRequest(received)).toEqual(accepted);
    expect(verifyRequest({ ...received, fields: sent.pairs })).toEqual(accepted);
    expect(verifyRequest({ ...received, method: 'post' })).toEqual(accepted);
    const raw = signRequest({ ...hmac, keyForm: 'raw', oauthInBody: true, keys: { ...keys, controlKey: 'a+b' } });
    const again = { ...received, fields: raw.body ?? '', authorization: raw.headers['Authorization'] };
    expect(verifyRequest({ ...again, keyForm: 'raw', keys: { ...keys, controlKey: 'a+b' } })).toEqual(accepted);
    expect(verifyRequest({ ...again, keys: { ...keys, controlKey: 'a+b' } })).toMatchObject({
      reason: 'oauth-signature',
    });
  });

  test('accepts RSA by PEM text and by a key already read, and refuses another key', () => {
    const signed = signRequest(rsa);
    const given = { ...received, scheme: 'RSA-SHA256', authorization: signed.headers['Authorization'] } as const;
    for (const publicKey of [publicPem, createPublicKey(publicPem)])
      expect(verifyRequest({ ...given, keys: { login: 'shop', publicKey } })).toEqual(accepted);
    const other = pem('test-rsa-3072.public');
    expect(verifyRequest({ ...given, keys: { login: 'shop', publicKey: other } })).toMatchObject({
      ok: false,
      reason: 'oauth-signature',
    });
  });

  test.each<[string, object, string]>([
    ['another field', { fields: 'a=2' }, 'oauth-signature'],
    ['another url', { url: `${url}1` }, 'oauth-signature'],
    ['another method', { method: 'PUT' }, 'oauth-signature'],
    ['another key', { keys: { login: 'shop', controlKey: 'other' } }, 'oauth-signature'],
    ['another login', { keys: { login: 'other', controlKey: secret } }, 'oauth-consumer'],
    ['no header', { authorization: undefined }, 'oauth-missing'],
    ['no header, as Headers.get says', { authorization: null }, 'oauth-missing'],
    ['an empty header', { authorization: '' }, 'oauth-malformed'],
    ['a header of Basic', { authorization: 'Basic YTpi' }, 'oauth-malformed'],
    ['a header without a nonce', { authorization: 'OAuth oauth_consumer_key="shop"' }, 'oauth-parameters'],
    ['an address that is none', { url: 'gateway' }, 'oauth-malformed'],
    ['an empty address', { url: '' }, 'oauth-malformed'],
    ['a method that is none', { method: 'P OST' }, 'oauth-malformed'],
    ['a bad escape', { fields: 'a=%zz' }, 'body-malformed'],
    ['bytes that are not UTF-8', { fields: 'a=%ff' }, 'body-malformed'],
    ['a lone surrogate', { fields: [['a', '\ud83d']] }, 'oauth-malformed'],
  ])('%s is refused', (_, change, reason) => {
    const verdict = verifyRequest({ ...received, ...change });
    expect(verdict).toMatchObject({ ok: false, reason });
    expect(JSON.stringify(verdict)).not.toContain(secret);
  });

  test('of several keys any may fit', () => {
    const controlKey = ['older', secret];
    expect(verifyRequest({ ...received, keys: { login: 'shop', controlKey } })).toEqual(accepted);
    expect(verifyRequest({ ...checked, keys: { controlKey } })).toEqual({ ok: true });
    const signed = signRequest(rsa);
    const given = { ...received, scheme: 'RSA-SHA256', authorization: signed.headers['Authorization'] } as const;
    const other = pem('test-rsa-3072.public');
    const publicKey = [other, createPublicKey(publicPem)];
    expect(verifyRequest({ ...given, keys: { login: 'shop', publicKey } })).toEqual(accepted);
    expect(verifyRequest({ ...given, keys: { login: 'shop', publicKey: [other, other] } })).toMatchObject({
      reason: 'oauth-signature',
    });
    expect(verifyRequest({ ...checked, keys: { controlKey: ['older', 'oldest'] } })).toMatchObject({
      reason: 'control-wrong',
    });
    for (const none of [[], ['older', ''], [undefined]] as never[])
      expect(() => verifyRequest({ ...received, keys: { login: 'shop', controlKey: none } })).toThrow(argument);
  });

  test.each([
    [{ now: 1_700_000_000 }, true],
    [{ now: 1_700_000_300 }, true],
    [{ now: 1_700_000_301 }, false],
    [{ now: 1_699_999_700 }, true],
    [{ now: 1_699_999_699 }, false],
    [{ now: 1_700_000_010, tolerance: 10 }, true],
    [{ now: 1_700_000_011, tolerance: 10 }, false],
    [{ now: 1_700_000_001, tolerance: 0 }, false],
  ])('a timestamp of 1700000000 under %o is accepted: %s', (clock, isNear) => {
    const verdict = verifyRequest({ ...received, ...clock });
    expect(verdict).toMatchObject(isNear ? accepted : { ok: false, reason: 'oauth-timestamp' });
  });

  test.each([{ now: 1_700_000_000_000 }, { now: '1' }, { now: 1.5 }, { now: 1, tolerance: -1 }, { tolerance: 300 }])(
    '%o is no clock',
    (clock) => {
      expect(() => verifyRequest({ ...received, ...clock } as never)).toThrow(argument);
    },
  );

  test('a wrong signature is told before a wrong clock', () => {
    const verdict = verifyRequest({ ...received, fields: 'a=2', now: 1 });
    expect(verdict).toMatchObject({ reason: 'oauth-signature' });
  });

  const checked = {
    scheme: 'control',
    // printf %s '1c0ntrol-key-7f3a' | openssl dgst -sha1
    fields: 'a=1&control=cf89c2cf46a46c90498e85f6a0a976d8d75f35e0',
    values: ['1'],
    keys: { controlKey: secret },
  } as const;

  test('accepts a checksum', () => {
    expect(verifyRequest(checked)).toEqual({ ok: true });
  });

  test.each<[string, object, string]>([
    ['other values', { values: ['2'] }, 'control-wrong'],
    ['another key', { keys: { controlKey: 'other' } }, 'control-wrong'],
    ['another encoding', { encoding: 'hex-upper' }, 'control-wrong'],
    ['no control', { fields: 'a=1' }, 'control-missing'],
    ['an empty control', { fields: 'a=1&control=' }, 'control-missing'],
    ['half a control', { fields: 'a=1&control=c0' }, 'control-wrong'],
    ['two controls', { fields: `${checked.fields}&control=c0` }, 'control-wrong'],
    [
      'two of a field',
      { fields: { a: ['1', '2'], control: 'cf89c2cf46a46c90498e85f6a0a976d8d75f35e0' } },
      'control-wrong',
    ],
    ['a bad escape', { fields: 'a=%' }, 'body-malformed'],
    ['a lone surrogate', { values: ['\ud83d'] }, 'control-wrong'],
  ])('of a checksum: %s is refused', (_, change, reason) => {
    expect(verifyRequest({ ...checked, ...change })).toMatchObject({ ok: false, reason });
  });
});

describe('verifyControl', () => {
  test.each<[string, string[], string, boolean]>([
    ['the checksum', ['1'], 'cf89c2cf46a46c90498e85f6a0a976d8d75f35e0', true],
    ['upper case', ['1'], 'cf89c2cf46a46c90498e85f6a0a976d8d75f35e0'.toUpperCase(), false],
    ['one character less', ['1'], 'cf89c2cf46a46c90498e85f6a0a976d8d75f35e0'.slice(1), false],
    ['nothing', ['1'], '', false],
    ['text that is no ASCII', ['1'], 'é'.repeat(20), false],
    ['another value', ['2'], 'cf89c2cf46a46c90498e85f6a0a976d8d75f35e0', false],
    ['a lone surrogate', ['\ud83d'], 'cf89c2cf46a46c90498e85f6a0a976d8d75f35e0', false],
  ])('%s', (_, values, given, fits) => {
    expect(verifyControl(values, given, secret)).toBe(fits);
  });
});

describe('verifyCallback', () => {
  // printf %s 'approved77001order-2c0ntrol-key-7f3a' | openssl dgst -sha1
  const digest = '26ffd27ba5002b567245335ce7d8be04c6fbf60b';
  const fields = { status: 'approved', orderid: '77001', client_orderid: 'order-2', control: digest };
  const accepted = { ok: true, status: 'approved', orderId: '77001', clientOrderId: 'order-2' };
  const query = String(new URLSearchParams(fields));

  test.each<[string, library.Fields | string, string | string[]]>([
    ['an object', fields, secret],
    ['pairs', Object.entries(fields), secret],
    ['the text of a query', query, secret],
    ['with its question mark', `?${query}`, secret],
    ['beside a value that is not UTF-8', `${query}&a=%ff&b=%`, secret],
    ['upper-case digits', { ...fields, control: digest.toUpperCase() }, secret],
    ['the second of two keys', fields, ['new', secret]],
    ['the first of two keys', fields, [secret, 'old']],
  ])('accepts %s', (_, callback, key) => {
    expect(verifyCallback(callback, key)).toEqual(accepted);
  });

  test.each<[string, library.Fields | string, string]>([
    ['another status', { ...fields, status: 'declined' }, 'control-wrong'],
    ['another order', { ...fields, orderid: '77002' }, 'control-wrong'],
    ['no control', { ...fields, control: '' }, 'control-missing'],
    ['two statuses', `${query}&status=declined`, 'callback-malformed'],
    ['two statuses as a parser gives them', { ...fields, status: ['approved', 'declined'] }, 'callback-malformed'],
    ['no order', { ...fields, orderid: '' }, 'callback-malformed'],
    ['nothing', '', 'callback-malformed'],
    ['a lone surrogate', { ...fields, orderid: '\ud83d' }, 'callback-malformed'],
  ])('refuses %s', (_, callback, reason) => {
    const verdict = verifyCallback(callback, secret);
    expect(verdict).toMatchObject({ ok: false, reason });
    expect(JSON.stringify(verdict)).not.toContain(digest);
  });

  test('another key is refused, in Base64 too', () => {
    expect(verifyCallback(fields, 'other')).toMatchObject({ reason: 'control-wrong' });
    expect(verifyCallback(fields, secret, { encoding: 'base64' })).toMatchObject({ reason: 'control-wrong' });
    const control = 'Jv/Se6UAK1ZyRTNc59i+BMb79gs=';
    expect(verifyCallback({ ...fields, control }, secret, { encoding: 'base64' })).toEqual(accepted);
    // In Base64 the letter case is part of the value.
    expect(verifyCallback({ ...fields, control: control.toLowerCase() }, secret, { encoding: 'base64' })).toMatchObject(
      {
        reason: 'control-wrong',
      },
    );
  });
});
