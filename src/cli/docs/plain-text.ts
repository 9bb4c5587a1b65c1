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
      return [`${block.text}:`];
    case 'terms':
      return termLines(block.terms, width);
    case 'table':
      return tableLines(block.rows, width);
    case 'lines':
      return block.lines.map((line) => (line === '' ? '' : margin + line));
  }
}

const maxTermWidth = 26;

/** Meanings in a column beside their terms, such as flags; a term longer than `maxTermWidth` has a line of its own. */
function termLines(terms: readonly Term[], width: number): string[] {
  const termWidth = Math.max(0, ...terms.map(([term]) => term.length).filter((length) => length <= maxTermWidth));
  const indent = margin + ' '.repeat(termWidth) + margin;
  return terms.flatMap(([term, meaning]) => {
    const [first = '', ...rest] = wrapped(meaning, width - indent.length);
    const beside =
      term.length <= maxTermWidth
        ? [margin + term.padEnd(termWidth) + margin + first]
        : [margin + term, indent + first];
    return [...beside, ...rest.map((line) => indent + line)].map((line) => line.trimEnd());
  });
}

/** Cells that are too wide continue on further lines. */
export function tableLines(rows: readonly (readonly string[])[], width: number): string[] {
  const widths = columnWidths(rows, width);
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
