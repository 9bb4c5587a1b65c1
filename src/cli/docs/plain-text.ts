import { wordLines } from '../../errors/text-width.js';
import type { Block, Term } from './block.js';

/** Blanks before terms and verbatim lines, and between columns. */
const gap = 2;
const margin = ' '.repeat(gap);

/** Blocks as plain text, no line wider than `width`; verbatim lines must be short enough themselves. */
export function plainText(blocks: readonly Block[], width: number): string {
  return blocks
    .map((block, at) => `${hasNoLineBefore(blocks, at) ? '' : '\n'}${linesOf(block, width).join('\n')}\n`)
    .join('');
}

/** The first block, and what follows a heading, has no empty line before it. */
function hasNoLineBefore(blocks: readonly Block[], at: number): boolean {
  return at === 0 || blocks[at - 1]?.kind === 'heading';
}

function linesOf(block: Block, width: number): readonly string[] {
  switch (block.kind) {
    case 'text':
      return wrapped(block.text, width);
    case 'heading':
      return wrapped(`${block.text}:`, width);
    case 'terms':
      return termLines(block.terms, width);
    case 'table':
      return tableLines(block.rows, width);
    case 'lines':
      return block.lines.map((line) => (line === '' ? '' : margin + line));
  }
}

const maxTermWidth = 26;
// Where a cell or meaning would get fewer columns than this, it stands below instead of beside.
const leastBeside = 24;

/** Meanings in a column beside their terms, such as flags; a term longer than `maxTermWidth` has a line of its own. */
function termLines(terms: readonly Term[], width: number): string[] {
  const termWidth = Math.max(0, ...terms.map(([term]) => term.length).filter((length) => length <= maxTermWidth));
  const indent = margin + ' '.repeat(termWidth) + margin;
  return terms.flatMap(([term, meaning]) => {
    const beside = wrapped(meaning, width - indent.length);
    if (!isBullet(term) && !fitsBeside(beside, width - indent.length, width))
      return [
        ...indented(wrapped(term, width - gap), margin),
        ...indented(wrapped(meaning, width - 3 * gap), margin.repeat(3)),
      ];
    const [first = '', ...rest] = beside;
    const lines =
      term.length <= maxTermWidth
        ? [margin + term.padEnd(termWidth) + margin + first]
        : [...indented(wrapped(term, width - gap), margin), indent + first];
    return [...lines, ...indented(rest, indent)].map((line) => line.trimEnd());
  });
}

function isBullet(term: string): boolean {
  return /^(?:-|\d+\.)$/.test(term);
}

/** Text for people stays as it is on the usual width; on a narrower one it needs room for a few words. */
function fitsBeside(lines: readonly string[], room: number, width: number): boolean {
  return width >= narrowTable || (room >= leastBeside && lines.every((line) => line.length <= room));
}

/** Cells that are too wide continue on further lines. */
export function tableLines(rows: readonly (readonly string[])[], width: number): string[] {
  const widths = columnWidths(rows, width);
  if (width < narrowTable && !everyWordFits(rows, widths)) return rowBlocks(rows, width);
  return rows.flatMap((row) => {
    const cells = row.map((cell, at) => wrapped(cell, widths[at] ?? 0));
    const height = Math.max(...cells.map((cell) => cell.length));
    return Array.from({ length: height }, (_, line) =>
      cells
        .map((cell, at) => (cell[line] ?? '').padEnd(widths[at] ?? 0))
        .join(margin)
        .trimEnd(),
    );
  });
}

// Manual pages are this wide; their tables stay tables.
const narrowTable = 72;

/** False where a column is narrower than its longest word, which would be broken or push the others aside. */
function everyWordFits(rows: readonly (readonly string[])[], widths: readonly number[]): boolean {
  return rows.every((row) =>
    row.every((cell, at) => wrapped(cell, widths[at] ?? 0).every((line) => line.length <= (widths[at] ?? 0))),
  );
}

/** A block for each row, each cell behind the head of its column. */
function rowBlocks([head = [], ...rows]: readonly (readonly string[])[], width: number): string[] {
  return rows.flatMap((row, place) => [
    ...(place === 0 ? [] : ['']),
    ...row.flatMap((cell, at) => {
      const [first = '', ...rest] = wrapped(cell === '' ? '' : `${head[at] ?? ''}: ${cell}`, width - gap);
      return first === '' ? [] : [first, ...indented(rest, margin)];
    }),
  ]);
}

function indented(lines: readonly string[], by: string): string[] {
  return lines.map((line) => (by + line).trimEnd());
}

/** As wide as the cells need; while all together are too wide, the widest column loses a character. */
function columnWidths(rows: readonly (readonly string[])[], width: number): number[] {
  const columnCount = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columnCount }, (_, at) => Math.max(...rows.map((row) => (row[at] ?? '').length)));
  const room = width - gap * (columnCount - 1);
  while (widths.reduce((sum, each) => sum + each, 0) > room)
    widths[widths.indexOf(Math.max(...widths))] = Math.max(...widths) - 1;
  return widths;
}

/** Lines of whole words; a text in backticks is one word, and one longer than the width has a line of its own. */
export function wrapped(text: string, width: number): string[] {
  const lines = wordLines(text.match(/(?:`[^`]*`|[^\s`])+/g) ?? [], width);
  return lines.length === 0 ? [''] : lines;
}
