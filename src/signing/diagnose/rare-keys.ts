import { createHash, createHmac } from 'node:crypto';
import { decodedOrSame } from '../../wire/form.js';
import type { Mistake, OauthCase, OauthMistakeName } from './diagnosis.js';
import { distinctKeys, type HmacKeyMistake, hmacKey, hmacKeyMistakes } from './hmac-key-mistakes.js';
import { hmacSha1 } from './hmac-sha1.js';
import { cutDigests, rareHmacKeys } from './rare-hmac-keys.js';
import type { Making } from './signer.js';
import { textBytes } from './writings/charset-bytes.js';
import { crc32, hashOf, rareHashes } from './writings/hash-functions.js';
import { keyWritings, printedTypes, uuidBytes } from './writings/keys.js';
import { nothingWords, shownWord } from './writings/nothing.js';

/** Keys and digests that few programs come to: for when nothing likelier explains a signature. */
export function* rareMakings(given: OauthCase, secret: string): Generator<Making> {
  const known = [hmacKey(given, secret), ...[...hmacKeyMistakes(given, secret)].map(({ key }) => key)];
  const keys = distinctKeys([...rareKeys(given, secret), ...rareHmacKeys(given, secret)], known);
  for (const { variant, detail, key } of keys) yield making('signing-key', variant, detail, hmacSha1(key));
  yield* rareDigests(given, secret);
  yield* cutDigests(given, secret);
}

const making = (name: OauthMistakeName, variant: string, detail: string, bytesOf: Making['bytesOf']): Making => {
  const mistake: Mistake<OauthMistakeName> = { name, variant, detail };
  return { mistake, bytesOf };
};

function* rareKeys(given: OauthCase, secret: string): Generator<HmacKeyMistake> {
  const right = hmacKey(given, secret);
  const token = given.tokenSecret ?? '';
  for (const { variant, detail, write } of keyWritings()) {
    const text = write(secret).toWellFormed();
    const words = `the control key ${detail}`;
    for (const [what, key] of [
      [words, hmacKey(given, text)],
      [words, `${text}&${token}`],
      [`${words}, and without the &`, text],
      // An encoder writes the whole key at times.
      [`${words}, with the & after it`, write(`${secret}&`)],
    ] as const)
      yield { variant: `key-${variant}`, detail: `${what}; it must be used as it was given`, key };
  }
  for (const bytes of uuidBytes(secret))
    for (const key of [bytes, Buffer.concat([bytes, Buffer.from('&')])])
      yield { variant: 'key-uuid', detail: 'the bytes of the UUID that the control key is', key };
  for (const [, detail, bytesOf] of textBytes)
    for (const text of [right, `${secret}&${token}`, secret])
      yield { variant: 'key-charset', detail: `the key as ${detail}; it must be UTF-8`, key: bytesOf(text) };
  for (const word of [...printedTypes, ...nothingWords])
    for (const key of [`${word}&`, `${word}&${word}`, word])
      yield { variant: 'word', detail: `${shownWord(word)} instead of the control key`, key };
  for (const word of nothingWords)
    for (const start of [right, `${secret}&`]) {
      const detail = `${shownWord(word)} after the & instead of an empty token secret`;
      yield { variant: 'word-behind', detail, key: start + word };
    }
  yield* otherMarks(right, secret);
}

function* otherMarks(right: string, secret: string): Generator<HmacKeyMistake> {
  const encoded = right.replace(/&.*$/, '');
  const marked = (mark: string, start: string): HmacKeyMistake => ({
    variant: 'ampersand-other',
    detail: `${mark} after the control key instead of the &`,
    key: start + mark,
  });
  for (const mark of ['=', ':', '%26', '+', '|', ',', ' ', ' & ', '-', '.', ';', '&amp;'])
    for (const start of [encoded, secret]) yield marked(mark, start);
  for (const mark of ['=&', '& ', '&=', '&&', '&"', "&''"]) yield marked(mark, encoded);
}

/** Where UTF-8 has the same bytes, the charset is not what is wrong. */
function* inCharsets(key: string, secret: string): Generator<Making> {
  for (const [, detail, bytesOf] of textBytes)
    for (const itsKey of [key, bytesOf(key), bytesOf(`${secret}&`), bytesOf(secret)]) {
      const mac = hmacSha1(itsKey);
      const words = `the base string signed as ${detail}; it must be UTF-8`;
      yield making('not-utf8', 'base-string-charset', words, (text) => {
        const bytes = bytesOf(text);
        return bytes.equals(Buffer.from(text)) ? '' : mac(bytes);
      });
    }
}

function* rareDigests(given: OauthCase, secret: string): Generator<Making> {
  const key = hmacKey(given, secret);
  const own = hmacSha1(key);
  const digest: MakeDigest = (variant, detail, bufferOf) =>
    making('digest', variant, `${detail}; it must be an HMAC with SHA-1 over the base string`, (text) =>
      bufferOf(text).toString('latin1'),
    );
  yield* inCharsets(key, secret);
  for (const itsKey of [key, secret, '']) {
    // Sum of Go adds the digest of what was written, which is nothing, to its argument.
    yield digest(
      'appended',
      'the base string followed by an HMAC of an empty input, as Sum(text) of a Go hash returns it',
      (text) => Buffer.concat([Buffer.from(text), createHmac('sha1', itsKey).digest()]),
    );
    yield digest('of-nothing', 'an HMAC of an empty input', () => createHmac('sha1', itsKey).digest());
    yield digest('text-twice', 'the base string given to the HMAC twice', (text) =>
      createHmac('sha1', itsKey).update(text).update(text).digest(),
    );
  }
  yield digest(
    'appended',
    'the base string followed by the SHA-1 of an empty input, as Sum(text) of a Go hash returns it',
    (text) => Buffer.concat([Buffer.from(text), hashOf('sha1')]),
  );
  yield digest('of-nothing', 'the SHA-1 of an empty input', () => hashOf('sha1'));
  yield digest('of-key', 'the SHA-1 of the key', () => hashOf('sha1', key));
  yield digest('of-key', 'an HMAC of the key', () => createHmac('sha1', key).update(key).digest());
  yield* otherHashes(key, secret, digest);
  yield digest('cut', 'an HMAC with SHA-256, truncated to 20 bytes', (text) =>
    createHmac('sha256', key).update(text).digest().subarray(0, 20),
  );
  yield digest('crc32', 'a CRC', (text) => crc32(Buffer.from(text)));
  for (const [detail, write] of textForms) yield { mistake: formMistake(detail), bytesOf: (text) => own(write(text)) };
}

type MakeDigest = (variant: string, detail: string, bufferOf: (text: string) => Buffer) => Making;

function* otherHashes(key: string, secret: string, digest: MakeDigest): Generator<Making> {
  const mac = (text: string | Buffer) => Buffer.from(hmacSha1(key)(text), 'latin1');
  for (const name of ['sha1', 'sha256', 'md5', 'sha512', ...rareHashes]) {
    const words = name.toUpperCase();
    yield digest(name, `an HMAC with ${words}`, (text) => createHmac(name, key).update(text).digest());
    for (const [detail, parts] of [
      ['of the base string', (text: string) => [text]],
      ['of base string and key', (text: string) => [text, key]],
      ['of key and base string', (text: string) => [key, text]],
      ['of base string and secret', (text: string) => [text, secret]],
      ['of secret and base string', (text: string) => [secret, text]],
      ['of key, base string and key', (text: string) => [key, text, key]],
    ] as const)
      yield digest('no-hmac', `the ${words} ${detail}`, (text) => hashOf(name, ...parts(text)));
    yield digest('hashed-behind', `the ${words} of the HMAC`, (text) => hashOf(name, mac(text)));
    yield digest('hashed-behind', `the ${words} of the HMAC in hexadecimal`, (text) =>
      hashOf(name, mac(text).toString('hex')),
    );
    yield digest('hashed-behind', `the ${words} of the HMAC as Base64`, (text) =>
      hashOf(name, mac(text).toString('base64')),
    );
    yield digest('hashed-before', `the ${words} of the base string signed`, (text) =>
      mac(hashOf(name, text).toString('hex')),
    );
    yield digest('hashed-before', `the ${words} of the base string signed`, (text) => mac(hashOf(name, text)));
  }
}

const b64 = (text: string) => Buffer.from(text).toString('base64');
/** A base string signed in another form, named as where it is the only mistake. */
export function formMistake(words: string): Mistake<OauthMistakeName> {
  const detail = `the base string signed ${words}; it must be signed as it is`;
  if (/^in (?:lower|upper) case$/.test(words))
    return { name: 'reserved-characters', variant: `all-${words.slice(3).replace(' ', '-')}`, detail };
  // Without its escapes it is one encoded too seldom.
  return { name: words.startsWith('decoded') ? 'encoded-twice-or-once' : 'digest', variant: 'text-written', detail };
}

/** The base string in another writing as a whole. */
export const textForms: readonly (readonly [string, (text: string) => string])[] = [
  ['as Base64', b64],
  ['as Base64 with a line feed', (text) => `${b64(text)}\n`],
  ['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['in quotes', (text) => `"${text}"`],
  ['in single quotes', (text) => `'${text}'`],
  ['as Python prints bytes', (text) => `b'${text}'`],
  ['escaped for HTML', (text) => text.replaceAll('&', '&amp;')],
  ['escaped as JSON in Go', (text) => text.replaceAll('&', '\\u0026')],
  ['in quotes, escaped as JSON in Go', (text) => `"${text.replaceAll('&', '\\u0026')}"`],
  ['without its last character', (text) => text.slice(0, -1)],
  ['without its first character', (text) => text.slice(1)],
  ['backwards', (text) => [...text].reverse().join('')],
  ['decoded once', (text) => decodedOrSame(text)],
  ['decoded twice', (text) => decodedOrSame(decodedOrSame(text))],
  ['as its MD5', (text) => createHash('md5').update(text).digest('hex')],
  ['without line ends and spaces', (text) => text.replace(/\s/g, '')],
  ['with %20 as +', (text) => text.replaceAll('%2520', '+')],
  ['in lower case', (text) => text.toLowerCase()],
  ['in upper case', (text) => text.toUpperCase()],
  ...['\n', '\r\n', ' ', '&', '\0', '\n\n', '.', ';', '"', '='].flatMap((mark) => [
    [`with ${JSON.stringify(mark)} after it`, (text: string) => text + mark] as const,
    [`with ${JSON.stringify(mark)} before it`, (text: string) => mark + text] as const,
  ]),
  ['with a line feed, indented', (text) => `    ${text}\n`],
  ['with a space after it and a line feed', (text) => `${text} \n`],
];
