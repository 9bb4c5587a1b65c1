import { printableJson } from '../../wire/redact.js';
import { columnsOf, csvLine } from './csv.js';
import { type CommandOutput, type Document, exactJson, flattened, jsonLine, selectFields } from './document.js';

/**
 * A result whose list may be too long for memory, piece by piece as it is read: JSON and NDJSON as those of the whole, CSV
 * with a column for every field there may be.
 */
export async function* streamText(
  form: 'json' | 'ndjson' | 'csv',
  { document, list = '' }: CommandOutput,
  entries: AsyncIterable<Document>,
  names: readonly string[] | undefined,
): AsyncGenerator<string> {
  const columns = names ?? columnsOf(String(document['schema']));
  const { [list]: _, ...beside } = document;
  const [frame, margin] = names === undefined ? [exactJson({ ...beside, [list]: [] }, 2), '  '] : ['[]', ''];
  const start = frame.slice(0, frame.lastIndexOf(']'));
  if (form !== 'ndjson') yield form === 'csv' ? csvLine(columns) : printableJson(start);
  let before = '';
  for await (const entry of entries) {
    const chosen = names === undefined ? entry : selectFields(entry, names);
    if (form === 'ndjson') yield jsonLine(chosen);
    else if (form === 'csv') yield csvLine(columns.map((name) => flattened(chosen).get(name) ?? ''));
    else yield printableJson(`${before}\n${exactJson(chosen, 2)}`.replaceAll('\n', `\n${margin}  `));
    before = ',';
  }
  if (form === 'json') yield `${before === '' ? '' : `\n${margin}`}${frame.slice(start.length)}\n`;
}

/** The entries of a list that is read piece by piece. */
export async function* documentsOf<Row>(
  rows: AsyncIterable<Row>,
  documentOf: (row: Row) => Document,
): AsyncGenerator<Document> {
  for await (const row of rows) yield documentOf(row);
}
