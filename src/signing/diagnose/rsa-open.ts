import { constants, createHash, type KeyObject, privateDecrypt, privateEncrypt, publicDecrypt } from 'node:crypto';

// RFC 8017 9.2, note 1: what stands before a hash to name it.
const prefixes: Readonly<Record<string, string>> = {
  md5: '3020300c06082a864886f70d020505000410',
  sha1: '3021300906052b0e03021a05000414',
  sha224: '302d300d06096086480165030402040500041c',
  sha256: '3031300d060960864801650304020105000420',
  sha384: '3041300d060960864801650304020205000430',
  sha512: '3051300d060960864801650304020305000440',
};

/** A hash with its name, as it stands in a signature. */
export function named(hash: string, input: string | Buffer): Buffer {
  return Buffer.concat([Buffer.from(prefixes[hash] ?? '', 'hex'), createHash(hash).update(input).digest()]);
}

/**
 * What a PKCS#1 v1.5 signature carries behind its padding (RFC 8017 8.2.2); undefined for other padding, another length, and what
 * is no plain Base64. One opening serves for any number of texts, unlike a verification.
 */
export function openedWith(publicKey: KeyObject, signature: string): Buffer | undefined {
  return opened(signature, (bytes) => publicDecrypt({ key: publicKey, padding: constants.RSA_NO_PADDING }, bytes), /^0001(?:ff){8,}00/);
}

/** What was encrypted with the public key, as PKCS#1 v1.5 or OAEP have it. */
export function decryptedWith(privateKey: KeyObject, signature: string): Buffer | undefined {
  const plain = opened(
    signature,
    (bytes) => privateDecrypt({ key: privateKey, padding: constants.RSA_NO_PADDING }, bytes),
    /^0002(?:(?!00)..){8,}?00/,
  );
  return plain ?? opened(signature, (bytes) => privateDecrypt({ key: privateKey, padding: constants.RSA_PKCS1_OAEP_PADDING }, bytes), /^/);
}

/** Puts bytes where a signature has the hash and its name. */
export function sealed(privateKey: KeyObject, payload: Buffer): string | undefined {
  try {
    return privateEncrypt({ key: privateKey, padding: constants.RSA_PKCS1_PADDING }, payload).toString('base64');
  } catch {
    // Longer than the key.
    return undefined;
  }
}

export function plainBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

function opened(signature: string, open: (bytes: Buffer) => Buffer, padding: RegExp): Buffer | undefined {
  const bytes = plainBase64(signature);
  if (bytes === undefined) return undefined;
  try {
    const hex = open(bytes).toString('hex');
    const before = padding.exec(hex);
    return before === null ? undefined : Buffer.from(hex.slice(before[0].length), 'hex');
  } catch {
    return undefined;
  }
}
