import { stripVTControlCharacters } from 'node:util';
import { lettersIn, widthOf, wrapText } from '../../errors/text-width.js';
import { printable } from '../../wire/redact.js';
import { type Column, type Document, flattened, type Sheet } from './document.js';

const gap = 2;
const minWidth = 8;

/** A table with a header. Only a terminal has a `width`: flexible columns are then truncated, optional ones dropped. */
export function tableText({ columns, rows }: Sheet, width: number | undefined, dim: (text: string) => string): string {
  return [...tableLines(columns, () => rows, width, dim)].join('');
}

/** The same, line by line; the rows are read twice. */
export function* tableLines(
  columns: readonly Column[],
  rows: () => Iterable<readonly string[]>,
  width: number | undefined,
  dim: (text: string) => string,
): Generator<string> {
  const all = naturalWidths(columns, rows());
  const everyColumn = { kept: filledColumns(columns, all), below: [] };
  const { kept, below } = width === undefined ? everyColumn : placedColumns(columns, all, width);
  const keptCells = <T>(cells: readonly T[]) => kept.flatMap((at) => cells.slice(at, at + 1));
  const [natural, shown] = [keptCells(all), keptCells(columns)];
  const widths = width === undefined ? natural : narrowed(natural, shown, width);
  const line = (cells: readonly string[]) =>
    shown
      .map((column, at) =>
        placed(cut(cells[at] ?? '', widths[at] ?? 0), widths[at] ?? 0, column, at === shown.length - 1),
      )
      .join(' '.repeat(gap))
      .trimEnd();
  yield `${line(shown.map(({ head }) => dim(head)))}\n`;
  for (const row of rows()) {
    yield `${line(keptCells(row))}\n`;
    for (const at of below) {
      const text = row[at] ?? '';
      if (text !== '') yield belowText(`${columns[at]?.head ?? ''}: ${text}`, width);
    }
  }
}

const indent = '  ';

function belowText(text: string, width: number | undefined): string {
  const room = width === undefined ? undefined : width - indent.length;
  return wrapText(text, room)
    .replaceAll(/^.*$/gm, (line) => `${indent}${line}\n`)
    .replaceAll('\n\n', '\n');
}

interface PlacedColumns {
  readonly kept: readonly number[];
  /** Printed below their row, a line each. */
  readonly below: readonly number[];
}

/** All columns but those below their row in which no row has a text. */
function filledColumns(columns: readonly Column[], natural: readonly number[]): readonly number[] {
  return [...columns.keys()].filter((at) => columns[at]?.below !== true || natural[at] !== 0);
}

/** The columns that a terminal of this width has room for. */
function placedColumns(columns: readonly Column[], natural: readonly number[], width: number): PlacedColumns {
  const isBelow = (at: number) => columns[at]?.below === true;
  const below = filledColumns(columns, natural).filter(isBelow);
  const others = [...columns.keys()].filter((at) => !isBelow(at));
  const kept = keptColumns(columns, others, natural, width);
  const all = [...kept, ...below].toSorted((a, b) => a - b);
  const fits =
    excess(
      all.map((at) => natural[at] ?? 0),
      width,
    ) <= 0;
  if (fits) return { kept: all, below: [] };
  const beside = placedBeside(columns, kept, natural, width);
  const lowered = kept.filter((at) => !beside.includes(at));
  return { kept: beside, below: [...lowered, ...below].toSorted((a, b) => a - b) };
}

/** Without those that go below their row only where nothing else makes room, as few as possible. */
function placedBeside(
  columns: readonly Column[],
  candidates: readonly number[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const beside = [...candidates];
  const min = (at: number) => leastWidth(columns[at], natural[at] ?? 0, true);
  for (;;) {
    const lowered = beside.findLastIndex((at) => columns[at]?.below === 'last');
    if (lowered === -1 || excess(beside.map(min), width) <= 0) return beside;
    beside.splice(lowered, 1);
  }
}

/** How narrow a column can be; one that is flexible last only `whenAllAre`. */
function leastWidth(column: Column | undefined, natural: number, whenAllAre = false): number {
  const isFlexible = column?.flexible === true || (whenAllAre && column?.flexible === 'last');
  return isFlexible ? Math.min(natural, leastOf(column)) : natural;
}

/** Zero for a column below its rows in which no row has a text, whatever its head is. */
function naturalWidths(columns: readonly Column[], rows: Iterable<readonly string[]>): readonly number[] {
  const texts = columns.map(() => 0);
  for (const row of rows)
    for (const [at, widest] of texts.entries()) texts[at] = Math.max(widest, widthOf(row[at] ?? ''));
  return columns.map(({ head, below }, at) => {
    const widest = texts[at] ?? 0;
    return below === true && widest === 0 ? 0 : Math.max(widest, widthOf(head));
  });
}

/** How many characters the columns exceed `width` by. */
function excess(widths: readonly number[], width: number): number {
  return widths.reduce((sum, each) => sum + each, gap * (widths.length - 1)) - width;
}

/** Leaves optional columns out, the last one first, until the rest could fit. */
function keptColumns(
  columns: readonly Column[],
  candidates: readonly number[],
  natural: readonly number[],
  width: number,
): readonly number[] {
  const kept = [...candidates];
  const min = (at: number) => leastWidth(columns[at], natural[at] ?? 0);
  for (;;) {
    const dropped = kept.findLastIndex((at) => columns[at]?.optional === true);
    if (dropped === -1 || excess(kept.map(min), width) <= 0) return kept;
    kept.splice(dropped, 1);
  }
}

/** Takes from the widest flexible column until the table fits or nothing more can be taken. */
function narrowed(natural: readonly number[], columns: readonly Column[], width: number): readonly number[] {
  const widths = [...natural];
  const isWider = (each: number, best: number | undefined, column: Column | undefined) =>
    each > Math.max(best ?? 0, leastOf(column));
  const widest = (kind: Column['flexible']) =>
    widths.reduce(
      (best, each, at) => (columns[at]?.flexible === kind && isWider(each, widths[best], columns[at]) ? at : best),
      -1,
    );
  for (;;) {
    const surplus = excess(widths, width);
    const first = widest(true);
    const at = first === -1 ? widest('last') : first;
    if (surplus <= 0 || at === -1) return widths;
    widths[at] = Math.max(leastOf(columns[at]), (widths[at] ?? 0) - Math.max(1, Math.floor(surplus / 2)));
  }
}

function leastOf(column: Column | undefined): number {
  return column?.min ?? minWidth;
}

function placed(cell: string, width: number, column: Column | undefined, isLast: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(cell)));
  if (column?.right === true) return `${blanks}${cell}`;
  return isLast ? cell : `${cell}${blanks}`;
}

const esc = '\u001b';
const codeOrLetter = new RegExp(`(${esc}\\[[\\d;]*m)|.`, 'gsu');

/** Truncates between words if that keeps half of the width. Colour codes have no width and stay. */
function cut(cell: string, width: number): string {
  if (widthOf(cell) <= width) return cell;
  let remaining = lettersIn([...(cell.includes(esc) ? stripVTControlCharacters(cell) : cell)], width - 1);
  let isCut = false;
  return [...cell.matchAll(codeOrLetter)]
    .map(([piece, code]) => {
      if (code !== undefined) return code;
      remaining -= 1;
      if (remaining >= 0) return piece;
      const mark = isCut ? '' : '…';
      isCut = true;
      return mark;
    })
    .join('');
}

/** Foreign text as a cell: printable, on one line. */
export function oneLine(text: string): string {
  return printable(text).replaceAll(/[\n\t]/g, ' ');
}

/** A default table of documents: a column for each path. */
export function sheetOf(documents: readonly Document[]): Sheet {
  const rows = documents.map((document) => flattened(document));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const isNumber = (name: string) => rows.every((row) => /^-?[\d.]*$/.test(row.get(name) ?? ''));
  return {
    columns: names.map((name) => ({ head: oneLine(name), right: isNumber(name), flexible: true })),
    rows: rows.map((row) => names.map((name) => oneLine(row.get(name) ?? ''))),
  };
}

/** One document as names and values. */
export function uprightSheet(document: Document): Sheet {
  return {
    columns: [{ head: 'field' }, { head: 'value' }],
    rows: [...flattened(document)].map((row) => row.map(oneLine)),
  };
}

/** Rows as aligned columns; the last column is not padded. Colour codes have no width. */
export function columns(cells: readonly (readonly string[])[], gap = 2): string {
  // Foreign text must not start a new line.
  const rows = cells.map((row) => row.map((cell) => cell.replaceAll(/[\r\n]+/g, ' ')));
  const columnCount = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columnCount }, (_, at) =>
    Math.max(0, ...rows.map((row) => widthOf(row[at] ?? ''))),
  );
  return rows
    .map((row) =>
      row.map((cell, at) => (at === row.length - 1 ? cell : padded(cell, (widths[at] ?? 0) + gap))).join(''),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

function padded(cell: string, width: number): string {
  return cell + ' '.repeat(Math.max(0, width - widthOf(cell)));
}
