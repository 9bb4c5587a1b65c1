import { fail } from '../errors/index.js';
import type { SqlRow, SqlValue } from '../runtime/ports.js';
import type { Dialect, Statement } from './dialect.js';
import type { Newest } from './mark.js';
import type { Request, Sum } from './port.js';
import tablesSql from './postgres.sql';
import { isState, pendingStates, quoted, type State } from './states.js';

export const postgresTablesSql = tablesSql;

/** The same tables, in the words of SQLite. */
export const sqliteTablesSql = tablesSql
  .replace(/rowid bigint GENERATED ALWAYS AS IDENTITY, | DEFAULT session_user/g, '')
  .replace(/\b(bigint|boolean|numeric)\b/g, 'integer')
  .replace(/\bjson\b/g, 'text')
  .replace(/\bfloat8\b/g, 'real')
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
    [...body.matchAll(/(\w+) (text|bigint|boolean|json|numeric|float8)\b/g)].map(
      ([, name = '', type = '']): Column => ({ name, type, field: toField(name) }),
    ),
  ]),
);

function toField(column: string): string {
  if (column === 'from_state' || column === 'to_state') return column.replace('_state', '');
  return column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Columns that are part of a field, or for the store alone. */
const hidden = new Set('rowid ask_at nonce minor currency digits'.split(' '));

/** Those that a record may show, whichever its table. */
const shown = new Map(
  [...columns.values()].flatMap((all) => all.filter(({ name }) => !hidden.has(name)).map((each) => [each.name, each])),
);

/** What a change of a request may write, and what makes it another request. */
export const movedFields =
  `state reason changedAt outcome raised orderId card4 attempt worker begunAt askAt mayHaveArrived
  isElsewhere waitsFor waitsSince counted`.split(/\s+/);
export const contentFields =
  `kind operation effect base endpoint login profile class clientOrderId minor currency digits
  content payment`.split(/\s+/);

/** A record by its columns; what is not in it is null. */
function toRow(record: object, some: readonly Column[], prefix = ''): Readonly<Record<string, unknown>> {
  const fields: Readonly<Record<string, unknown>> = { ...record, ...(record as Partial<Request>).sum };
  return Object.fromEntries(some.map(({ name, field }) => [`${prefix}${name}`, fields[field] ?? null]));
}

const defined = (some: readonly Column[], prefix = '') => some.map(({ name, type }) => `${prefix}${name} ${type}`);

/** A statement that gives as many rows, if all goes well. */
export interface Write extends Statement {
  readonly count: number;
}

/** Adds records to a table; gives a row for each. What has no column is left out. */
export function insert(
  { rows }: Dialect,
  table: string,
  records: readonly object[],
  { end = '', without = '' } = {},
): Write {
  const some = (columns.get(table) ?? []).filter(({ name }) => name !== 'rowid' && name !== without);
  const names = some.map(({ name }) => name).join(', ');
  const sql = `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${rows('fresh', defined(some).join(', '))}
    WHERE true ${end} RETURNING 1 AS done`;
  return { sql, values: [JSON.stringify(records.map((record) => toRow(record, some)))], count: records.length };
}

/** What becomes of a row that is there already. */
export function replacing(table: string): string {
  const names = (columns.get(table) ?? []).map(({ name }) => `${name} = excluded.${name}`);
  return `DO UPDATE SET ${names.join(', ')}`;
}

interface Changed {
  readonly before: object;
  readonly after: object;
}

/** Writes these fields where `same` ones still are as before; gives a row for each that was written. */
export function update(
  { rows }: Dialect,
  table: string,
  { fields, same }: { readonly fields: readonly string[]; readonly same: readonly string[] },
  changed: readonly Changed[],
): Write {
  const all = columns.get(table) ?? [];
  const [set, guards] = [fields, same].map((some) => all.filter(({ field }) => some.includes(field)));
  if (set === undefined || guards === undefined) throw new Error('no columns');
  const record = [...defined(set), ...defined(guards, 'was_')].join(', ');
  const sql = `UPDATE ${table} SET ${set.map(({ name }) => `${name} = fresh.${name}`).join(', ')}
    FROM ${rows('fresh', record)}
    WHERE ${guards.map(({ name }) => `${table}.${name} = fresh.was_${name}`).join(' AND ')} RETURNING 1 AS done`;
  const records = changed.map(({ before, after }) => ({ ...toRow(after, set), ...toRow(before, guards, 'was_') }));
  return { sql, values: [JSON.stringify(records)], count: records.length };
}

/** A record as the port has it, without what is null. */
export function recordFrom<Row>(row: SqlRow): Row {
  const fields: Record<string, unknown> = {};
  for (const name in row) {
    const [column, value] = [shown.get(name), row[name]];
    if (column !== undefined && value !== null) fields[column.field] = valueFrom(value, column.type);
  }
  if (typeof row['minor'] === 'string') fields['sum'] = sumFrom(row);
  return fields as Row;
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
  if (minor === null || minor === undefined) return undefined;
  return { minor: String(minor), currency: String(currency), digits: Number(digits) };
}

/** Whatever the file may hold: nothing is sent on a state that is not known. */
export function stateFrom(value: SqlValue | undefined): State {
  const word = String(value);
  if (isState(word)) return word;
  const how = 'nothing was sent; move the file away and keep it, and restore an unchanged copy';
  throw fail('STORAGE', { what: 'the journal', why: 'a request has an unknown state', how });
}

export const newestSql = 'SELECT id, nonce, at FROM event ORDER BY id DESC LIMIT 1';

export function newestFrom(row: SqlRow | undefined): Newest | undefined {
  return row && { event: Number(row['id']), nonce: String(row['nonce']), at: Number(row['at']) };
}
