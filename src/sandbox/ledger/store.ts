import type { Clock, Database, KeyRandom, SqlRow } from '../../runtime/ports.js';

/** The database, clocks and random source of a sandbox. */
export interface Store {
  readonly database: Database;
  /** The sandbox clock, which can be moved. */
  readonly clock: Clock;
  /** The machine's clock, which is never moved. */
  readonly machine: Clock;
  readonly random: KeyRandom;
}

/** The next value of a counter; values never fall, not even after a reset. */
export function nextOf({ database }: Store, name: Counter): number {
  const row = database.get('UPDATE counters SET value = value + 1 WHERE name = ? RETURNING value', name);
  return number(row ?? {}, 'value');
}

/** A number that grows with every request and never falls, not even after a reset. */
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

export function metaOf({ database }: Store, name: string): string {
  return text(database.get('SELECT value FROM meta WHERE name = ?', name) ?? {}, 'value');
}

export type Counter = 'order' | 'serial' | 'card-ref' | 'recurring';

/**
 * The clock for states, forms, holds, callbacks and recurring charges: the machine's clock plus an offset stored in the
 * file. The OAuth window uses the machine's clock (A23).
 */
export function movedClock(database: Database, machine: Clock): Clock {
  return {
    now: () => machine.now() + offsetOf(database),
    monotonic: () => machine.monotonic(),
    sleep: (ms) => machine.sleep(ms),
  };
}

/** Milliseconds the sandbox clock is ahead of the machine's. */
export function offsetOf(database: Database): number {
  const row = database.get("SELECT CAST(value AS INTEGER) AS value FROM meta WHERE name = 'clock-offset'");
  return row === undefined ? 0 : number(row, 'value');
}

export function setOffset(database: Database, ms: number): void {
  database.run(
    "INSERT INTO meta VALUES ('clock-offset', ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
    String(ms),
  );
}

/** Incremented with every change to the tables. */
export const storeVersion = 5;

export const builtinLogin = 'sandbox';
export const builtinEndpointId = '4001';

/** A column that always holds text. */
export function text(row: SqlRow, name: string): string {
  return optionalText(row, name) ?? '';
}

/** Undefined for NULL. Numbers come as their digits. */
export function optionalText(row: SqlRow, name: string): string | undefined {
  const value = row[name];
  return value === undefined || value === null ? undefined : String(value);
}

export function number(row: SqlRow, name: string): number {
  return optionalNumber(row, name) ?? 0;
}

export function optionalNumber(row: SqlRow, name: string): number | undefined {
  const value = row[name];
  return value === undefined || value === null ? undefined : Number(value);
}
