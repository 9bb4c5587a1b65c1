import { createCipheriv, createDecipheriv, createHmac, randomBytes } from 'node:crypto';

/** What one key gives: AES-256-GCM for what is stored and read again, keyed hashes for what is only compared. */
export interface Secrets {
  /** `about` says what it is; it can be decrypted only as that. */
  encrypt(text: string, about: string): string;
  /** Undefined where another key encrypted it, or it was changed, or is about something else. */
  decrypt(encrypted: string, about: string): string | undefined;
  hash(parts: readonly string[]): string;
}

const [ivBytes, authTagLength] = [12, 16];

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
    decrypt(encrypted, about) {
      const bytes = Buffer.from(encrypted, 'base64');
      try {
        const decipher = createDecipheriv('aes-256-gcm', encryptionKey, bytes.subarray(0, ivBytes), { authTagLength });
        decipher.setAAD(Buffer.from(about, 'utf8')).setAuthTag(bytes.subarray(-authTagLength));
        const pieces = [decipher.update(bytes.subarray(ivBytes, -authTagLength)), decipher.final()];
        return Buffer.concat(pieces).toString('utf8');
      } catch {
        return undefined;
      }
    },
    hash: (parts) => createHmac('sha256', hashKey).update(JSON.stringify(parts), 'utf8').digest('hex'),
  };
}
