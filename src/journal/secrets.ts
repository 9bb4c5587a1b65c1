import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** What one key gives: AES-256-GCM for what is stored and read again, keyed hashes for what is only compared. */
export interface Secrets {
  /** `about` says what it is; it can be decrypted only as that. */
  encrypt(text: string, about: string): string;
  /** Undefined where another key encrypted it, or it was changed, or is about something else. */
  decrypt(encrypted: string, about: string): string | undefined;
  hash(parts: readonly string[]): string;
}

const [ivBytes, tagBytes] = [12, 16];

export function openSecrets(key: string): Secrets {
  const derive = (purpose: string) => createHmac('sha256', key).update(`paycli journal ${purpose}`, 'utf8').digest();
  const [encryptionKey, hashKey] = [derive('encryption'), derive('hashes')];
  return {
    encrypt(text, about) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, iv).setAAD(Buffer.from(about, 'utf8'));
      const pieces = [iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()];
      return Buffer.concat(pieces).toString('base64');
    },
    decrypt: (encrypted, about) => decrypt(Buffer.from(encrypted, 'base64'), about, encryptionKey),
    hash: (parts) => createHmac('sha256', hashKey).update(JSON.stringify(parts), 'utf8').digest('hex'),
  };
}

function decrypt(bytes: Buffer, about: string, key: Buffer): string | undefined {
  if (bytes.length < ivBytes + tagBytes) return undefined;
  const iv = bytes.subarray(0, ivBytes);
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(about, 'utf8')).setAuthTag(bytes.subarray(-tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(ivBytes, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
