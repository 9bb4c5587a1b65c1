import { createHmac } from 'node:crypto';
import { fail } from '../errors/index.js';
import type { Database, SqlRow, SqlValue } from '../runtime/ports.js';
import { replyNames } from '../spec/index.js';
import { isState, type State } from './states.js';

const adviceVerify = 'nothing was sent; `paycli journal --verify` says what is wrong';

/** Money in the smallest unit of its currency. */
export interface Sum {
  readonly minor: string;
  readonly currency: string;
  /** Fraction digits of the unit when it was written down; those of ISO 4217 when left out. */
  readonly digits?: number | undefined;
}

/** A request to be sent, as far as it may be stored: no card number, no security code, no checksum. */
export interface NewIntent {
  /** `opening` makes an order; a `follow-up` is about one; `other` is neither, such as an undescribed path. */
  readonly kind: 'opening' | 'follow-up' | 'other';
  /** The operation's id in the table, or a path. */
  readonly operation: string;
  readonly effect: 'write' | 'money';
  /** The gateway's name (see `gatewayName`). */
  readonly base: string;
  readonly endpointId: string;
  readonly login: string;
  readonly profile: string;
  readonly class: string;
  readonly clientOrderId: string | undefined;
  /** The gateway's id of the order a follow-up is about. */
  readonly orderId: string | undefined;
  readonly sum: Sum | undefined;
  readonly lastFour: string | undefined;
  /** Keyed hash of the payer's e-mail address (see `payerParts`); only written, never read back. */
  readonly payer?: string | undefined;
  /**
   * Keyed hash of what identifies the payment whatever its client order id: whether it takes or pays money, the card or
   * account, and the sum (see `paymentParts`). Left out where it has none. Only written, never read back.
   */
  readonly payment?: string | undefined;
  /**
   * Keyed hash over the fields that identify the payment: not the client order id, the security code, or texts and
   * addresses, and of a card only the last four digits.
   */
  readonly content: string;
}

/** The process that wrote a line. What the system does not report is left out. */
export interface Sender {
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  /** Boot id of the machine. */
  readonly boot?: string | undefined;
  /** Namespace of the pid, such as a container. */
  readonly namespace?: string | undefined;
  /** Start time in ticks since boot: another process with the same pid has another one. */
  readonly started?: string | undefined;
}

export interface Intent extends NewIntent {
  readonly id: number;
  /** Counts equal follow-ups of one order, from 1. */
  readonly sequence: number;
  readonly state: State;
  readonly attempts: number;
  /** True once an attempt may have reached the gateway without a definite refusal. */
  readonly mayHaveArrived: boolean;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly changedAt: number;
  readonly reason: string;
  /** Allow-listed fields of the replies, each with its newest value. */
  readonly outcome: Readonly<Record<string, string>>;
  readonly sender: Sender;
}

/** The fields of a reply that name the payer's card by its last four digits; of a payout, the one that is paid. */
export const cardReplyFields = replyNames('lastFour', 'destinationLastFour');

/** Last four digits of the card, as sent; of a request that has none, such as a rebill, as a reply named them. */
export function cardOf({ lastFour, outcome }: Pick<Intent, 'lastFour' | 'outcome'>): string | undefined {
  const named = cardReplyFields.map((name) => outcome[name] ?? '').find((digits) => /^\d{4}$/.test(digits));
  return lastFour ?? named;
}

/** The same of all requests on one order, oldest first: the first that has it. */
export function cardOfOrder(requests: readonly Intent[]): string | undefined {
  return requests.map(cardOf).find((digits) => digits !== undefined);
}

export const intentTables = `
  CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE intents (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, operation TEXT NOT NULL, effect TEXT NOT NULL,
    base TEXT NOT NULL, endpoint_id TEXT NOT NULL, login TEXT NOT NULL, profile TEXT NOT NULL, class TEXT NOT NULL,
    client_order_id TEXT, order_id TEXT, sequence INTEGER NOT NULL, minor TEXT, currency TEXT, last_four TEXT, content TEXT NOT NULL,
    made_at INTEGER NOT NULL, state TEXT NOT NULL, attempts INTEGER NOT NULL, may_have_arrived INTEGER NOT NULL,
    changed_at INTEGER NOT NULL, reason TEXT NOT NULL, outcome TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, version TEXT NOT NULL,
    digits INTEGER, boot TEXT, namespace TEXT, started TEXT, counted_day INTEGER, counted_units TEXT, counted_currency TEXT
  );
  CREATE INDEX intents_of_order ON intents (base, endpoint_id, order_id);
  CREATE INDEX intents_of_client ON intents (client_order_id);
  CREATE INDEX intents_by_content ON intents (content);
  CREATE INDEX intents_open ON intents (state) WHERE state IN ('planned', 'sending', 'unknown', 'accepted');
`;

/** The columns of an intent; the last seven came with version 2. */
export const intentColumns = `id key kind operation effect base endpoint_id login profile class client_order_id order_id
  sequence minor currency last_four content made_at state attempts may_have_arrived changed_at reason outcome host pid
  version digits boot namespace started counted_day counted_units counted_currency`.split(/\s+/);

/**
 * Intents with the state of their last line, which decides what may be sent; the `state` column is only for filters.
 * An intent without any line is `unknown`.
 */
export const intentsWithChainState = `SELECT *, coalesce(
  (SELECT to_state FROM moves WHERE intent_id = intents.id ORDER BY moves.id DESC LIMIT 1), 'unknown') AS chain_state FROM intents`;

type Keyed = Pick<NewIntent, 'kind' | 'base' | 'endpointId' | 'clientOrderId' | 'operation' | 'orderId'>;

/** The unique key of an intent: by client order id for an opening, else with operation, order and sequence. */
export function keyOf(intent: Keyed, sequence: number): string {
  const { kind, base, endpointId, clientOrderId, operation, orderId } = intent;
  return kind === 'opening'
    ? JSON.stringify([base, endpointId, clientOrderId])
    : JSON.stringify([base, endpointId, operation, orderId ?? clientOrderId ?? '', sequence]);
}

/** The columns that never change, in a fixed order: the first line of an intent records them. */
export function immutableValues(
  intent: NewIntent & { readonly sequence: number; readonly madeAt: number },
): readonly SqlValue[] {
  return [
    keyOf(intent, intent.sequence),
    intent.kind,
    intent.operation,
    intent.effect,
    intent.base,
    intent.endpointId,
    intent.login,
    intent.profile,
    intent.class,
    intent.clientOrderId ?? null,
    intent.sequence,
    intent.sum?.minor ?? null,
    intent.sum?.currency ?? null,
    intent.lastFour ?? null,
    intent.content,
    intent.madeAt,
    intent.sum?.digits ?? null,
  ];
}

export function intentFrom(row: SqlRow): Intent {
  const text = (name: string) => String(row[name] ?? '');
  const optional = (name: string) => (row[name] === null || row[name] === undefined ? undefined : String(row[name]));
  const kind = text('kind');
  return {
    id: Number(row['id']),
    kind: kind === 'opening' || kind === 'follow-up' ? kind : 'other',
    operation: text('operation'),
    effect: text('effect') === 'write' ? 'write' : 'money',
    base: text('base'),
    endpointId: text('endpoint_id'),
    login: text('login'),
    profile: text('profile'),
    class: text('class'),
    clientOrderId: optional('client_order_id'),
    orderId: optional('order_id'),
    sequence: Number(row['sequence']),
    sum: sumFrom(row),
    lastFour: optional('last_four'),
    content: text('content'),
    madeAt: timeFrom(row['made_at']),
    state: stateFrom(optional('chain_state') ?? text('state')),
    attempts: Number(row['attempts']),
    mayHaveArrived: Number(row['may_have_arrived']) === 1,
    changedAt: timeFrom(row['changed_at']),
    reason: text('reason'),
    outcome: outcomeFrom(text('outcome')),
    sender: senderFrom(row),
  };
}

/** The money of an intent's row. */
function sumFrom({ minor, currency, digits }: SqlRow): Sum | undefined {
  if (typeof minor !== 'string' || typeof currency !== 'string') return undefined;
  if (!/^-?\d+$/.test(minor))
    throw fail('STORAGE', {
      what: 'the journal',
      why: 'an entry has an amount that is not a number',
      how: adviceVerify,
    });
  return typeof digits === 'number' ? { minor, currency, digits } : { minor, currency };
}

function senderFrom({ host, pid, version, boot, namespace, started }: SqlRow): Sender {
  const known = Object.entries({ boot, namespace, started }).filter(([, value]) => typeof value === 'string');
  return { host: String(host), pid: Number(pid), version: String(version), ...Object.fromEntries(known) };
}

export function stateFrom(word: string): State {
  if (isState(word)) return word;
  throw fail('STORAGE', { what: 'the journal', why: 'an entry has an unknown state', how: adviceVerify });
}

function timeFrom(value: SqlValue | undefined): number {
  const time = Number(value);
  if (Number.isNaN(new Date(time).getTime()))
    throw fail('STORAGE', { what: 'the journal', why: 'an entry has an impossible time', how: adviceVerify });
  return time;
}

function outcomeFrom(json: string): Record<string, string> {
  if (json === '{}') return {};
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
  } catch (error) {
    throw fail(
      'STORAGE',
      { what: 'the journal', why: 'an entry has a reply that cannot be read', how: adviceVerify },
      { cause: error },
    );
  }
}

/**
 * HMAC-SHA-256 with a key of this installation. Nothing that can be guessed by trying all values goes into it: the
 * key is stored beside the hashes.
 */
export function contentHash(key: string, parts: readonly string[]): string {
  return createHmac('sha256', key).update(JSON.stringify(parts), 'utf8').digest('hex');
}

/** The key for `contentHash`. */
export function contentKey(database: Database): string {
  return String(database.get("SELECT value FROM meta WHERE name = 'content-key'")?.['value'] ?? '');
}
