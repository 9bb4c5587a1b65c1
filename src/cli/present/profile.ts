import type { ExplainRow } from '../../config/index.js';
import { printable } from '../../wire/redact.js';
import { columns } from './columns.js';

/** Values with their origins; those that lost to another source are marked. */
export function presentRows(rows: readonly ExplainRow[]): string {
  const lines = rows.map(({ key, value, origin, hidden }) => [key, hidden ? `${value} (hidden)` : value, origin]);
  return columns([['key', 'value', 'from'], ...lines.map((line) => line.map(printable))]);
}
