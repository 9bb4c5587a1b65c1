import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Every form a key file is met in, and why it does not serve as one half of a pair or the other. */

export type Half = 'private' | 'public';
export type KeyKind =
  | 'private key'
  | 'public key'
  | 'certificate'
  | 'certificate request'
  | 'symmetric key'
  | 'control key';

export interface KeyForm {
  readonly kind: KeyKind;
  /** As people name it. */
  readonly form: string;
  /** What stands behind -----BEGIN; the first one is written. */
  readonly labels?: readonly [string, ...string[]];
  /** Reads it in DER; throws for anything else. */
  readonly open?: (der: Buffer) => unknown;
  /** How it begins, when it is neither PEM nor DER. */
  readonly begins?: RegExp;
  readonly refused: Readonly<Partial<Record<Half, string>>>;
}

const publicGiven = 'it is a public key, but signing needs a private key';
const privateGiven =
  'it is a private key, which must not be shared; `paycli keys convert --to spki` extracts the public key';
const otherThanRsa = 'it is an SSH key of another type, but an RSA key is required';
const both = (why: string) => ({ private: why, public: why });

// Those of private keys come first: a public key can be read out of them too.
const keyForms: readonly KeyForm[] = [
  {
    kind: 'private key',
    form: 'PKCS#8',
    labels: ['PRIVATE KEY'],
    open: (key) => createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
    refused: { public: privateGiven },
  },
  {
    kind: 'private key',
    form: 'PKCS#1',
    labels: ['RSA PRIVATE KEY'],
    // From Node 22 on both readers of PKCS#1 take other keys as well.
    open: (key) => onlyRsa(createPrivateKey({ key, format: 'der', type: 'pkcs1' })),
    refused: { public: privateGiven },
  },
  {
    kind: 'private key',
    form: 'encrypted PKCS#8',
    labels: ['ENCRYPTED PRIVATE KEY'],
    open: openEncrypted,
    refused: { public: privateGiven },
  },
  {
    kind: 'public key',
    form: 'SPKI',
    labels: ['PUBLIC KEY'],
    open: (key) => createPublicKey({ key, format: 'der', type: 'spki' }),
    refused: { private: publicGiven },
  },
  {
    kind: 'public key',
    form: 'PKCS#1',
    labels: ['RSA PUBLIC KEY'],
    open: (key) => onlyRsa(createPublicKey({ key, format: 'der', type: 'pkcs1' })),
    refused: { private: publicGiven },
  },
  {
    kind: 'certificate request',
    form: 'PKCS#10',
    labels: ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'],
    refused: {
      private: 'it is a certificate request, not a key; the private key was created with it',
      public:
        'it is a certificate request, not a key; `openssl req -in FILE -pubkey -noout > NEW.pem` extracts the public key',
    },
  },
  {
    kind: 'certificate',
    form: 'X.509',
    labels: ['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE'],
    open: (der) => new X509Certificate(der),
    refused: {
      private: 'it is a certificate, not a key; the private key is in another file',
      public: 'it is a certificate, not a key; `paycli keys convert --to spki` extracts the public key',
    },
  },
  {
    kind: 'private key',
    form: 'SEC1',
    labels: ['EC PRIVATE KEY'],
    open: (key) => createPrivateKey({ key, format: 'der', type: 'sec1' }),
    refused: both('it is an elliptic-curve key, but an RSA key is required'),
  },
  {
    kind: 'private key',
    form: 'DSA',
    labels: ['DSA PRIVATE KEY'],
    refused: both('it is a DSA key, but an RSA key is required'),
  },
  {
    kind: 'private key',
    form: 'OpenSSH',
    labels: ['OPENSSH PRIVATE KEY'],
    refused: both('it is in OpenSSH format; `ssh-keygen -p -m PKCS8 -f COPY` rewrites a copy of it as PEM'),
  },
  {
    kind: 'public key',
    form: 'OpenSSH',
    begins: /^ssh-rsa AAAA/,
    refused: {
      private: publicGiven,
      public: 'it is in OpenSSH format; `ssh-keygen -e -m PKCS8 -f FILE` prints it as PEM',
    },
  },
  {
    kind: 'public key',
    form: 'OpenSSH',
    begins: /^(?:ssh-(?:dss|ed25519)|ecdsa-sha2-\S+|sk-\S+) AAAA/,
    refused: { private: publicGiven, public: otherThanRsa },
  },
  // The type stands in the Base64, behind its length.
  {
    kind: 'public key',
    form: 'RFC 4716',
    begins: /^---- BEGIN SSH2 PUBLIC KEY ----[\s\S]{0,2000}?^AAAAB3NzaC1yc2E/m,
    refused: {
      private: publicGiven,
      public:
        'it is in SSH2 format (RFC 4716); `ssh-keygen -i -f FILE > NEW.pub` and then `ssh-keygen -e -m PKCS8 -f NEW.pub` print it as PEM',
    },
  },
  {
    kind: 'public key',
    form: 'RFC 4716',
    begins: /^---- BEGIN SSH2 PUBLIC KEY ----/,
    refused: { private: publicGiven, public: otherThanRsa },
  },
  {
    kind: 'private key',
    form: 'PuTTY',
    begins: /^PuTTY-User-Key-File-\d+: (?!ssh-rsa\b)/,
    refused: both(otherThanRsa),
  },
  {
    kind: 'private key',
    form: 'PuTTY',
    begins: /^PuTTY-User-Key-File-/,
    refused: both('it is in PuTTY format; `puttygen FILE -O private-openssh -o NEW.pem` rewrites it as PEM'),
  },
  {
    kind: 'control key',
    form: 'text',
    begins: /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,128})$/i,
    refused: both('it looks like a merchant control key, which belongs in a file of its own; RSA keys are PEM files'),
  },
];

/** `text` holds the block, where what is inside matters. */
export function formByLabel(label: string, text = ''): KeyForm | undefined {
  if (label === 'OPENSSH PRIVATE KEY' && isOtherSshKey(text))
    return { kind: 'private key', form: 'OpenSSH', refused: both(otherThanRsa) };
  return keyForms.find(({ labels }) => labels?.includes(label));
}

/** Its type stands near the beginning and is never encrypted (PROTOCOL.key of OpenSSH). */
function isOtherSshKey(text: string): boolean {
  const [, base64 = ''] = /-----BEGIN OPENSSH PRIVATE KEY-----([A-Za-z0-9+/=\s]+)/.exec(text) ?? [];
  const start = Buffer.from(base64, 'base64').subarray(0, 200).toString('latin1');
  return start.startsWith('openssh-key-v1\0') && !start.includes('\0\0\0\u0007ssh-rsa');
}

/** A key in JSON or XML that lacks some of its numbers, or is of no pair at all. */
export function incompleteKey(half: Half, form: string): KeyForm {
  const why = `it is not a complete RSA key in ${form}: a number is missing or wrong, or the key is of another type`;
  return { kind: `${half} key`, form, refused: both(why) };
}

/** A JSON Web Key of one secret (RFC 7518 6.4). */
export const symmetricKey: KeyForm = {
  kind: 'symmetric key',
  form: 'oct',
  refused: both('it is a symmetric key (type oct), such as HMAC uses, but an RSA key is required'),
};

export function formByStart(text: string): KeyForm | undefined {
  return keyForms.find(({ begins }) => begins?.test(text));
}

/** Undefined for anything but a key or a certificate. */
export function formOfDer(der: Uint8Array): KeyForm | undefined {
  // Every DER begins as a SEQUENCE; certificates are read from PEM as well.
  if (der[0] !== 0x30) return undefined;
  return keyForms.find(({ open }) => {
    try {
      return open?.(Buffer.from(der)) !== undefined;
    } catch {
      return false;
    }
  });
}

function onlyRsa(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'rsa') throw new TypeError('it is no RSA key');
  return key;
}

function openEncrypted(key: Buffer): boolean {
  try {
    createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MISSING_PASSPHRASE') return true;
    throw error;
  }
  throw new TypeError('it is not encrypted');
}

interface BeginLine {
  readonly label: string;
  readonly at: number;
  /** Where the text behind it starts. */
  readonly end: number;
}

/** The -----BEGIN lines of a text, without those of parameters that stand before some keys. */
export function beginLines(text: string): readonly BeginLine[] {
  return [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)]
    .map(({ 0: whole, 1: label = '', index }) => ({ label, at: index, end: index + whole.length }))
    .filter(({ label }) => !label.endsWith(' PARAMETERS'));
}

/** One PEM block as RFC 7468 lays it out. Header lines are those of OpenSSL's old encryption. */
export function pemText(label: string, der: Uint8Array, headers: readonly string[] = []): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  const above = headers.length === 0 ? [] : [...headers, ''];
  return `${[`-----BEGIN ${label}-----`, ...above, ...lines, `-----END ${label}-----`].join('\n')}\n`;
}
