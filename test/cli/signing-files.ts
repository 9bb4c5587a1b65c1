import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes a file into a folder and gives its path. */
export function put(folder: string, name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

/** SHA-1 of a text by openssl, in hexadecimal. */
export function opensslSha1(text: string): string {
  return String(execFileSync('openssl', ['dgst', '-sha1', '-r'], { input: text })).slice(0, 40);
}

/** HMAC-SHA1 by openssl, in Base64. */
export function opensslHmac(text: string, key: string): string {
  const digest = execFileSync(
    'openssl',
    ['dgst', '-sha1', '-mac', 'HMAC', '-macopt', `hexkey:${Buffer.from(key).toString('hex')}`, '-binary'],
    {
      input: text,
    },
  );
  return digest.toString('base64');
}

/** RSASSA-PKCS1-v1_5 by openssl, in Base64. */
export function opensslRsa(text: string, keyFile: string, hash: 'sha256' | 'sha1' = 'sha256'): string {
  return execFileSync('openssl', ['dgst', `-${hash}`, '-sign', keyFile], { input: text }).toString('base64');
}
