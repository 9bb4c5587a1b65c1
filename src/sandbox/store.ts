import type { Clock, Database, Random } from '../runtime/ports.js';
import { number, text } from './columns.js';

/** What the state of a sandbox is kept with. */
export interface Store {
  readonly database: Database;
  /** The sandbox clock, which can be moved. */
  readonly clock: Clock;
  /** The machine's clock, which nobody moves. */
  readonly machine: Clock;
  readonly random: Random;
}

export type Counter = 'order' | 'serial' | 'card-ref' | 'recurring';

/** The next value of a counter; values only grow, also over a reset. */
export function nextOf({ database }: Store, name: Counter): number {
  const row = database.get('UPDATE counters SET value = value + 1 WHERE name = ? RETURNING value', name);
  return number(row ?? {}, 'value');
}

/** A number that grows with every request and never falls, not even at a reset. */
export function requestsSoFar({ database }: Store): number {
  return number(database.get("SELECT value FROM counters WHERE name = 'serial'") ?? {}, 'value');
}

/** A serial number: unique per request, in the form of a UUID with leading zeros. */
export function nextSerial(store: Store): string {
  return `00000000-0000-0000-0000-${nextOf(store, 'serial').toString(16).padStart(12, '0')}`;
}

export function metaOf({ database }: Store, name: string): string {
  return text(database.get('SELECT value FROM meta WHERE name = ?', name) ?? {}, 'value');
}
