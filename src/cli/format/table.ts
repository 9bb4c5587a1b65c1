import { leastWidthOf, widthOf, wrapCell } from '../../errors/text-width.js';
import { columns as alignedText, belowLines, excess, leastWidth, narrowed, rowText } from './columns.js';
import { type Column, type CommandOutput, type Document, flattened, oneLine, type Sheet } from './document.js';

/**
 * A table with a header. Only a terminal has a `width`: optional columns are then left out where there is no room,
 * which a last line says, flexible ones are broken between words, and what stands below its row has lines of its own.
 * Where even that is too wide, each row is a block of names and values. Nothing is cut, and no word is broken.
 */
export function tableText({ columns, rows }: Sheet, width: number | undefined, dim: (text: string) => string): string {
  return [...tableLines(columns, () => rows, width, dim)].join('');
}

/** The same, line by line; the rows are read twice. */
function* tableLines(
  columns: readonly Column[],
  rows: () => Iterable<readonly string[]>,
  width: number | undefined,
  dim: (text: string) => string,
): Generator<string> {
  const sizes = sizesOf(columns, rows(), width !== undefined);
  const { kept, below } = placedColumns(columns, sizes, width);
  const hidden = hiddenColumns(columns, [...kept, ...below], rows());
  const natural = kept.map((at) => sizes[at]?.natural ?? 0);
  const least = kept.map((at) => sizes[at]?.least ?? 0);
  if (width !== undefined && excess(least, width) > 0) {
    yield* recordLines(columns, [...kept, ...below], rows, width, dim);
    yield* hiddenLines(hidden, width, dim);
    return;
  }
  const widths = width === undefined ? natural : narrowed(natural, least, width);
  const isRight = (at: number) => columns[kept[at] ?? 0]?.right === true;
  const headOf = (at: number) => columns[at]?.head ?? '';
  yield rowText(
    kept.map((at) => dim(headOf(at))),
    widths,
    isRight,
  );
  for (const row of rows()) {
    yield rowText(
      kept.map((at) => row[at] ?? ''),
      widths,
      isRight,
    );
    for (const at of below) if (row[at]) yield belowText(headOf(at), row[at], width);
  }
  yield* hiddenLines(hidden, width, dim);
}

/** The columns that are left out although a row has a text in them. */
function hiddenColumns(
  columns: readonly Column[],
  shown: readonly number[],
  rows: Iterable<readonly string[]>,
): readonly string[] {
  const left = new Set([...columns.keys()].filter((at) => !shown.includes(at)));
  const hidden = new Set<number>();
  if (left.size > 0) for (const row of rows) for (const at of left) if ((row[at] ?? '') !== '') hidden.add(at);
  return columns.flatMap(({ head }, at) => (hidden.has(at) ? [head] : []));
}

function* hiddenLines(
  hidden: readonly string[],
  width: number | undefined,
  dim: (text: string) => string,
): Generator<string> {
  if (hidden.length === 0 || width === undefined) return;
  const text = `not shown: ${hidden.join(', ')}; a wider terminal, --json or -o csv shows them`;
  for (const line of wrapCell(text, width)) yield `${dim(line)}\n`;
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
function* recordLines(
  columns: readonly Column[],
  shown: readonly number[],
  rows: () => Iterable<readonly string[]>,
  width: number,
  dim: (text: string) => string,
): Generator<string> {
  const order = shown.toSorted((a, b) => a - b);
  if (order.length <= 2) {
    const heads = columns.map(({ head }) => dim(head));
    yield alignedText(
      [heads, ...rows()].map((row) => order.map((at) => row[at] ?? '')),
      width,
    );
    return;
  }
  let count = 0;
  for (const row of rows()) {
    const facts = order.map((at) => [dim(columns[at]?.head ?? ''), row[at] ?? '']).filter(([, text]) => text !== '');
    yield `${count === 0 ? '' : '\n'}${alignedText(facts, width)}`;
    count += 1;
  }
}

interface Size {
  readonly natural: number;
  /** How narrow the column can be. */
  readonly least: number;
}

/** Zero for a column that is left out where no row has a text in it, whatever its head is. */
function sizesOf(columns: readonly Column[], rows: Iterable<readonly string[]>, isNarrow: boolean): readonly Size[] {
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
