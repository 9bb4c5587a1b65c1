import { isLosslessNumber, parse } from 'lossless-json';
import { nameLabel } from './columns.js';
import { notUtf8 } from './csv.js';
import { type Fault, maxRecordBytes, type ParsedChunk, type SourceRange, Utf8Check } from './source.js';

export interface JsonRecord extends SourceRange {
  /** Texts by name; numbers as they were written. */
  readonly entries: readonly (readonly [name: string, text: string])[];
  readonly faults: readonly Fault[];
  /** False for what is no object at all. */
  readonly isRead: boolean;
}

const newline = 10;
const decoder = new TextDecoder();

/** Reads one JSON object per line as a stream. Blank lines are no records. */
export async function* readNdjson(pieces: Iterable<Uint8Array>): AsyncGenerator<ParsedChunk<JsonRecord>> {
  const utf8 = new Utf8Check();
  let [line, from]: readonly [number, number] = [1, 0];
  let rest: Uint8Array = new Uint8Array();
  for (const piece of pieces) {
    const records: JsonRecord[] = [];
    const fault = utf8.faultIn(piece);
    const bytes = joined(rest, piece);
    let start = 0;
    for (let end = bytes.indexOf(newline); end !== -1; end = bytes.indexOf(newline, start)) {
      if (fault === line) break;
      const record = recordOf(bytes.subarray(start, end), { line, from: from + start, bytes: end + 1 - start });
      if (record !== undefined) records.push(record);
      start = end + 1;
      line += 1;
    }
    from += start;
    rest = bytes.subarray(start);
    const broken = fault === undefined ? tooLong(rest, line) : notUtf8(fault);
    yield broken === undefined ? { records } : { records, broken };
    if (broken !== undefined) return;
  }
  const fault = utf8.faultIn(undefined);
  const last = fault === undefined ? recordOf(rest, { line, from, bytes: rest.length }) : undefined;
  const records = last === undefined ? [] : [last];
  yield fault === undefined ? { records } : { records, broken: notUtf8(fault) };
}

/** The one object in these bytes. */
export function readNdjsonRecord(bytes: Uint8Array): JsonRecord['entries'] {
  return recordOf(bytes, { line: 1, from: 0, bytes: bytes.length })?.entries ?? [];
}

function joined(rest: Uint8Array, piece: Uint8Array): Uint8Array {
  if (rest.length === 0) return piece;
  const all = new Uint8Array(rest.length + piece.length);
  all.set(rest);
  all.set(piece, rest.length);
  return all;
}

function tooLong(rest: Uint8Array, line: number): Fault | undefined {
  return rest.length > maxRecordBytes ? { line, why: `it is longer than ${maxRecordBytes / 1024} KiB` } : undefined;
}

function recordOf(bytes: Uint8Array, range: SourceRange): JsonRecord | undefined {
  // Drops a byte order mark as well.
  const text = decoder.decode(bytes);
  if (text.trim() === '') return undefined;
  const long = tooLong(bytes, range.line);
  const read = long === undefined ? objectIn(text) : undefined;
  const wrong = (why: string): Fault => ({ line: range.line, why });
  const named = (name: string, why: string): Fault => {
    const label = nameLabel(name) ?? 'a name';
    return { line: range.line, field: label, why: `${label} ${why}` };
  };
  if (read === undefined)
    return { ...range, entries: [], isRead: false, faults: [long ?? wrong('it is not a single JSON object')] };
  const faults = read.twice.map((name) => named(name, 'is given twice'));
  const entries: [string, string][] = [];
  for (const [name, value] of Object.entries(read.object)) {
    if (typeof value === 'string') entries.push([name, value]);
    else if (isLosslessNumber(value)) entries.push([name, value.toString()]);
    else if (typeof value === 'boolean') entries.push([name, String(value)]);
    else if (value !== null) faults.push(named(name, 'is an object or array; use a string or a number'));
  }
  return { ...range, entries, isRead: true, faults };
}

function objectIn(text: string): { readonly object: object; readonly twice: readonly string[] } | undefined {
  const twice: string[] = [];
  try {
    const value: unknown = parse(text, undefined, { onDuplicateKey: ({ key }) => void twice.push(key) });
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
    return isObject ? { object: value, twice } : undefined;
  } catch {
    return undefined;
  }
}
