import { type Info, type Options, type Parser, parse } from 'csv-parse';
import { parse as parseNow } from 'csv-parse/sync';
import { type Fault, maxRecordBytes, type ParsedChunk, type SourceRange, Utf8Check } from './source.js';

export interface CsvRecord extends SourceRange {
  readonly cells: readonly string[];
  /** Between the cells. */
  readonly delimiter: string;
}

/**
 * Reads CSV as a stream. Blank lines are no records; nothing is trimmed. A first line such as `sep=;`, as spreadsheets
 * write it, names the separator and is no record.
 */
export async function* readCsv(
  pieces: Iterable<Uint8Array>,
  delimiter: string,
): AsyncGenerator<ParsedChunk<CsvRecord>> {
  const ranges = new RangeTracker();
  let records: CsvRecord[] = [];
  let parser: Parser | undefined;
  let isEmpty = true;
  const open = (first: Uint8Array) => {
    const named = namedSeparator(first);
    const between = named ?? delimiter;
    return openParser(between, (cells, info) => {
      const range = ranges.next(cells, info);
      if (named !== undefined && range.from === 0) return;
      isEmpty = false;
      records.push({ ...range, cells, delimiter: between });
    });
  };
  const utf8 = new Utf8Check();
  const taken = (): readonly CsvRecord[] => {
    const all = records;
    records = [];
    return all;
  };
  for (const piece of pieces) {
    parser ??= open(piece);
    const line = utf8.faultIn(piece);
    const broken = line === undefined ? await parsePiece(parser, piece, ranges) : notUtf8(line);
    yield broken === undefined ? { records: taken() } : { records: taken(), broken };
    if (broken !== undefined) return;
  }
  const line = utf8.faultIn(undefined);
  const unfinished = line === undefined && parser !== undefined ? await finishParsing(parser, ranges) : undefined;
  const empty = isEmpty ? { line: 1, why: 'the file is empty; it needs a header' } : undefined;
  const broken = line === undefined ? (unfinished ?? empty) : notUtf8(line);
  yield broken === undefined ? { records: taken() } : { records: taken(), broken };
}

/** The one record in these bytes. */
export function readCsvRecord(bytes: Uint8Array, delimiter: string): readonly string[] {
  const [cells = []]: readonly (readonly string[])[] = parseNow(Buffer.from(bytes), format(delimiter));
  return cells;
}

export function notUtf8(line: number): Fault {
  return {
    line,
    why: 'it is not UTF-8 text but perhaps windows-1252 or UTF-16; save it as UTF-8 (in Excel "CSV UTF-8")',
  };
}

function namedSeparator(first: Uint8Array): string | undefined {
  const start = Buffer.from(first.subarray(0, 16)).toString('latin1');
  return /^(?:\xef\xbb\xbf)?"?sep=([,;\t|])"?[\r\n]/i.exec(start)?.[1];
}

function format(delimiter: string): Options {
  return {
    delimiter,
    bom: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    // The reader of the records reports it, with its line.
    relax_column_count: true,
    skip_empty_lines: true,
    max_record_size: maxRecordBytes,
  };
}

function openParser(delimiter: string, take: (cells: readonly string[], info: Info) => void): Parser {
  // Undefined keeps the record out of the parser's own output, which nobody reads.
  const on_record = (cells: string[], info: Info): undefined => {
    take(cells, info);
  };
  const parser = parse({ ...format(delimiter), on_record });
  // The callbacks of write and end report it as well; without a listener the process would end here.
  parser.on('error', () => undefined);
  return parser;
}

function parsePiece(parser: Parser, piece: Uint8Array, ranges: RangeTracker): Promise<Fault | undefined> {
  return new Promise((resolve) => parser.write(piece, (error) => resolve(faultOf(error, ranges))));
}

function finishParsing(parser: Parser, ranges: RangeTracker): Promise<Fault | undefined> {
  return new Promise((resolve) => {
    parser.once('error', (error) => resolve(faultOf(error, ranges)));
    parser.once('finish', () => resolve(undefined));
    parser.end();
  });
}

/** Tracks where records begin; the parser reports only where they end. */
class RangeTracker {
  #line = 1;
  #byte = 0;
  #blank = 0;
  /** Line ends of two bytes inside quotes, which the parser counts twice. */
  #doubled = 0;

  next(cells: readonly string[], { lines, bytes, empty_lines: blank }: Info): SourceRange {
    const range = { line: this.#line + blank - this.#blank, from: this.#byte, bytes: bytes - this.#byte };
    // More lines than the record's first: it has line ends inside quotes.
    if (lines - this.#doubled > range.line) for (const cell of cells) this.#doubled += cell.split('\r\n').length - 1;
    this.#line = lines - this.#doubled + 1;
    this.#byte = bytes;
    this.#blank = blank;
    return range;
  }

  /** The line after the last record. */
  get line(): number {
    return this.#line;
  }
}

function faultOf(error: unknown, ranges: RangeTracker): Fault | undefined {
  if (error === null || error === undefined) return undefined;
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  // The parser's own message quotes the file.
  return { line: ranges.line, why: reasons[code] ?? 'it cannot be read as CSV' };
}

const reasons: Readonly<Record<string, string>> = {
  CSV_MAX_RECORD_SIZE: `it begins a row of more than ${maxRecordBytes / 1024} KiB; perhaps a quote is never closed`,
  CSV_QUOTE_NOT_CLOSED: 'it opens a quote that is never closed',
  CSV_INVALID_CLOSING_QUOTE: 'it has text after a closing quote; a quote inside a cell is written twice',
  INVALID_OPENING_QUOTE: 'it has a quote inside a cell; quote the whole cell, and write the quote twice',
};
