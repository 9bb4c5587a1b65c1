import { createHash, createHmac, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { fail } from '../errors/index.js';
import { Secret } from '../wire/secret.js';

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

const leastBits = 2048;

// What a PEM label says before anything is decoded. Where a row has `why`, the key is refused for it.
const privateLabels: Readonly<Record<string, { readonly form: PrivateKeyForm } | { readonly why: string }>> = {
  'PRIVATE KEY': { form: 'PKCS#8' },
  'RSA PRIVATE KEY': { form: 'PKCS#1' },
  'ENCRYPTED PRIVATE KEY': { form: 'encrypted PKCS#8' },
  'PUBLIC KEY': { why: 'it is a public key, and a private one is needed to sign' },
  'RSA PUBLIC KEY': { why: 'it is a public key, and a private one is needed to sign' },
};
const publicLabels: Readonly<Record<string, { readonly form: PublicKey['form'] } | { readonly why: string }>> = {
  'PUBLIC KEY': { form: 'SPKI' },
  'RSA PUBLIC KEY': { form: 'PKCS#1' },
  'PRIVATE KEY': { why: 'it is a private key; give away only what `openssl pkey -pubout` makes of it' },
  'RSA PRIVATE KEY': { why: 'it is a private key; give away only what `openssl pkey -pubout` makes of it' },
  'ENCRYPTED PRIVATE KEY': { why: 'it is a private key; give away only what `openssl pkey -pubout` makes of it' },
};
const foreignLabels: Readonly<Record<string, string>> = {
  CERTIFICATE: 'it is a certificate, not a key; `openssl x509 -pubkey -noout` takes the public key out',
  'TRUSTED CERTIFICATE': 'it is a certificate, not a key; `openssl x509 -pubkey -noout` takes the public key out',
  'CERTIFICATE REQUEST': 'it is a certificate request, not a key',
  'EC PRIVATE KEY': 'it is an elliptic-curve key, and RSA is needed',
  'DSA PRIVATE KEY': 'it is a DSA key, and RSA is needed',
  'OPENSSH PRIVATE KEY': 'it is in OpenSSH format; `ssh-keygen -p -m PKCS8` rewrites a copy of it as PEM',
};
const typeNames: Readonly<Record<string, string>> = {
  ec: 'an elliptic-curve key, and RSA is needed',
  ed25519: 'an Ed25519 key, and RSA is needed',
  ed448: 'an Ed448 key, and RSA is needed',
  dsa: 'a DSA key, and RSA is needed',
  'rsa-pss': 'an RSA-PSS key, which cannot make PKCS#1 v1.5 signatures; a plain RSA key is needed',
};

/** Reads an RSA private key out of PEM text. Throws KEY_UNUSABLE with the reason; never repeats any of the text. */
export function readPrivateKey(pem: string, passphrase?: Secret | string, source = 'private'): PrivateKey {
  const block = onlyBlock(pem, source);
  const row = formOf(privateLabels, block.label, source);
  const encrypted = row === 'encrypted PKCS#8' || /^Proc-Type: *4, *ENCRYPTED/m.test(block.text);
  const form = encrypted && row === 'PKCS#1' ? 'encrypted PKCS#1' : row;
  const word = passphrase instanceof Secret ? passphrase.open() : (passphrase ?? '');
  if (encrypted && word === '') throw unusable(source, 'it is encrypted, and no passphrase was given');
  const keyObject = tryTo(
    () => createPrivateKey(encrypted ? { key: block.text, passphrase: word } : block.text),
    source,
    encrypted
      ? 'the passphrase is wrong, or the key is damaged or encrypted in a way not known here'
      : 'it is damaged, or of a type not known here',
  );
  return described(keyObject, 'private', form, source);
}

/** Reads an RSA public key out of PEM text. A private key or a certificate is refused, although one could be got out of it. */
export function readPublicKey(pem: string, source = 'public'): PublicKey {
  const block = onlyBlock(pem, source);
  const form = formOf(publicLabels, block.label, source);
  return described(
    tryTo(() => createPublicKey(block.text), source, 'it is damaged, or of a type not known here'),
    'public',
    form,
    source,
  );
}

/** Gives the key back when it can serve; throws KEY_UNUSABLE when it is the other half, not RSA, or below 2048 bits. */
export function requireRsa(keyObject: KeyObject, half: 'private' | 'public', source: string = half): KeyObject {
  if (keyObject.type !== half) throw unusable(source, `it is a ${keyObject.type} key, and a ${half} one is needed`);
  const type = keyObject.asymmetricKeyType ?? '';
  if (type !== 'rsa') throw unusable(source, `it is ${typeNames[type] ?? 'not an RSA key'}`);
  const bits = keyObject.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < leastBits) throw unusable(source, `it has ${bits} bits, and at least ${leastBits} are needed`);
  return keyObject;
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

function described<Form extends string>(keyObject: KeyObject, half: 'private' | 'public', form: Form, source: string): RsaKey<Form> {
  requireRsa(keyObject, half, source);
  return { keyObject, bits: keyObject.asymmetricKeyDetails?.modulusLength ?? 0, form, fingerprint: rsaFingerprint(keyObject) };
}

interface Block {
  readonly label: string;
  readonly text: string;
}

/** The one PEM block of a text. Only it is decoded, so remarks around it and indented lines do no harm. */
function onlyBlock(pem: string, source: string): Block {
  if (pem.trim() === '') throw unusable(source, 'it is empty');
  const labels = [...pem.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, label = '']) => label);
  const label = labels.find((name) => !name.endsWith(' PARAMETERS'));
  if (label === undefined) throw unusable(source, 'it is not PEM text: there is no -----BEGIN … KEY----- line');
  if (labels.filter((name) => !name.endsWith(' PARAMETERS')).length > 1)
    throw unusable(source, 'it holds several PEM blocks; keep one key in one file');
  const start = pem.indexOf(`-----BEGIN ${label}-----`);
  const endLine = `-----END ${label}-----`;
  const end = pem.indexOf(endLine, start);
  if (end === -1) throw unusable(source, 'it is cut short: its -----END line is missing');
  const lines = pem.slice(start, end + endLine.length).split(/\r\n|\r|\n/);
  return { label, text: `${lines.map((line) => line.trim()).join('\n')}\n` };
}

function formOf<Form extends string>(
  labels: Readonly<Record<string, { readonly form: Form } | { readonly why: string }>>,
  label: string,
  source: string,
): Form {
  const row = Object.hasOwn(labels, label) ? labels[label] : undefined;
  if (row !== undefined && 'form' in row) return row.form;
  const foreign = Object.hasOwn(foreignLabels, label) ? foreignLabels[label] : undefined;
  throw unusable(source, row?.why ?? foreign ?? 'its -----BEGIN line names no key known here');
}

// The cause is left out on purpose: it could quote the text.
function tryTo(read: () => KeyObject, source: string, why: string): KeyObject {
  try {
    return read();
  } catch {
    throw unusable(source, why);
  }
}

function unusable(source: string, why: string): Error {
  return fail('KEY_UNUSABLE', { source, why });
}
