import type { Database, SqlValue } from '../runtime/ports.js';

/** How a value is kept in a column, and read back. */
interface Column<Value> {
  readonly sql: string;
  readonly read: (stored: SqlValue) => Value;
}

const column = <Value>(sql: string, read: (stored: SqlValue) => Value): Column<Value> => ({ sql, read });

export const text = column('TEXT NOT NULL', String);
export const integer = column('INTEGER NOT NULL', Number);
/** Minor units, as text: sixteen digits do not fit into a number. */
export const minor = column('TEXT NOT NULL', (stored) => BigInt(stored ?? 0));
/** Names its row; where there are several, together. */
export const key = column('TEXT NOT NULL', String);
/** Numbered by the database. */
export const numbered = { ...column('INTEGER PRIMARY KEY', Number), isNumbered: true } as const;
/** The same; no number is given twice, not even after a reset. */
export const numberedOnce = { ...numbered, sql: 'INTEGER PRIMARY KEY AUTOINCREMENT' } as const;
/** A value as JSON. Nobody else writes the file, so it is read as what was written. */
export const json = <Value>() => column<Value>('TEXT NOT NULL', (stored) => JSON.parse(String(stored)));

/** The same, where NULL is undefined. */
export function optional<Value>({ sql, read }: Column<Value>): Column<Value | undefined> {
  return column(sql.replace(' NOT NULL', ''), (stored) => (stored === null ? undefined : read(stored)));
}

/** One of these words. */
export function word<Word extends string>(words: Readonly<Record<Word, unknown>>): Column<Word> {
  const isKnown = (stored: string): stored is Word => Object.hasOwn(words, stored);
  return column('TEXT NOT NULL', (stored) => {
    const found = String(stored);
    if (isKnown(found)) return found;
    throw new Error(`the sandbox file holds an unknown word: ${found}`);
  });
}

type Columns = Readonly<Record<string, Column<unknown>>>;
type Values<C extends Columns> = { readonly [Name in keyof C]: ReturnType<C[Name]['read']> };
type Needed<C extends Columns> = {
  [Name in keyof C]: undefined extends ReturnType<C[Name]['read']>
    ? never
    : C[Name] extends { readonly isNumbered: true }
      ? never
      : Name;
}[keyof C];

/** A row as it is read. */
export type Row<T> = T extends Table<infer C> ? Values<C> : never;
/** A row to be written: what may be NULL may be left out. */
export type NewRow<T> = T extends Table<infer C> ? NewValues<C> : never;
type NewValues<C extends Columns> = Pick<Values<C>, Needed<C>> & Partial<Values<C>>;

interface Holder {
  readonly database: Database;
}

/** A table, whose columns have the names of the properties, in words with underscores. */
export class Table<C extends Columns> {
  readonly name: string;
  /** What creates it. */
  readonly sql: string;
  readonly #columns: readonly (readonly [property: string, name: string, column: Column<unknown>])[];
  readonly #insert: string;

  /** `indexes` follow CREATE, with the name of the table as `@`. The first column names or numbers a row. */
  constructor(name: string, columns: C, indexes: readonly string[] = []) {
    this.name = name;
    this.#columns = Object.entries(columns).map(([property, each]) => [property, columnName(property), each]);
    const lines = this.#columns.map(([, column, { sql }]) => `${column} ${sql}`);
    const keys = this.#columns.filter(([, , each]) => each === key).map(([, column]) => column);
    // Rows are kept in the order of their keys: an index beside the table would be written with each of them.
    const named = `, PRIMARY KEY (${keys.join(', ')})) WITHOUT ROWID`;
    this.sql = [`TABLE @ (${lines.join(', ')}${keys.length === 0 ? ')' : named}`, ...indexes]
      .map((made) => `CREATE ${made.replace('@', name)};`)
      .join('\n');
    const names = this.#columns.map(([, column]) => column);
    this.#insert = `INTO ${name} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`;
  }

  /** Returns the number that the database gave the row, where it numbers them. */
  insert({ database }: Holder, row: NewValues<C>, verb: 'INSERT' | 'INSERT OR IGNORE' | 'REPLACE' = 'INSERT') {
    const given: Readonly<Record<string, unknown>> = row;
    return database.run(`${verb} ${this.#insert}`, ...this.#columns.map(([property]) => toStored(given[property])));
  }

  /** Inserts a row and returns it as it would be read. */
  add(holder: Holder, row: NewValues<C>): Values<C> {
    const { lastId: id } = this.insert(holder, row);
    return { id, ...row } as Values<C>;
  }

  /** `rest` follows FROM and the table. */
  all({ database }: Holder, rest = '', ...values: readonly SqlValue[]): Values<C>[] {
    const rows = database.all(`SELECT ${this.name}.* FROM ${this.name} ${rest}`, ...values);
    return rows.map((row) => this.#read(row));
  }

  /** The first row of `all`. */
  get({ database }: Holder, rest: string, ...values: readonly SqlValue[]): Values<C> | undefined {
    const row = database.get(`SELECT ${this.name}.* FROM ${this.name} ${rest}`, ...values);
    return row === undefined ? undefined : this.#read(row);
  }

  /** Changes a row; undefined becomes NULL. */
  update({ database }: Holder, id: SqlValue, change: Partial<Values<C>>): void {
    const entries = Object.entries(change);
    const set = entries.map(([property]) => `${columnName(property)} = ?`).join(', ');
    const [, name] = this.#columns[0] ?? [];
    const stored = entries.map(([, value]) => toStored(value));
    database.run(`UPDATE ${this.name} SET ${set} WHERE ${name} = ?`, ...stored, id);
  }

  #read(row: Readonly<Record<string, SqlValue>>): Values<C> {
    const read: Record<string, unknown> = {};
    for (const [property, name, { read: from }] of this.#columns) read[property] = from(row[name] ?? null);
    return read as Values<C>;
  }
}

function columnName(property: string): string {
  return property.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}

function toStored(value: unknown): SqlValue {
  if (value === undefined || value === null) return null;
  if (typeof value === 'string' || typeof value === 'number') return value;
  return typeof value === 'bigint' ? String(value) : JSON.stringify(value);
}
