import { fail } from '../../errors/index.js';

/** A command line taken apart. */
interface ShellWords {
  readonly words: readonly string[];
  /** An unquoted `&`, `|`, `;`, `<` or `>` ended the command there. */
  readonly endedBy: string | undefined;
}

const piece = new RegExp(
  [
    String.raw`(?<joint>\\\r?\n)`,
    "'(?<single>[^']*)'",
    String.raw`\$'(?<ansi>(?:[^\\']|\\[\s\S])*)'`,
    String.raw`"(?<double>(?:[^\\"]|\\[\s\S])*)"`,
    String.raw`\\(?<escaped>[\s\S]?)`,
    String.raw`(?<blank>[ \t\r]+)`,
    String.raw`(?<end>[\n&|;<>])`,
    String.raw`(?<plain>(?:[^\s'"\\&|;<>$]|\$(?!'))+)`,
  ].join('|'),
  'y',
);

/**
 * Splits one command as bash does: quotes of three kinds, backslashes and lines continued by them. Nothing is run and
 * nothing is looked up. Throws TEXT_INVALID, with the place, for an open quote and for what only a shell could fill in.
 */
export function shellWords(text: string): ShellWords {
  const words: string[] = [];
  let word: string | undefined;
  let at = 0;
  const finish = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  while (at < text.length) {
    piece.lastIndex = at;
    const found = piece.exec(text)?.groups;
    if (found === undefined) throw openQuote(text, at);
    const { joint, blank, end, plain } = found;
    if (plain?.startsWith('#') === true && word === undefined) piece.lastIndex = lineEnd(text, at);
    else if (end !== undefined) {
      finish();
      if (words.length > 0) return { words, endedBy: end === '\n' ? undefined : end };
    } else if (blank !== undefined) finish();
    else if (joint === undefined) word = (word ?? '') + meantBy(found, placeIn(text, at));
    at = piece.lastIndex;
  }
  finish();
  return { words, endedBy: undefined };
}

function meantBy({ single, ansi, double, escaped, plain = '' }: Record<string, string>, field: string): string {
  if (single !== undefined) return single;
  if (ansi !== undefined) return ansiText(ansi, field);
  if (escaped !== undefined) return escaped === '' ? '\\' : escaped;
  refuseExpansion((double ?? plain).replace(/\\[$`"\\]/g, ''), field);
  return double?.replace(/\\(?:\r?\n|([$`"\\]))/g, (_, sign: string | undefined) => sign ?? '') ?? plain;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function openQuote(text: string, at: number): Error {
  const why = text[at] === '"' ? 'a double quote' : text[at] === "'" ? 'a single quote' : "a quote opened by $'";
  return fail('TEXT_INVALID', { field: placeIn(text, at), why: `${why} is not closed` });
}

const named: Readonly<Record<string, string>> = {
  ...{ a: '\x07', b: '\b', e: '\x1b', E: '\x1b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
  ...{ '\\': '\\', "'": "'", '"': '"', '?': '?' },
};
const ansiPiece = /\\x([\dA-Fa-f]{1,2})|\\(?:u([\dA-Fa-f]{1,4})|U([\dA-Fa-f]{1,8}))|\\([0-7]{1,3})|\\([\s\S])|[^\\]+/g;

/** Bytes are gathered before they become text: \xc3\xa9 is one letter. */
function ansiText(body: string, field: string): string {
  const bytes = [...body.matchAll(ansiPiece)].map(([whole, hex, short, long, octal, letter]) => {
    if (hex !== undefined) return Buffer.from([Number.parseInt(hex, 16)]);
    if (octal !== undefined) return Buffer.from([Number.parseInt(octal, 8) & 0xff]);
    const point = short ?? long;
    if (point === undefined) return Buffer.from(named[letter ?? ''] ?? whole);
    const code = Number.parseInt(point, 16);
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      throw fail('TEXT_INVALID', { field, why: `${whole} is not a valid escape sequence` });
    return Buffer.from(String.fromCodePoint(code));
  });
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(bytes));
  } catch {
    throw fail('TEXT_INVALID', { field, why: "the bytes between $' and ' are not UTF-8" });
  }
}

function refuseExpansion(text: string, field: string): void {
  const [, name] = /\$\{?(\w{1,40})/.exec(text) ?? [];
  if (name !== undefined)
    throw fail('TEXT_INVALID', {
      why: `it contains $${name}, which a shell replaces; paste the command with the value that was sent`,
      variable: `$${name}`,
      field,
    });
  if (/\$\(|`/.test(text))
    throw fail('TEXT_INVALID', {
      field,
      why: 'it contains a command that a shell would run; paste the command with the text that was sent',
    });
}

/** How a place in the command is called in messages. The text itself is not quoted: it may hold card data. */
function placeIn(text: string, at: number): string {
  const before = text.slice(0, at);
  return `curl command, line ${before.split('\n').length}, column ${at - before.lastIndexOf('\n')}`;
}
