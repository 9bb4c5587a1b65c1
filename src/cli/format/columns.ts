import { widthOf, wrapCell } from '../../errors/text-width.js';

type Row = readonly string[];

/** Between two columns. */
export const gap = 2;

/** The last column is not made narrower than this. */
const leastRoom = 20;

/**
 * Rows as aligned columns without a head. A terminal has a `width`: the last column is then broken between words, and
 * where there is no room for it each cell has a line of its own.
 */
export function columns(cells: readonly Row[], width?: number): string {
  // Foreign text must not start a new line.
  const rows = cells.map((row) => row.map((cell) => cell.replaceAll(/[\r\n]+/g, ' ')));
  const widths = widest(rows);
  if (width === undefined || totalWidth(widths) <= width) return rows.map((row) => rowText(row, widths)).join('');
  const room = width - totalWidth([...widths.slice(0, -1), 0]);
  if (room >= leastRoom) return rows.map((row) => rowText(row, [...widths.slice(0, -1), room])).join('');
  return rows.map((row) => stackedText(row, width)).join('');
}

/** The width of each column. */
function widest(rows: readonly Row[]): readonly number[] {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: count }, (_, at) =>
    rows.reduce((most, row) => Math.max(most, widthOf(row[at] ?? '')), 0),
  );
}

/** How wide columns are together. */
export function totalWidth(widths: readonly number[]): number {
  return widths.reduce((sum, each) => sum + each, gap * Math.max(0, widths.length - 1));
}

/** A row as one line, or as several where a cell is wider than its column. */
export function rowText(row: Row, widths: readonly number[], isRight: (at: number) => boolean = () => false): string {
  const cells = row.map((cell, at) => wrapCell(cell, widths[at] ?? 0));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  const lineAt = (line: number) =>
    cells
      .map((lines, at) => {
        const text = lines[line] ?? '';
        const blanks = ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)));
        return isRight(at) ? `${blanks}${text}` : `${text}${blanks}`;
      })
      .join(' '.repeat(gap))
      .trimEnd();
  return Array.from({ length: height }, (_, line) => `${lineAt(line)}\n`).join('');
}

/** A row whose cells stand below its first one. */
function stackedText([first = '', ...others]: Row, width: number): string {
  const indent = (/^ */.exec(first)?.[0].length ?? 0) + gap;
  const below = others.filter((text) => text !== '').flatMap((text) => belowLines(text, indent, width));
  return [...wrapCell(first, width), ...below].map((line) => `${line.trimEnd()}\n`).join('');
}

/** A text below its name. A word that fits the terminal only without the indent has none. */
export function belowLines(cell: string, indent: number, width: number): readonly string[] {
  const room = width - indent;
  return wrapCell(cell, room).map((line) => (widthOf(line) > room ? line : `${' '.repeat(indent)}${line}`));
}
