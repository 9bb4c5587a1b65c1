import { isLosslessNumber, parse, stringify } from 'lossless-json';
import type { Paint } from '../../runtime/ports.js';
import { printable, printableJson } from '../../wire/redact.js';
import { membersOf } from '../../wire/reply.js';

/** A result before it is formatted. */
export type Document = Readonly<Record<string, unknown>>;

export interface Column {
  readonly head: string;
  /** Money and counts. */
  readonly right?: boolean;
  /** Broken between words where a terminal is too narrow; never within a word. */
  readonly flexible?: boolean;
  /** Printed on a line below its row where a terminal is too narrow. */
  readonly below?: boolean;
  /** Left out where a terminal is still too narrow, the rightmost such column first. */
  readonly optional?: boolean;
}

/** The parts of the output that formatting depends on. */
export interface Output {
  readonly paint: Paint;
  /** A point in time: for people how long ago, elsewhere in UTC. */
  time(at: number): string;
  /** A table in the available width. */
  sheet(sheet: Sheet): string;
  /** Rows as columns without a head, in the available width. */
  columns(rows: readonly (readonly string[])[]): string;
  /** Lines of --verbose. */
  trace(lines: readonly string[]): void;
}

/** What the layout of a text depends on. */
export type Layout = Pick<Output, 'paint' | 'columns'>;

/** A table; cells may be coloured, and foreign text in them has passed `oneLine`. */
export interface Sheet {
  readonly columns: readonly Column[];
  readonly rows: readonly (readonly string[])[];
}

/** One result of a command, for every output format. */
export interface CommandOutput<D extends Document = Document> {
  /** The document for programs, `schema` first. */
  readonly document: D;
  /** The key of the list in the document: one entry per line with ndjson, one per row with csv. */
  readonly list?: string;
  /** The entries of that list for programs, where all of them may be too many for memory; the list is empty then. */
  readonly entries?: (() => AsyncIterable<Document>) | undefined;
  /** Text for people; the sheet when left out. */
  readonly text?: () => string;
  /** True for text that a terminal must not wrap, such as bytes, code or keys. */
  readonly isExact?: true;
  /** The table, where there is no text. Made from the document when left out. */
  readonly sheet?: () => Sheet;
  /** Printed instead of an empty table. */
  readonly empty?: string;
}

/** The fields of a reply for programs: in the order of the gateway, null, truth values and nested values as they came. */
export function replyDocument(fields: ReadonlyMap<string, string>): Document {
  return Object.fromEntries(membersOf(fields).map(({ name, text, isJson }) => [name, isJson ? jsonValue(text) : text]));
}

/** Plain text where masking a number made the JSON invalid. */
function jsonValue(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** JSON with every digit of its numbers. */
export function exactJson(value: unknown, indent?: number): string {
  return stringify(value, undefined, indent) ?? 'null';
}

/** A line of NDJSON. */
export function jsonLine(document: Document): string {
  return printableJson(`${exactJson(document)}\n`);
}

/** For writers that only know JavaScript numbers: any other becomes text. */
function withPlainNumbers(value: unknown): unknown {
  if (isLosslessNumber(value)) return String(Number(value.value)) === value.value ? Number(value.value) : value.value;
  if (Array.isArray(value)) return value.map(withPlainNumbers);
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withPlainNumbers(each)]));
}

/** The entries of a result: its list, or itself alone. */
export function entriesOf({ document, list }: CommandOutput): readonly Document[] {
  const entries = list === undefined ? undefined : document[list];
  return Array.isArray(entries) ? entries.map((entry) => (isDocument(entry) ? entry : { value: entry })) : [document];
}

/** Whether names mean fields beside a list, such as its `total`, and not fields of each entry. */
export function areBesideList(names: readonly string[], document: Document, [entry]: readonly Document[]): boolean {
  const isPartOf = (whole: Document) => names.every((name) => Object.hasOwn(whole, name.split('.')[0] ?? ''));
  return isPartOf(document) && !(entry !== undefined && isPartOf(entry));
}

/**
 * Only the named parts: `order.orderId` by path, or a field of the gateway's reply by its own name. A missing one is
 * null.
 */
export function selectFields(document: Document, names: readonly string[]): Document {
  return Object.fromEntries(names.map((name) => [name, partOf(document, name) ?? null]));
}

/** One part by its path, or a reply field by its own name. */
export function partOf(document: Document, name: string): unknown {
  return at(document, name.split('.')) ?? at(document, ['result', name]);
}

/** `a,b` as names. */
export function namesIn(select: string | undefined): readonly string[] | undefined {
  const names = select?.split(',').map((name) => name.trim());
  return names?.filter((name) => name !== '');
}

function at(value: unknown, path: readonly string[]): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (!isDocument(value) || !Object.hasOwn(value, head)) return undefined;
  return at(value[head], rest);
}

export function isDocument(value: unknown): value is Document {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/**
 * Nested values as one row of texts by path: `order.orderId`. A list of plain values is one text separated by spaces.
 */
export function flattened(document: Document, prefix = ''): ReadonlyMap<string, string> {
  const cells = Object.entries(document).flatMap(([name, value]): [string, string][] =>
    isDocument(value) ? [...flattened(value, `${prefix}${name}.`)] : [[`${prefix}${name}`, textOf(value)]],
  );
  return new Map(cells);
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (!Array.isArray(value)) return String(value);
  return value.some((each) => typeof each === 'object') ? exactJson(value) : value.join(' ');
}

const jsonToken = /("(?:[^"\\]|\\.)*")(\s*:)?|-?\d[\d.eE+-]*|\b(?:true|false|null)\b/g;

/** JSON text, or a part that splits no value, with coloured keys and values; unchanged without colour. */
export function colouredJson(text: string, paint: Paint): string {
  if (paint.name('x') === 'x') return text;
  return text.replace(jsonToken, (whole, string?: string, colon?: string) => {
    if (string === undefined) return whole === 'null' ? paint.dim(whole) : paint.warn(whole);
    return colon === undefined ? paint.good(string) : `${paint.name(string)}${colon}`;
  });
}

/** Foreign text as a cell: printable, on one line. */
export function oneLine(text: string): string {
  return printable(text).replaceAll(/[\n\t]/g, ' ');
}

/**
 * YAML that 1.1 and 1.2 parsers read alike: what could be read as a number or a boolean is quoted. If the text holds
 * terminal control characters, everything is quoted, with JSON escapes.
 */
export async function yamlText(value: unknown): Promise<string> {
  const yaml = await import('yaml');
  const options = { version: '1.1', aliasDuplicateObjects: false, lineWidth: 0, singleQuote: false } as const;
  const plain = withPlainNumbers(value);
  const text = yaml.stringify(plain, options);
  return printable(text) === text
    ? text
    : printableJson(yaml.stringify(plain, { ...options, defaultStringType: 'QUOTE_DOUBLE' }));
}
