import type { CommandOutput, Document } from '../format/document.js';
import { csvLine, csvText } from '../format/list-output.js';
import { entryFields } from './result-fields.js';
import { partsOf } from './result-parts.js';

/** A result as CSV: its entries, or the header alone of a list without one. `names` are the fields the user chose. */
export function csvResult(
  { document, list }: CommandOutput,
  entries: readonly Document[],
  names: readonly string[] | undefined,
): string {
  if (list === undefined || entries.length > 0) return csvText(entries);
  const schema = /^paycli\.(.+)\/\d+$/.exec(String(document['schema']))?.[1] ?? '';
  const fields = names ?? entryFields(schema).filter(isOfEntry);
  return csvLine(fields.flatMap((field) => columnsOf(schema, field)));
}

/** Only an entry that is printed alone, as by --follow, has a schema. */
function isOfEntry(field: string): boolean {
  return field !== 'schema';
}

function columnsOf(schema: string, field: string): readonly string[] {
  const parts = partsOf(schema, field);
  return parts.length === 0 ? [field] : parts.map((part) => `${field}.${part}`);
}
