import { constants, createHash, createPublicKey, hash as hashOnce, type KeyObject, sign, verify } from 'node:crypto';
import { requireRsa } from '../keys/rsa-keys.js';
import { signRsaSha256 } from '../schemes/oauth1.js';
import type { Mistake, OauthCase, OauthMistakeName } from './diagnosis.js';
import { hmacInsteadOfRsa, type Keys } from './hmac-for-rsa.js';
import type { OauthParts } from './oauth-parts.js';
import { baseStringDeclaring } from './protocol-mistakes.js';
import { digestInfo, plainBase64, recoverDigestInfo, signDigestInfo, undoneWritings } from './signature-encodings.js';
import { signatureEncodings } from './signature-writings.js';
import type { Making, SignatureTarget, Signer, SigningMistake } from './signer.js';

export function rsaSigner(given: OauthCase): Signer {
  const privateKey = given.privateKey === undefined ? undefined : requireRsa(given.privateKey, 'private');
  const publicKey = publicHalf(given);
  return {
    sign: (text) => (privateKey === undefined ? undefined : signRsaSha256(text, privateKey)),
    mistakes: (parts) => rsaMistakes(parts, { privateKey, publicKey }),
    makings: () => rsaMakings,
    makingsOfTwo: () => [],
    targets: (signature) => rsaTargets(signature, { privateKey, publicKey }),
    length: publicKey === undefined ? undefined : Math.ceil((publicKey.asymmetricKeyDetails?.modulusLength ?? 0) / 8),
  };
}

/** The half that checks: the one given, else that of the private key. */
export function publicHalf({ publicKey, privateKey }: OauthCase): KeyObject | undefined {
  if (publicKey !== undefined) return requireRsa(publicKey, 'public');
  return privateKey === undefined ? undefined : createPublicKey(requireRsa(privateKey, 'private'));
}

function* rsaMistakes(parts: OauthParts, keys: Keys): Generator<SigningMistake> {
  yield* payloadMistakes(parts, keys);
  yield* paddingMistakes(parts, keys);
  yield* encodedMistakes(parts, keys);
  yield* otherKeyMistakes(parts, keys);
  yield* hmacInsteadOfRsa(parts, keys);
}

/** Another hash, or none of its form. */
function* payloadMistakes(parts: OauthParts, { privateKey, publicKey }: Keys): Generator<SigningMistake> {
  for (const { variant, detail, baseString, payload } of carried(parts))
    yield {
      mistake: {
        name: 'rsa-key-or-method',
        variant,
        detail: `${detail}; it must be RSA with SHA-256 and PKCS#1 v1.5 padding`,
      },
      baseString,
      sign: () => (privateKey === undefined ? undefined : signDigestInfo(privateKey, payload)),
      fits: (signature) => publicKey !== undefined && recoverDigestInfo(publicKey, signature)?.equals(payload) === true,
    };
}

interface Carried {
  readonly variant: string;
  readonly detail: string;
  readonly baseString: string;
  readonly payload: Buffer;
}

function carried(parts: OauthParts): Carried[] {
  const declared = baseStringDeclaring(parts, 'RSA-SHA1');
  return payloads.flatMap(({ variant, detail, payloadOf }) =>
    (variant === 'sha1' ? [parts.text, declared] : [parts.text]).map((baseString) => ({
      variant,
      detail: baseString === declared ? `${detail}, and oauth_signature_method=RSA-SHA1 signed` : detail,
      baseString,
      payload: payloadOf(baseString),
    })),
  );
}

interface Payload {
  readonly variant: string;
  readonly detail: string;
  payloadOf(text: string): Buffer;
}

const hashOf = (hash: string, text: string | Buffer) => createHash(hash).update(text).digest();
const hexOf = (hash: string, text: string) => createHash(hash).update(text, 'utf8').digest('hex');

/** What a signature carries in the place of SHA-256 and its name (RFC 8017 9.2). */
const payloads: readonly Payload[] = [
  ...['sha1', 'sha512', 'sha384', 'sha224', 'md5'].map((name) => ({
    variant: name,
    detail: `${name.toUpperCase()} used`,
    payloadOf: (text: string) => digestInfo(name, text),
  })),
  ...['sha256', 'sha1'].flatMap((name): Payload[] => [
    {
      variant: 'hashed-twice',
      detail: `the ${name.toUpperCase()} of the base string was hashed again`,
      payloadOf: (text) => digestInfo('sha256', hashOf(name, text)),
    },
    {
      variant: 'hashed-twice',
      detail: `the hexadecimal ${name.toUpperCase()} of the base string was hashed again`,
      payloadOf: (text) => digestInfo('sha256', hexOf(name, text)),
    },
    {
      variant: 'bare-hash',
      detail: `the ${name.toUpperCase()} encrypted with the private key without its algorithm identifier`,
      payloadOf: (text) => hashOf(name, text),
    },
    {
      variant: 'bare-hash',
      detail: `the hexadecimal ${name.toUpperCase()} encrypted with the private key`,
      payloadOf: (text) => Buffer.from(hexOf(name, text)),
    },
  ]),
  {
    variant: 'bare-text',
    detail: 'the base string itself encrypted with the private key, without a hash',
    payloadOf: (text) => Buffer.from(text, 'utf8'),
  },
  {
    variant: 'base-string-utf-16',
    detail: 'the base string signed as UTF-16 instead of UTF-8',
    payloadOf: (text) => digestInfo('sha256', Buffer.from(text, 'utf16le')),
  },
];

const rsaMakings: readonly Making[] = [
  { mistake: undefined, bytesOf: signedText },
  ...payloads.map(
    ({ variant, detail, payloadOf }): Making => ({
      mistake: {
        name: 'rsa-key-or-method',
        variant,
        detail: `${detail}; it must be RSA with SHA-256 and PKCS#1 v1.5 padding`,
      },
      bytesOf: (text) => payloadOf(text).toString('latin1'),
    }),
  ),
];

const sha256Name = digestInfo('sha256', '').subarray(0, -32).toString('latin1');

/** What a signature over it carries, each byte as a character. */
function signedText(text: string): string {
  return sha256Name + hashOnce('sha256', text, 'binary');
}

/** What the signature carries, opened with the public key on record or with that of the private key that is given. */
function rsaTargets(signature: string, { privateKey, publicKey }: Keys): SignatureTarget[] {
  if (publicKey === undefined) return [];
  const own = privateKey === undefined ? publicKey : createPublicKey(privateKey);
  const keys = [
    { key: publicKey, mistakes: [] },
    ...(own.equals(publicKey) ? [] : [{ key: own, mistakes: [otherPair] }]),
  ];
  return keys.flatMap(({ key, mistakes }) => {
    const length = Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
    const written = [{ text: signature, writings: [] }, ...undone(signature, length)];
    return written.flatMap(({ text, writings }) => {
      const payload = recoverDigestInfo(key, text);
      if (payload === undefined) return [];
      const carries = payload.toString('latin1');
      return [{ mistakes: [...mistakes, ...writings], holds: (bytes: string) => bytes === carries }];
    });
  });
}

function undone(signature: string, length: number) {
  return [...undoneWritings(signature, [length])].map(({ mistake, bytes }) => ({
    text: bytes.toString('base64'),
    writings: [mistake],
  }));
}

const otherPair: Mistake<OauthMistakeName> = {
  name: 'rsa-key-or-method',
  variant: 'other-pair',
  detail: 'signed with a private key that does not match the registered public key',
};

function pssMistake(hash: string): Mistake<OauthMistakeName> {
  return {
    name: 'rsa-key-or-method',
    variant: `pss-${hash}`,
    detail: `PSS padding used, with ${hash.toUpperCase()}; it must be PKCS#1 v1.5 padding`,
  };
}

/** PSS in place of PKCS#1 v1.5. */
function* paddingMistakes({ text }: OauthParts, { privateKey, publicKey }: Keys): Generator<SigningMistake> {
  const data = Buffer.from(text, 'utf8');
  for (const hash of ['sha256', 'sha1', 'sha512', 'sha384'])
    yield {
      mistake: pssMistake(hash),
      baseString: text,
      // Without salt, so that the same request has the same signature.
      sign: () =>
        privateKey === undefined
          ? undefined
          : sign(hash, data, { key: privateKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 0 }).toString(
              'base64',
            ),
      fits: (signature) => {
        const bytes = plainBase64(signature);
        if (publicKey === undefined || bytes === undefined) return false;
        return verify(
          hash,
          data,
          { key: publicKey, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO },
          bytes,
        );
      },
    };
}

function* encodedMistakes({ text }: OauthParts, { privateKey, publicKey }: Keys): Generator<SigningMistake> {
  const right = digestInfo('sha256', text);
  for (const { variant, detail, write, read } of signatureEncodings)
    yield {
      mistake: { name: 'digest', variant, detail: `the signature was ${detail}; it must be plain Base64` },
      baseString: text,
      sign: () =>
        privateKey === undefined ? undefined : write(Buffer.from(signRsaSha256(text, privateKey), 'base64')),
      fits: (signature) => {
        const bytes = read(signature);
        if (publicKey === undefined || write(bytes) !== signature) return false;
        return recoverDigestInfo(publicKey, bytes.toString('base64'))?.equals(right) === true;
      },
    };
}

function* otherKeyMistakes({ text }: OauthParts, { privateKey, publicKey }: Keys): Generator<SigningMistake> {
  if (privateKey === undefined || publicKey === undefined) return;
  const own = createPublicKey(privateKey);
  if (own.equals(publicKey)) return;
  yield {
    mistake: otherPair,
    baseString: text,
    sign: () => signRsaSha256(text, privateKey),
    fits: (signature) => recoverDigestInfo(own, signature)?.equals(digestInfo('sha256', text)) === true,
  };
}
