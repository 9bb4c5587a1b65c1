import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { fail } from '../../errors/index.js';
import { Secret } from '../../wire/mask.js';
import { beginLines, formByLabel, type Half } from './key-formats.js';
import { blockingFlaws, flaws, normalizeKeyText } from './normalize-key.js';

export type PrivateKeyForm = 'PKCS#8' | 'PKCS#1' | 'encrypted PKCS#8' | 'encrypted PKCS#1';

interface RsaKey<Form extends string> {
  readonly keyObject: KeyObject;
  readonly bits: number;
  readonly form: Form;
  /** `SHA256:` and the hash of the public half; equal for both halves of a pair. */
  readonly fingerprint: string;
}

export type PrivateKey = RsaKey<PrivateKeyForm>;
export type PublicKey = RsaKey<'SPKI' | 'PKCS#1'>;

const minBits = 2048;

const typeNames: Readonly<Record<string, string>> = {
  ec: 'an elliptic-curve key, but an RSA key is required',
  ed25519: 'an Ed25519 key, but an RSA key is required',
  ed448: 'an Ed448 key, but an RSA key is required',
  dsa: 'a DSA key, but an RSA key is required',
  'rsa-pss': 'an RSA-PSS key, which cannot make PKCS#1 v1.5 signatures; a plain RSA key is needed',
};

/** Reads an RSA private key out of PEM text. Throws KEY_UNUSABLE with the reason; never repeats any of the text. */
export function readPrivateKey(pem: string, passphrase?: Secret | string, source = 'private'): PrivateKey {
  return orThrow(tryPrivateKey(pem, passphrase), source);
}

/**
 * Reads an RSA public key out of PEM text. A private key or a certificate is refused, although one could be got out of
 * it.
 */
export function readPublicKey(pem: string, source = 'public'): PublicKey {
  return orThrow(tryPublicKey(pem), source);
}

/** A key, or why there is none. `locked`: a passphrase was needed and not given. */
export type Attempt<Key> = { readonly key: Key } | { readonly why: string; readonly locked?: true };

export function tryPrivateKey(pem: string, passphrase?: Secret | string): Attempt<PrivateKey> {
  const block = onlyBlock(pem, 'private');
  if ('why' in block) return block;
  const encrypted = block.form === 'encrypted PKCS#8' || /^Proc-Type: *4, *ENCRYPTED/m.test(block.text);
  const form = block.form === 'PKCS#1' ? 'PKCS#1' : 'PKCS#8';
  const word = passphrase instanceof Secret ? passphrase.open() : (passphrase ?? '');
  if (encrypted && word === '') return { why: 'it is encrypted, but no passphrase was given', locked: true };
  const opened = tryTo(
    () => createPrivateKey(encrypted ? { key: block.text, passphrase: word } : block.text),
    encrypted,
  );
  return 'why' in opened
    ? { why: withFlaws(opened.why, pem, 'private') }
    : described(opened.key, 'private', encrypted ? `encrypted ${form}` : form);
}

export function tryPublicKey(pem: string): Attempt<PublicKey> {
  const block = onlyBlock(pem, 'public');
  if ('why' in block) return block;
  const opened = tryTo(() => createPublicKey(block.text), false);
  return 'why' in opened
    ? { why: withFlaws(opened.why, pem, 'public') }
    : described(opened.key, 'public', block.form === 'PKCS#1' ? 'PKCS#1' : 'SPKI');
}

/** Gives the key back when it can serve; throws KEY_UNUSABLE when it is the other half, not RSA, or below 2048 bits. */
export function requireRsa(keyObject: KeyObject, half: Half, source: string = half): KeyObject {
  const why = unfit(keyObject, half);
  if (why !== undefined) throw unusable(source, why);
  return keyObject;
}

function unfit(keyObject: KeyObject, half: Half): string | undefined {
  if (keyObject.type !== half) return `it is a ${keyObject.type} key, but a ${half} one is needed`;
  const type = keyObject.asymmetricKeyType ?? '';
  if (type !== 'rsa') return `it is ${typeNames[type] ?? 'not an RSA key'}`;
  const bits = keyObject.asymmetricKeyDetails?.modulusLength ?? 0;
  return bits < minBits ? `it has ${bits} bits, but at least ${minBits} are needed` : undefined;
}

/**
 * SHA-256 over the public half as DER (SubjectPublicKeyInfo). The same by hand:
 * openssl pkey -in key.pem -pubout -outform DER | openssl dgst -sha256
 */
export function rsaFingerprint(keyObject: KeyObject): string {
  const publicHalf = keyObject.type === 'private' ? createPublicKey(keyObject) : keyObject;
  return `SHA256:${createHash('sha256')
    .update(publicHalf.export({ type: 'spki', format: 'der' }))
    .digest('hex')}`;
}

/**
 * Eight characters that tell two control keys apart. Keyed by a label of our own, so that they are in nobody's table of
 * hashes, and cut short, so that they confirm no guess: many texts share them.
 */
export function keyFingerprint(secretText: string): string {
  return createHmac('sha256', 'paycli control key fingerprint 1').update(secretText, 'utf8').digest('hex').slice(0, 8);
}

function described<Form extends string>(keyObject: KeyObject, half: Half, form: Form): Attempt<RsaKey<Form>> {
  const why = unfit(keyObject, half);
  if (why !== undefined) return { why };
  return {
    key: {
      keyObject,
      bits: keyObject.asymmetricKeyDetails?.modulusLength ?? 0,
      form,
      fingerprint: rsaFingerprint(keyObject),
    },
  };
}

interface Block {
  readonly form: string;
  readonly text: string;
}

/**
 * The one PEM block of a text, when it is labelled as this half. Only it is decoded, so remarks around it and indented
 * lines do no harm.
 */
function onlyBlock(pem: string, half: Half): Block | { readonly why: string } {
  if (pem.trim() === '') return { why: 'it is empty' };
  const [begin, ...others] = beginLines(pem);
  if (begin === undefined)
    return { why: withFlaws('it is not PEM text: there is no -----BEGIN … KEY----- line', pem, half) };
  if (others.length > 0) return { why: flaws['several-blocks'].text };
  const form = formByLabel(begin.label, pem);
  const why = form === undefined ? 'its -----BEGIN line names an unknown key type' : form.refused[half];
  if (form === undefined || why !== undefined) return { why: why ?? '' };
  const endLine = `-----END ${begin.label}-----`;
  const end = pem.indexOf(endLine, begin.at);
  if (end === -1) return { why: withFlaws('it is truncated: its -----END line is missing', pem, half) };
  const lines = pem.slice(begin.at, end + endLine.length).split(/\r\n|\r|\n/);
  return { form: form.form, text: `${lines.map((line) => line.trim()).join('\n')}\n` };
}

// The cause is left out on purpose: it could quote the text.
function tryTo(read: () => KeyObject, encrypted: boolean): Attempt<KeyObject> {
  try {
    return { key: read() };
  } catch (error) {
    if (!encrypted) return { why: 'it is damaged, or of an unknown type' };
    // OpenSSL keeps the ciphers of the nineties apart.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_OSSL_EVP_UNSUPPORTED')
      return {
        why: 'it is encrypted with a cipher too old to be read; `openssl pkey -provider legacy -provider default -in FILE -aes256 -out NEW.pem` re-encrypts it',
      };
    return { why: 'the passphrase is wrong, or the key is damaged or encrypted in an unsupported way' };
  }
}

/** What keeps a key from being read although it is there: better than to call it damaged. */
function withFlaws(why: string, pem: string, half: Half): string {
  const { form, flaws: found, blocks } = normalizeKeyText(pem);
  if (form === undefined) return blocks.length > 0 ? blockingFlaws(found).join('; ') : why;
  const hindrance = blockingFlaws(found).join('; ');
  return (
    form.refused[half] ??
    (hindrance === '' ? why : `${hindrance}; \`paycli keys convert FILE --out NEW.pem\` fixes that`)
  );
}

function orThrow<Key>(attempt: Attempt<Key>, source: string): Key {
  if ('why' in attempt) throw unusable(source, attempt.why);
  return attempt.key;
}

function unusable(source: string, why: string): Error {
  return fail('KEY_UNUSABLE', { source, why });
}

/**
 * PEM text. A passphrase goes with PKCS#8 only, as AES-256-CBC under PBKDF2: the encryption of PKCS#1 gives next to no
 * protection.
 */
export function privatePem(key: KeyObject, form: 'pkcs8' | 'pkcs1', passphrase?: Secret): string {
  if (form === 'pkcs1' || passphrase === undefined) return String(key.export({ type: form, format: 'pem' }));
  return String(key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: passphrase.open() }));
}

/** PEM text of the public half of either half. */
export function publicPem(key: KeyObject, form: 'spki' | 'pkcs1'): string {
  return String((key.type === 'private' ? createPublicKey(key) : key).export({ type: form, format: 'pem' }));
}
