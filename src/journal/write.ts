import type { Dialect, Statement } from './dialect.js';
import type { Request } from './port.js';
import { assignments, columnNames, columnsOf, contentFields, movedFields } from './rows.js';
import type { State } from './states.js';

/** An event to be added; see `Event`. */
export interface NewEvent {
  readonly request?: number | undefined;
  readonly from?: State | undefined;
  readonly to?: State | undefined;
  readonly reason: string;
  readonly facts?: Readonly<Record<string, unknown>> | undefined;
}

/** A request with what it has to be still. */
export type Moved = Request & { readonly wasState: State; readonly wasAttempt: number };

/** All that a group of changes writes. */
export interface Written {
  readonly inserted: readonly Request[];
  readonly moved: readonly Moved[];
  /** Moved, and to be another request from now on. */
  readonly corrected: readonly Moved[];
  readonly payloads: readonly { readonly request: number; readonly encrypted: string }[];
  readonly events: readonly object[];
  readonly rowsSent: readonly { readonly batch: string; readonly difference: number }[];
  readonly spent: readonly object[];
  readonly workers: readonly object[];
}

const insertedFields = [...new Set(['id', ...contentFields, 'batch', 'number', 'createdAt', ...movedFields])];
const correctedFields = [...new Set([...contentFields, ...movedFields])];
const eventFields = 'id nonce request fromState toState at who reason facts'.split(' ');

/** The first of them give a row for each moved request that still was as it has to be. */
export function writeStatements(dialect: Dialect, written: Written): readonly Statement[] {
  const from = (fields: readonly string[]) => dialect.rows('fresh', columns(fields));
  const move = (fields: readonly string[], records: readonly Moved[]) => {
    const guarded = ['id', 'wasState', 'wasAttempt', ...fields];
    const sql = `UPDATE request SET ${assignments(fields, 'fresh')}, ask_at = NULL FROM ${from(guarded)}
      WHERE request.id = fresh.id AND request.state = fresh.was_state AND request.attempt = fresh.was_attempt`;
    return each(sql, guarded, records);
  };
  const insert = (table: string, fields: readonly string[], records: readonly object[], end = '') => {
    const names = columnNames(fields);
    return each(
      `INSERT INTO ${table} (${names}) SELECT ${names} FROM ${from(fields)} WHERE true ${end}`,
      fields,
      records,
    );
  };
  return [
    ...move(movedFields, written.moved),
    ...move(correctedFields, written.corrected),
    ...insert('request', insertedFields, written.inserted),
    ...insert('payload', ['request', 'encrypted'], written.payloads),
    ...insert('event', eventFields, written.events),
    ...each(
      `UPDATE batch SET rows_left = rows_left + fresh.difference FROM ${from(['batch', 'difference'])}
       WHERE batch.id = fresh.batch AND rows_left IS NOT NULL`,
      ['batch', 'difference'],
      written.rowsSent,
    ),
    ...insert(
      'spent',
      'base login currency day units'.split(' '),
      written.spent,
      'ON CONFLICT (base, login, currency, day) DO UPDATE SET units = spent.units + excluded.units',
    ),
    ...insert(
      'worker',
      'worker host pid boot started seenAt'.split(' '),
      written.workers,
      'ON CONFLICT (worker) DO UPDATE SET seen_at = excluded.seen_at',
    ),
  ];
}

function each(sql: string, fields: readonly string[], records: readonly object[]): readonly Statement[] {
  if (records.length === 0) return [];
  const values = [JSON.stringify(records.map((record) => columnsOf(fields, record)))];
  return [{ sql: `${sql} RETURNING 1 AS done`, values }];
}

function columns(fields: readonly string[]): readonly string[] {
  return Object.keys(columnsOf(fields, {}));
}
