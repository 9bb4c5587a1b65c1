import { bytesAs, type Charset } from '../encoding-mutations.js';
import { type Writing, writing } from './writing.js';

/** What Python writes for a character that an encoding lacks (its argument errors). */
interface ErrorHandler {
  readonly detail: string;
  readonly write: (char: string) => string;
}

const pointOf = (char: string) => char.codePointAt(0) ?? 0;

const handlers: readonly ErrorHandler[] = [
  { detail: 'what it lacks left out', write: () => '' },
  {
    detail: 'what it lacks as Python escapes',
    write: (char) => {
      const digits = pointOf(char).toString(16);
      if (digits.length > 4) return `\\U${digits.padStart(8, '0')}`;
      return digits.length > 2 ? `\\u${digits.padStart(4, '0')}` : `\\x${digits.padStart(2, '0')}`;
    },
  },
  { detail: 'what it lacks as numeric HTML entities', write: (char) => `&#${pointOf(char)};` },
  { detail: 'what it lacks as \\N{name} escapes', write: (char) => `\\N{${nameOf(char) ?? char}}` },
];

/** Of ASCII, texts have the same: see lostLetters. */
const charsets: readonly (readonly [Charset, string])[] = [
  ['latin-1', 'Latin-1'],
  ['windows-1252', 'Windows-1252'],
];

/** As bytes of an encoding that lacks some of the letters. */
export const lostLetterBytes: readonly (readonly [
  variant: string,
  detail: string,
  bytesOf: (text: string) => Buffer,
])[] = charsets.flatMap(([charset, words]) =>
  handlers.map(
    ({ detail, write }) =>
      [charset, `${words}, ${detail}`, (text: string) => bytesAs(charset, kept(charset, text, write))] as const,
  ),
);

/** Texts in which letters beyond ASCII are spelled by it. */
export const lostLetters: readonly Writing[] = handlers
  .slice(1)
  .map(({ detail, write }) => writing('letters-escaped', `in ASCII, ${detail}`, (text) => kept('ascii', text, write)));

function kept(charset: Charset, text: string, write: ErrorHandler['write']): string {
  return text.replace(/[^\0-\x7f]/gu, (char) =>
    bytesAs(charset, char).toString('latin1') === '?' ? write(char) : char,
  );
}

const marks: Readonly<Record<string, string>> = {
  '\u0300': 'GRAVE',
  '\u0301': 'ACUTE',
  '\u0302': 'CIRCUMFLEX',
  '\u0303': 'TILDE',
  '\u0304': 'MACRON',
  '\u0306': 'BREVE',
  '\u0307': 'DOT ABOVE',
  '\u0308': 'DIAERESIS',
  '\u030a': 'RING ABOVE',
  '\u030b': 'DOUBLE ACUTE',
  '\u030c': 'CARON',
  '\u0327': 'CEDILLA',
  '\u0328': 'OGONEK',
};
const bases: Readonly<Record<string, string>> = {
  ...{ ß: 'SHARP S', æ: 'AE', œ: 'OE', ø: 'O WITH STROKE', ł: 'L WITH STROKE', đ: 'D WITH STROKE' },
  ...{ ð: 'ETH', þ: 'THORN', ı: 'DOTLESS I', ŋ: 'ENG', ħ: 'H WITH STROKE' },
};
const others: Readonly<Record<string, string>> = {
  ...{ '€': 'EURO SIGN', '£': 'POUND SIGN', '¥': 'YEN SIGN', '°': 'DEGREE SIGN', '§': 'SECTION SIGN' },
  ...{ '–': 'EN DASH', '—': 'EM DASH', '…': 'HORIZONTAL ELLIPSIS', '\u00a0': 'NO-BREAK SPACE', '№': 'NUMERO SIGN' },
  ...{ '’': 'RIGHT SINGLE QUOTATION MARK', '‘': 'LEFT SINGLE QUOTATION MARK', '”': 'RIGHT DOUBLE QUOTATION MARK' },
  ...{ '“': 'LEFT DOUBLE QUOTATION MARK', '©': 'COPYRIGHT SIGN', '®': 'REGISTERED SIGN', '™': 'TRADE MARK SIGN' },
};

/** The name in Unicode of a letter of a Latin alphabet or of a usual sign. */
function nameOf(char: string): string | undefined {
  const [base = '', mark] = [...char.normalize('NFD')];
  const lower = base.toLowerCase();
  const letter = /[a-z]/.test(lower) ? lower.toUpperCase() : bases[lower];
  if (letter === undefined) return others[char];
  const name = `LATIN ${lower === base ? 'SMALL' : 'CAPITAL'} ${lower === 'œ' ? 'LIGATURE' : 'LETTER'} ${letter}`;
  if (mark === undefined) return name;
  return marks[mark] === undefined ? undefined : `${name} WITH ${marks[mark]}`;
}
