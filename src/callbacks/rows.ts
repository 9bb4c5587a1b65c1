import type { SqlRow } from '../runtime/ports.js';
import type { Forwarded, StoredCallback, Verified } from './stored.js';

/** Without what was forwarded, which has rows of its own. */
export function callbackFrom(row: SqlRow): Omit<StoredCallback, 'forwards'> {
  const text = (name: string) => String(row[name] ?? '');
  const askedAt = optional(row, 'asked_at');
  return {
    id: Number(row['id']),
    at: Number(row['at']),
    place: text('place'),
    profile: optional(row, 'profile'),
    class: optional(row, 'class'),
    orderId: text('order_id'),
    clientOrderId: text('client_order_id'),
    status: text('status'),
    type: text('type'),
    verified: verifiedFrom(text('verified')),
    why: text('why'),
    raw: {
      method: text('method'),
      target: text('target'),
      contentType: optional(row, 'content_type'),
      body: Buffer.from(text('body'), 'base64'),
    },
    owedTo: optional(row, 'owed_to'),
    repeats: Number(row['repeats']),
    lastAt: Number(row['last_at']),
    repeatOf: row['repeat_of'] === null ? undefined : Number(row['repeat_of']),
    asked: askedAt === undefined ? undefined : { at: Number(askedAt), status: optional(row, 'asked_status'), says: text('asked_says') },
    conflicts: listFrom(text('conflicts')),
  };
}

export function forwardFrom(row: SqlRow): Forwarded {
  return {
    at: Number(row['at']),
    url: String(row['url']),
    status: row['status'] === null ? undefined : Number(row['status']),
    reply: String(row['reply']),
    reason: optional(row, 'reason'),
    ms: Number(row['ms']),
  };
}

function optional(row: SqlRow, name: string): string | undefined {
  const value = row[name];
  return value === null || value === undefined ? undefined : String(value);
}

function verifiedFrom(word: string): Verified {
  return word === 'fits' || word === 'no-key' ? word : 'wrong';
}

function listFrom(json: string): readonly string[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.map(String) : [];
}
