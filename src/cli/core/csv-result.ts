import type { CommandOutput, Document } from '../format/document.js';
import { csvLine, csvText } from '../format/list-output.js';
import { resultNamed } from '../results.js';

/** A result as CSV: its entries, or the header alone of a list without one. `names` are the fields the user chose. */
export function csvResult(
  { document, list }: CommandOutput,
  entries: readonly Document[],
  names: readonly string[] | undefined,
): string {
  if (list === undefined || entries.length > 0) return csvText(entries);
  const schema = /^paycli\.(.+)\/\d+$/.exec(String(document['schema']))?.[1] ?? '';
  const entry = Object.keys(resultNamed(schema)?.entry ?? {});
  // Only an entry that is printed alone, as by --follow, has a schema. A field that has parts is their columns.
  const columns = entry.filter((name) => name !== 'schema' && !entry.some((other) => other.startsWith(`${name}.`)));
  return csvLine(names ?? columns);
}
