import type { Database } from '../runtime/ports.js';
import type { EventKind, EventRow } from './group.js';
import type { Store } from './store.js';

export type { EventKind };

export interface NewEvent {
  readonly kind: EventKind;
  readonly login?: string | undefined;
  readonly orderId?: string | undefined;
  /** One line for people. Never a card number, a security code or a key. */
  readonly title: string;
  /** Further facts, masked already. */
  readonly detail?: Readonly<Record<string, string>> | undefined;
}

const mostEvents = 50_000;
// Not at every event: the oldest go in one piece.
const sweptEvery = 500;

export const eventTables = `
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, machine_at INTEGER NOT NULL,
    login TEXT, order_id TEXT, kind TEXT NOT NULL, title TEXT NOT NULL, detail TEXT NOT NULL
  );
  CREATE INDEX events_of_order ON events (order_id);
`;

/** Writes down what happened, at the time of both clocks. The newest 50,000 events are kept. */
export function record({ database, clock, machine, group }: Store, event: NewEvent): void {
  const { login = null, orderId = null, kind, title, detail = {} } = event;
  const row: EventRow = [clock.now(), machine.now(), login, orderId, kind, title, JSON.stringify(detail)];
  if (group === undefined) insertEvents(database, [row]);
  else group.record(row);
}

/** Adds lines in their order, in one transaction of the caller. */
export function insertEvents(database: Database, rows: readonly EventRow[]): void {
  for (const row of rows) {
    const { lastId } = database.run(
      'INSERT INTO events (at, machine_at, login, order_id, kind, title, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
      ...row,
    );
    if (lastId % sweptEvery === 0) database.run('DELETE FROM events WHERE id <= ?', lastId - mostEvents);
  }
}
