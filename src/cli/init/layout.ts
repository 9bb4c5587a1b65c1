import { printable } from '../../wire/redact.js';
import { widthOf } from '../present/table.js';

const width = 80;

/** Names and values, no line wider than 80 columns unless one word is. */
export function facts(rows: readonly (readonly [name: string, text: string])[]): string {
  const room = Math.max(...rows.map(([name]) => widthOf(name))) + 2;
  return rows
    .flatMap(([name, text]) =>
      folded(printable(text), width - room - 2).map((line, at) => {
        const start = at === 0 ? name.padEnd(room) : ' '.repeat(room);
        if (widthOf(line) <= width - room - 2) return `  ${start}${line}`;
        return at === 0 ? `  ${name}\n    ${line}` : `    ${line}`;
      }),
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}

/** A text behind a mark or blanks; what does not fit goes on below where it began. */
export function hanging(first: string, text: string): string {
  const blanks = ' '.repeat(widthOf(first));
  const lines = folded(printable(text), width - blanks.length);
  return lines.map((line, at) => `${at === 0 ? first : blanks}${line}\n`).join('');
}

function folded(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/[ \n\t]+/)) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= room) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** True when no line is too wide. */
export function fits(text: string): boolean {
  return text.split('\n').every((line) => widthOf(line) <= width);
}
