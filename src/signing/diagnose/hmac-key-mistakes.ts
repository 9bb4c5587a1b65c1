import { createHash } from 'node:crypto';
import { percentEncode } from '../../wire/form.js';
import type { OauthCase } from './diagnosis.js';
import { bytesAs } from './encoding-mutations.js';

interface HmacKeyMistake {
  readonly variant: string;
  readonly detail: string;
  readonly key: string | Buffer;
}

/** RFC 5849 3.4.2, with the form of A51. */
export function hmacKey(given: OauthCase, secret: string, tokenSecret = given.tokenSecret ?? ''): string {
  const form = given.keyForm === 'raw' ? (text: string) => text : (text: string) => percentEncode(text, 'secret');
  return `${form(secret)}&${form(tokenSecret)}`;
}

/** Each wrong key once, likeliest first. */
export function* hmacKeyMistakes(given: OauthCase, secret: string): Generator<HmacKeyMistake> {
  const seen = new Set([keyId(hmacKey(given, secret))]);
  for (const mistake of allKeyMistakes(given, secret)) {
    const id = keyId(mistake.key);
    if (seen.has(id)) continue;
    seen.add(id);
    yield mistake;
  }
}

/** Equal for keys that HMAC uses alike: up to the length of a block, zero bytes are added to the end (RFC 2104). */
function keyId(key: string | Buffer): string {
  const text = (typeof key === 'string' ? Buffer.from(key, 'utf8') : key).toString('latin1');
  return text.length > 64 ? text : text.replace(/\0+$/, '');
}

function* allKeyMistakes(given: OauthCase, secret: string): Generator<HmacKeyMistake> {
  yield* encodedKeys(given, secret);
  for (const { variant, detail, text } of [...paddedSecrets(secret), ...convertedSecrets(secret)]) {
    yield { variant, detail, key: hmacKey(given, text) };
    // Whoever reads the key carelessly often joins it carelessly, too.
    yield { variant, detail, key: `${text}&${given.tokenSecret ?? ''}` };
    yield { variant, detail: `${detail}, and without the &`, key: text };
  }
  yield* exchangedSecrets(given, secret);
  yield* decodedSecrets(secret);
  yield* followedSecrets(given, secret);
}

const followers: readonly (readonly [variant: string, detail: string, text: string])[] = [
  ...['undefined', 'null', 'None', 'nil', 'NULL', 'false'].map(
    (word) => ['word-behind', `${word} after the & in place of an empty token secret`, word] as const,
  ),
  ['line-feed', 'a line feed after the &', '\n'],
  ['crlf', 'a carriage return and a line feed after the &', '\r\n'],
  ['blank', 'a space after the &', ' '],
  ['ampersand-twice', 'a second & after the key', '&'],
];

/** What stands where the token secret would, and words in place of the secret. */
function* followedSecrets(given: OauthCase, secret: string): Generator<HmacKeyMistake> {
  const right = hmacKey(given, secret);
  for (const [variant, detail, text] of followers)
    for (const start of [right, `${secret}&`]) yield { variant, detail, key: start + text };
  for (const word of ['undefined', 'null', 'None'])
    for (const key of [`${word}&`, `${word}&${word}`])
      yield { variant: 'word', detail: `${word} in place of the control key`, key };
}

function* encodedKeys(given: OauthCase, secret: string): Generator<HmacKeyMistake> {
  const token = given.tokenSecret ?? '';
  const [own, other] = [percentEncode(secret, 'secret'), percentEncode(token, 'token secret')];
  yield { variant: 'no-ampersand', detail: 'the & after the control key left out', key: own + other };
  yield { variant: 'not-encoded', detail: 'the control key not percent-encoded', key: `${secret}&${token}` };
  yield { variant: 'encoded', detail: 'the control key percent-encoded', key: `${own}&${other}` };
  yield {
    variant: 'no-ampersand',
    detail: 'the & left out and the control key not percent-encoded',
    key: secret + token,
  };
  yield {
    variant: 'encoded-twice',
    detail: 'the control key percent-encoded twice',
    key: `${percentEncode(own)}&${percentEncode(other)}`,
  };
  yield {
    variant: 'ampersand-encoded',
    detail: 'the & percent-encoded with the control key',
    key: percentEncode(`${secret}&${token}`),
  };
  for (const [variant, encode] of [
    ['reserved-raw', encodeURIComponent],
    ['lower-case-escapes', (text: string) => percentEncode(text).replace(/%../g, (written) => written.toLowerCase())],
    // PHP, Ruby, Java and C#, which do otherwise with ~ and *.
    ['form-encoded', (text: string) => formEncoded(text).replaceAll('~', '%7E')],
    ['form-encoded', formEncoded],
    ['form-encoded', (text: string) => formEncoded(text).replaceAll('~', '%7E').replaceAll('%2A', '*')],
    ['form-encoded', (text: string) => formEncoded(text).replaceAll('%2A', '*')],
  ] as const)
    yield {
      variant,
      detail: 'the control key not encoded as RFC 3986 requires',
      key: `${encode(secret)}&${encode(token)}`,
    };
}

const formEncoded = (text: string) => percentEncode(text).replaceAll('%20', '+');

interface Spelling {
  readonly variant: string;
  readonly detail: string;
  readonly text: string;
}

function paddedSecrets(secret: string): Spelling[] {
  return [
    { variant: 'line-feed', detail: 'a line feed after the control key, as read from a file', text: `${secret}\n` },
    {
      variant: 'crlf',
      detail: 'a carriage return and a line feed after the control key, as read from a file',
      text: `${secret}\r\n`,
    },
    { variant: 'carriage-return', detail: 'a carriage return after the control key', text: `${secret}\r` },
    { variant: 'blank', detail: 'a space after the control key', text: `${secret} ` },
    { variant: 'blank', detail: 'a space before the control key', text: ` ${secret}` },
    { variant: 'tab', detail: 'a tab after the control key', text: `${secret}\t` },
    { variant: 'byte-order-mark', detail: 'a byte order mark before the control key', text: `\uFEFF${secret}` },
    { variant: 'quotes', detail: 'the control key with quotes around it', text: `"${secret}"` },
    { variant: 'quotes', detail: 'the control key with quotes around it', text: `'${secret}'` },
    { variant: 'trimmed', detail: 'spaces or line breaks around the control key stripped', text: secret.trim() },
  ];
}

function convertedSecrets(secret: string): Spelling[] {
  const bytes = Buffer.from(secret, 'utf8');
  return [
    { variant: 'lower-case', detail: 'the control key in lower case', text: secret.toLowerCase() },
    { variant: 'upper-case', detail: 'the control key in upper case', text: secret.toUpperCase() },
    { variant: 'to-base64', detail: 'the control key as Base64', text: bytes.toString('base64') },
    { variant: 'to-hex', detail: 'the control key in hexadecimal', text: bytes.toString('hex') },
    { variant: 'no-dashes', detail: 'the control key without its dashes', text: secret.replaceAll('-', '') },
    { variant: 'json', detail: 'the control key as JSON, with quotes and escapes', text: JSON.stringify(secret) },
    ...['md5', 'sha1', 'sha256'].map((hash) => ({
      variant: `${hash}-of-secret`,
      detail: `the ${hash.toUpperCase()} of the control key in hexadecimal`,
      text: createHash(hash).update(bytes).digest('hex'),
    })),
    {
      variant: 'byte-by-byte',
      detail: 'the bytes of the control key read as Latin-1',
      text: bytesAs('byte-by-byte', secret).toString('utf8'),
    },
  ];
}

function* exchangedSecrets(given: OauthCase, secret: string): Generator<HmacKeyMistake> {
  const token = given.tokenSecret ?? '';
  const key = (first: string, second: string) => hmacKey(given, first, second);
  yield { variant: 'token-secret-left-out', detail: 'the token secret left out', key: key(secret, '') };
  yield { variant: 'token-secret-first', detail: 'the token secret before the control key', key: key(token, secret) };
  yield { variant: 'token-for-secret', detail: 'the token instead of its secret', key: key(secret, given.token ?? '') };
  yield {
    variant: 'consumer-key',
    detail: 'the consumer key in place of the token secret',
    key: key(secret, given.consumerKey),
  };
  yield {
    variant: 'consumer-key',
    detail: 'the consumer key before the control key',
    key: key(given.consumerKey, secret),
  };
  yield {
    variant: 'consumer-key',
    detail: 'the consumer key instead of the control key',
    key: key(given.consumerKey, token),
  };
  yield { variant: 'empty', detail: 'no secret at all', key: key('', token) };
  yield { variant: 'empty', detail: 'an empty key', key: '' };
}

/** The secret taken for the written form of some bytes. */
function* decodedSecrets(secret: string): Generator<HmacKeyMistake> {
  const readings = [
    {
      variant: 'hex-decoded',
      detail: 'the control key decoded from hexadecimal',
      bytes: Buffer.from(secret, 'hex'),
      isOne: /^(?:[0-9a-f]{2})+$/i,
    },
    {
      variant: 'hex-decoded',
      detail: 'the control key decoded from the hexadecimal digits of a UUID',
      bytes: Buffer.from(secret.replaceAll('-', ''), 'hex'),
      isOne: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
    },
    {
      variant: 'base64-decoded',
      detail: 'the control key decoded from Base64',
      bytes: Buffer.from(secret, 'base64'),
      isOne: /^[\w+/-]{2,}={0,2}$/,
    },
    {
      variant: 'latin-1',
      detail: 'the control key read as Latin-1',
      bytes: bytesAs('latin-1', secret),
      isOne: /[^ -~]/,
    },
  ];
  for (const { variant, detail, bytes, isOne } of readings)
    if (isOne.test(secret))
      for (const key of [Buffer.concat([bytes, Buffer.from('&')]), bytes]) yield { variant, detail, key };
}
