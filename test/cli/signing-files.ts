import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a file into a folder and gives its path. */
export function put(folder: string, name: string, text: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** SHA-1 of a text, in hexadecimal. */
export function digestOf(text: string): string {
  return createHash('sha1').update(text).digest('hex');
}

/** HMAC-SHA1, in Base64. */
export function hmacOf(text: string, key: string): string {
  return createHmac('sha1', key).update(text).digest('base64');
}
