import type { Pair } from '../../wire/form.js';
import { percentEncode } from '../../wire/percent.js';
import { bytesAs, type Charset } from './charsets.js';
import { type OauthParts, parametersOf, type Wrong } from './oauth-parts.js';
import type { Mistake, OauthMistakeName } from './types.js';

/** 3.6: characters are encoded as their UTF-8 bytes. */
export function* charsetFaults({ items }: OauthParts): Generator<Wrong> {
  if (!items.some(({ plain }) => isForeign(plain[0]) || isForeign(plain[1]))) return;
  for (const { variant, detail, write } of charsets)
    for (const isDue of [isForeign, () => true]) {
      const written = (text: string, encoded: string) => (isDue(text) ? write(text) : encoded);
      const pairs = items.map(({ plain, encoded }): Pair => [written(plain[0], encoded[0]), written(plain[1], encoded[1])]);
      yield { name: 'not-utf8', variant, detail, elements: { parameters: parametersOf(pairs) } };
    }
}

/** One text under each of these encodings. */
export function* otherCharsets(text: string): Generator<Mistake<OauthMistakeName> & { readonly text: string }> {
  if (!isForeign(text)) return;
  for (const { variant, detail, write } of charsets) yield { name: 'not-utf8', variant, detail, text: write(text) };
}

function isForeign(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  return /[^\x00-\x7f]/.test(text);
}

interface Row {
  readonly variant: string;
  readonly detail: string;
  readonly write: (text: string) => string;
}

const charsets: readonly Row[] = [
  inBytes('latin-1', 'characters encoded as Latin-1; they are UTF-8'),
  inBytes('low-bytes', 'only the low byte of each UTF-16 unit encoded; characters are UTF-8'),
  inBytes('windows-1252', 'characters encoded as Windows-1252; they are UTF-8'),
  inBytes('byte-by-byte', 'the bytes of UTF-8 taken for Latin-1 and encoded as UTF-8 again'),
  inBytes('ascii', 'characters beyond ASCII encoded as ?; they are UTF-8'),
  inBytes('surrogates-apart', 'characters beyond U+FFFF encoded in two halves of three bytes each; UTF-8 has four bytes'),
  inBytes('utf-16be', 'values encoded as UTF-16, the high byte first; they are UTF-8'),
  inBytes('utf-16le', 'values encoded as UTF-16, the low byte first; they are UTF-8'),
  { variant: 'escape', detail: 'characters written as %E9 or %u20AC, by the old escape(); they are UTF-8', write: escaped },
  { variant: 'code-units', detail: 'characters written as the number of their UTF-16 unit, such as %20AC; they are UTF-8', write: byUnits },
  { variant: 'dropped', detail: 'characters beyond ASCII left out', write: (text) => percentEncode(text.replace(/[^ -~]/g, '')) },
];

function inBytes(variant: Charset, detail: string): Row {
  return { variant, detail, write: (text) => [...bytesAs(variant, text)].map(byteEscape).join('') };
}

function byteEscape(byte: number): string {
  const char = String.fromCharCode(byte);
  return byte < 0x80 ? percentEncode(char) : `%${byte.toString(16).toUpperCase()}`;
}

function byUnits(text: string): string {
  return text
    .split('')
    .map((unit) => (isForeign(unit) ? `%${unit.charCodeAt(0).toString(16).toUpperCase()}` : percentEncode(unit)))
    .join('');
}

function escaped(text: string): string {
  return [...Array(text.length).keys()]
    .map((at) => {
      const code = text.charCodeAt(at);
      if (code > 0xff) return `%u${code.toString(16).toUpperCase().padStart(4, '0')}`;
      return /[\w@*+\-./]/.test(text.charAt(at)) ? text.charAt(at) : `%${code.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}
