import { kindOf } from '../../spec/index.js';
import type { FileLayout } from '../plan.js';
import type { InputRow } from './check-row.js';
import { type Column, type ColumnNaming, fieldFinder, nameLabel, readHeader } from './columns.js';
import { type CsvRecord, readCsv } from './csv.js';
import { type JsonRecord, readNdjson } from './ndjson.js';
import type { Fault, ParsedChunk, SourceRange } from './source.js';

export interface InputFormat {
  readonly format: 'csv' | 'ndjson';
  /** Between the cells of CSV; unused for NDJSON. */
  readonly delimiter: string;
  readonly naming: ColumnNaming;
  /** Keys that need no column: the profile has them. */
  readonly elsewhere: ReadonlySet<string>;
}

/** A row of a file by field keys, as far as it can be read. */
export interface FileRow extends InputRow {
  readonly range: SourceRange;
  readonly faults: readonly Fault[];
  /** False where values cannot be assigned to fields: too few or too many cells, or not a JSON object. */
  readonly isRead: boolean;
}

interface RowChunk {
  readonly rows: readonly FileRow[];
  /** Of no row: the header, or where the file cannot be read on. Nothing follows them. */
  readonly faults: readonly Fault[];
}

/** Reads the rows of a file and detects its layout. */
export class FileRows {
  readonly #source: InputFormat;
  readonly #names = new Map<string, string>();
  #columns: readonly Column[] | undefined;
  #delimiter: string | undefined;

  constructor(source: InputFormat) {
    this.#source = source;
  }

  /** True once a row had a field that a plan may not store. */
  get hasCards(): boolean {
    const { fields } = this.#source.naming.row;
    return [...this.#names.values()].some((key) => {
      const kind = fields[key]?.kind;
      return kind !== undefined && kindOf(kind).secrecy === 'card';
    });
  }

  get layout(): FileLayout {
    const columns = (this.#columns ?? []).map(({ key }) => key);
    return {
      delimiter: this.#delimiter ?? this.#source.delimiter,
      columns,
      map: columns.length === 0 ? Object.fromEntries(this.#names) : {},
    };
  }

  async *read(pieces: Iterable<Uint8Array>): AsyncGenerator<RowChunk> {
    const { format, delimiter } = this.#source;
    if (format === 'csv') yield* toRowChunks(readCsv(pieces, delimiter), (record) => this.#csvRow(record));
    else yield* toRowChunks(readNdjson(pieces), this.#jsonRow());
  }

  /** The first record is the header. */
  #csvRow({ cells, delimiter, ...range }: CsvRecord): FileRow | readonly Fault[] {
    if (this.#columns === undefined) {
      const { columns, faults } = readHeader(cells, range.line, this.#source.naming, { ...this.#source, delimiter });
      this.#delimiter = delimiter;
      this.#columns = columns;
      for (const { name, key } of columns) if (key !== '') this.#names.set(name, key);
      return faults;
    }
    const { line } = range;
    const columns = this.#columns;
    const values: Record<string, string> = {};
    cells.forEach((cell, at) => {
      const key = columns[at]?.key;
      if (key !== undefined && cell !== '') values[key] = cell;
    });
    const isRead = cells.length === columns.length;
    const faults = isRead
      ? []
      : [{ line, why: `it has ${cells.length} cells, but the header has ${columns.length} columns` }];
    return { line, range, values, faults, isRead, name: this.nameOf };
  }

  #jsonRow(): (record: JsonRecord) => FileRow {
    const find = fieldFinder(this.#source.naming);
    return ({ entries, faults: own, isRead, ...range }) => {
      const { line } = range;
      const values: Record<string, string> = {};
      const faults = [...own];
      for (const [name, text] of entries) {
        const label = nameLabel(name) ?? 'a name';
        const found = find(name);
        if (found.key === undefined) faults.push({ line, field: label, why: `${label} ${found.why}` });
        else if (Object.hasOwn(values, found.key))
          faults.push({ line, field: label, why: `${label} and another name are the same field` });
        else if (text !== '') {
          this.#names.set(name, found.key);
          values[found.key] = text;
        }
      }
      return { line, range, values, faults, isRead, name: this.nameOf };
    };
  }

  /** A field's name for messages: as in the file; where that is missing or may hold private data, as on the wire. */
  readonly nameOf = (key: string): string => {
    for (const [name, each] of this.#names) if (each === key && nameLabel(name) !== undefined) return name;
    return this.#source.naming.row.fields[key]?.wire ?? key;
  };
}

async function* toRowChunks<T>(
  records: AsyncGenerator<ParsedChunk<T>>,
  rowOf: (record: T) => FileRow | readonly Fault[],
): AsyncGenerator<RowChunk> {
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
