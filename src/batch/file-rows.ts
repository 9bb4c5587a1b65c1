import { kindOf } from '../spec/index.js';
import type { GivenRow } from './check-row.js';
import { type Column, fieldFinder, type Naming, nameLabel, readHeader } from './columns.js';
import type { Fault, Piece, Spot } from './fault.js';
import type { FileLayout } from './plan.js';
import { type CsvRecord, readCsv } from './read-csv.js';
import { type JsonRecord, readNdjson } from './read-ndjson.js';

export interface Source {
  readonly format: 'csv' | 'ndjson';
  /** Of CSV. */
  readonly delimiter: string;
  readonly naming: Naming;
  /** Keys that need no column: the profile gives them. */
  readonly elsewhere: ReadonlySet<string>;
}

/** A row of a file by field keys, as far as it can be read. */
export interface FileRow extends GivenRow {
  readonly spot: Spot;
  readonly faults: readonly Fault[];
  /** False where nobody can tell which value belongs to which field. */
  readonly isRead: boolean;
}

export interface Rows {
  readonly rows: readonly FileRow[];
  /** Of no row: the header, or where the file cannot be read on. Nothing follows them. */
  readonly faults: readonly Fault[];
}

/** Reads the rows of a file and learns on the way how it is laid out. */
export class RowReader {
  readonly #source: Source;
  readonly #names = new Map<string, string>();
  #columns: readonly Column[] | undefined;

  constructor(source: Source) {
    this.#source = source;
  }

  /** True once a field was seen that a plan may not keep. */
  get hasCards(): boolean {
    const { fields } = this.#source.naming.row;
    return [...this.#names.values()].some((key) => {
      const kind = fields[key]?.kind;
      return kind !== undefined && kindOf(kind).secrecy === 'card';
    });
  }

  get layout(): FileLayout {
    const columns = (this.#columns ?? []).map(({ key }) => key);
    return { delimiter: this.#source.delimiter, columns, map: columns.length === 0 ? Object.fromEntries(this.#names) : {} };
  }

  async *read(pieces: Iterable<Uint8Array>): AsyncGenerator<Rows> {
    const { format, delimiter } = this.#source;
    if (format === 'csv') yield* rowsOf(readCsv(pieces, delimiter), (record) => this.#csvRow(record));
    else yield* rowsOf(readNdjson(pieces), this.#jsonRow());
    if (format === 'csv' && this.#columns === undefined)
      yield { rows: [], faults: [{ line: 1, why: 'the file is empty; it needs a header' }] };
  }

  /** The first record is the header. */
  #csvRow({ cells, ...spot }: CsvRecord): FileRow | readonly Fault[] {
    if (this.#columns === undefined) {
      const { columns, faults } = readHeader(cells, spot.line, this.#source.naming, this.#source);
      this.#columns = columns;
      for (const { name, key } of columns) if (key !== '') this.#names.set(name, key);
      return faults;
    }
    const { line } = spot;
    const columns = this.#columns;
    const values: Record<string, string> = {};
    cells.forEach((cell, at) => {
      const key = columns[at]?.key;
      if (key !== undefined && cell !== '') values[key] = cell;
    });
    const isRead = cells.length === columns.length;
    const faults = isRead ? [] : [{ line, why: `it has ${cells.length} cells, and the header ${columns.length} columns` }];
    return { line, spot, values, faults, isRead, name: this.nameOf };
  }

  #jsonRow(): (record: JsonRecord) => FileRow {
    const find = fieldFinder(this.#source.naming);
    return ({ entries, faults: own, isRead, ...spot }) => {
      const { line } = spot;
      const values: Record<string, string> = {};
      const faults = [...own];
      for (const [name, text] of entries) {
        const label = nameLabel(name) ?? 'a name';
        const found = find(name);
        if (found.key === undefined) faults.push({ line, field: label, why: `${label} ${found.why}` });
        else if (Object.hasOwn(values, found.key)) faults.push({ line, field: label, why: `${label} and another name are one field` });
        else if (text !== '') {
          this.#names.set(name, found.key);
          values[found.key] = text;
        }
      }
      return { line, spot, values, faults, isRead, name: this.nameOf };
    };
  }

  /** As the file has it; where it has none, or none that may be repeated, as on the wire. */
  readonly nameOf = (key: string): string => {
    for (const [name, each] of this.#names) if (each === key && nameLabel(name) !== undefined) return name;
    return this.#source.naming.row.fields[key]?.wire ?? key;
  };
}

async function* rowsOf<T>(records: AsyncGenerator<Piece<T>>, rowOf: (record: T) => FileRow | readonly Fault[]): AsyncGenerator<Rows> {
  for await (const { records: some, broken } of records) {
    const rows: FileRow[] = [];
    for (const record of some) {
      const row = rowOf(record);
      if ('line' in row) rows.push(row);
      else if (row.length > 0) return yield { rows, faults: row };
    }
    yield { rows, faults: broken === undefined ? [] : [broken] };
  }
}
