import { isPaycliError } from '../errors/index.js';
import type { Database, SqlRow, SqlValue } from '../runtime/ports.js';

/**
 * Reads the rows of a query as one text: in a third of the time they take one by one. Rows that JSON cannot hold, such
 * as those with a blob in a text column, are read the slow way.
 */
export function rowsOf(database: Database, columns: readonly string[], query: string, ...values: SqlValue[]): SqlRow[] {
  try {
    const sql = `SELECT json_group_array(json_array(${columns.join(', ')})) AS page FROM (${query})`;
    const rows: SqlValue[][] = JSON.parse(String(database.get(sql, ...values)?.['page']));
    return rows.map((row) => rowFrom(columns, row));
  } catch (error) {
    if (isPaycliError(error)) throw error;
    return database.all(query, ...values);
  }
}

function rowFrom(columns: readonly string[], values: readonly SqlValue[]): SqlRow {
  const row: Record<string, SqlValue> = {};
  for (const [at, name] of columns.entries()) row[name] = values[at] ?? null;
  return row;
}

/**
 * The rows of a query with `id > ?` and `ORDER BY id LIMIT ?` at its end, a page at a time: memory does not grow
 * with their number.
 */
export function* pagesOf(
  read: (after: number, max: number) => SqlRow[],
  first = Number.MIN_SAFE_INTEGER,
): Generator<SqlRow[]> {
  for (let after = first; ; ) {
    const rows = read(after, pageSize);
    if (rows.length > 0) yield rows;
    if (rows.length < pageSize) return;
    after = Number(rows.at(-1)?.['id']);
  }
}

/** Rows read at a time. */
export const pageSize = 500;
