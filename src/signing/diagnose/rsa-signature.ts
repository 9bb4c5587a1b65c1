import { constants, createHash, createPublicKey, type KeyObject, publicDecrypt, verify } from 'node:crypto';
import { requireRsa } from '../keys/rsa-keys.js';

// RFC 8017 9.2, note 1: what stands before a hash to name it.
const prefixes: Readonly<Record<string, string>> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

/** A hash with its name, as it stands in a signature. */
export function digestInfo(hash: string, input: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(prefixes[hash] ?? '', 'hex'), createHash(hash).update(input).digest()]);
}

/** A signature opened with a public key: one opening serves for any number of texts, unlike a verification. */
export type Opened =
  | { readonly padding: 'pkcs1'; readonly payload: Buffer }
  /** Whether it is one over a text is asked of `isPss`. */
  | { readonly padding: 'pss' }
  | { readonly padding: 'none' };

export function openSignature(publicKey: KeyObject, bytes: Buffer): Opened {
  try {
    const hex = publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, bytes).toString('hex');
    const before = /^0001(?:ff){8,}00/.exec(hex);
    if (before !== null) return { padding: 'pkcs1', payload: Buffer.from(hex.slice(before[0].length), 'hex') };
    return { padding: hex.endsWith('bc') ? 'pss' : 'none' };
  } catch {
    // Larger than the modulus of the key.
    return { padding: 'none' };
  }
}

export const pssHashes = ['sha256', 'sha1', 'sha512', 'sha384'] as const;

export function isPss(hash: string, publicKey: KeyObject, text: string, signature: Buffer): boolean {
  const padding = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_AUTO };
  return verify(hash, Buffer.from(text), { key: publicKey, ...padding }, signature);
}

/** The half that checks: the one given, else that of the private key. Throws KEY_UNUSABLE. */
export function publicHalf(keys: {
  readonly publicKey?: KeyObject | undefined;
  readonly privateKey?: KeyObject | undefined;
}): KeyObject | undefined {
  if (keys.publicKey !== undefined) return requireRsa(keys.publicKey, 'public');
  return keys.privateKey === undefined ? undefined : createPublicKey(requireRsa(keys.privateKey, 'private'));
}

export function signatureLength(key: KeyObject): number {
  return Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8);
}
