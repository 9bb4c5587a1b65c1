import { leastWidthOf, widthOf, wrapCell } from '../../errors/text-width.js';

/** Between two columns. */
export const gap = 2;

/** A column is made narrower than this only by texts that are shorter. */
const usualLeast = 12;

/**
 * Rows as aligned columns without a head. A terminal has a `width`: texts are then broken between words within their
 * column. A row whose words are too long for that has its cells on lines of their own, below the first; of more than
 * two columns, all rows then have.
 */
export function columns(cells: readonly (readonly string[])[], width?: number): string {
  // Foreign text must not start a new line.
  const rows = cells.map((row) => row.map((cell) => cell.replaceAll(/[\r\n]+/g, ' ')));
  const natural = widest(rows, widthOf);
  if (width === undefined || excess(natural, width) <= 0) return rows.map((row) => rowText(row, natural)).join('');
  const standing = standingRows(rows, width);
  const widths = narrowed(widest(standing, widthOf), leastWidths(standing), width);
  const stands = new Set(standing);
  const indent = (/^ */.exec(rows[0]?.[0] ?? '')?.[0].length ?? 0) + gap;
  return rows.map((row) => (stands.has(row) ? rowText(row, widths) : stackedText(row, indent, width))).join('');
}

type Row = readonly string[];

/** The rows whose columns can be made narrow enough. */
function standingRows(rows: readonly Row[], width: number): readonly Row[] {
  let standing = rows;
  while (excess(leastWidths(standing), width) > 0) {
    if (rows.some((row) => row.length > 2)) return [];
    const least = standing.map((row) => excess(leastWidths([row]), width));
    standing = standing.toSpliced(least.indexOf(Math.max(...least)), 1);
  }
  return standing;
}

/** The first column, which has the names, is not made narrower. */
function leastWidths(rows: readonly Row[]): readonly number[] {
  return widest(rows, (cell, at) => (at === 0 ? widthOf(cell) : leastWidth(cell)));
}

/** The narrowest column for a text: its longest word, and not less than is good to read. */
export function leastWidth(cell: string, least = usualLeast): number {
  return Math.max(Math.min(widthOf(cell), least), leastWidthOf(cell));
}

function widest(rows: readonly Row[], of: (cell: string, at: number) => number): readonly number[] {
  const count = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: count }, (_, at) => Math.max(0, ...rows.map((row) => of(row[at] ?? '', at))));
}

/** How many characters the columns exceed `width` by. */
export function excess(widths: readonly number[], width: number): number {
  return widths.reduce((sum, each) => sum + each, gap * Math.max(0, widths.length - 1)) - width;
}

/** Takes from the widest column that is wider than it must be, until all fit or nothing more can be taken. */
export function narrowed(natural: readonly number[], least: readonly number[], width: number): readonly number[] {
  const widths = [...natural];
  const spare = (at: number) => (widths[at] ?? 0) > (least[at] ?? 0);
  while (excess(widths, width) > 0) {
    const at = widths.reduce((best, each, one) => (spare(one) && each > (widths[best] ?? 0) ? one : best), -1);
    if (at === -1) return widths;
    widths[at] = (widths[at] ?? 0) - 1;
  }
  return widths;
}

/** A row as one line, or as several where a cell is wider than its column. */
export function rowText(row: Row, widths: readonly number[], isRight: (at: number) => boolean = () => false): string {
  const cells = row.map((cell, at) => wrapCell(cell, widths[at] ?? 0));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  const isLast = (at: number) => at === row.length - 1;
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, at) => {
        const text = lines[line] ?? '';
        const blanks = isLast(at) && !isRight(at) ? '' : ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)));
        return isRight(at) ? `${blanks}${text}` : `${text}${blanks}`;
      })
      .join(' '.repeat(gap))
      .trimEnd(),
  )
    .map((line) => `${line}\n`)
    .join('');
}

/** A row whose cells follow each other where they fit beside the one before, and else on a line of their own. */
function stackedText([first = '', ...others]: Row, indent: number, width: number): string {
  const lines = first === '' ? [] : [...wrapCell(first, width)];
  for (const cell of others.filter((text) => text !== '')) {
    const last = lines.at(-1);
    if (others.length > 1 && last !== undefined && widthOf(last) + gap + widthOf(cell) <= width)
      lines[lines.length - 1] = `${last}${' '.repeat(gap)}${cell}`;
    else lines.push(...belowLines(cell, indent, width));
  }
  return lines.map((line) => `${line.trimEnd()}\n`).join('');
}

/** A text below its name. A word that fits the terminal only without the indent has none. */
export function belowLines(cell: string, indent: number, width: number): readonly string[] {
  const room = width - indent;
  return wrapCell(cell, room).map((line) => (widthOf(line) > room ? line : `${' '.repeat(indent)}${line}`));
}
