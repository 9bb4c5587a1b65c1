import type { Clock, Database, KeyRandom, SqlRow, SqlValue } from '../../runtime/ports.js';

/** The database, clocks and random source of a sandbox. */
export interface Store {
  readonly database: Database;
  /** The sandbox clock, which can be moved. */
  readonly clock: Clock;
  /** The machine's clock, which is never moved. */
  readonly machine: Clock;
  readonly random: KeyRandom;
  /** Shared by the requests answered in one transaction; undefined outside of it. */
  readonly group?: GroupCommit | undefined;
}

/** The next value of a counter; values never fall, not even after a reset. */
export function nextOf({ database, group }: Store, name: Counter): number {
  if (group !== undefined) return group.next(name);
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

export function metaOf({ database, group }: Store, name: string): string {
  const read = () => text(database.get('SELECT value FROM meta WHERE name = ?', name) ?? {}, 'value');
  return group === undefined ? read() : group.cached(`meta ${name}`, read);
}

export type Counter = 'order' | 'serial' | 'card-ref' | 'recurring';

/** Tables a server adds to with nearly every request. */
export type RowTable = 'orders' | 'transactions' | 'events';
export type NewRow = readonly SqlValue[];

/**
 * State shared by requests answered in one transaction. No other process can write meanwhile, so values are read once,
 * and appended rows are written once, at the end. It cannot undo a single request: code that needs that throws
 * `GroupRollback`.
 */
export interface GroupCommit {
  next(name: Counter | 'transaction'): number;
  /**
   * The result of the first `read` under this name, or what was set since. Only for values that no request changes in
   * another way.
   */
  cached<T>(name: string, read: () => T): T;
  setCached(name: string, value: unknown): void;
  dropCached(name: string): void;
  /** Adds a row, written before the next read, at the latest at the end. */
  add(table: RowTable, row: NewRow): void;
  /** The state without the rows that wait to be written. */
  readonly unflushed: Database;
}

/** One request has to be undone, so the group is answered one by one. */
export class GroupRollback extends Error {}

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

interface Insertion {
  /** How many rows it takes. */
  readonly size: number;
  readonly sql: string;
}

/** The columns are in the order of a row. The largest statements come first. */
const insertions: Readonly<Record<RowTable, readonly Insertion[]>> = {
  orders: insertionsInto(
    `orders (id, login, endpoint_id, client_order_id, amount, currency, digits, redirect_url, page_token, operation, made_at,
      callback_url, notify_url, description, merchant_data, card_id, destination_id)`,
    17,
  ),
  transactions: insertionsInto(
    `transactions (id, order_id, login, client_order_id, kind, amount, status, outcome, step, serial, is_opening, is_told, due_at, made_at,
      processor_id, approval_code, tds_id, acs_id)`,
    18,
  ),
  events: insertionsInto('events (at, machine_at, login, order_id, kind, title, detail, fields)', 8),
};

// One statement for many rows takes half the time. Only a few sizes, so that few statements are prepared.
function insertionsInto(table: string, width: number): Insertion[] {
  const row = `(${'?, '.repeat(width - 1)}?)`;
  return [32, 8, 1].map((size) => ({ size, sql: `INSERT INTO ${table} VALUES ${`${row}, `.repeat(size - 1)}${row}` }));
}

/** Adds a row; in a group it is written together with those of other requests. */
export function addRow({ database, group }: Store, table: RowTable, row: NewRow): void {
  if (group === undefined) insertRows(database, table, [row]);
  else group.add(table, row);
}

/**
 * Adds rows in their order, in one transaction of the caller. Returns the id of the last one, where the table has ids.
 */
export function insertRows(database: Database, table: RowTable, rows: readonly NewRow[]): number {
  let last = 0;
  let at = 0;
  for (const { size, sql } of insertions[table])
    for (; rows.length - at >= size; at += size) {
      const values: SqlValue[] = [];
      for (const row of rows.slice(at, at + size)) values.push(...row);
      last = database.run(sql, ...values).lastId;
    }
  return last;
}
