import type { SqlRow, SqlValue } from '../../runtime/ports.js';
import type { Pair } from '../../wire/form.js';
import { number, optionalText, text } from '../columns.js';
import type { Store } from '../store.js';

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
  /** The newest so many. */
  readonly limit: number;
}

/** In the order they happened. */
export function readEvents({ database }: Store, { after = 0, order, limit }: LogQuery): LoggedEvent[] {
  const ids: SqlValue[] = order === undefined ? [] : [order, order];
  const ofOrder =
    order === undefined ? '' : 'AND (order_id = ? OR order_id IN (SELECT order_id FROM transactions WHERE client_order_id = ?))';
  return database
    .all(`SELECT * FROM events WHERE id > ? ${ofOrder} ORDER BY id DESC LIMIT ?`, after, ...ids, limit)
    .reverse()
    .map(eventFrom);
}

/** The id of the newest event; 0 without any. */
export function lastEvent({ database }: Store): number {
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

/** A list of names and values, as it was written down. */
export function pairsOf(value: unknown): Pair[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((pair: unknown): Pair[] => (Array.isArray(pair) ? [[String(pair[0]), String(pair[1])]] : []));
}
