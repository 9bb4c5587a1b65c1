import type { Block } from '../block.js';
import { tableLines } from '../plain-text.js';

/** Columns that are left for tables on a terminal of 80: a page indents by 7. */
const tableWidth = 72;

const marks: Readonly<Record<string, string>> = {
  '\\': '\\e',
  '-': '\\-',
  '"': '\\(dq',
  "'": '\\(aq',
  '`': '\\(ga',
  '^': '\\(ha',
  '~': '\\(ti',
  '…': '...',
  '’': '\\(aq',
};

/**
 * Text in which no character means anything to roff. It may not begin a line by itself where it begins with a dot: see
 * `line`.
 */
function escaped(text: string): string {
  return text.replace(/[\\\-"'`^~]|[^\x20-\x7e]/gu, (letter) => marks[letter] ?? `\\[u${code(letter)}]`);
}

function code(letter: string): string {
  return (letter.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0');
}

/** A line of its own: a dot or an apostrophe at its beginning is no request. */
function line(text: string): string {
  return /^[.']/.test(text) ? `\\&${text}` : text;
}

export function bold(text: string): string {
  return `\\fB${escaped(text)}\\fR`;
}

/** Prose; what stands in backticks is bold. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (/^`.*`$/s.test(part) ? bold(part.slice(1, -1)) : escaped(part)))
    .join('');
}

export function section(title: string): string {
  return `.SH ${quoted(title)}\n`;
}

/** A whole page of its parts: right below a heading no paragraph begins anew. */
export function page(parts: readonly string[]): string {
  return parts.join('').replace(/^(\.S[HS] .*\n)\.PP\n/gm, '$1');
}

export function subsection(title: string): string {
  return `.SS ${quoted(title)}\n`;
}

/** An argument of a macro. */
function quoted(text: string): string {
  return `"${escaped(text)}"`;
}

export function paragraph(text: string): string {
  return `.PP\n${line(prose(text))}\n`;
}

/** A term, already in roff, and what it means. */
export function item(term: string, meaning: string): string {
  return `.TP\n${line(term)}\n${line(prose(meaning))}\n`;
}

/** Lines as they are. */
export function literal(lines: readonly string[]): string {
  return `.PP\n.nf\n${lines.map((each) => `${line(escaped(each))}\n`).join('')}.fi\n`;
}

export function blocks(all: readonly Block[]): string {
  return all.map(block).join('');
}

function block(each: Block): string {
  switch (each.kind) {
    case 'text':
      return paragraph(each.text);
    case 'heading':
      return subsection(each.text);
    case 'terms':
      return each.terms.map(([term, meaning]) => item(bold(term), meaning)).join('');
    case 'table':
      return literal(tableLines(each.rows, tableWidth));
    case 'lines':
      return literal(each.lines);
  }
}

/** The head of a page: `paycli-sale`, section 1, what it is about. */
export function head(name: string, number: number, brief: string, version: string): string {
  const title = `.TH ${[name.toUpperCase(), String(number), '', `paycli ${version}`, 'paycli']
    .map(quoted)
    .join(' ')}\n`;
  // No words are cut, and the right edge stays ragged: flags and file names are easier to copy.
  return `${title}.nh\n.ad l\n${section('NAME')}${escaped(name)} \\- ${escaped(brief)}\n`;
}

/** `paycli-sale(1)` and so on, as a paragraph. */
export function seeAlso(pages: readonly string[]): string {
  return `.PP\n${line([...new Set(pages)].map(pageName).join(',\n'))}\n`;
}

/** `paycli-sale(1)` with its name in bold. */
function pageName(page: string): string {
  const [name = '', number = ''] = page.split('(');
  return `${bold(name)}(${number}`;
}
