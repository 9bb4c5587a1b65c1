import type { SqlRow } from '../runtime/ports.js';
import { withoutCardData } from '../wire/mask.js';
import type { Seal } from './seal.js';
import type { ForwardAttempt, NewCallback, StoredCallback, Verified } from './stored-callback.js';

/** The sealed part of a callback: its bytes, and the fields read from them, whose columns hold masked copies. */
type Sealed = Pick<NewCallback, 'raw' | 'orderId' | 'clientOrderId' | 'status' | 'type'>;

/** Text from outside as it is kept unsealed. */
export function masked(text: string): string {
  return withoutCardData(text);
}

/** `about` is the context it is authenticated with. */
export function sealCallback({ raw, orderId, clientOrderId, status, type }: Sealed, about: string, seal: Seal): string {
  const { method, target, contentType = null, body } = raw;
  const bytes = Buffer.from(body).toString('base64');
  return seal.seal(
    JSON.stringify({ method, target, contentType, body: bytes, orderId, clientOrderId, status, type }),
    about,
  );
}

function unsealed(row: SqlRow, seal: Seal): Sealed | undefined {
  const json = seal.open(String(row['sealed']), String(row['digest']));
  if (json === undefined) return undefined;
  const { method, target, contentType, body, orderId, clientOrderId, status, type } = JSON.parse(json);
  const raw = { method, target, contentType: contentType ?? undefined, body: Buffer.from(String(body), 'base64') };
  return { raw, orderId, clientOrderId, status, type };
}

/** Without the forwards, which have rows of their own. */
export function callbackFrom(row: SqlRow, seal: Seal): Omit<StoredCallback, 'forwards'> {
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
    raw: undefined,
    forwardTo: optional(row, 'owed_to'),
    repeats: Number(row['repeats']),
    lastAt: Number(row['last_at']),
    repeatOf: row['repeat_of'] === null ? undefined : Number(row['repeat_of']),
    asked:
      askedAt === undefined
        ? undefined
        : { at: Number(askedAt), status: optional(row, 'asked_status'), says: text('asked_says') },
    conflicts: listFrom(text('conflicts')),
    // The sealed originals go before the masked columns.
    ...unsealed(row, seal),
  };
}

/** The context that the answer of a handler is authenticated with. */
export function replySealContext(callbackId: number): string {
  return `answer to callback ${callbackId}`;
}

export function forwardFrom(row: SqlRow, seal: Seal): ForwardAttempt {
  const reply = String(row['reply']);
  return {
    at: Number(row['at']),
    url: String(row['url']),
    status: row['status'] === null ? undefined : Number(row['status']),
    reply: reply === '' ? '' : (seal.open(reply, replySealContext(Number(row['callback_id']))) ?? ''),
    reason: optional(row, 'reason'),
    ms: Number(row['ms']),
  };
}

function optional(row: SqlRow, name: string): string | undefined {
  const value = row[name];
  return value === null || value === undefined ? undefined : String(value);
}

/** A changed word proves nothing. */
function verifiedFrom(word: string): Verified {
  return word === 'fits' || word === 'no-key' ? word : 'wrong';
}

function listFrom(json: string): readonly string[] {
  const value: unknown = JSON.parse(json);
  return Array.isArray(value) ? value.map(String) : [];
}
