import type { SqlRow, SqlValue } from '../runtime/ports.js';

/** One statement; it gives rows, and `?` stands for its values. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly SqlValue[];
}

/**
 * Work within one transaction: it hands out statements that do not depend on each other, and gets the rows of other. So
 * the same work is done at once in SQLite, and with one message for each step in PostgreSQL.
 */
export type Change<Result> = Generator<readonly Statement[], Result, readonly (readonly SqlRow[])[]>;

/** Within a change. */
export function* ask(sql: string, ...values: readonly SqlValue[]): Change<readonly SqlRow[]> {
  const [rows = []] = yield [{ sql, values }];
  return rows;
}

/** What SQLite and PostgreSQL spell differently. */
export interface Dialect {
  /** The condition that a column is among the values of a JSON list. */
  among(column: string, type?: 'text' | 'bigint'): string;
  /** The objects of a JSON list as a table of these columns: their names, each with its type. */
  rows(table: string, columns: string): string;
  /** Joins each row of what stands before to the newest requests for which a condition is true. */
  newest(condition: string, limit: number): string;
  /** The values of the object `outcome`, as one text. */
  readonly outcomeText: string;
}

export const sqliteDialect: Dialect = {
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  // With a limit each object is parsed once, not for each value, and each value is taken out once, not at each comparison.
  rows: (table, columns) => `(SELECT ${columns.replace(/(\w+) \w+/g, "value ->> '$1' AS $1")}
    FROM (SELECT jsonb(value) AS value FROM json_each(?) LIMIT -1) LIMIT -1) AS ${table}`,
  newest: (condition, limit) =>
    `JOIN request ON request.id IN (SELECT id FROM request AS other WHERE ${condition} ORDER BY id DESC LIMIT ${limit})`,
  outcomeText: "(SELECT group_concat(value, ' ') FROM json_each(outcome))",
};

export const postgresDialect: Dialect = {
  among: (column, type = 'text') => `${column} = ANY (ARRAY(SELECT json_array_elements_text(?::json)::${type}))`,
  rows: (table, columns) => `json_to_recordset(?::json) AS ${table} (${columns})`,
  newest: (condition, limit) =>
    `CROSS JOIN LATERAL (SELECT * FROM request AS other WHERE ${condition} ORDER BY id DESC LIMIT ${limit}) AS request`,
  outcomeText: "(SELECT string_agg(value, ' ') FROM json_each_text(outcome))",
};
