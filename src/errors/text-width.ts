import { eastAsianWidth } from 'get-east-asian-width';

const esc = String.fromCharCode(27);
const colourCode = new RegExp(`${esc}\\[[\\d;]*m`, 'g');

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
 * follows a label such as `next:` is indented below it, and other lines by two more columns than they begin with. A
 * word longer than a line stays whole, and the terminal breaks it; a command longer than a line goes on after a
 * backslash, as shells read it: pasted, it is still one command.
 */
export function wrapText(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < narrowest) return text;
  return text
    .split('\n')
    .map((line) => wrapLine(line, columns))
    .join('\n');
}

/**
 * A result of names and values as lines that fit a terminal: a long value goes on below where it began. A
 * command to paste goes on after a backslash, as shells read it. A line of a drawing, such as the timeline, stays
 * whole: it fits already. Undefined columns leave it as it is.
 */
export function wrapValues(text: string, columns: number | undefined): string {
  if (columns === undefined || columns < narrowest) return text;
  return text
    .split('\n')
    .map((line) => {
      if (isCommand(line)) return wrapCommand(line, columns);
      return line.includes('│') ? line : wrapValue(line, columns);
    })
    .join('\n');
}

// A command to paste that is not in backticks, up to the end of its line.
const commandAtEnd = /(?<=\s)(?:paycli|curl|openssl) \S/;

/** A name and its value, which may be a command or end with one. */
function wrapValue(line: string, columns: number): string {
  const at = valueStart(line, columns);
  const start = commandAtEnd.exec(line.replaceAll(/`[^`]*`/g, (quoted) => '`'.repeat(quoted.length)))?.index;
  if (widthOf(line) <= columns || start === undefined) return wrapLine(line, columns, at);
  const before = wrapLine(line.slice(0, start), columns, at);
  const last = before.slice(before.lastIndexOf('\n') + 1);
  const command = line.slice(start);
  const indent = at ?? (/^ */.exec(line)?.[0].length ?? 0) + 2;
  // Where only its name stands before it, a command begins beside it.
  const isBeside = at !== undefined && widthOf(last) <= at;
  if (isBeside || widthOf(last + command) <= columns) return before + commandLines(command, widthOf(last), columns);
  return `${before.trimEnd()}\n${' '.repeat(indent)}${commandLines(command, indent, columns)}`;
}

/** A line that is a command, at most after a label such as `next:`. */
function isCommand(line: string): boolean {
  return /^(?: *|[a-z]{1,9}: +)paycli \S/.test(line.replace(colourCode, '')) && !line.includes('│');
}

/**
 * The text of a cell as lines of so many columns, broken between words; a command goes on after a backslash. A word
 * that is wider stays whole.
 */
export function wrapCell(text: string, columns: number): readonly string[] {
  if (widthOf(text) <= columns) return [text];
  const isOne = /^(?:paycli|curl|openssl|\{ cat) /.test(text.replace(colourCode, ''));
  return withOwnColours((isOne ? wrapCommand(text, columns) : wrapLine(text, columns, 0)).split('\n'));
}

/** The narrowest column that a text fits without breaking a word. */
export function leastWidthOf(text: string): number {
  const plain = text.replace(colourCode, '');
  const longest = Math.max(0, ...plain.split(/\s+/).map(widthOf));
  // The lines of a command are indented, and end in a backslash.
  const more = /`[^`]*\s[^`]*`|^(?:paycli|curl|openssl) /.test(plain) ? 4 : 0;
  return Math.min(widthOf(plain), longest + more);
}

/** Lines of a text, each of which ends the colours that it begins, so that what stands beside it keeps its own. */
function withOwnColours(lines: readonly string[]): readonly string[] {
  let open: readonly string[] = [];
  return lines.map((line) => {
    const before = open.join('');
    for (const [code] of line.matchAll(colourCode)) open = isEnd(code) ? [] : [...open, code];
    return `${before}${line}${open.map((code) => (/\[[12]m/.test(code) ? endOfWeight : endOfColour)).join('')}`;
  });
}

const endOfWeight = `${esc}[22m`;
const endOfColour = `${esc}[39m`;

function isEnd(code: string): boolean {
  return code === endOfWeight || code === endOfColour;
}

// What stands in quotes is part of one word, and so is a flag with its value.
const shellWords = /( *)((?:--[\w-]+ (?!-))?(?:"[^"]*"|'[^']*'|[^\s"'])+)/g;

function wrapCommand(line: string, columns: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  return indent + commandLines(line.slice(indent.length), indent.length, columns);
}

/**
 * A command that begins at `start`, broken between words, each line but the last ending in a backslash: pasted, it is
 * still one command. One that has an open quote stays as it is.
 */
function commandLines(command: string, start: number, columns: number): string {
  const pieces = [...command.matchAll(shellWords)];
  if (start + widthOf(command) <= columns || pieces.map(([piece]) => piece).join('') !== command) return command;
  const indent = ' '.repeat(start + 2);
  const lines: string[] = [];
  let last = '';
  for (const [at, [, blanks = '', word = '']] of pieces.entries()) {
    const taken = lines.length === 0 ? start : 0;
    // Room for the backslash, which the last word does not need.
    const room = columns - (at === pieces.length - 1 ? 0 : 2);
    if (last.trim() === '' || taken + widthOf(last + blanks + word) <= room) last += blanks + word;
    else {
      lines.push(last);
      last = indent + word;
    }
  }
  return [...lines, last].join(' \\\n');
}

/** Where the last of several columns begins; undefined where text cannot be continued there. */
function valueStart(line: string, columns: number): number | undefined {
  const start = /^.*\S {2,}(?=\S)/.exec(line.replace(colourCode, ''))?.[0].length;
  return start !== undefined && start <= columns / 2 ? start : undefined;
}

function wrapLine(line: string, columns: number, at?: number): string {
  if (widthOf(line) <= columns) return line;
  const label = /^(?:[a-z]{1,9}: +| *)/.exec(line.replace(colourCode, ''))?.[0] ?? '';
  const pieces = [...line.matchAll(words)];
  // A word that is too long for the column of values may fit a line that begins further left.
  const longest = Math.max(...pieces.map(([, , word = '']) => (isQuoted(word) ? 0 : widthOf(word))));
  const usual = label.trim() === '' ? label.length + 2 : label.length;
  const fitsFurtherLeft = at !== undefined && at + longest > columns && usual + longest <= columns;
  const indent = ' '.repeat(fitsFurtherLeft ? usual : (at ?? usual));
  let wrapped = '';
  // Columns taken in the last line.
  let taken = 0;
  for (const [, blanks = '', word = ''] of pieces) {
    const width = widthOf(word);
    const isFirst = taken <= indent.length;
    if (taken + blanks.length + width <= columns || (isFirst && !isQuoted(word))) {
      wrapped += blanks + word;
      taken += blanks.length + width;
    } else {
      const before = isFirst ? blanks : `\n${indent}`;
      const from = isFirst ? taken + blanks.length : indent.length;
      const text = isQuoted(word) ? commandLines(word, from, columns) : word;
      wrapped += before + text;
      taken = text.includes('\n') ? widthOf(text.slice(text.lastIndexOf('\n') + 1)) : from + width;
    }
  }
  return wrapped;
}

/** True for a command in backticks, with what follows it directly. */
function isQuoted(word: string): boolean {
  return word.includes('`') && /\s/.test(word);
}

/** A paragraph as lines that fit, all of which begin at its left edge. */
export function wrapParagraph(text: string, columns: number): string {
  return columns < narrowest ? text : wrapLine(text, columns, 0);
}

/** A text cut to so many columns, between words where that leaves half of them. */
export function cutText(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const letters = [...text];
  return `${letters.slice(0, lettersIn(letters, columns - 1)).join('')}…`;
}

/** How many of these letters fit into `room` columns, without a piece of a word at the end. */
export function lettersIn(letters: readonly string[], room: number): number {
  let taken = 0;
  let count = 0;
  for (const letter of letters) {
    taken += widthOf(letter);
    if (taken > room) break;
    count += 1;
  }
  const blank = letters.lastIndexOf(' ', count);
  return blank >= count / 2 ? blank : count;
}
