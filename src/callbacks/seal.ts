import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';

/** Encrypts texts, and recognises equal ones by keyed hashes. */
export interface Seal {
  /** Encrypts a text; it opens only with the same `about`, which is authenticated with it. */
  seal(text: string, about: string): string;
  /** Undefined when none of the keys sealed it, or it was changed. */
  open(sealed: string, about: string): string | undefined;
  /** Hashes by which these parts are recognised: one for each key, that of the newest first. */
  hashes(parts: readonly string[]): readonly string[];
}

/** What is derived from one key of the key file. `id` says which key a text was encrypted with, and not what it is. */
interface Key {
  readonly id: string;
  readonly encryptionKey: Buffer;
  readonly hashKey: Buffer;
}

const [ivBytes, tagBytes] = [12, 16];

/** AES-256-GCM under the last of these keys; the others still open what they sealed. `keys` is called at each use. */
export function openSeal(keys: () => readonly string[]): Seal {
  const derived = new Map<string, Key>();
  const all = (): readonly Key[] =>
    keys()
      .map((key) => {
        const known = derived.get(key) ?? keyFrom(key);
        derived.set(key, known);
        return known;
      })
      .reverse();
  return {
    seal(text, about) {
      const [key] = all();
      if (key === undefined) throw new Error('a seal needs a key');
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv('aes-256-gcm', key.encryptionKey, iv).setAAD(Buffer.from(about, 'utf8'));
      const sealed = Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
      return `${key.id}.${sealed.toString('base64')}`;
    },
    open(sealed, about) {
      const [id, content = ''] = sealed.split('.');
      const key = all().find((each) => each.id === id);
      return key === undefined ? undefined : decrypted(key, Buffer.from(content, 'base64'), about);
    },
    hashes: (parts) =>
      all().map(({ hashKey }) => createHmac('sha256', hashKey).update(JSON.stringify(parts), 'utf8').digest('hex')),
  };
}

function decrypted({ encryptionKey }: Key, sealed: Buffer, about: string): string | undefined {
  if (sealed.length < ivBytes + tagBytes) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', encryptionKey, sealed.subarray(0, ivBytes), {
      authTagLength: tagBytes,
    });
    decipher.setAAD(Buffer.from(about, 'utf8')).setAuthTag(sealed.subarray(-tagBytes));
    return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}

function keyFrom(key: string): Key {
  const part = (name: string) => createHmac('sha256', key).update(`paycli callbacks ${name}`, 'utf8').digest();
  return {
    id: createHash('sha256').update(part('id')).digest('hex').slice(0, 16),
    encryptionKey: part('seal'),
    hashKey: part('know'),
  };
}
