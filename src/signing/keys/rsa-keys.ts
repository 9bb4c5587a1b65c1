import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { fail } from '../../errors/index.js';
import { Secret } from '../../wire/mask.js';
import { type FoundKey, findKey, findKeyInText } from './find-key.js';
import type { Half } from './key-forms.js';

interface RsaKey {
  readonly keyObject: KeyObject;
  readonly bits: number;
  /** PKCS#8, PKCS#1, SPKI and so on. */
  readonly form: string;
  /** `SHA256:` and the hash of the public half; equal for both halves of a pair. */
  readonly fingerprint: string;
}

export type PrivateKey = RsaKey;
export type PublicKey = RsaKey;

const minBits = 2048;

const typeNames: Readonly<Record<string, string>> = {
  ec: 'an elliptic-curve key, but an RSA key is required',
  ed25519: 'an Ed25519 key, but an RSA key is required',
  ed448: 'an Ed448 key, but an RSA key is required',
  dsa: 'a DSA key, but an RSA key is required',
  'rsa-pss': 'an RSA-PSS key, which cannot make PKCS#1 v1.5 signatures; a plain RSA key is needed',
};

/** Reads an RSA private key out of a text. Throws KEY_UNUSABLE with the reason; never repeats any of the text. */
export function readPrivateKey(text: string, passphrase?: Secret | string, source = 'private'): PrivateKey {
  return orThrow(tryPrivateKey(text, passphrase), source);
}

/** Reads an RSA public key out of a text. A private key or a certificate is refused, although one is in it. */
export function readPublicKey(text: string, source = 'public'): PublicKey {
  return orThrow(openFound(findKeyInText(text), 'public'), source);
}

/** A key, or why there is none. `locked`: a passphrase was needed and not given. */
export type Attempt<Key> = { readonly key: Key } | { readonly why: string; readonly locked?: true };

/** A private key out of a text or the bytes of a file. */
export function tryPrivateKey(source: string | Uint8Array, passphrase?: Secret | string): Attempt<PrivateKey> {
  return openFound(typeof source === 'string' ? findKeyInText(source) : findKey(source), 'private', passphrase);
}

/** A public key out of the bytes of a file, or the one a certificate is about. */
export function tryPublicKey(bytes: Uint8Array): Attempt<PublicKey> {
  const found = findKey(bytes);
  return openFound(
    found.form?.kind === 'certificate' ? { ...found, form: { ...found.form, refused: {} } } : found,
    'public',
  );
}

/** What was found as that half of a pair. */
export function openFound(found: FoundKey, half: Half, passphrase?: Secret | string): Attempt<RsaKey> {
  const { form, content, locked, why } = found;
  if (content !== undefined && content.asymmetricKeyType !== 'rsa') return { why: otherType(content) };
  const refused = form?.refused[half];
  if (refused !== undefined) return { why: refused };
  if (locked !== undefined) {
    const opened = unlock(locked, passphrase);
    return 'why' in opened ? opened : described(opened.key, half, formName(found));
  }
  return content === undefined ? { why } : described(content, half, formName(found));
}

/** The form of a key as people name it. */
export function formName({ form, locked }: FoundKey): string {
  return locked !== undefined && form?.form === 'PKCS#1' ? 'encrypted PKCS#1' : (form?.form ?? '');
}

/** The key in a locked PEM block. The cause of a failure is left out on purpose: it could quote the text. */
export function unlock(pem: string, passphrase: Secret | string = ''): Attempt<KeyObject> {
  const word = passphrase instanceof Secret ? passphrase.open() : passphrase;
  if (word === '') return { why: 'it is encrypted, but no passphrase was given', locked: true };
  try {
    return { key: createPrivateKey({ key: pem, passphrase: word }) };
  } catch (error) {
    // OpenSSL keeps the ciphers of the nineties apart.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_OSSL_EVP_UNSUPPORTED')
      return {
        why: 'it is encrypted with a cipher too old to be read; `openssl pkey -provider legacy -provider default -in FILE -aes256 -out NEW.pem` re-encrypts it',
      };
    return { why: 'the passphrase is wrong, or the key is damaged or encrypted in an unsupported way' };
  }
}

/** Gives the key back when it can serve; throws KEY_UNUSABLE when it is the other half, not RSA, or below 2048 bits. */
export function requireRsa(keyObject: KeyObject, half: Half, source: string = half): KeyObject {
  const why = unfit(keyObject, half);
  if (why !== undefined) throw fail('KEY_UNUSABLE', { source, why });
  return keyObject;
}

function unfit(keyObject: KeyObject, half: Half): string | undefined {
  if (keyObject.type !== half) return `it is a ${keyObject.type} key, but a ${half} one is needed`;
  if (keyObject.asymmetricKeyType !== 'rsa') return otherType(keyObject);
  const bits = keyObject.asymmetricKeyDetails?.modulusLength ?? 0;
  return bits < minBits ? `it has ${bits} bits, but at least ${minBits} are needed` : undefined;
}

function otherType({ asymmetricKeyType: type }: KeyObject): string {
  return `it is ${typeNames[type ?? ''] ?? 'not an RSA key'}`;
}

function described(keyObject: KeyObject, half: Half, form: string): Attempt<RsaKey> {
  const why = unfit(keyObject, half);
  if (why !== undefined) return { why };
  const bits = keyObject.asymmetricKeyDetails?.modulusLength ?? 0;
  return { key: { keyObject, bits, form, fingerprint: rsaFingerprint(keyObject) } };
}

function orThrow<Key>(attempt: Attempt<Key>, source: string): Key {
  if ('why' in attempt) throw fail('KEY_UNUSABLE', { source, why: attempt.why });
  return attempt.key;
}

/**
 * SHA-256 over the public half as DER (SubjectPublicKeyInfo). The same by hand:
 * openssl pkey -in key.pem -pubout -outform DER | openssl dgst -sha256
 */
export function rsaFingerprint(keyObject: KeyObject): string {
  const publicHalf = keyObject.type === 'private' ? createPublicKey(keyObject) : keyObject;
  const der = publicHalf.export({ type: 'spki', format: 'der' });
  return `SHA256:${createHash('sha256').update(der).digest('hex')}`;
}

/**
 * Eight characters that tell two control keys apart. Keyed by a label of our own, so that they are in nobody's table of
 * hashes, and cut short, so that they confirm no guess: many texts share them.
 */
export function keyFingerprint(secretText: string): string {
  return createHmac('sha256', 'paycli control key fingerprint 1').update(secretText, 'utf8').digest('hex').slice(0, 8);
}

/** PEM text in PKCS#8; under a passphrase AES-256-CBC with PBKDF2. */
export function privatePem(key: KeyObject, passphrase?: Secret): string {
  if (passphrase === undefined) return String(key.export({ type: 'pkcs8', format: 'pem' }));
  return String(key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: passphrase.open() }));
}

/** PEM text of the public half of either half. */
export function publicPem(key: KeyObject): string {
  return String((key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'pem' }));
}
