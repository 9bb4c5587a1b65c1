import { eastAsianWidth } from 'get-east-asian-width';

const colourCode = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]*m`, 'g');

/** Columns a text takes on a terminal: wide characters two, colours none. */
export function widthOf(text: string): number {
  const plain = text.replace(colourCode, '');
  if (/^[\x20-\x7e]*$/.test(plain)) return plain.length;
  return [...plain].reduce(
    (sum, letter) => sum + (/\p{M}|\p{Cf}/u.test(letter) ? 0 : eastAsianWidth(letter.codePointAt(0) ?? 0)),
    0,
  );
}

/** Narrower than this, texts are left as they are. */
const narrowest = 20;

// A command in backticks is one word: broken, it could not be copied.
const words = /(\s*)((?:`[^`]*`|\S)+)/g;

/**
 * A text as lines that fit a terminal of so many columns, broken between words; undefined leaves it as it is. What
 * follows a label such as `next:`, or stands in the second of two columns, goes on below where it began, and other lines
 * by two more columns than they begin with. A word or a command that is longer than a line stays whole: the terminal
 * breaks it, and it can be copied.
 */
export function wrapText(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < narrowest) return text;
  return text
    .split('\n')
    .map((line) => (isCommand(line) ? line : wrapLine(line, columns, indentOf(line, columns))))
    .join('\n');
}

/** A line that is a command to paste, at most after a label such as `next:`. */
function isCommand(line: string): boolean {
  return /^(?: *|[a-z]{1,9}: +)(?:paycli|curl|openssl) \S/.test(line.replace(colourCode, ''));
}

function indentOf(line: string, columns: number): number {
  const plain = line.replace(colourCode, '');
  const value = /^.*\S {2,}(?=\S)/.exec(plain)?.[0].length ?? columns;
  if (value <= columns / 2) return value;
  const label = /^[a-z]{1,9}: +/.exec(plain)?.[0].length;
  return label ?? (/^ */.exec(plain)?.[0].length ?? 0) + 2;
}

function wrapLine(line: string, columns: number, indent: number): string {
  if (widthOf(line) <= columns) return line;
  let wrapped = '';
  // Columns taken in the last line.
  let taken = 0;
  for (const [, blanks = '', word = ''] of line.matchAll(words)) {
    const width = widthOf(word);
    if (taken <= indent || taken + blanks.length + width <= columns) {
      wrapped += blanks + word;
      taken += blanks.length + width;
    } else {
      wrapped += `\n${' '.repeat(indent)}${word}`;
      taken = indent + width;
    }
  }
  return wrapped;
}

/** A paragraph as lines that fit, all of which begin at its left edge. */
export function wrapParagraph(text: string, columns: number): string {
  return columns < narrowest ? text : wrapLine(text, columns, 0);
}

/** The text of a cell as lines of so many columns, broken between words. A word that is wider stays whole. */
export function wrapCell(text: string, columns: number): readonly string[] {
  return isCommand(text) ? [text] : wrapLine(text, columns, 0).split('\n');
}

/** The narrowest column that a text fits without breaking a word. */
export function leastWidthOf(text: string): number {
  return isCommand(text)
    ? widthOf(text)
    : Math.max(0, ...[...text.matchAll(words)].map(([, , word = '']) => widthOf(word)));
}

/** A text cut to so many columns. */
export function cutText(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let cut = '';
  for (const letter of text) {
    if (widthOf(cut + letter) > columns - 1) break;
    cut += letter;
  }
  return `${cut}…`;
}
