import { createHmac } from 'node:crypto';
import type { Database } from '../runtime/ports.js';

/** HMAC-SHA-256 with a key of this installation. Nothing of which few values are possible goes into it: the key lies beside what it made. */
export function contentHash(key: string, parts: readonly string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts), 'utf8').digest('hex');
}

/** The key of a journal. */
export function contentKey(database: Database): string {
  return String(database.get("SELECT value FROM meta WHERE name = 'content-key'")?.['value'] ?? '');
}

/** Where the journal says which key it has: with another one it would know no request again. */
export const keyCheck = 'content-key-check';

export function checkOfKey(database: Database): string {
  return contentHash(contentKey(database), ['the key of this journal']);
}
