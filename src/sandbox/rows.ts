import type { Database, SqlValue } from '../runtime/ports.js';
import type { NewRow, RowTable } from './group.js';
import type { Store } from './store.js';

interface Insertion {
  /** How many rows it takes. */
  readonly size: number;
  readonly sql: string;
}

/** The names of the columns are in the order of a row. The largest come first. */
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

// One statement for many rows takes half the time. Few sizes, so that few are prepared.
function insertionsInto(table: string, width: number): Insertion[] {
  const row = `(${'?, '.repeat(width - 1)}?)`;
  return [32, 8, 1].map((size) => ({ size, sql: `INSERT INTO ${table} VALUES ${`${row}, `.repeat(size - 1)}${row}` }));
}

/** Adds a row; one of a group is written together with those of the other requests. */
export function addRow({ database, group }: Store, table: RowTable, row: NewRow): void {
  if (group === undefined) insertRows(database, table, [row]);
  else group.add(table, row);
}

/** Adds rows in their order, in one transaction of the caller. Returns the id of the last one, where the table has ids. */
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
