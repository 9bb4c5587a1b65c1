import { fail } from '../../errors/index.js';

export interface ShellWords {
  readonly words: readonly string[];
  /** An unquoted `&`, `|`, `;`, `<` or `>` ended the command there. */
  readonly endedBy: string | undefined;
}

/**
 * The words a POSIX shell makes of one command: '…', "…", $'…', backslashes and lines continued by them. Nothing is run and
 * nothing is looked up. Throws TEXT_INVALID for an open quote and for what only a shell could fill in.
 */
export function shellWords(text: string): ShellWords {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const take = (piece: string, length: number) => {
    word = (word ?? '') + piece;
    at += length;
  };
  const end = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  while (at < text.length) {
    const char = text[at] ?? '';
    const rest = text.slice(at);
    const quoted = quotedPiece(rest);
    if (/^\\\r?\n/.test(rest)) at += rest.startsWith('\\\r') ? 3 : 2;
    else if (quoted !== undefined) take(quoted.text, quoted.length);
    else if (char === '\\') take(rest[1] ?? '\\', 2);
    else if (/[ \t\r]/.test(char)) {
      end();
      at += 1;
    } else if (char === '#' && word === undefined) at += /^[^\n]*/.exec(rest)?.[0].length ?? 1;
    else if (/[\n&|;<>]/.test(char)) {
      end();
      if (words.length > 0) return { words, endedBy: char === '\n' ? undefined : char };
      at += 1;
    } else {
      refuseExpansion(rest);
      take(char, 1);
    }
  }
  end();
  return { words, endedBy: undefined };
}

interface Piece {
  readonly text: string;
  /** Characters it took, quotes included. */
  readonly length: number;
}

/** What stands in quotes at the beginning of a text; undefined when none open there. */
function quotedPiece(rest: string): Piece | undefined {
  if (rest.startsWith("'")) {
    const close = rest.indexOf("'", 1);
    if (close === -1) throw malformed('a single quote is not closed');
    return { text: rest.slice(1, close), length: close + 1 };
  }
  if (rest.startsWith("$'")) return ansiPiece(rest);
  return rest.startsWith('"') ? doublePiece(rest) : undefined;
}

function doublePiece(rest: string): Piece {
  let text = '';
  for (let at = 1; at < rest.length; ) {
    const char = rest[at] ?? '';
    if (char === '"') return { text, length: at + 1 };
    const escaped = /^\\(?:([$`"\\])|\r?\n)/.exec(rest.slice(at));
    if (escaped === null) refuseExpansion(rest.slice(at));
    text += escaped === null ? char : (escaped[1] ?? '');
    at += escaped?.[0].length ?? 1;
  }
  throw malformed('a double quote is not closed');
}

const named: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};
const ansiEscape = /\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|([\s\S]))/y;

/** Bytes are gathered before they become text: \xc3\xa9 is one letter. */
function ansiPiece(rest: string): Piece {
  const bytes: Buffer[] = [];
  for (let at = 2; at < rest.length; ) {
    if (rest[at] === "'") return { text: utf8(Buffer.concat(bytes)), length: at + 1 };
    ansiEscape.lastIndex = at;
    const found = ansiEscape.exec(rest);
    const plain = /[^\\']+/y;
    plain.lastIndex = at;
    bytes.push(found === null ? Buffer.from(plain.exec(rest)?.[0] ?? '\\') : escapedBytes(found));
    at = found === null ? plain.lastIndex || at + 1 : ansiEscape.lastIndex;
  }
  throw malformed("a quote opened by $' is not closed");
}

function escapedBytes([whole, hex, short, long, octal, letter = '']: RegExpExecArray): Buffer {
  if (hex !== undefined) return Buffer.from([Number.parseInt(hex, 16)]);
  if (octal !== undefined) return Buffer.from([Number.parseInt(octal, 8) & 0xff]);
  const point = short ?? long;
  if (point === undefined) return Buffer.from(named[letter] ?? whole);
  const code = Number.parseInt(point, 16);
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw malformed(`${whole} names no character`);
  return Buffer.from(String.fromCodePoint(code));
}

function utf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw malformed("the bytes between $' and ' are not UTF-8");
  }
}

function refuseExpansion(rest: string): void {
  const name = /^\$\{?(\w+)/.exec(rest)?.[1];
  if (name !== undefined)
    throw malformed(`it holds $${name.slice(0, 40)}, which a shell fills in; paste the command with the value that was sent`);
  if (/^(?:\$\(|`)/.test(rest)) throw malformed('it holds a command that a shell would run; paste the command with the text that was sent');
}

function malformed(why: string): Error {
  return fail('TEXT_INVALID', { field: 'curl command', why });
}
