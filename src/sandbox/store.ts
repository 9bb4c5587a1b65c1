import type { Clock, Database, Random } from '../runtime/ports.js';
import { number, text } from './columns.js';
import type { Counter, Group } from './group.js';

/** What the state of a sandbox is kept with. */
export interface Store {
  readonly database: Database;
  /** The sandbox clock, which can be moved. */
  readonly clock: Clock;
  /** The machine's clock, which nobody moves. */
  readonly machine: Clock;
  readonly random: Random;
  /** What the requests that are answered in one transaction have in common; undefined outside of such a transaction. */
  readonly group?: Group | undefined;
}

export type { Counter };

/** The next value of a counter; values only grow, also over a reset. */
export function nextOf({ database, group }: Store, name: Counter): number {
  if (group !== undefined) return group.next(name);
  const row = database.get('UPDATE counters SET value = value + 1 WHERE name = ? RETURNING value', name);
  return number(row ?? {}, 'value');
}

/** A number that grows with every request and never falls, not even at a reset. */
export function requestsSoFar({ database }: Store): number {
  return number(database.get("SELECT value FROM counters WHERE name = 'serial'") ?? {}, 'value');
}

/** A serial number: unique per request, in the form of a UUID with leading zeros. */
export function nextSerial(store: Store): string {
  return `${serialStart}${nextOf(store, 'serial').toString(16).padStart(12, '0')}`;
}

const serialStart = '00000000-0000-0000-0000-';

/** The number behind a serial number; undefined for one that cannot be ours. */
export function numberOfSerial(serial: string): number | undefined {
  const digits = serial.slice(serialStart.length);
  return serial.startsWith(serialStart) && /^[0-9a-f]{12}$/i.test(digits) ? Number.parseInt(digits, 16) : undefined;
}

export function metaOf({ database, group }: Store, name: string): string {
  const read = () => text(database.get('SELECT value FROM meta WHERE name = ?', name) ?? {}, 'value');
  return group === undefined ? read() : group.remember(`meta ${name}`, read);
}
