import type { Clock, Database, Random, SqlRow } from '../runtime/ports.js';
import { integer, key, Table, text } from './table.js';

/** The database, clocks and random source of a sandbox. */
export interface Store {
  readonly database: Database;
  /** The sandbox clock, which can be moved. */
  readonly clock: Clock;
  /** The machine's clock, which is never moved. */
  readonly machine: Clock;
  readonly random: Random;
  /** Orders with a callback that is to arrive before the reply of the request that made it. */
  readonly early: Set<string>;
}

export const meta = new Table('meta', { name: key, value: text });
export const counters = new Table('counters', { name: key, value: integer });

/** A setting of the sandbox; undefined where there is none. */
export function metaValue(store: Pick<Store, 'database'>, name: string): string | undefined {
  return meta.get(store, 'WHERE name = ?', name)?.value;
}

/** Undefined removes it. */
export function setMeta(store: Pick<Store, 'database'>, name: string, value: string | undefined): void {
  if (value === undefined) store.database.run('DELETE FROM meta WHERE name = ?', name);
  else meta.insert(store, { name, value }, 'REPLACE');
}

export type Counter = 'order' | 'serial' | 'card-ref' | 'recurring';

/** The next value of a counter; values never fall, not even after a reset. */
export function nextNumber({ database }: Store, name: Counter): number {
  return numberIn(database.get('UPDATE counters SET value = value + 1 WHERE name = ? RETURNING value', name), 'value');
}

const serialStart = '00000000-0000-0000-0000-';

/** A serial number: unique per request, in the form of a UUID with leading zeros. */
export function nextSerial(store: Store): string {
  return `${serialStart}${nextNumber(store, 'serial').toString(16).padStart(12, '0')}`;
}

/** The clock for states, forms, holds, callbacks and recurring charges. The OAuth window uses the machine's (A23). */
export function movedClock(database: Database, machine: Clock): Clock {
  return {
    now: () => machine.now() + clockOffset({ database }),
    monotonic: () => machine.monotonic(),
    sleep: (ms) => machine.sleep(ms),
  };
}

/** Milliseconds the sandbox clock is ahead of the machine's. */
export function clockOffset(store: Pick<Store, 'database'>): number {
  return Number(metaValue(store, 'clock-offset') ?? 0);
}

export const builtinLogin = 'sandbox';
export const builtinEndpointId = '4001';

/** A moment as RFC 3339, without needless zeros. */
export function timeText(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}

/** 0 for NULL and for no row. */
export function numberIn(row: SqlRow | undefined, name: string): number {
  return Number(row?.[name] ?? 0);
}
