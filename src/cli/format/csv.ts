import { printable } from '../../wire/redact.js';
import { resultNamed } from '../results.js';
import { type CommandOutput, type Document, flattened } from './document.js';

/**
 * A head and a row for each entry (RFC 4180), or the head alone of an empty list; columns are paths such as
 * `order.orderId`, in the order they first appear. `names` are the fields the user chose.
 */
export function csvText(
  { document, list }: CommandOutput,
  entries: readonly Document[],
  names: readonly string[] | undefined,
): string {
  if (list !== undefined && entries.length === 0) return csvLine(names ?? columnsOf(String(document['schema'])));
  const rows = entries.map((entry) => flattened(entry));
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (columns.length === 0) return '';
  return [columns, ...rows.map((row) => columns.map((name) => row.get(name) ?? ''))].map(csvLine).join('');
}

/** Only an entry that is printed alone has a schema. A field that has parts is their columns. */
export function columnsOf(schema: string): readonly string[] {
  const names = resultNamed(/^paycli\.(.+)\/\d+$/.exec(schema)?.[1] ?? '')?.entry ?? [];
  return names.filter((name) => name !== 'schema' && !names.some((other) => other.startsWith(`${name}.`)));
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
