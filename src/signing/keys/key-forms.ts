import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';

/** Every form a key file is met in, and why it does not serve as one half of a pair or the other. */

export type Half = 'private' | 'public';
export type KeyKind = 'private key' | 'public key' | 'certificate' | 'certificate request' | 'control key';

export interface KeyForm {
  readonly kind: KeyKind;
  /** As people name it. */
  readonly form: string;
  /** What stands behind -----BEGIN; the first one is written. */
  readonly labels?: readonly [string, ...string[]];
  /** The key in it, in DER; throws for anything else. */
  readonly open?: (der: Buffer) => KeyObject | 'locked';
  /** How it begins, when it is neither PEM nor DER. */
  readonly begins?: RegExp;
  readonly refused: Readonly<Partial<Record<Half, string>>>;
}

const ofPublic = { private: 'it is a public key, but signing needs a private key' };
const ofPrivate = {
  public: 'it is a private key, which must not be shared; `paycli keys convert --to spki` extracts the public key',
};
const openSsh = 'it is in OpenSSH format; `ssh-keygen -e -m PKCS8 -f FILE` prints it as PEM';
const ofRequest = {
  private: 'it is a certificate request, not a key; the private key was created with it',
  public:
    'it is a certificate request, not a key; `openssl req -in FILE -pubkey -noout > NEW.pem` extracts the public key',
};
const ofCertificate = {
  private: 'it is a certificate, not a key; the private key is in another file',
  public: 'it is a certificate, not a key; `paycli keys convert --to spki` extracts the public key',
};
const requests: KeyForm['labels'] = ['CERTIFICATE REQUEST', 'NEW CERTIFICATE REQUEST'];
const certificates: KeyForm['labels'] = ['CERTIFICATE', 'X509 CERTIFICATE', 'TRUSTED CERTIFICATE'];
const both = (why: string) => ({ private: why, public: why });
const openPrivate = (type: 'pkcs8' | 'sec1') => (key: Buffer) => createPrivateKey({ key, format: 'der', type });
// From Node 22 on both readers of PKCS#1 take other keys as well.
const openPrivate1 = (key: Buffer) => onlyRsa(createPrivateKey({ key, format: 'der', type: 'pkcs1' }));
const openPublic1 = (key: Buffer) => onlyRsa(createPublicKey({ key, format: 'der', type: 'pkcs1' }));
const openSpki = (key: Buffer) => createPublicKey({ key, format: 'der', type: 'spki' });
const openCertificate = (der: Buffer) => new X509Certificate(der).publicKey;

// Those of private keys come first: a public key can be read out of them too.
const [secret, open] = ['private key', 'public key'] as const;
const keyForms: readonly KeyForm[] = [
  { kind: secret, form: 'PKCS#8', labels: ['PRIVATE KEY'], open: openPrivate('pkcs8'), refused: ofPrivate },
  { kind: secret, form: 'PKCS#1', labels: ['RSA PRIVATE KEY'], open: openPrivate1, refused: ofPrivate },
  {
    kind: secret,
    form: 'encrypted PKCS#8',
    labels: ['ENCRYPTED PRIVATE KEY'],
    open: openEncrypted,
    refused: ofPrivate,
  },
  { kind: open, form: 'SPKI', labels: ['PUBLIC KEY'], open: openSpki, refused: ofPublic },
  { kind: open, form: 'PKCS#1', labels: ['RSA PUBLIC KEY'], open: openPublic1, refused: ofPublic },
  { kind: 'certificate request', form: 'PKCS#10', labels: requests, refused: ofRequest },
  { kind: 'certificate', form: 'X.509', labels: certificates, open: openCertificate, refused: ofCertificate },
  {
    ...{ kind: secret, form: 'SEC1', labels: ['EC PRIVATE KEY'], open: openPrivate('sec1') },
    refused: both('it is an elliptic-curve key, but an RSA key is required'),
  },
  {
    ...{ kind: secret, form: 'OpenSSH', labels: ['OPENSSH PRIVATE KEY'] },
    refused: both('it is in OpenSSH format; `ssh-keygen -p -m PKCS8 -f COPY` rewrites a copy of it as PEM'),
  },
  { kind: open, form: 'OpenSSH', begins: /^(?:ssh|ecdsa|sk)-\S+ AAAA/, refused: { ...ofPublic, public: openSsh } },
  {
    ...{ kind: secret, form: 'PuTTY', begins: /^PuTTY-User-Key-File-/ },
    refused: both('it is in PuTTY format; `puttygen FILE -O private-openssh -o NEW.pem` rewrites it as PEM'),
  },
  {
    ...{ kind: 'control key', form: 'text' },
    begins: /^(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{32,128})$/i,
    refused: both('it looks like a merchant control key, which belongs in control-key-file; RSA keys are PEM files'),
  },
];

/** The form with this label behind -----BEGIN. */
export function formByLabel(label: string | undefined): KeyForm | undefined {
  return keyForms.find(({ labels }) => label !== undefined && labels?.includes(label));
}

/** The form of a text that is not PEM. */
export function formByStart(text: string): KeyForm | undefined {
  return keyForms.find(({ begins }) => begins?.test(text));
}

export interface OpenedDer {
  readonly form: KeyForm;
  readonly content: KeyObject | 'locked';
}

/** Undefined for anything but a key or a certificate. */
export function openDer(der: Uint8Array): OpenedDer | undefined {
  // Every DER begins as a SEQUENCE; certificates are read from PEM as well.
  if (der[0] !== 0x30) return undefined;
  for (const form of keyForms) {
    try {
      const content = form.open?.(Buffer.from(der));
      if (content !== undefined) return { form, content };
    } catch {
      // It is of another form.
    }
  }
  return undefined;
}

function onlyRsa(key: KeyObject): KeyObject {
  if (key.asymmetricKeyType !== 'rsa') throw new TypeError('it is no RSA key');
  return key;
}

function openEncrypted(key: Buffer): 'locked' {
  try {
    createPrivateKey({ key, format: 'der', type: 'pkcs8' });
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ERR_MISSING_PASSPHRASE') return 'locked';
    throw error;
  }
  throw new TypeError('it is not encrypted');
}
