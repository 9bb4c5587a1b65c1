import type { Pair } from '../wire/form.js';
import type { Store } from './store.js';
import { integer, json, type NewRow, numbered, optional, type Row, Table, text } from './table.js';

/** Kinds of things that happen to an order, or to a merchant without one. */
export type EventKind = 'request' | 'refusal' | 'stage' | 'page' | 'callback' | 'clock' | 'queue';

const maxEvents = 50_000;
// Not pruned at every event: the oldest are deleted together.
const prunedEvery = 500;

const eventColumns = {
  id: numbered,
  /** On the sandbox clock. */
  at: integer,
  /** On the clock of the machine. */
  machineAt: integer,
  login: optional(text),
  orderId: optional(text),
  kind: text,
  /** One line for people. Never a card number, a security code or a key. */
  title: text,
  /** Further facts, masked already. */
  detail: json<Readonly<Record<string, string>>>(),
  /** Those of a request, masked already. */
  fields: json<readonly Pair[]>(),
};
export const events = new Table('events', eventColumns, ['INDEX events_of_order ON @ (order_id)']);

/** One line of the log. */
export type LoggedEvent = Row<typeof events>;

/** `at` is now when left out. */
export interface NewEvent
  extends Pick<NewRow<typeof events>, 'login' | 'orderId' | 'title'>,
    Partial<Pick<LoggedEvent, 'at' | 'detail' | 'fields'>> {
  readonly kind: EventKind;
}

/** Logs an event with the time of both clocks. The newest 50,000 events are kept. */
export function recordEvent(store: Store, event: NewEvent): void {
  const { detail = {}, fields = [], at = store.clock.now() } = event;
  const { lastId } = events.insert(store, { ...event, at, detail, fields, machineAt: store.machine.now() });
  if (lastId % prunedEvery === 0) store.database.run('DELETE FROM events WHERE id <= ?', lastId - maxEvents);
}

export interface LogQuery {
  /** Only those of an order, by the id the gateway or the client gave it. */
  readonly order?: string | undefined;
  /** At most this many, the newest. */
  readonly limit: number;
}

/** In the order they happened. */
export function readEvents(store: Store, { order, limit }: LogQuery): LoggedEvent[] {
  const newest = 'ORDER BY id DESC LIMIT ?';
  if (order === undefined) return events.all(store, newest, limit).reverse();
  const one = 'WHERE order_id = ? OR order_id IN (SELECT order_id FROM transactions WHERE client_order_id = ?)';
  return events.all(store, `${one} ${newest}`, order, order, limit).reverse();
}
