import { createHash, createHmac } from 'node:crypto';
import { signHmacSha1 } from '../schemes/oauth1.js';
import type { Mistake, OauthCase, OauthMistakeName } from './diagnosis.js';
import { hmacKey, hmacKeyMistakes } from './hmac-key-mistakes.js';
import type { OauthParts, Signer, SigningMistake } from './oauth-parts.js';
import { baseStringDeclaring } from './protocol-mistakes.js';
import { publicHalf } from './rsa-mistakes.js';
import { digestInfo, recoverDigestInfo, signatureEncodings } from './signature-encodings.js';

export function hmacSigner(given: OauthCase): Signer {
  const { secret, tokenSecret = '', keyForm = 'encoded' } = given;
  if (secret === undefined)
    return { sign: () => undefined, check: () => () => false, mistakes: () => [], length: undefined };
  const sign = (text: string) => signHmacSha1(text, secret, tokenSecret, keyForm);
  return {
    sign,
    check: (signature) => (text) => sign(text) === signature,
    mistakes: (parts) => hmacMistakes(parts, secret, sign),
    length: 20,
  };
}

function* hmacMistakes(parts: OauthParts, secret: string, sign: (text: string) => string): Generator<SigningMistake> {
  const right = sign(parts.text);
  for (const fault of candidateMistakes(parts, secret, Buffer.from(right, 'base64')))
    if (fault.sign() !== right) yield fault;
}

function* candidateMistakes(parts: OauthParts, secret: string, bytes: Buffer): Generator<SigningMistake> {
  const { text } = parts;
  const form = parts.given.keyForm === 'raw' ? 'the secret (A51)' : 'the percent-encoded secret';
  for (const { variant, detail, key } of hmacKeyMistakes(parts.given, secret))
    yield made(
      'signing-key',
      variant,
      `${detail}; the key is ${form}, & and the token secret in the same form`,
      text,
      () => mac('sha1', key, text),
    );
  for (const { variant, detail, write } of signatureEncodings)
    yield made('digest', variant, `the signature was ${detail}; it must be plain Base64`, text, () => write(bytes));
  yield* hashMistakes(parts, secret);
  yield* otherMethodMistakes(parts, secret);
}

function* hashMistakes(parts: OauthParts, secret: string): Generator<SigningMistake> {
  const { text, given } = parts;
  const key = hmacKey(given, secret);
  for (const hash of ['sha256', 'sha512', 'sha384', 'sha224', 'md5'])
    for (const base of hash === 'sha256' ? [text, baseStringDeclaring(parts, 'HMAC-SHA256')] : [text])
      for (const form of ['base64', 'hex'] as const)
        yield made(
          'digest',
          form === 'hex' ? `${hash}-hex` : hash,
          `${hash.toUpperCase()} used; it must be SHA-1`,
          base,
          () => createHmac(hash, key).update(base, 'utf8').digest(form),
        );
  const plain = 'plain SHA-1 used; it must be an HMAC with SHA-1';
  for (const form of ['base64', 'hex'] as const)
    for (const joined of [text, key + text, text + key])
      yield made('digest', 'no-hmac', plain, text, () => createHash('sha1').update(joined, 'utf8').digest(form));
  yield made('signing-key', 'exchanged', 'key and base string swapped', text, () => mac('sha1', text, key));
  const wide = Buffer.from(text, 'utf16le');
  for (const itsKey of [key, Buffer.from(key, 'utf16le')])
    yield made('not-utf8', 'base-string-utf-16', 'the base string signed as UTF-16; it must be UTF-8', text, () =>
      createHmac('sha1', itsKey).update(wide).digest('base64'),
    );
}

function* otherMethodMistakes(parts: OauthParts, secret: string): Generator<SigningMistake> {
  const { given, text } = parts;
  const detail = 'the secret sent in place of a signature, as with PLAINTEXT; it must be HMAC-SHA1';
  for (const key of new Set([hmacKey(given, secret), secret, `${secret}&`]))
    yield made('rsa-key-or-method', 'plaintext', detail, text, () => key);
  const key = publicHalf(given);
  if (key === undefined) return;
  for (const base of [text, baseStringDeclaring(parts, 'RSA-SHA256'), baseStringDeclaring(parts, 'RSA-SHA1')])
    yield {
      mistake: {
        name: 'rsa-key-or-method',
        variant: 'rsa',
        detail: 'signed with the RSA key; this request takes HMAC-SHA1',
      },
      baseString: base,
      sign: () => undefined,
      fits: (signature) =>
        ['sha256', 'sha1'].some((hash) => recoverDigestInfo(key, signature)?.equals(digestInfo(hash, base)) === true),
    };
}

function made(
  name: OauthMistakeName,
  variant: string,
  detail: string,
  baseString: string,
  sign: () => string,
): SigningMistake {
  const mistake: Mistake<OauthMistakeName> = { name, variant, detail };
  return { mistake, baseString, sign, fits: (signature) => sign() === signature };
}

function mac(hash: string, key: string | Buffer, text: string): string {
  return createHmac(hash, key).update(text, 'utf8').digest('base64');
}
