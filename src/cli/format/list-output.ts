import { printable, printableJson } from '../../wire/redact.js';
import { type Column, type Document, flattened } from './document.js';

/**
 * A head and a row for each document (RFC 4180); columns are paths such as `order.orderId`, in the order they first
 * appear.
 */
export function csvText(documents: readonly Document[]): string {
  const rows = documents.map((document) => flattened(document));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (names.length === 0) return '';
  return [names, ...rows.map((row) => names.map((name) => row.get(name) ?? ''))].map(csvLine).join('');
}

/** One record, with cells escaped so that no spreadsheet runs them as formulas. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${csvCell(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}

// Some programs accept full-width signs, and some skip blanks before a sign.
const formula = /^(?:[\t\r\n\0]|[\s\u{feff}]*[=+\-@\u{ff1d}\u{ff0b}\u{ff0d}\u{ff20}])/u;

/**
 * Text as the content of a CSV cell: an apostrophe before what begins like a formula, so that no spreadsheet runs it,
 * and no terminal control characters. Quoting is left to the caller.
 */
export function csvCell(text: string): string {
  return formula.test(text) ? `'${printable(text)}` : printable(text);
}

/** They may not fit in memory. */
export type Documents = Iterable<Document> | AsyncIterable<Document>;

/** A list; each function starts again from the first entry. */
export interface ListOutput<D extends Document = Document> {
  /** The part of the document before the list, `schema` first. */
  readonly head: D;
  /** The key of the list. */
  readonly list: string;
  readonly entries: () => Documents;
  readonly columns: readonly Column[];
  readonly rows: () => readonly (readonly string[])[] | Promise<readonly (readonly string[])[]>;
  /** Printed instead of an empty table. */
  readonly empty: string;
}

/** The text that `JSON.stringify(document, null, 2)` would give, or the bare list without a head. */
export async function* jsonPieces(
  head: Document | undefined,
  list: string,
  entries: Documents,
): AsyncGenerator<string> {
  const depth = head === undefined ? '' : '  ';
  const before =
    head === undefined ? '' : `${JSON.stringify({ ...head, [list]: 0 }, null, 2).slice(0, -'0\n}'.length)}`;
  const after = head === undefined ? '\n' : '\n}\n';
  let count = 0;
  for await (const entry of entries) {
    const lines = JSON.stringify(entry, null, 2).replaceAll('\n', `\n${depth}  `);
    yield printableJson(`${count === 0 ? `${before}[` : ','}\n${depth}  ${lines}`);
    count += 1;
  }
  yield printableJson(count === 0 ? `${before}[]${after}` : `\n${depth}]${after}`);
}

/** The same in YAML. */
export async function* yamlPieces(
  head: Document | undefined,
  list: string,
  entries: Documents,
): AsyncGenerator<string> {
  const { yamlText } = await import('./yaml.js');
  const before = head === undefined ? '' : yamlText({ ...head, [list]: [] }).replace(/ \[\]\n$/, '\n');
  let count = 0;
  for await (const entry of entries) {
    const text = yamlText([entry]);
    yield `${count === 0 ? before : ''}${head === undefined ? text : text.replaceAll(/^(?=.)/gm, '  ')}`;
    count += 1;
  }
  if (count === 0) yield yamlText(head === undefined ? [] : { ...head, [list]: [] });
}

/** The columns are those of all entries, so the entries are read twice. */
export async function* csvPieces(entries: () => Documents): AsyncGenerator<string> {
  const names = new Set<string>();
  for await (const entry of entries()) for (const name of flattened(entry).keys()) names.add(name);
  if (names.size === 0) return;
  yield csvLine([...names]);
  for await (const entry of entries()) {
    const row = flattened(entry);
    yield csvLine([...names].map((name) => row.get(name) ?? ''));
  }
}
