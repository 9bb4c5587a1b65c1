import { objectId, partAt } from './der.js';

export interface Encryption {
  /** Such as AES-256-CBC, or the number of its object identifier. */
  readonly cipher: string;
  /** How the passphrase becomes the cipher's key. */
  readonly derivation: string;
}

const names: Readonly<Record<string, string>> = {
  '2.16.840.1.101.3.4.1.2': 'AES-128-CBC',
  '2.16.840.1.101.3.4.1.22': 'AES-192-CBC',
  '2.16.840.1.101.3.4.1.42': 'AES-256-CBC',
  '1.2.840.113549.3.7': 'DES-EDE3-CBC',
  '1.3.14.3.2.7': 'DES-CBC',
  '1.2.840.113549.3.2': 'RC2-CBC',
  '1.2.392.200011.61.1.1.1.2': 'CAMELLIA-128-CBC',
  '1.2.392.200011.61.1.1.1.4': 'CAMELLIA-256-CBC',
  '1.2.410.200046.1.1.2': 'ARIA-128-CBC',
  '1.2.410.200046.1.1.12': 'ARIA-256-CBC',
  '1.2.840.113549.1.5.12': 'PBKDF2',
  '1.3.6.1.4.1.11591.4.11': 'scrypt',
};

const pbes2 = '1.2.840.113549.1.5.13';
// One identifier for derivation and cipher together (RFC 8018, 6.1, and RFC 7292, appendix C).
const together: Readonly<Record<string, Encryption>> = {
  '1.2.840.113549.1.5.3': { cipher: 'DES-CBC', derivation: 'PBES1 with MD5' },
  '1.2.840.113549.1.5.10': { cipher: 'DES-CBC', derivation: 'PBES1 with SHA-1' },
  '1.2.840.113549.1.12.1.3': { cipher: 'DES-EDE3-CBC', derivation: 'PKCS#12 with SHA-1' },
  '1.2.840.113549.1.12.1.5': { cipher: 'RC2-128-CBC', derivation: 'PKCS#12 with SHA-1' },
  '1.2.840.113549.1.12.1.6': { cipher: 'RC2-40-CBC', derivation: 'PKCS#12 with SHA-1' },
};

/** How an encrypted PKCS#8 key is protected (RFC 5958, 3, with RFC 8018, appendix A). */
export function encryptionOf(der: Uint8Array): Encryption | undefined {
  const scheme = objectId(partAt(der, 0, 0));
  if (scheme === undefined) return undefined;
  if (scheme !== pbes2) return together[scheme] ?? { cipher: scheme, derivation: scheme };
  const derivation = objectId(partAt(der, 0, 1, 0, 0)) ?? 'unknown';
  const cipher = objectId(partAt(der, 0, 1, 1, 0)) ?? 'unknown';
  return { cipher: names[cipher] ?? cipher, derivation: names[derivation] ?? derivation };
}

/** The same of a PKCS#1 key in OpenSSL's old way, where it stands in the lines above the Base64. */
export function encryptionOfHeaders(headers: readonly string[]): Encryption | undefined {
  const found = headers.map((line) => /^DEK-Info: *([A-Za-z0-9-]{1,40}) *,/.exec(line)?.[1]).find((name) => name !== undefined);
  return found === undefined ? undefined : { cipher: found.toUpperCase(), derivation: 'one round of MD5' };
}
