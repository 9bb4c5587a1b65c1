import { leastWidthOf, widthOf, wrapCell } from '../../errors/text-width.js';
import { columns as alignedText, belowLines, excess, leastWidth, narrowed, rowText } from './columns.js';
import { type Column, type CommandOutput, type Document, flattened, oneLine, type Sheet } from './document.js';

/**
 * A table with a header. Only a terminal has a `width`: optional columns are then left out where there is no room,
 * which a last line says, flexible ones are broken between words, and what stands below its row has lines of its own.
 * Where even that is too wide, each row is a block of names and values. Nothing is cut, and no word is broken.
 */
export function tableText({ columns, rows }: Sheet, width: number | undefined, dim: (text: string) => string): string {
  const sizes = sizesOf(columns, rows, width !== undefined);
  const { kept, below } = placedColumns(columns, sizes, width);
  const shown = [...kept, ...below];
  const hidden = hiddenText(columns, shown, rows, width, dim);
  const least = kept.map((at) => sizes[at]?.least ?? 0);
  if (width !== undefined && excess(least, width) > 0) return recordsText(columns, shown, rows, width, dim) + hidden;
  const natural = kept.map((at) => sizes[at]?.natural ?? 0);
  const widths = width === undefined ? natural : narrowed(natural, least, width);
  const line = (cells: readonly string[]) =>
    rowText(
      kept.map((at) => cells[at] ?? ''),
      widths,
      (at) => columns[kept[at] ?? 0]?.right === true,
    );
  const lines = rows.map((row) => {
    const lowered = below.map((at) => (row[at] ? belowText(columns[at]?.head ?? '', row[at], width) : ''));
    return line(row) + lowered.join('');
  });
  return [line(columns.map(({ head }) => dim(head))), ...lines, hidden].join('');
}

/** Names the columns that are left out although a row has a text in them. */
function hiddenText(
  columns: readonly Column[],
  shown: readonly number[],
  rows: Sheet['rows'],
  width: number | undefined,
  dim: (text: string) => string,
): string {
  const hidden = columns.filter((_, at) => !shown.includes(at) && rows.some((row) => (row[at] ?? '') !== ''));
  if (hidden.length === 0 || width === undefined) return '';
  const names = hidden.map(({ head }) => head).join(', ');
  const lines = wrapCell(`not shown: ${names}; a wider terminal, --json or -o csv shows them`, width);
  return lines.map((each) => `${dim(each)}\n`).join('');
}

const indent = 2;

/** `  reason: …` below a row; what does not fit beside its name stands below it. */
function belowText(head: string, text: string, width: number | undefined): string {
  const name = `${' '.repeat(indent)}${head}:`;
  const start = widthOf(name) + 1;
  const room = width ?? Number.POSITIVE_INFINITY;
  const lines =
    start + leastWidthOf(text) <= room
      ? wrapCell(text, room - start).map((line, at) => `${at === 0 ? `${name} ` : ' '.repeat(start)}${line}`)
      : [name, ...belowLines(text, 2 * indent, room)];
  return lines.map((line) => `${line}\n`).join('');
}

/** A block for each row, with an empty line between two; of two columns, a line or more for each row. */
function recordsText(
  columns: readonly Column[],
  shown: readonly number[],
  rows: Sheet['rows'],
  width: number,
  dim: (text: string) => string,
): string {
  const order = shown.toSorted((a, b) => a - b);
  const heads = columns.map(({ head }) => dim(head));
  const cells = (row: readonly string[]) => order.map((at) => row[at] ?? '');
  if (order.length <= 2) return alignedText([heads, ...rows].map(cells), width);
  const blocks = rows.map((row) => {
    const facts = order.map((at) => [heads[at] ?? '', row[at] ?? '']).filter(([, text]) => text !== '');
    return alignedText(facts, width);
  });
  return blocks.join('\n');
}

interface Size {
  readonly natural: number;
  /** How narrow the column can be. */
  readonly least: number;
}

/** Zero for a column that is left out where no row has a text in it, whatever its head is. */
function sizesOf(columns: readonly Column[], rows: Sheet['rows'], isNarrow: boolean): readonly Size[] {
  const natural = columns.map(() => 0);
  const least = columns.map(() => 0);
  const isFlexible = columns.map((column) => isNarrow && column.flexible === true);
  for (const row of rows)
    for (const [at, width] of natural.entries()) {
      const cell = row[at] ?? '';
      natural[at] = Math.max(width, widthOf(cell));
      if (isFlexible[at] === true) least[at] = Math.max(least[at] ?? 0, leastWidth(cell, columns[at]?.min));
    }
  return columns.map(({ head, below, optional }, at) => {
    const widest = natural[at] ?? 0;
    const isLeftOut = below === true || (isNarrow && optional === 'last');
    if (isLeftOut && widest === 0) return { natural: 0, least: 0 };
    const whole = Math.max(widest, widthOf(head));
    return { natural: whole, least: isFlexible[at] === true ? Math.max(least[at] ?? 0, leastWidthOf(head)) : whole };
  });
}

interface PlacedColumns {
  readonly kept: readonly number[];
  /** Printed below their row, a line each. */
  readonly below: readonly number[];
}

/** The columns that a terminal of this width has room for; all of them where there is no terminal. */
function placedColumns(columns: readonly Column[], sizes: readonly Size[], width: number | undefined): PlacedColumns {
  const filled = [...columns.keys()].filter((at) => sizes[at]?.natural !== 0);
  if (width === undefined) return { kept: filled, below: [] };
  const isTooWide = (all: readonly number[]) =>
    excess(
      all.map((at) => sizes[at]?.least ?? 0),
      width,
    ) > 0;
  const least = filled.filter((at) => columns[at]?.below !== true);
  const kept = [...filled];
  const drop = (from: number[], optional: Column['optional']) => {
    const isDropped = (at: number) => columns[at]?.optional === optional;
    while (isTooWide(from) && from.some(isDropped)) {
      const [dropped = -1] = from.splice(from.findLastIndex(isDropped), 1);
      if (from !== kept) kept.splice(kept.indexOf(dropped), 1);
    }
  };
  drop(least, true);
  const below: number[] = [];
  const isLowered = (at: number) => columns[at]?.below !== undefined;
  while (isTooWide(kept) && kept.some(isLowered)) below.unshift(...kept.splice(kept.findLastIndex(isLowered), 1));
  drop(kept, 'last');
  return { kept, below };
}

/** A default table of documents: a column for each path. */
function sheetOf(documents: readonly Document[]): Sheet {
  const rows = documents.map((document) => flattened(document));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const isNumber = (name: string) => rows.every((row) => /^-?[\d.]*$/.test(row.get(name) ?? ''));
  return {
    columns: names.map((name) => ({ head: oneLine(name), right: isNumber(name), flexible: true })),
    rows: rows.map((row) => names.map((name) => oneLine(row.get(name) ?? ''))),
  };
}

/** One document as names and values. */
function uprightSheet(document: Document): Sheet {
  return {
    columns: [{ head: 'field' }, { head: 'value', flexible: true }],
    rows: [...flattened(document)].map((row) => row.map(oneLine)),
  };
}

/** A default table of a result. */
export function sheetFor({ list }: Pick<CommandOutput, 'list'>, entries: readonly Document[]): Sheet {
  const [only] = entries;
  return list === undefined && only !== undefined ? uprightSheet(only) : sheetOf(entries);
}
