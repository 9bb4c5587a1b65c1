import { leastWidthOf, widthOf, wrapCell } from '../../errors/text-width.js';
import { type Column, type CommandOutput, type Document, flattened, oneLine, type Sheet } from './document.js';

/** Narrower than this a flexible column is only where its texts are shorter. */
const leastFlexible = 12;

/**
 * A table with a header. Only a terminal has a `width`: where it is too narrow, flexible columns are broken between
 * words, some columns stand below their row, and optional ones are left out, which a last line says. Where even that is
 * too wide, each row is a block of names and values. Nothing is cut.
 */
export function tableText({ columns, rows }: Sheet, width: number | undefined, dim: (text: string) => string): string {
  const cell = (row: readonly string[], at: number) => row[at] ?? '';
  const texts = (at: number) => rows.map((row) => cell(row, at));
  const filled = [...columns.keys()].filter(
    (at) => columns[at]?.below !== true || texts(at).some((text) => text !== ''),
  );
  const natural = columns.map(({ head }, at) => largest([head, ...texts(at)], widthOf));
  const least = columns.map(({ head, flexible }, at) => {
    const whole = natural[at] ?? 0;
    if (flexible !== true || width === undefined) return whole;
    return Math.max(largest([head, ...texts(at)], leastWidthOf), Math.min(leastFlexible, whole));
  });
  const { kept, below } = placedColumns(columns, filled, least, width);
  const hidden = filled.filter((at) => !kept.includes(at) && !below.includes(at)).map((at) => columns[at]?.head);
  const note =
    hidden.length === 0
      ? ''
      : `${dim(`not shown: ${hidden.join(', ')}; a wider terminal, --json or -o csv shows them`)}\n`;
  if (width !== undefined && isTooWide(kept, least, width)) return recordsText(columns, filled, rows, width, dim);
  const widths = narrowed(kept, natural, least, width);
  const line = (row: readonly string[]) =>
    rowText(
      kept.map((at) => cell(row, at)),
      widths,
      (at) => columns[kept[at] ?? 0]?.right === true,
    );
  const lines = rows.map((row) => {
    const lowered = below.filter((at) => cell(row, at) !== '');
    const texts = lowered.flatMap((at) => belowLines(`${columns[at]?.head}: ${cell(row, at)}`, 2, width ?? 0));
    return line(row) + texts.map((text) => `${text}\n`).join('');
  });
  return [line(columns.map(({ head }) => dim(head))), ...lines, note].join('');
}

function largest(texts: readonly string[], of: (text: string) => number): number {
  return texts.reduce((most, text) => Math.max(most, of(text)), 0);
}

function isTooWide(kept: readonly number[], widths: readonly number[], width: number): boolean {
  return totalWidth(kept.map((at) => widths[at] ?? 0)) > width;
}

interface PlacedColumns {
  readonly kept: readonly number[];
  /** Printed below their row, a line each. */
  readonly below: readonly number[];
}

/** The columns that a terminal of this width has room for; all of them where there is no terminal. */
function placedColumns(
  columns: readonly Column[],
  filled: readonly number[],
  least: readonly number[],
  width: number | undefined,
): PlacedColumns {
  const kept = [...filled];
  const below: number[] = [];
  const takeOut = (isMeant: (column: Column | undefined) => boolean): number[] => {
    const taken: number[] = [];
    while (width !== undefined && isTooWide(kept, least, width)) {
      const last = kept.findLastIndex((at) => isMeant(columns[at]));
      if (last === -1) break;
      taken.unshift(...kept.splice(last, 1));
    }
    return taken;
  };
  below.push(...takeOut((column) => column?.below === true));
  takeOut((column) => column?.optional === true);
  return { kept, below };
}

/** Takes from the widest column that is wider than it must be, until all fit. */
function narrowed(
  kept: readonly number[],
  natural: readonly number[],
  least: readonly number[],
  width: number | undefined,
): readonly number[] {
  const widths = kept.map((at) => natural[at] ?? 0);
  const spare = (at: number) => (widths[at] ?? 0) - (least[kept[at] ?? 0] ?? 0);
  while (width !== undefined && totalWidth(widths) > width) {
    const able = [...widths.keys()].filter((at) => spare(at) > 0);
    const widest = able.toSorted((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0))[0];
    if (widest === undefined) break;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return widths;
}

/** A block for each row, with an empty line between two. */
function recordsText(
  heads: readonly Column[],
  filled: readonly number[],
  rows: Sheet['rows'],
  width: number,
  dim: (text: string) => string,
): string {
  const blocks = rows.map((row) => {
    const facts = filled.map((at) => [dim(heads[at]?.head ?? ''), row[at] ?? '']).filter(([, text]) => text !== '');
    return columns(facts, width);
  });
  return blocks.join('\n');
}

/** A default table of a result: names and values of one document, or a column for each path of a list. */
export function sheetFor({ list }: Pick<CommandOutput, 'list'>, entries: readonly Document[]): Sheet {
  const rows = entries.map((entry) => flattened(entry));
  const [only] = rows;
  if (list === undefined && only !== undefined)
    return {
      columns: [{ head: 'field' }, { head: 'value', flexible: true }],
      rows: [...only].map((row) => row.map(oneLine)),
    };
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const isNumber = (name: string) => rows.every((row) => /^-?[\d.]*$/.test(row.get(name) ?? ''));
  return {
    columns: names.map((name) => ({ head: oneLine(name), right: isNumber(name), flexible: true })),
    rows: rows.map((row) => names.map((name) => oneLine(row.get(name) ?? ''))),
  };
}

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
