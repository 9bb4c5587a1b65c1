import { fail } from '../errors/index.js';
import type { SqlRow, SqlValue } from '../runtime/ports.js';
import type { Batch, Event, Request, SeenOrder, Sum } from './port.js';
import { isState, type State } from './states.js';

const columns = new Map<string, string>();

/** The name of a field as the tables have it. */
function columnOf(field: string): string {
  const column = columns.get(field) ?? field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  columns.set(field, column);
  return column;
}

/** The statement that inserts these fields. */
export function insertSql(table: string, fields: readonly string[]): string {
  return `INSERT INTO ${table} (${fields.map(columnOf).join(', ')}) VALUES (${fields.map(() => '?').join(', ')})`;
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
  const { sum, counted } = record as Partial<Request>;
  const flat: Readonly<Record<string, unknown>> = {
    ...{ ...record, ...sum },
    ...{ countedDay: counted?.day, countedUnits: counted?.units, countedCurrency: counted?.currency },
  };
  return fields.map((name) => {
    const value = flat[name] ?? null;
    if (typeof value === 'boolean') return Number(value);
    return typeof value === 'object' && value !== null ? JSON.stringify(value) : (value as SqlValue);
  });
}

/** The fields that say what a request is, and those that a change of its state may write. */
export const contentFields = `kind operation effect base endpoint login profile class clientOrderId orderId
  minor currency digits card4 content payment`.split(/\s+/);
export const movedFields = `state reason changedAt outcome orderId card4 attempt worker begunAt mayHaveArrived
  isElsewhere waitsFor waitsSince countedDay countedUnits countedCurrency`.split(/\s+/);

type Fields = Readonly<Record<string, SqlValue | undefined>>;

/** A row by the names of its fields, without what is null. */
function fieldsOf(row: SqlRow): Fields {
  const fields: Record<string, SqlValue> = {};
  for (const column in row) {
    const value = row[column];
    if (value !== null && value !== undefined) fields[fieldOf(column)] = value;
  }
  return fields;
}

const fieldNames = new Map<string, string>();

function fieldOf(column: string): string {
  const field = fieldNames.get(column) ?? column.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  fieldNames.set(column, field);
  return field;
}

export function requestFrom(row: SqlRow): Request {
  const { minor, currency, digits, countedDay, countedUnits, countedCurrency, payload, askAt, ...fields } =
    fieldsOf(row);
  return {
    ...fields,
    sum: sumFrom(row),
    counted: countedDay === undefined ? undefined : { day: countedDay, units: countedUnits, currency: countedCurrency },
    state: stateFrom(fields['state']),
    outcome: JSON.parse(String(fields['outcome'])),
    mayHaveArrived: fields['mayHaveArrived'] === 1,
    isElsewhere: fields['isElsewhere'] === 1,
  } as unknown as Request;
}

export function batchFrom(row: SqlRow): Batch {
  const fields = fieldsOf(row);
  return { ...fields, head: JSON.parse(String(fields['head'])) } as unknown as Batch;
}

export function seenFrom(row: SqlRow): SeenOrder {
  const { minor, currency, digits, ...fields } = fieldsOf(row);
  return { ...fields, sum: sumFrom(row), outcome: JSON.parse(String(fields['outcome'])) } as unknown as SeenOrder;
}

export function eventFrom(row: SqlRow): Event {
  const { fromState, toState, nonce, ...fields } = fieldsOf(row);
  return { ...fields, from: fromState, to: toState, facts: JSON.parse(String(fields['facts'])) } as unknown as Event;
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
