import { fail } from '../../errors/index.js';
import { placeIn } from './pasted-request.js';
import type { ShellWords } from './shell-words.js';

/**
 * Splits one command as Windows does: first the command interpreter, which reads `^` outside quotes, then the rules by
 * which a C program reads its command line. Throws TEXT_INVALID for an open quote.
 */
export function cmdWords(text: string, what: string): ShellWords {
  const line = interpreted(text);
  return { ...argumentsOf(line, text, what), endedBy: line.endedBy };
}

/** What cmd.exe hands on, and where each character stood. */
interface CommandLine {
  readonly chars: readonly string[];
  readonly places: readonly number[];
  readonly endedBy: string | undefined;
}

function interpreted(text: string): CommandLine {
  const chars: string[] = [];
  const places: number[] = [];
  let isQuoted = false;
  const take = (char: string, at: number) => {
    chars.push(char);
    places.push(at);
  };
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '^' && !isQuoted) {
      // A caret takes the line end behind it away, and makes whatever comes next an ordinary character.
      if (text[at + 1] === '\r') at += 1;
      if (text[at + 1] === '\n') at += 1;
      if (text[at + 1] === '\r' && text[at + 2] === '\n') at += 1;
      at += 1;
      if (at < text.length) take(text[at] ?? '', at);
    } else if (char === '\r' && text[at + 1] === '\n') continue;
    else if (char === '\n' || (!isQuoted && /[&|<>]/.test(char))) {
      if (chars.some((each) => each.trim() !== '')) return { chars, places, endedBy: char === '\n' ? undefined : char };
    } else {
      if (char === '"') isQuoted = !isQuoted;
      take(char, at);
    }
  }
  return { chars, places, endedBy: undefined };
}

/** Backslashes count only before a quote; two quotes within quotes are one. */
function argumentsOf({ chars, places }: CommandLine, text: string, what: string): Omit<ShellWords, 'endedBy'> {
  const words: string[] = [];
  const starts: number[] = [];
  let word: string | undefined;
  let quote: number | undefined;
  const take = (piece: string, at: number) => {
    if (word === undefined) starts.push(places[at] ?? 0);
    word = (word ?? '') + piece;
  };
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] ?? '';
    if (char === '\\') {
      let end = at;
      while (chars[end] === '\\') end += 1;
      const count = end - at;
      const isBeforeQuote = chars[end] === '"';
      const isEscaped = isBeforeQuote && count % 2 === 1;
      take('\\'.repeat(isBeforeQuote ? Math.floor(count / 2) : count) + (isEscaped ? '"' : ''), at);
      at = isEscaped ? end : end - 1;
    } else if (char === '"') {
      if (quote !== undefined && chars[at + 1] === '"') {
        take('"', at);
        at += 1;
      } else {
        take('', at);
        quote = quote === undefined ? (places[at] ?? 0) : undefined;
      }
    } else if (quote === undefined && /[ \t\n]/.test(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else take(char, at);
  }
  if (quote !== undefined) throw fail('doubleQuoteOpen', { field: placeIn(what, text, quote) });
  if (word !== undefined) words.push(word);
  return { words, starts };
}
