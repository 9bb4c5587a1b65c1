import { percentEncode } from '../../wire/form.js';

/** The bytes of a text under another encoding than UTF-8; what a table lacks becomes a question mark. */
export type Charset = keyof typeof charsets;

const byTable = (text: string, byteOf: (code: number, char: string) => number | undefined) =>
  Buffer.from([...text].map((char) => byteOf(char.codePointAt(0) ?? 0, char) ?? 0x3f));

// 0x80 to 0x9f, where Windows-1252 is not Latin-1; a blank where it has nothing.
const windows1252: ReadonlyMap<string, number> = new Map(
  [...'€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'].map((char, at): [string, number] => [char, 0x80 + at]),
);
const latinByte = (code: number) => (code <= 0xff ? code : undefined);

export const charsets = {
  'latin-1': { words: 'Latin-1', write: (text: string) => byTable(text, latinByte) },
  'windows-1252': {
    words: 'Windows-1252',
    write: (text: string) =>
      byTable(text, (code, char) => (char === ' ' ? code : (windows1252.get(char) ?? latinByte(code)))),
  },
  'byte-by-byte': {
    words: 'UTF-8 whose bytes were read as Latin-1 and encoded again',
    write: (text: string) => Buffer.from(Buffer.from(text).toString('latin1')),
  },
  ascii: {
    words: 'ASCII with ? for every other character',
    write: (text: string) => byTable(text, (code) => (code < 0x80 ? code : undefined)),
  },
  'low-bytes': { words: 'the low byte of each character', write: (text: string) => Buffer.from(text, 'latin1') },
  'utf-16le': { words: 'UTF-16 (little-endian)', write: (text: string) => Buffer.from(text, 'utf16le') },
  'utf-16be': { words: 'UTF-16 (big-endian)', write: (text: string) => Buffer.from(text, 'utf16le').swap16() },
} as const;

export const charsetNames = Object.keys(charsets) as readonly Charset[];

export function isAscii(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII is meant
  return /^[\x00-\x7f]*$/.test(text);
}

/** Bytes as RFC 3986 writes them, ASCII letters as themselves. */
export function percentBytes(bytes: Buffer): string {
  return [...bytes]
    .map((byte) => (byte < 0x80 ? percentEncode(String.fromCharCode(byte)) : `%${byte.toString(16).toUpperCase()}`))
    .join('');
}

/** As an HTML form encodes a text: a space as +, ~ escaped. */
export function formEncoded(text: string): string {
  return percentEncode(text).replaceAll('%20', '+').replaceAll('~', '%7E');
}

const htmlCodes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text with the escapes of HTML, and this one for an apostrophe. */
export function htmlEscaped(text: string, apostrophe: string): string {
  return text.replace(/[&<>"]/g, (char) => htmlCodes[char] ?? char).replaceAll("'", apostrophe);
}

/** What languages print for nothing. */
export const nothingWords = ['null', '0', 'undefined', 'None', 'nil', 'NULL', 'false', 'NaN', '[]', '0.00'] as const;
