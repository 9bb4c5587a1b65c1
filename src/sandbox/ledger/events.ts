import type { SqlRow, SqlValue } from '../../runtime/ports.js';
import type { Pair } from '../../wire/form.js';
import { orderByClientId, orderById } from './orders.js';
import { number, optionalText, type Store, text } from './store.js';

/** Kinds of things that happen to an order, or to a merchant without one. */
export type EventKind = 'request' | 'refusal' | 'stage' | 'page' | 'callback' | 'clock' | 'queue';

export interface NewEvent {
  readonly kind: EventKind;
  /** On the sandbox clock; now when left out. */
  readonly at?: number;
  readonly login?: string | undefined;
  readonly orderId?: string | undefined;
  /** One line for people. Never a card number, a security code or a key. */
  readonly title: string;
  /** Further facts, masked already. */
  readonly detail?: Readonly<Record<string, string>> | undefined;
  /** Those of a request, masked already. */
  readonly fields?: readonly Pair[];
}

const maxEvents = 50_000;
// Not pruned at every event: the oldest are deleted together.
const prunedEvery = 500;

export const eventTables = `
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, machine_at INTEGER NOT NULL,
    login TEXT, order_id TEXT, kind TEXT NOT NULL, title TEXT NOT NULL, detail TEXT, fields TEXT
  );
  CREATE INDEX events_of_order ON events (order_id);
`;

/** Logs an event with the time of both clocks. The newest 50,000 events are kept. */
export function recordEvent(store: Store, event: NewEvent): void {
  const { clock, machine, database } = store;
  const { at = clock.now(), login = null, orderId = null, kind, title, detail, fields } = event;
  const { lastId } = database.run(
    'INSERT INTO events (at, machine_at, login, order_id, kind, title, detail, fields) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    at,
    machine.now(),
    login,
    orderId,
    kind,
    title,
    jsonOf(detail),
    jsonOf(fields),
  );
  if (lastId % prunedEvery === 0) database.run('DELETE FROM events WHERE id <= ?', lastId - maxEvents);
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** One line of the log. */
export interface LoggedEvent {
  readonly id: number;
  /** On the sandbox clock. */
  readonly at: number;
  /** On the clock of the machine. */
  readonly machineAt: number;
  readonly login: string | undefined;
  readonly orderId: string | undefined;
  readonly kind: string;
  readonly title: string;
  readonly detail: Readonly<Record<string, string>>;
  /** Those of the request, masked. */
  readonly fields: readonly Pair[];
}

export interface LogQuery {
  /** Only what came after this one. */
  readonly after?: number | undefined;
  /** Only those of an order, by the id the gateway or the client gave it. */
  readonly order?: string | undefined;
  /** The same, by the id of the gateway alone: the client may have given it to another order. */
  readonly orderId?: string | undefined;
  /** At most this many, the newest. */
  readonly limit: number;
}

/** In the order they happened. */
export function readEvents({ database }: Store, { after = 0, order, orderId, limit }: LogQuery): LoggedEvent[] {
  const either = '(order_id = ? OR order_id IN (SELECT order_id FROM transactions WHERE client_order_id = ?))';
  const conditions: readonly (readonly [sql: string, ids: readonly SqlValue[]])[] = [
    ...(order === undefined ? [] : [[either, [order, order]] as const]),
    ...(orderId === undefined ? [] : [['order_id = ?', [orderId]] as const]),
  ];
  const ofOrder = conditions.map(([sql]) => `AND ${sql}`).join(' ');
  const ids = conditions.flatMap(([, values]) => values);
  return database
    .all(`SELECT * FROM events WHERE id > ? ${ofOrder} ORDER BY id DESC LIMIT ?`, after, ...ids, limit)
    .reverse()
    .map(eventFrom);
}

/** The id of the newest event; 0 without any. */
export function lastEventId({ database }: Store): number {
  return number(database.get('SELECT max(id) AS id FROM events') ?? {}, 'id');
}

export function eventFrom(row: SqlRow): LoggedEvent {
  return {
    id: number(row, 'id'),
    at: number(row, 'at'),
    machineAt: number(row, 'machine_at'),
    login: optionalText(row, 'login'),
    orderId: optionalText(row, 'order_id'),
    kind: text(row, 'kind'),
    title: text(row, 'title'),
    detail: textsOf(JSON.parse(optionalText(row, 'detail') ?? '{}')),
    fields: pairsOf(JSON.parse(optionalText(row, 'fields') ?? '[]')),
  };
}

function textsOf(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, String(each)]));
}

/** A stored list of names and values. */
export function pairsOf(value: unknown): Pair[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair: unknown): Pair[] => (Array.isArray(pair) ? [[String(pair[0]), String(pair[1])]] : []));
}

/** What a sandbox logged about one order. */
export interface OrderHistory {
  readonly orderId: string;
  readonly clientOrderId: string;
  /** The operation that made it. */
  readonly operation: string;
  readonly events: readonly LoggedEvent[];
}

/** By the order id where there is one, else by the client's; undefined when the merchant has no such order. */
export function orderHistory(
  store: Store,
  login: string,
  { orderId, clientOrderId }: { readonly orderId?: string | undefined; readonly clientOrderId?: string | undefined },
): OrderHistory | undefined {
  const order =
    orderId === undefined ? orderByClientId(store, login, clientOrderId ?? '') : orderById(store, login, orderId);
  if (order === undefined) return undefined;
  const events = readEvents(store, { orderId: order.id, limit: Number.MAX_SAFE_INTEGER });
  return { orderId: order.id, clientOrderId: order.clientOrderId, operation: order.operation, events };
}
