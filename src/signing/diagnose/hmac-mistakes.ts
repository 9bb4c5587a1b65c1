import { createHash, createHmac } from 'node:crypto';
import { signHmacSha1 } from '../schemes/oauth1.js';
import type { Mistake, OauthCase, OauthMistakeName } from './diagnosis.js';
import { hmacKey, hmacKeyMistakes } from './hmac-key-mistakes.js';
import type { OauthParts } from './oauth-parts.js';
import { baseStringDeclaring } from './protocol-mistakes.js';
import { publicHalf } from './rsa-mistakes.js';
import { digestInfo, plainBase64, recoverDigestInfo, undoneWritings, writingMistake } from './signature-encodings.js';
import { signatureEncodings, unpaddedHex } from './signature-writings.js';
import type { Making, SignatureTarget, Signer, SigningMistake } from './signer.js';

export function hmacSigner(given: OauthCase): Signer {
  const { secret, tokenSecret = '', keyForm = 'encoded' } = given;
  if (secret === undefined)
    return {
      sign: () => undefined,
      mistakes: () => [],
      makings: () => [],
      makingsOfTwo: () => [],
      targets: () => [],
      length: undefined,
    };
  const sign = (text: string) => signHmacSha1(text, secret, tokenSecret, keyForm);
  return {
    sign,
    mistakes: (parts) => hmacMistakes(parts, secret, sign),
    makings: () => hmacMakings(given, secret),
    makingsOfTwo: () => keyAndHash(given, secret),
    targets: hmacTargets,
    length: 20,
  };
}

/** One for each key and for each hash. */
function hmacMakings(given: OauthCase, secret: string): Making[] {
  const right = hmacKey(given, secret);
  const form = given.keyForm === 'raw' ? 'the control key (A51)' : 'the percent-encoded control key';
  const makings: Making[] = [{ mistake: undefined, bytesOf: (text) => macBytes('sha1', right, text) }];
  const add = (name: OauthMistakeName, variant: string, detail: string, bytesOf: Making['bytesOf']) =>
    makings.push({ mistake: { name, variant, detail }, bytesOf });
  for (const { variant, detail, key } of hmacKeyMistakes(given, secret))
    add('signing-key', variant, `${detail}; the key is ${form}, & and the token secret in the same form`, (text) =>
      macBytes('sha1', key, text),
    );
  for (const hash of otherHashes)
    add('digest', hash, `${hash.toUpperCase()} used; it must be SHA-1`, (text) => macBytes(hash, right, text));
  for (const { variant, detail, bytesOf } of oddHashes)
    add('digest', variant, detail, (text) => bytesOf(text, right).toString('latin1'));
  add('signing-key', 'exchanged', 'key and base string swapped', (text) => macBytes('sha1', text, right));
  add('not-utf8', 'base-string-utf-16', 'the base string signed as UTF-16; it must be UTF-8', (text) =>
    macBytes('sha1', right, Buffer.from(text, 'utf16le')),
  );
  return makings;
}

function* keyAndHash(
  given: OauthCase,
  secret: string,
): Generator<Making & { readonly second: Mistake<OauthMistakeName> }> {
  for (const { variant, detail, key } of hmacKeyMistakes(given, secret))
    for (const hash of otherHashes)
      yield {
        mistake: { name: 'signing-key', variant, detail },
        second: { name: 'digest', variant: hash, detail: `${hash.toUpperCase()} used; it must be SHA-1` },
        bytesOf: (text) => macBytes(hash, key, text),
      };
}

const otherHashes = ['sha256', 'sha512', 'sha384', 'sha224', 'md5'];

const sha1 = (text: string) => createHash('sha1').update(text, 'utf8');
const oddHashes = [
  {
    variant: 'hashed-before',
    detail: 'the SHA-1 of the base string signed; HMAC takes the base string itself',
    bytesOf: (text: string, key: string) => createHmac('sha1', key).update(sha1(text).digest()).digest(),
  },
  {
    variant: 'hashed-before',
    detail: 'the hexadecimal SHA-1 of the base string signed; HMAC takes the base string itself',
    bytesOf: (text: string, key: string) => createHmac('sha1', key).update(sha1(text).digest('hex')).digest(),
  },
  ...[(text: string) => text, (text: string, key: string) => key + text, (text: string, key: string) => text + key].map(
    (joined) => ({
      variant: 'no-hmac',
      detail: 'plain SHA-1 used; it must be an HMAC with SHA-1',
      bytesOf: (text: string, key: string) => sha1(joined(text, key)).digest(),
    }),
  ),
];

function macBytes(hash: string, key: string | Buffer, text: string | Buffer): string {
  return createHmac(hash, key).update(text).digest('binary');
}

const macLengths = [16, 20, 28, 32, 48, 64];

/** What a text that should be an HMAC may hold; nothing is said yet of whether it does. */
function hmacTargets(signature: string): SignatureTarget[] {
  const held = (bytes: Buffer) => {
    const own = bytes.toString('latin1');
    return (other: string) => other === own;
  };
  const plain = plainBase64(signature);
  const targets: SignatureTarget[] = [];
  if (plain !== undefined && macLengths.includes(plain.length)) targets.push({ mistakes: [], holds: held(plain) });
  for (const { mistake, bytes } of undoneWritings(signature, macLengths))
    targets.push({ mistakes: [mistake], holds: held(bytes) });
  return targets;
}

function* hmacMistakes(parts: OauthParts, secret: string, sign: (text: string) => string): Generator<SigningMistake> {
  const right = sign(parts.text);
  for (const fault of candidateMistakes(parts, secret, Buffer.from(right, 'base64')))
    if (fault.sign() !== right) yield fault;
}

function* candidateMistakes(parts: OauthParts, secret: string, bytes: Buffer): Generator<SigningMistake> {
  const { text, given } = parts;
  for (const { mistake, bytesOf } of hmacMakings(given, secret))
    if (mistake !== undefined) yield made(mistake, text, () => Buffer.from(bytesOf(text), 'latin1').toString('base64'));
  for (const writing of [...signatureEncodings, unpaddedHex])
    yield made(writingMistake(writing), text, () => writing.write(bytes));
  const declared = baseStringDeclaring(parts, 'HMAC-SHA256');
  const detail = 'SHA256 used, and oauth_signature_method=HMAC-SHA256 signed; it must be SHA-1';
  yield made({ name: 'digest', variant: 'sha256', detail }, declared, () =>
    createHmac('sha256', hmacKey(given, secret)).update(declared).digest('base64'),
  );
  yield* otherMethodMistakes(parts, secret);
}

function* otherMethodMistakes(parts: OauthParts, secret: string): Generator<SigningMistake> {
  const { given, text } = parts;
  const detail = 'the control key sent in place of a signature, as with PLAINTEXT; it must be HMAC-SHA1';
  for (const key of new Set([hmacKey(given, secret), secret, `${secret}&`]))
    yield made({ name: 'rsa-key-or-method', variant: 'plaintext', detail }, text, () => key);
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

function made(mistake: Mistake<OauthMistakeName>, baseString: string, sign: () => string): SigningMistake {
  return { mistake, baseString, sign, fits: (signature) => sign() === signature };
}
