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
 * follows a label such as `next:` is indented below it, and other lines by two more columns than they begin with. A
 * word longer than a line stays whole, and the terminal breaks it.
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
      return isLaidOut(line) ? line : wrapLine(line, columns, valueStart(line, columns));
    })
    .join('\n');
}

/** A line that is a command, at most after a label such as `next:`. */
function isCommand(line: string): boolean {
  return /^(?: *|[a-z]{1,9}: +)paycli \S/.test(line.replace(colourCode, '')) && !line.includes('│');
}

// What stands in quotes is part of one word.
const shellWords = /( *)((?:"[^"]*"|'[^']*'|[^\s"'])+)/g;

/** Broken between words, each line but the last ending in a backslash: pasted, it is still one command. */
function wrapCommand(line: string, columns: number): string {
  if (widthOf(line) <= columns) return line;
  const indent = ' '.repeat((/^ */.exec(line)?.[0].length ?? 0) + 2);
  const lines = [''];
  for (const [, blanks = '', word = ''] of line.matchAll(shellWords)) {
    const last = lines.at(-1) ?? '';
    // Room for the backslash.
    if (last.trim() === '' || widthOf(last + blanks + word) + 2 <= columns)
      lines[lines.length - 1] = last + blanks + word;
    else lines.push(indent + word);
  }
  return lines.join(' \\\n');
}

/** A line of a drawing, or one with a command to paste outside backticks, which already keep theirs whole. */
function isLaidOut(line: string): boolean {
  return line.includes('│') || /(?:^|\s)(?:paycli|curl|openssl) \S/.test(line.replace(/`[^`]*`/g, ''));
}

/** Where the last of several columns begins; undefined where text cannot be continued there. */
function valueStart(line: string, columns: number): number | undefined {
  const start = /^.*\S {2,}(?=\S)/.exec(line.replace(colourCode, ''))?.[0].length;
  return start !== undefined && start <= columns / 2 ? start : undefined;
}

function wrapLine(line: string, columns: number, at?: number): string {
  if (widthOf(line) <= columns) return line;
  const label = /^(?:[a-z]{1,9}: +| *)/.exec(line.replace(colourCode, ''))?.[0] ?? '';
  const indent = ' '.repeat(at ?? (label.trim() === '' ? label.length + 2 : label.length));
  let wrapped = '';
  // Columns taken in the last line.
  let taken = 0;
  for (const [, blanks = '', word = ''] of line.matchAll(words)) {
    const width = widthOf(word);
    const isFirst = taken <= indent.length;
    if (isFirst || taken + blanks.length + width <= columns) {
      wrapped += blanks + word;
      taken += blanks.length + width;
    } else {
      wrapped += `\n${indent}${word}`;
      taken = indent.length + width;
    }
  }
  return wrapped;
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
