import { fail } from '../errors/index.js';
import type { SqlRow, SqlValue } from '../runtime/ports.js';
import type { Newest } from './mark.js';
import type { Approval, Batch, Event, Request, SeenOrder, Sum } from './port.js';
import { isState, type State } from './states.js';

/** The name of a field as the tables have it. */
function columnOf(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The statement that inserts these fields. */
export function insertSql(table: string, fields: readonly string[]): string {
  return `INSERT INTO ${table} (${columnNames(fields)}) VALUES (${fields.map(() => '?').join(', ')})`;
}

export function columnNames(fields: readonly string[]): string {
  return fields.map(columnOf).join(', ');
}

/** `name = ?` for each of these fields; with `from` their values in that row. */
export function assignments(fields: readonly string[], from?: string): string {
  return fields
    .map(columnOf)
    .map((name) => `${name} = ${from === undefined ? '?' : `${from}.${name}`}`)
    .join(', ');
}

/** The values of these fields, for the statements above; what has parts is flat, or JSON. */
export function valuesOf(fields: readonly string[], record: object): readonly SqlValue[] {
  const columns = columnsOf(fields, record);
  return fields.map((name) => {
    const value = columns[columnOf(name)];
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue);
  });
}

/** These fields by their columns. */
export function columnsOf(fields: readonly string[], record: object): Readonly<Record<string, unknown>> {
  const { sum, counted } = record as Partial<Request>;
  const flat: Readonly<Record<string, unknown>> = {
    ...{ ...record, ...sum },
    ...{ countedDay: counted?.day, countedUnits: counted?.units, countedCurrency: counted?.currency },
  };
  return Object.fromEntries(
    fields.map((name) => {
      const value = flat[name] ?? null;
      return [columnOf(name), typeof value === 'boolean' ? Number(value) : value];
    }),
  );
}

/** The fields that say what a request is, and those that a change of its state may write. */
export const contentFields = `kind operation effect base endpoint login profile class clientOrderId orderId
  minor currency digits card4 content payment`.split(/\s+/);
export const movedFields = `state reason changedAt outcome orderId card4 attempt worker begunAt mayHaveArrived
  isElsewhere waitsFor waitsSince countedDay countedUnits countedCurrency`.split(/\s+/);

const fieldNames = new Map<string, string>();

function fieldOf(column: string): string {
  const field = fieldNames.get(column) ?? column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  fieldNames.set(column, field);
  return field;
}

/** Columns that are part of a field, or for the store alone. */
const parts = new Set(
  `minor currency digits counted_day counted_units counted_currency ask_at nonce from_state to_state rowid`.split(' '),
);

/**
 * A row by the names of its fields, without what is null. The columns have the types of the fields; the behaviour suite
 * holds the two together.
 */
function fieldsOf(row: SqlRow): Record<string, unknown> {
  const fields: Record<string, unknown> = {};
  for (const column in row) if (row[column] !== null && !parts.has(column)) fields[fieldOf(column)] = row[column];
  for (const name of ['outcome', 'head', 'facts'])
    if (typeof fields[name] === 'string') fields[name] = JSON.parse(fields[name]);
  if (typeof row['minor'] === 'string') fields['sum'] = sumFrom(row);
  return fields;
}

/** A batch, an approval, or an order seen elsewhere. */
export function rowFrom<Row extends Batch | Approval | SeenOrder>(row: SqlRow): Row {
  return fieldsOf(row) as unknown as Row;
}

export function requestFrom(row: SqlRow): Request {
  const fields = fieldsOf(row);
  fields['state'] = stateFrom(row['state']);
  fields['mayHaveArrived'] = row['may_have_arrived'] === 1;
  fields['isElsewhere'] = row['is_elsewhere'] === 1;
  const { counted_day: day, counted_units: units, counted_currency: currency } = row;
  if (day !== null) fields['counted'] = { day, units, currency };
  return fields as unknown as Request;
}

export function eventFrom(row: SqlRow): Event {
  const { from_state: from, to_state: to } = row;
  return { ...fieldsOf(row), ...(from !== null && { from }), ...(to !== null && { to }) } as unknown as Event;
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
