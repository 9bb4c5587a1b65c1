import { byLabel } from './charset-bytes.js';

const oneByte: readonly (readonly [variant: string, words: string])[] = [
  ['koi8-r', 'KOI8-R'],
  ['koi8-u', 'KOI8-U'],
  ['ibm866', 'code page 866'],
  ['iso-8859-5', 'ISO 8859-5'],
  ['x-mac-cyrillic', 'Mac Cyrillic'],
  ['windows-1253', 'Windows-1253'],
  ['iso-8859-7', 'ISO 8859-7'],
  ['windows-1254', 'Windows-1254'],
  ['windows-1255', 'Windows-1255'],
  ['iso-8859-8', 'ISO 8859-8'],
  ['windows-1256', 'Windows-1256'],
  ['windows-1257', 'Windows-1257'],
  ['windows-1258', 'Windows-1258'],
  ['iso-8859-4', 'ISO 8859-4'],
  ['iso-8859-10', 'ISO 8859-10'],
  ['iso-8859-13', 'ISO 8859-13'],
  ['windows-874', 'Windows-874'],
];
const manyBytes: readonly (readonly [variant: string, words: string])[] = [
  ['shift_jis', 'Shift_JIS'],
  ['euc-jp', 'EUC-JP'],
  ['gbk', 'GBK'],
  ['big5', 'Big5'],
  ['euc-kr', 'EUC-KR'],
];

/** Charsets of other alphabets, for texts that have them. */
export const otherCharsets: readonly (readonly [variant: string, detail: string, bytesOf: (text: string) => Buffer])[] =
  [
    ...oneByte.map(([label, words]) => [label, words, (text: string) => bytesIn(label, text, byLabel)] as const),
    ...manyBytes.map(([label, words]) => [label, words, (text: string) => bytesIn(label, text, byPairs)] as const),
  ];

const known = new Map<string, boolean>();

/** UTF-8 for a text of ASCII, which is the same in each, and where the host has no such decoder. */
function bytesIn(label: string, text: string, write: (label: string, text: string) => Buffer): Buffer {
  if (!/[^\0-\x7f]/.test(text)) return Buffer.from(text);
  if (!known.has(label)) known.set(label, isKnown(label));
  return known.get(label) === true ? write(label, text) : Buffer.from(text);
}

function isKnown(label: string): boolean {
  try {
    return new TextDecoder(label).encoding !== '';
  } catch {
    return false;
  }
}

const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** The other way round from a decoder of the host, of one byte and of two. */
function byPairs(label: string, text: string): Buffer {
  if (!/[\u2e80-\uffef]/.test(text)) return Buffer.from(text);
  const table = tables.get(label) ?? pairsOf(label);
  tables.set(label, table);
  return Buffer.from([...text].flatMap((char) => [...(table.get(char) ?? [0x3f])]));
}

function pairsOf(label: string): ReadonlyMap<string, readonly number[]> {
  const decoder = new TextDecoder(label);
  const table = new Map<string, readonly number[]>();
  const add = (...bytes: readonly number[]) => {
    const [char = '', ...rest] = [...decoder.decode(Uint8Array.from(bytes))];
    if (rest.length === 0 && char !== '\ufffd' && !table.has(char)) table.set(char, bytes);
  };
  for (let lead = 0; lead < 256; lead += 1) add(lead);
  for (let lead = 0x81; lead < 255; lead += 1) for (let trail = 0x40; trail < 255; trail += 1) add(lead, trail);
  return table;
}
