import { createHash } from 'node:crypto';
import { percentEncode } from '../../wire/form.js';
import type { OauthCase } from './diagnosis.js';
import { type HmacKeyMistake, hmacKey } from './hmac-key-mistakes.js';
import type { Making } from './signer.js';
import { otherHashes } from './writings/other-hashes.js';

const keyMistake = (variant: string, detail: string, key: string | Buffer): HmacKeyMistake => ({
  variant,
  detail,
  key,
});

/** Another text of the request in a place of the key, and the key or a part of it hashed or written differently. */
export function* rareHmacKeys(given: OauthCase, secret: string): Generator<HmacKeyMistake> {
  yield* exchanged(given, secret);
  yield* digested(given, secret);
}

/** What a program has at hand beside the secret. */
function* exchanged(given: OauthCase, secret: string): Generator<HmacKeyMistake> {
  const texts: readonly (readonly [words: string, text: string])[] = [
    ['oauth_nonce', given.nonce],
    ['oauth_timestamp', given.timestamp],
    ['the consumer key', given.consumerKey],
    ['the signature method', given.signatureMethod],
    ['the token', given.token ?? ''],
    ['the realm', given.realm ?? ''],
    ['the HTTP method', given.method],
    ['the address', given.url],
    ['the endpoint id', /\/([^/?]+)\/?(?:\?.*)?$/.exec(given.url)?.[1] ?? ''],
  ];
  for (const [words, text] of texts)
    if (text !== '')
      for (const form of [(each: string) => percentEncode(each), (each: string) => each]) {
        const [own, other] = [form(secret), form(text)];
        yield keyMistake('text-for-token-secret', `${words} instead of the token secret`, `${own}&${other}`);
        yield keyMistake('text-for-token-secret', `${words} after the key`, `${own}&&${other}`);
        yield keyMistake('text-for-token-secret', `${words} after the control key instead of the &`, own + other);
        yield keyMistake('text-for-token-secret', `${words} before the control key`, `${other}&${own}`);
        yield keyMistake('text-for-token-secret', `${words} before the control key, without the &`, other + own);
        yield keyMistake('text-for-secret', `${words} instead of the control key`, `${other}&`);
        yield keyMistake('text-for-secret', `${words} instead of the control key, without the &`, other);
      }
}

/** A hash of a part of the key, in each of its writings, with the & behind it and without. */
function* digested(given: OauthCase, secret: string): Generator<HmacKeyMistake> {
  const right = hmacKey(given, secret);
  for (const hash of ['sha1', 'md5', 'sha256', 'sha512'])
    for (const [what, text] of new Map([
      ['the control key', secret],
      ['the control key and &', `${secret}&`],
      ['the encoded secret', percentEncode(secret, 'secret')],
      ['the key', right],
    ])) {
      const digest = createHash(hash).update(text, 'utf8').digest();
      const hex = digest.toString('hex');
      const base64 = digest.toString('base64');
      for (const written of [digest, hex, hex.toUpperCase(), base64, percentEncode(base64)])
        for (const key of [written, Buffer.concat([Buffer.from(written), Buffer.from('&')])])
          yield keyMistake(`${hash}-of-secret`, `the ${hash.toUpperCase()} of ${what}`, key);
    }
}

/** Hashes of another length. */
export function* cutDigests(given: OauthCase, secret: string): Generator<Making> {
  const key = Buffer.from(hmacKey(given, secret));
  for (const { variant, words, of, withKey } of otherHashes) {
    const digest = (detail: string, bufferOf: (text: string) => Buffer): Making => ({
      mistake: {
        name: 'digest',
        variant,
        detail: `${words} ${detail}; it must be an HMAC with SHA-1 over the base string`,
      },
      bytesOf: (text) => bufferOf(text).toString('latin1'),
    });
    yield digest('with the key', (text) => withKey(Buffer.from(text), key));
    for (const own of new Set([`${secret}&`, secret]))
      yield digest('with the control key', (text) => withKey(Buffer.from(text), Buffer.from(own)));
    yield digest('of base string and key', (text) => of(Buffer.concat([Buffer.from(text), key])));
    yield digest('of key and base string', (text) => of(Buffer.concat([key, Buffer.from(text)])));
    yield digest('of the base string', (text) => of(Buffer.from(text)));
  }
}
