import { widthOf } from './table.js';

/** Rows as aligned columns; the last column is not padded. Colour takes no room. */
export function columns(cells: readonly (readonly string[])[], gap = 2): string {
  // Text of others must not begin a line.
  const rows = cells.map((row) => row.map((cell) => cell.replaceAll(/[\r\n]+/g, ' ')));
  const most = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: most }, (_, at) => Math.max(0, ...rows.map((row) => widthOf(row[at] ?? ''))));
  return rows
    .map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : padded(cell, (widths[at] ?? 0) + gap))).join(''))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}
