import { csvCell } from '../../wire/csv-cell.js';
import { flat } from './pick.js';
import type { Document } from './shown.js';

/** A head and a row for each document (RFC 4180); columns are paths such as `order.orderId`, in the order they first come up. */
export function csvText(documents: readonly Document[]): string {
  const rows = documents.map((document) => flat(document));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (names.length === 0) return '';
  return [names, ...rows.map((row) => names.map((name) => row.get(name) ?? ''))].map(csvLine).join('');
}

/** One record; no spreadsheet runs a cell of it. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => `"${csvCell(cell).replaceAll('"', '""')}"`).join(',')}\r\n`;
}
