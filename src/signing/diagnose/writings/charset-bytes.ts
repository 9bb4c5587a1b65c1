import { bytesAs } from '../encoding-mutations.js';
import { lostLetterBytes } from './lost-letters.js';

/** A whole text as bytes of another encoding than UTF-8, as it is given to a hash. */
export const textBytes: readonly (readonly [variant: string, detail: string, bytesOf: (text: string) => Buffer])[] = [
  ['byte-order-mark', 'UTF-8 with a byte order mark', (text) => Buffer.from(`\uFEFF${text}`)],
  ['utf-16le', 'UTF-16 (little-endian)', (text) => Buffer.from(text, 'utf16le')],
  ['utf-16be', 'UTF-16 (big-endian)', (text) => Buffer.from(text, 'utf16le').swap16()],
  ['utf-16-mark', 'UTF-16 (little-endian) with a byte order mark', (text) => Buffer.from(`\uFEFF${text}`, 'utf16le')],
  [
    'utf-16-mark',
    'UTF-16 (big-endian) with a byte order mark',
    (text) => Buffer.from(`\uFEFF${text}`, 'utf16le').swap16(),
  ],
  ['utf-32', 'UTF-32 (little-endian)', (text) => utf32(text)],
  ['utf-32', 'UTF-32 (big-endian)', (text) => utf32(text).swap32()],
  ['utf-32', 'UTF-32 with a byte order mark', (text) => utf32(`\uFEFF${text}`)],
  ['utf-7', 'UTF-7', (text) => Buffer.from(utf7(text))],
  ['latin-1', 'Latin-1', (text) => bytesAs('latin-1', text)],
  [
    'low-bytes',
    'the low bytes of its characters',
    (text) => Buffer.from([...text].map((char) => (char.codePointAt(0) ?? 0) & 255)),
  ],
  ['windows-1252', 'Windows-1252', (text) => bytesAs('windows-1252', text)],
  ['windows-1250', 'Windows-1250', (text) => byLabel('windows-1250', text)],
  ['windows-1251', 'Windows-1251', (text) => byLabel('windows-1251', text)],
  ['latin-2', 'Latin-2', (text) => byLabel('iso-8859-2', text)],
  ['latin-9', 'Latin-9', (text) => byLabel('iso-8859-15', text)],
  ['mac-roman', 'Mac Roman', (text) => byLabel('macintosh', text)],
  ['ascii', 'ASCII, with ? for everything else', (text) => bytesAs('ascii', text)],
  [
    'ascii',
    'ASCII, with ? for each UTF-16 unit of everything else',
    (text) => Buffer.from(text.replace(/[^\0-\x7f]/g, '?')),
  ],
  [
    'ascii',
    'ASCII, with ? for each UTF-8 byte of everything else',
    (text) => Buffer.from(text.replace(/[^\0-\x7f]/gu, (char) => '?'.repeat(Buffer.byteLength(char)))),
  ],
  ['ascii', 'ASCII, with everything else left out', (text) => Buffer.from(text.replace(/[^\0-\x7f]/g, ''))],
  [
    'ascii',
    'ASCII, without accents and with everything else left out',
    (text) => Buffer.from(text.normalize('NFKD').replace(/[^\0-\x7f]/g, '')),
  ],
  ['byte-by-byte', 'UTF-8 read as Latin-1 and encoded again', (text) => bytesAs('byte-by-byte', text)],
  [
    'low-bits',
    'UTF-8 with the top bit of each byte cleared',
    (text) => Buffer.from(Buffer.from(text).map((byte) => byte & 127)),
  ],
  ...lostLetterBytes,
];

function utf32(text: string): Buffer {
  const points = [...text].map((char) => char.codePointAt(0) ?? 0);
  const out = Buffer.alloc(points.length * 4);
  for (const [at, point] of points.entries()) out.writeUInt32LE(point, at * 4);
  return out;
}

/** RFC 2152 as .NET has it: + as +-, and of the optional characters none as it is. */
function utf7(text: string): string {
  return text
    .replaceAll('+', '+-')
    .replace(
      /[^A-Za-z0-9'(),\-./:?+ \t\r\n]+/g,
      (run) => `+${Buffer.from(run, 'utf16le').swap16().toString('base64').replace(/=+$/, '')}-`,
    );
}

const decoders = new Map<string, ReadonlyMap<string, number>>();

/** The other way round from a decoder of the host. */
export function byLabel(label: string, text: string): Buffer {
  const table =
    decoders.get(label) ??
    new Map(Array.from({ length: 256 }, (_, byte) => [new TextDecoder(label).decode(Uint8Array.of(byte)), byte]));
  decoders.set(label, table);
  return Buffer.from([...text].map((char) => table.get(char) ?? 0x3f));
}
