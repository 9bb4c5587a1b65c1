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
  /** The objects of a JSON list as a table; see `columnTypes`. */
  rows(table: string, columns: readonly string[]): string;
  /** Joins each row of what stands before to the newest requests for which a condition is true. */
  newest(condition: string, limit: number): string;
  readonly least: string;
  readonly greatest: string;
  /** The place of a text in another one, from 1. */
  readonly position: string;
  /** The values of the object `outcome`, as one text. */
  readonly outcomeText: string;
  /** Who approves is the role of the session. */
  readonly hasRoles: boolean;
}

export const sqliteDialect: Dialect = {
  among: (column) => `${column} IN (SELECT value FROM json_each(?))`,
  // With a limit each value is taken out of the JSON once, not at each comparison.
  rows: (table, columns) =>
    `(SELECT ${columns.map((name) => `value ->> '${name}' AS ${name}`).join(', ')} FROM json_each(?) LIMIT -1) AS ${table}`,
  newest: (condition, limit) =>
    `JOIN request ON request.id IN (SELECT id FROM request AS other WHERE ${condition} ORDER BY id DESC LIMIT ${limit})`,
  least: 'min',
  greatest: 'max',
  position: 'instr',
  outcomeText: "(SELECT group_concat(value, ' ') FROM json_each(outcome))",
  hasRoles: false,
};

export const postgresDialect: Dialect = {
  among: (column, type = 'text') => `${column} = ANY (ARRAY(SELECT json_array_elements_text(?::json)::${type}))`,
  rows: (table, columns) =>
    `json_to_recordset(?::json) AS ${table} (${columns.map((name) => `${name} ${columnTypes[name] ?? 'text'}`).join(', ')})`,
  newest: (condition, limit) =>
    `CROSS JOIN LATERAL (SELECT * FROM request AS other WHERE ${condition} ORDER BY id DESC LIMIT ${limit}) AS request`,
  least: 'least',
  greatest: 'greatest',
  position: 'strpos',
  outcomeText: "(SELECT string_agg(value, ' ') FROM json_each_text(outcome))",
  hasRoles: true,
};

/** Columns that hold no text. */
const columnTypes: Readonly<Record<string, 'bigint' | 'json' | 'numeric'>> = {
  ...{ id: 'bigint', number: 'bigint', digits: 'bigint', attempt: 'bigint', was_attempt: 'bigint', request: 'bigint' },
  ...{ created_at: 'bigint', begun_at: 'bigint', changed_at: 'bigint', waits_since: 'bigint', counted_day: 'bigint' },
  ...{ may_have_arrived: 'bigint', is_elsewhere: 'bigint', at: 'bigint', day: 'bigint', since: 'bigint' },
  ...{ pid: 'bigint', seen_at: 'bigint', except_id: 'bigint', place: 'bigint' },
  ...{ difference: 'bigint', units: 'numeric', outcome: 'json', facts: 'json' },
};
