import type { Database } from '../runtime/ports.js';
import type { Pair } from '../wire/form.js';
import type { NewRow } from './group.js';
import { insertRows } from './rows.js';
import type { Store } from './store.js';

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

const mostEvents = 50_000;
// Not at every event: the oldest go in one piece.
const sweptEvery = 500;

export const eventTables = `
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, machine_at INTEGER NOT NULL,
    login TEXT, order_id TEXT, kind TEXT NOT NULL, title TEXT NOT NULL, detail TEXT, fields TEXT
  );
  CREATE INDEX events_of_order ON events (order_id);
`;

/** Writes down what happened, at the time of both clocks. The newest 50,000 events are kept. */
export function record(store: Store, event: NewEvent): void {
  const { clock, machine, database, group } = store;
  const { at = clock.now(), login = null, orderId = null, kind, title, detail, fields } = event;
  const row = [at, machine.now(), login, orderId, kind, title, jsonOf(detail), jsonOf(fields)];
  if (group === undefined) insertEvents(database, [row]);
  else group.add('events', row);
}

function jsonOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** Adds lines in their order, in one transaction of the caller. */
export function insertEvents(database: Database, rows: readonly NewRow[]): void {
  const last = insertRows(database, 'events', rows);
  const isTime = Math.floor(last / sweptEvery) > Math.floor((last - rows.length) / sweptEvery);
  if (isTime) database.run('DELETE FROM events WHERE id <= ?', last - mostEvents);
}
