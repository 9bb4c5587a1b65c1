import { fail } from '../errors/index.js';
import type { SqlRow, SqlValue } from '../runtime/ports.js';
import type { Dialect, Statement } from './dialect.js';
import type { Request, Sum } from './port.js';
import tablesSql from './postgres.sql';
import { pendingStates, quoted, type State, states } from './states.js';

export const postgresTablesSql = tablesSql;

/** The same tables, in the words of SQLite. */
export const sqliteTablesSql = tablesSql
  .replace(/rowid bigint GENERATED ALWAYS AS IDENTITY, | DEFAULT session_user/g, '')
  .replace(/\b(bigint|boolean|numeric)\b/g, 'integer')
  .replace(/\bjson\b/g, 'text')
  .replace(/^\)( WITH .*)?;/gm, ') STRICT;');

/** A condition in the very words of its index is what SQLite needs to use it. */
export const pendingSql = `state IN (${quoted(pendingStates)})`;

interface Column {
  readonly name: string;
  readonly type: string;
  /** As the port has it. */
  readonly field: string;
}

const columns = new Map(
  [...tablesSql.matchAll(/^CREATE TABLE (\w+) \(([^;]*)/gm)].map(([, table = '', body = '']) => [
    table,
    [...body.matchAll(/(\w+) (text|bigint|boolean|json|numeric)\b/g)].map(
      ([, name = '', type = '']): Column => ({ name, type, field: toField(name) }),
    ),
  ]),
);

function toField(column: string): string {
  return column.replace(/_state$/, '').replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Columns that are part of a field, or for the store alone. */
const hidden = new Set('rowid ask_at nonce minor currency digits'.split(' '));

/** Those that a record may show, whichever its table. */
const shown = new Map(
  [...columns.values()].flatMap((all) => all.filter(({ name }) => !hidden.has(name)).map((each) => [each.name, each])),
);

/** Without what the database gives by itself. */
function columnsIn(table: string): readonly Column[] {
  return (columns.get(table) ?? []).filter(({ name }) => name !== 'rowid');
}

/** These columns, and records as a list of them; what is not in a record is null. */
function listed({ rows }: Dialect, some: readonly Column[], records: readonly object[]) {
  const toRow = (record: Partial<Request>) => {
    const fields: Readonly<Record<string, unknown>> = { ...record, ...record.sum };
    return Object.fromEntries(some.map(({ name, field }) => [name, fields[field] ?? null]));
  };
  const names = some.map(({ name }) => name);
  const typed = some.map(({ name, type }) => `${name} ${type}`).join(', ');
  return { names, table: rows('fresh', typed), values: [JSON.stringify(records.map(toRow))] };
}

/** The rows that have the values of one of these records, which have the same fields. */
export function select(dialect: Dialect, table: string, records: readonly object[], wanted: string): Statement {
  const [first = {}] = records;
  const some = columnsIn(table).filter(({ field }) => field in first);
  const { names, table: fresh, values } = listed(dialect, some, records);
  const condition = names.map((name) => `${table}.${name} = fresh.${name}`).join(' AND ');
  return { sql: `SELECT ${wanted} FROM ${fresh} JOIN ${table} ON ${condition}`, values };
}

/** Adds records to a table; what has no column is left out. `end` says what becomes of a row that is there already. */
export function insert(dialect: Dialect, table: string, records: readonly object[], end = '', without = ''): Statement {
  const some = columnsIn(table).filter(({ name }) => name !== without);
  const { names, table: fresh, values } = listed(dialect, some, records);
  const sql = `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${fresh} WHERE true ${end} RETURNING 1 AS done`;
  return { sql, values };
}

/** Of an insert: the row that is there already is replaced. */
export function replacing(table: string): string {
  return `DO UPDATE SET ${columnsIn(table)
    .map(({ name }) => `${name} = excluded.${name}`)
    .join(', ')}`;
}

/** A record as the port has it, without what is null. */
export function recordFrom<Row>(row: SqlRow): Row {
  const fields: Record<string, unknown> = {};
  for (const name in row) {
    const [column, value] = [shown.get(name), row[name]];
    if (column !== undefined && value !== null) fields[column.field] = valueFrom(value, column.type);
  }
  const sum = sumFrom(row);
  return { ...fields, ...(sum && { sum }) } as Row;
}

function valueFrom(value: SqlValue | undefined, type: string): unknown {
  if (type === 'json' && typeof value === 'string') return JSON.parse(value);
  return type === 'boolean' ? Boolean(value) : value;
}

export function requestFrom(row: SqlRow): Request {
  stateFrom(row['state']);
  return recordFrom<Request>(row);
}

export function sumFrom({ minor, currency, digits }: SqlRow): Sum | undefined {
  return typeof minor === 'string' ? { minor, currency: String(currency), digits: Number(digits) } : undefined;
}

/** Whatever the file may hold: nothing is sent on a state that is not known. */
export function stateFrom(value: SqlValue | undefined): State {
  if (Object.hasOwn(states, String(value))) return value as State;
  const how = 'nothing was sent; move the file away and keep it, and restore an unchanged copy';
  throw fail('STORAGE', { what: 'the journal', why: 'a request has an unknown state', how });
}
