import { fail } from '../../errors/index.js';

/** A command line taken apart. */
interface ShellWords {
  readonly words: readonly string[];
  /** Where each word begins. */
  readonly starts: readonly number[];
  /** An unquoted `&`, `|`, `;`, `<` or `>` ended the command there. */
  readonly endedBy: string | undefined;
}

/**
 * Splits one command as bash does: quotes of three kinds, backslashes and lines continued by them. Nothing is run
 * and nothing is looked up. Throws TEXT_INVALID, with the place, for an open
 * quote and for what only a shell could fill in.
 */
export function shellWords(text: string): ShellWords {
  const words: string[] = [];
  const starts: number[] = [];
  let word: string | undefined;
  let start = 0;
  let at = 0;
  const take = (piece: string, length: number) => {
    if (word === undefined) start = at;
    word = (word ?? '') + piece;
    at += length;
  };
  const end = () => {
    if (word !== undefined) {
      words.push(word);
      starts.push(start);
    }
    word = undefined;
  };
  while (at < text.length) {
    const char = text[at] ?? '';
    const quoted = quotedPiece(text, at);
    const joined = lineJoin(text, at);
    if (joined > 0) at += joined;
    else if (quoted !== undefined) take(quoted.text, quoted.length);
    else if (char === '\\') take(text[at + 1] ?? '\\', 2);
    else if (/[ \t\r]/.test(char)) {
      end();
      at += 1;
    } else if (char === '#' && word === undefined) at += /^[^\n]*/.exec(text.slice(at))?.[0].length ?? 1;
    else if (/[\n&|;<>]/.test(char)) {
      end();
      if (words.length > 0) return { words, starts, endedBy: char === '\n' ? undefined : char };
      at += 1;
    } else {
      refuseExpansion(text, at);
      take(char, 1);
    }
  }
  end();
  return { words, starts, endedBy: undefined };
}

/** The length of a backslash and the line end behind it. */
function lineJoin(text: string, at: number): number {
  if (text[at] !== '\\') return 0;
  if (text[at + 1] === '\n') return 2;
  return text.startsWith('\r\n', at + 1) ? 3 : 0;
}

interface QuotedPiece {
  readonly text: string;
  /** Characters it took, quotes included. */
  readonly length: number;
}

/** What stands in quotes there; undefined when none open. */
function quotedPiece(text: string, at: number): QuotedPiece | undefined {
  if (text[at] === "'") {
    const close = text.indexOf("'", at + 1);
    if (close === -1) throw fail('TEXT_INVALID', { field: placeIn(text, at), why: 'a single quote is not closed' });
    return { text: text.slice(at + 1, close), length: close + 1 - at };
  }
  if (text.startsWith("$'", at)) return ansiPiece(text, at);
  return text[at] === '"' ? doublePiece(text, at) : undefined;
}

function doublePiece(text: string, from: number): QuotedPiece {
  let piece = '';
  for (let at = from + 1; at < text.length; ) {
    const char = text[at] ?? '';
    if (char === '"') return { text: piece, length: at + 1 - from };
    const joined = lineJoin(text, at);
    if (joined > 0) {
      at += joined;
      continue;
    }
    const isEscape = char === '\\' && /[$`"\\]/.test(text[at + 1] ?? '');
    if (!isEscape) refuseExpansion(text, at);
    piece += isEscape ? (text[at + 1] ?? '') : char;
    at += isEscape ? 2 : 1;
  }
  throw fail('TEXT_INVALID', { field: placeIn(text, from), why: 'a double quote is not closed' });
}

const namedEscapes: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};
const ansiEscape = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|([\s\S]))/y;

/** Bytes are gathered before they become text: \xc3\xa9 is one letter. */
function ansiPiece(text: string, from: number): QuotedPiece {
  const bytes: Buffer[] = [];
  for (let at = from + 2; at < text.length; ) {
    if (text[at] === "'") return { text: utf8(Buffer.concat(bytes), text, from), length: at + 1 - from };
    ansiEscape.lastIndex = at;
    const found = ansiEscape.exec(text);
    const plain = /[^\\']+/y;
    plain.lastIndex = at;
    bytes.push(found === null ? Buffer.from(plain.exec(text)?.[0] ?? '\\') : escapedBytes(found, text, at));
    at = found === null ? plain.lastIndex || at + 1 : ansiEscape.lastIndex;
  }
  throw fail('TEXT_INVALID', { field: placeIn(text, from), why: "a quote opened by $' is not closed" });
}

function escapedBytes(
  [whole, hex, short, long, octal, letter = '']: RegExpExecArray,
  text: string,
  at: number,
): Buffer {
  if (hex !== undefined) return Buffer.from([Number.parseInt(hex, 16)]);
  if (octal !== undefined) return Buffer.from([Number.parseInt(octal, 8) & 0xff]);
  const point = short ?? long;
  if (point === undefined) return Buffer.from(namedEscapes[letter] ?? whole);
  const code = Number.parseInt(point, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw fail('TEXT_INVALID', { field: placeIn(text, at), why: `${whole} is not a valid escape sequence` });
  return Buffer.from(String.fromCodePoint(code));
}

function utf8(bytes: Buffer, text: string, at: number): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw fail('TEXT_INVALID', { field: placeIn(text, at), why: "the bytes between $' and ' are not UTF-8" });
  }
}

function refuseExpansion(text: string, at: number): void {
  const char = text[at];
  if (char !== '$' && char !== '`') return;
  const rest = text.slice(at, at + 64);
  const name = /^\$\{?(\w+)/.exec(rest)?.[1];
  const field = placeIn(text, at);
  if (name !== undefined)
    throw fail('TEXT_INVALID', {
      why: `it contains $${name.slice(0, 40)}, which a shell replaces; paste the command with the value that was sent`,
      variable: `$${name.slice(0, 40)}`,
      field,
    });
  if (/^(?:\$\(|`)/.test(rest))
    throw fail('TEXT_INVALID', {
      field,
      why: 'it contains a command that a shell would run; paste the command with the text that was sent',
    });
}

/** How a place in the command is called in messages. The text itself is not quoted: it may hold card data. */
export function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  return `curl command, line ${line}, column ${at - before.lastIndexOf('\n')}`;
}
