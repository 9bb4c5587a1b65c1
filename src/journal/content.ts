import { createHmac } from 'node:crypto';

/** HMAC-SHA-256 with a key of this installation: without it the few possible card numbers could be tried out one by one. */
export function contentHash(key: string, parts: readonly string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts), 'utf8').digest('hex');
}
