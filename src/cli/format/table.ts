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
  const head = (at: number) => columns[at]?.head ?? '';
  const texts = (at: number) => [head(at), ...rows.map((row) => cell(row, at))];
  const filled = [...columns.keys()].filter(
    (at) => columns[at]?.below !== true || rows.some((row) => cell(row, at) !== ''),
  );
  const natural = columns.map((_, at) => largest(texts(at), widthOf));
  const least = columns.map(({ flexible }, at) => {
    const whole = natural[at] ?? 0;
    if (flexible !== true || width === undefined) return whole;
    return Math.max(largest(texts(at), leastWidthOf), Math.min(leastFlexible, whole));
  });
  const kept = [...filled];
  const isTooWide = () => width !== undefined && totalWidth(kept.map((at) => least[at] ?? 0)) > width;
  const takeOut = (kind: 'below' | 'optional') => {
    const taken: number[] = [];
    for (;;) {
      const last = kept.findLastIndex((at) => columns[at]?.[kind] === true);
      if (last === -1 || !isTooWide()) return taken;
      taken.unshift(...kept.splice(last, 1));
    }
  };
  const below = takeOut('below');
  const hidden = takeOut('optional').map(head).join(', ');
  if (width !== undefined && isTooWide()) return recordsText(columns, filled, rows, width, dim);
  const widths = narrowed(kept, natural, least, width);
  const isRight = (at: number) => columns[kept[at] ?? 0]?.right === true;
  const lines = rows.map((row) => {
    const lowered = below.filter((at) => cell(row, at) !== '');
    const texts = lowered.flatMap((at) => belowLines(`${head(at)}: ${cell(row, at)}`, 2, width ?? 0));
    const own = kept.map((at) => cell(row, at));
    return rowText(own, widths, isRight) + texts.map((text) => `${text}\n`).join('');
  });
  const heads = kept.map((at) => dim(head(at)));
  const note = hidden === '' ? '' : `${dim(`not shown: ${hidden}; a wider terminal, --json or -o csv shows them`)}\n`;
  return [rowText(heads, widths, isRight), ...lines, note].join('');
}

function largest(texts: readonly string[], of: (text: string) => number): number {
  return texts.reduce((most, text) => Math.max(most, of(text)), 0);
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
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const widths = Array.from({ length: count }, (_, at) =>
    largest(
      rows.map((row) => row[at] ?? ''),
      widthOf,
    ),
  );
  if (width === undefined || totalWidth(widths) <= width) return rows.map((row) => rowText(row, widths)).join('');
  const room = width - totalWidth([...widths.slice(0, -1), 0]);
  if (room >= leastRoom) return rows.map((row) => rowText(row, [...widths.slice(0, -1), room])).join('');
  return rows.map((row) => stackedText(row, width)).join('');
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
