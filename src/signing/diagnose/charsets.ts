import { percentEncode } from '../../wire/form.js';

const byTable = (byteOf: (code: number, char: string) => number | undefined) => (text: string) =>
  // What the table lacks becomes a question mark.
  Buffer.from([...text].map((char) => byteOf(char.codePointAt(0) ?? 0, char) ?? 0x3f));

// 0x80 to 0x9f, where Windows-1252 is not Latin-1; a blank where it has nothing.
const windows1252 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
const latinByte = (code: number) => (code <= 0xff ? code : undefined);
const windowsByte = (code: number, char: string) => {
  const at = char === ' ' ? -1 : windows1252.indexOf(char);
  return at === -1 ? latinByte(code) : 0x80 + at;
};

/** The bytes of a text under another encoding than UTF-8. */
export const charsets: readonly (readonly [variant: string, words: string, write: (text: string) => Buffer])[] = [
  ['latin-1', 'Latin-1', byTable(latinByte)],
  ['windows-1252', 'Windows-1252', byTable(windowsByte)],
  ['byte-by-byte', 'UTF-8 twice', (text) => Buffer.from(Buffer.from(text).toString('latin1'))],
  ['ascii', 'ASCII with ? for every other character', byTable((code) => (code < 0x80 ? code : undefined))],
  ['low-bytes', 'the low byte of each character', (text) => Buffer.from(text, 'latin1')],
  ['utf-16le', 'UTF-16 (little-endian)', (text) => Buffer.from(text, 'utf16le')],
  ['utf-16be', 'UTF-16 (big-endian)', (text) => Buffer.from(text, 'utf16le').swap16()],
];

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

/** Text with the escapes of HTML, and each form that languages give an apostrophe. */
export const htmlEscapes = ['&#039;', '&#x27;', "'"].map(
  (mark) => (text: string) => text.replace(/[&<>"]/g, (char) => htmlCodes[char] ?? char).replaceAll("'", mark),
);
