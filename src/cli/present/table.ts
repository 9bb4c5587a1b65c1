import { stripVTControlCharacters } from 'node:util';
import { eastAsianWidth } from 'get-east-asian-width';
import { flat } from './pick.js';
import type { Column, Document, Sheet } from './shown.js';

const gap = 2;
const leastWidth = 8;

/** A table with a head. Only for a terminal is a `width` given; flexible columns are then cut to fit. */
export function tableText({ columns, rows }: Sheet, width: number | undefined, dim: (text: string) => string): string {
  const natural = columns.map(({ head }, at) => Math.max(...[head, ...rows.map((row) => row[at] ?? '')].map(widthOf)));
  const widths = width === undefined ? natural : narrowed(natural, columns, width);
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => placed(cut(cell, widths[at] ?? 0), widths[at] ?? 0, columns[at], at === columns.length - 1))
      .join(' '.repeat(gap))
      .trimEnd();
  return [columns.map(({ head }) => dim(head)), ...rows].map((row) => `${line(row)}\n`).join('');
}

/** Takes from the widest flexible column until the table fits or nothing more can be taken. */
function narrowed(natural: readonly number[], columns: readonly Column[], width: number): readonly number[] {
  const widths = [...natural];
  for (;;) {
    const over = widths.reduce((sum, each) => sum + each, gap * (widths.length - 1)) - width;
    const widest = widths.reduce((best, each, at) => (columns[at]?.flexible === true && each > (widths[best] ?? 0) ? at : best), -1);
    const most = widths[widest] ?? 0;
    if (over <= 0 || most <= leastWidth) return widths;
    widths[widest] = Math.max(leastWidth, most - Math.max(1, Math.floor(over / 2)));
  }
}

function placed(cell: string, width: number, column: Column | undefined, isLast: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(cell)));
  if (column?.right === true) return `${blanks}${cell}`;
  return isLast ? cell : `${cell}${blanks}`;
}

const esc = '\u001b';
const codeOrLetter = new RegExp(`(${esc}\\[[\\d;]*m)|.`, 'gsu');

/** Colour codes take no room and stay, so that what was painted ends. */
function cut(cell: string, width: number): string {
  if (widthOf(cell) <= width) return cell;
  let room = width - 1;
  let isFull = false;
  return [...cell.matchAll(codeOrLetter)]
    .map(([piece, code]) => {
      if (code !== undefined) return code;
      if (isFull) return '';
      room -= widthOf(piece);
      isFull = room < 0;
      return isFull ? '…' : piece;
    })
    .join('');
}

/** Columns a text takes on a terminal. */
export function widthOf(text: string): number {
  const plain = text.includes(esc) ? stripVTControlCharacters(text) : text;
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  return [...plain].reduce((sum, letter) => sum + (/\p{M}|\p{Cf}/u.test(letter) ? 0 : eastAsianWidth(letter.codePointAt(0) ?? 0)), 0);
}

/** A table of documents that brought none of their own: a column for each path. */
export function sheetOf(documents: readonly Document[]): Sheet {
  const rows = documents.map((document) => flat(document));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  const isNumber = (name: string) => rows.every((row) => /^-?[\d.]*$/.test(row.get(name) ?? ''));
  return {
    columns: names.map((head) => ({ head, right: isNumber(head), flexible: true })),
    rows: rows.map((row) => names.map((name) => row.get(name) ?? '')),
  };
}

/** One document as names and values. */
export function uprightSheet(document: Document): Sheet {
  return { columns: [{ head: 'field' }, { head: 'value' }], rows: [...flat(document)] };
}
