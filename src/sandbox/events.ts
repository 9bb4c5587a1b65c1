import { number } from './columns.js';
import type { Store } from './store.js';

/** Kinds of things that happen to an order, or to a merchant without one. */
export type EventKind = 'request' | 'refusal' | 'stage' | 'page' | 'callback' | 'clock' | 'queue';

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
  CREATE INDEX events_of_order ON events (order_id, id);
`;

/** Writes down what happened, at the time of both clocks. The newest 50,000 events are kept. */
export function record({ database, clock, machine }: Store, event: NewEvent): void {
  const row = database.get(
    'INSERT INTO events (at, machine_at, login, order_id, kind, title, detail) VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING id',
    clock.now(),
    machine.now(),
    event.login ?? null,
    event.orderId ?? null,
    event.kind,
    event.title,
    JSON.stringify(event.detail ?? {}),
  );
  const id = number(row ?? {}, 'id');
  if (id % sweptEvery === 0) database.run('DELETE FROM events WHERE id <= ?', id - mostEvents);
}
