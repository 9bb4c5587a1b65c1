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

export const eventTables = `
  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, machine_at INTEGER NOT NULL,
    login TEXT, order_id TEXT, kind TEXT NOT NULL, title TEXT NOT NULL, detail TEXT NOT NULL
  );
  CREATE INDEX events_of_order ON events (order_id, id);
`;

/** Writes down what happened, at the time of both clocks. */
export function record({ database, clock, machine }: Store, event: NewEvent): void {
  database.run(
    'INSERT INTO events (at, machine_at, login, order_id, kind, title, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
    clock.now(),
    machine.now(),
    event.login ?? null,
    event.orderId ?? null,
    event.kind,
    event.title,
    JSON.stringify(event.detail ?? {}),
  );
}
