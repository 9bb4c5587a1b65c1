import { fail, type PaycliError } from '../../errors/index.js';

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
    if (found === undefined) throw unread(text, at, 'a quote is not closed');
    const { joint, blank, end } = found;
    if (end !== undefined) {
      finish();
      if (words.length > 0) return { words, endedBy: end === '\n' ? undefined : end };
    } else if (blank !== undefined) finish();
    else if (joint === undefined) {
      const meant = meantBy(found);
      if (meant === undefined)
        throw unread(text, at, 'it contains what only a shell can fill in ($ or `); paste the text that was sent');
      word = (word ?? '') + meant;
    }
    at = piece.lastIndex;
  }
  finish();
  return { words, endedBy: undefined };
}

/** Undefined for what a shell would replace. */
function meantBy({ single, ansi, double, escaped, plain = '' }: Record<string, string>): string | undefined {
  if (single !== undefined) return single;
  if (ansi !== undefined) return ansiText(ansi);
  if (escaped !== undefined) return escaped === '' ? '\\' : escaped;
  if (/\$(?:\{?\w|\()|`/.test((double ?? plain).replace(/\\[$`"\\]/g, ''))) return undefined;
  return double?.replace(/\\(?:\r?\n|([$`"\\]))/g, (_, sign: string | undefined) => sign ?? '') ?? plain;
}

const named: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\', "'": "'", '"': '"' };
const ansiPiece = /((?:\\x[\dA-Fa-f]{2})+)|\\u([\dA-Fa-f]{4})|\\([\s\S])/g;

/** As browsers write `$'…'`: bytes are gathered before they become text, \xc3\xa9 is one letter. */
function ansiText(text: string): string {
  return text.replace(
    ansiPiece,
    (whole: string, bytes: string | undefined, unit: string | undefined, letter: string | undefined) => {
      if (bytes !== undefined) return Buffer.from(bytes.replaceAll('\\x', ''), 'hex').toString('utf8');
      if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
      return named[letter ?? ''] ?? whole;
    },
  );
}

/** The place in the command. The text itself is not quoted: it may hold card data. */
function unread(text: string, at: number, why: string): PaycliError {
  const before = text.slice(0, at);
  const [line, column] = [before.split('\n').length, at - before.lastIndexOf('\n')];
  return fail('TEXT_INVALID', { field: `curl command, line ${line}, column ${column}`, why });
}
