import type { Database, SqlValue } from '../runtime/ports.js';
import type { Store } from './store.js';

/** Tables a server adds to with nearly every request, with their columns in the order of a row. */
const columns = {
  orders: `id, login, endpoint_id, client_order_id, amount, currency, digits, redirect_url, page_token, operation, made_at,
    callback_url, notify_url, description, merchant_data, card_id, destination_id`,
  transactions: `id, order_id, login, client_order_id, kind, amount, status, outcome, step, serial, is_opening, is_told, due_at, made_at,
    processor_id, approval_code, tds_id, acs_id`,
  events: 'at, machine_at, login, order_id, kind, title, detail, fields',
} as const;

export type RowTable = keyof typeof columns;
export type NewRow = readonly SqlValue[];

/** Adds a row; one of a group is written together with those of the other requests. */
export function addRow({ database, group }: Store, table: RowTable, row: NewRow): void {
  if (group === undefined) insertRows(database, table, [row]);
  else group.add(table, row);
}

// One statement for many rows takes half the time. Few sizes, so that few are prepared.
const sizes = [32, 8, 1] as const;

/** Adds rows in their order, in one transaction of the caller. Returns the id of the last one, where the table has ids. */
export function insertRows(database: Database, table: RowTable, rows: readonly NewRow[]): number {
  let last = 0;
  let at = 0;
  for (const size of sizes)
    for (; rows.length - at >= size; at += size) {
      const values: SqlValue[] = [];
      for (const row of rows.slice(at, at + size)) values.push(...row);
      last = database.run(insertion(table, size), ...values).lastId;
    }
  return last;
}

const insertions = new Map<string, string>();

function insertion(table: RowTable, size: number): string {
  const key = `${table} ${size}`;
  const known = insertions.get(key);
  if (known !== undefined) return known;
  const row = `(${columns[table].replace(/\w+/g, '?')})`;
  const made = `INSERT INTO ${table} (${columns[table]}) VALUES ${Array.from({ length: size }, () => row).join(', ')}`;
  insertions.set(key, made);
  return made;
}
