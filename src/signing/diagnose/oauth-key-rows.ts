import { createHash, createHmac } from 'node:crypto';
import { percentEncode } from '../../wire/form.js';
import { formEncoded } from './charsets.js';
import { keyCases, keyEnds, keyTexts, type Spelling } from './key-spellings.js';
import { digestInfo, type OauthCase, type OauthRecipe, type OauthRow, set, whole } from './oauth-recipe.js';
import { common, family } from './search.js';

const keyRule =
  'the HMAC key is the percent-encoded control key (A51), then an & and nothing else; the control key has no quotes, blanks, line breaks or byte order mark around it';
const asText = 'use the control key exactly as it was given to you, as text';
const macRule = 'use an HMAC with SHA-1 over the base string itself, with the control key and its & as the key';
const rsaRule =
  'sign the base string itself with RSASSA-PKCS1-v1_5 and SHA-256, with the private key whose public key the gateway has';

const keyed = (key: OauthRecipe['key']) => set({ key });
const encodedBy = (encode: (text: string) => string) => keyed((secret, token) => `${encode(secret)}&${encode(token)}`);
const digested = (digest: OauthRecipe['digest']) => set({ digest });
const hashOf = (hash: string, ...parts: readonly (Buffer | string)[]) =>
  createHash(hash)
    .update(Buffer.concat(parts.map((part) => Buffer.from(part))))
    .digest();
const macOf = (hash: string, key: Buffer | string, data: Buffer | string) =>
  createHmac(hash, key).update(data).digest();
const bothWritings = (hash: string) => [
  (data: string | Buffer) => hashOf(hash, data),
  (data: string | Buffer) => hashOf(hash, data).toString('hex'),
];

const spelt = (list: readonly Spelling[]) =>
  list.map(([variant, words, write, mark]) => {
    const change: OauthRow['change'] = ({ secret }) => ({ secret: write(secret) });
    return [variant, words, change, mark] as const;
  });
const spellings: readonly OauthRow[] = [
  ...family('signing-key', keyRule, spelt(keyEnds)),
  ...family('signing-key', asText, spelt([...keyTexts, ...keyCases])),
];

const encode = (text: string) => percentEncode(text);
const lowered = (text: string) => encode(text).replace(/%../g, (each) => each.toLowerCase());
const followed =
  (rest: string): OauthRow['change'] =>
  ({ key }) => ({ key: (...secrets) => Buffer.concat([Buffer.from(key(...secrets)), Buffer.from(rest)]) });

/** The forms of the key of RFC 5849 3.4.2, and what may stand in its places. */
function formRows({ keyForm, protocol }: OauthCase): OauthRow[] {
  const login = protocol.find(([name]) => name === 'oauth_consumer_key')?.[1] ?? '';
  return family('signing-key', keyRule, [
    keyForm === 'raw'
      ? ['encoded', 'the control key percent-encoded', encodedBy(encode), common]
      : ['not-encoded', 'the control key not percent-encoded', encodedBy((text) => text), common],
    ['no-ampersand', 'the & after the control key left out', keyed((key, rest) => encode(key) + encode(rest)), common],
    ['no-ampersand', 'the & left out and the control key not encoded', keyed((key, rest) => key + rest)],
    ['encoded-twice', 'the control key percent-encoded twice', encodedBy((text) => encode(encode(text)))],
    ['ampersand-encoded', 'the & percent-encoded, too', keyed((key, rest) => encode(`${key}&${rest}`))],
    ['reserved-raw', 'the control key not encoded as RFC 3986 has it', encodedBy(encodeURIComponent)],
    ['lower-case-escapes', 'the escapes of the control key in lower case', encodedBy(lowered)],
    ['form-encoded', 'the control key encoded as a form', encodedBy(formEncoded)],
    ...['undefined', 'null', 'None'].map(
      (word) => ['word-behind', `${word} after the &`, set({ tokenSecret: word })] as const,
    ),
    ['ampersand-twice', 'a second & after the control key', followed('&')],
    ['line-feed', 'a line feed after the &', followed('\n')],
    ['token-secret', 'the control key after the &, too', ({ secret }) => ({ tokenSecret: secret })],
    ['token-secret', 'the control key after the &', ({ secret }) => ({ secret: '', tokenSecret: secret })],
    ['consumer-key', 'the login before the control key', ({ secret }) => ({ secret: login, tokenSecret: secret })],
    ['consumer-key', 'the login after the &', set({ tokenSecret: login })],
    ['consumer-key', 'the login instead of the control key', set({ secret: login })],
  ]);
}

/** The secret taken for the written form of some bytes. */
function decodedRows(secret: string): OauthRow[] {
  const isHex = /^(?:[0-9a-f]{2}-?)+$/i.test(secret);
  const isBase64 = /^[\w+/-]{2,}={0,2}$/.test(secret);
  const readings: Readonly<Record<string, Buffer>> = {
    ...(isHex ? { hex: Buffer.from(secret.replaceAll('-', ''), 'hex') } : {}),
    ...(isBase64 ? { base64: Buffer.from(secret, 'base64') } : {}),
  };
  const lines = Object.entries(readings).flatMap(([writing, bytes]) =>
    [Buffer.concat([bytes, Buffer.from('&')]), bytes].map((key) => {
      const words = `the control key decoded from ${writing}`;
      return [`${writing}-decoded`, words, keyed(() => key)] as const;
    }),
  );
  return family('signing-key', asText, lines);
}

/** Another hash than the HMAC with SHA-1, or its arguments mixed up. */
const macRows: readonly OauthRow[] = [
  ...family('digest', macRule, [
    ['sha256', 'an HMAC with SHA256', digested((data, key) => macOf('sha256', key, data)), common],
    ...['md5', 'sha512', 'sha384'].map(
      (hash) => [hash, `an HMAC with ${hash.toUpperCase()}`, digested((data, key) => macOf(hash, key, data))] as const,
    ),
    ['no-hmac', 'a plain SHA-1 over base string and key', digested((data, key) => hashOf('sha1', data, key)), common],
    ['no-hmac', 'a plain SHA-1 over key and base string', digested((data, key) => hashOf('sha1', key, data))],
    ['no-hmac', 'a plain SHA-1 over the base string', digested((data) => hashOf('sha1', data))],
    ['no-hmac', 'a plain SHA-256 over base string and key', digested((data, key) => hashOf('sha256', data, key))],
    ...bothWritings('sha1').map((hashed) => {
      const change = digested((data, key) => macOf('sha1', key, hashed(data)));
      return ['hashed-before', 'the base string hashed before the HMAC', change] as const;
    }),
  ]),
  ...family('signing-key', 'pass the key as the key and the base string as the message', [
    ['exchanged', 'key and base string swapped', digested((data, key) => macOf('sha1', data, key))],
  ]),
];

const echoRows: readonly OauthRow[] = family('digest', 'sign the base string and nothing after it', [
  ['text-line-feed', 'a line feed signed after the base string; echo adds one', whole((text) => `${text}\n`)],
  ['text-crlf', 'a carriage return and a line feed signed after the base string', whole((text) => `${text}\r\n`)],
]);

/** What a signature carries in the place of SHA-256 and its name (RFC 8017 9.2). */
const payloadRows: readonly OauthRow[] = family('rsa-key-or-method', rsaRule, [
  ...['sha1', 'sha512', 'sha384', 'md5'].map((hash) => {
    const change = digested((data) => digestInfo(hash, data));
    return [hash, `${hash.toUpperCase()} used; it must be SHA-256`, change, common] as const;
  }),
  ...['sha256', 'sha1'].flatMap(bothWritings).flatMap((hashed) => {
    const twice = digested((data) => digestInfo('sha256', hashed(data)));
    const bare = digested((data) => Buffer.from(hashed(data)));
    return [
      ['hashed-twice', 'a hash of the base string was hashed again', twice] as const,
      ['bare-hash', 'a hash encrypted without its identifier', bare] as const,
    ];
  }),
  ['bare-text', 'the base string itself encrypted, without a hash', digested((data) => Buffer.from(data))],
]);

/** The key, and what is made with it. */
export function keyRows(given: OauthCase): OauthRow[] {
  if (given.signatureMethod === 'RSA-SHA256') return [...payloadRows, ...echoRows];
  return [...spellings, ...formRows(given), ...decodedRows(given.secret ?? ''), ...macRows, ...echoRows];
}
