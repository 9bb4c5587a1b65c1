export type Charset = 'latin-1' | 'low-bytes' | 'windows-1252' | 'byte-by-byte' | 'ascii' | 'surrogates-apart' | 'utf-16be' | 'utf-16le';

/** The bytes a text has under another encoding than UTF-8; what a table lacks becomes a question mark. */
export function bytesAs(charset: Charset, text: string): Buffer {
  return writers[charset](text);
}

const writers: Readonly<Record<Charset, (text: string) => Buffer>> = {
  'latin-1': (text) => byTable(text, (code) => (code <= 0xff ? code : undefined)),
  'low-bytes': (text) => Buffer.from(text, 'latin1'),
  'windows-1252': (text) => byTable(text, (code, char) => windows.get(char) ?? (code <= 0xff ? code : undefined)),
  'byte-by-byte': (text) => Buffer.from(Buffer.from(text, 'utf8').toString('latin1'), 'utf8'),
  ascii: (text) => byTable(text, (code) => (code < 0x80 ? code : undefined)),
  'surrogates-apart': (text) => Buffer.concat(text.split('').map((unit) => threeBytes(unit))),
  'utf-16be': (text) => Buffer.from(text, 'utf16le').swap16(),
  'utf-16le': (text) => Buffer.from(text, 'utf16le'),
};

// 0x80 to 0x9f, where Windows-1252 is not Latin-1; a blank where it has nothing.
const windows: ReadonlyMap<string, number> = new Map(
  [...'€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ'].map((char, at): [string, number] => [char, 0x80 + at]).filter(([char]) => char !== ' '),
);

function byTable(text: string, byteOf: (code: number, char: string) => number | undefined): Buffer {
  return Buffer.from([...text].map((char) => byteOf(char.codePointAt(0) ?? 0, char) ?? 0x3f));
}

/** A code unit as UTF-8 would have it, halves of a pair included. */
function threeBytes(unit: string): Buffer {
  const code = unit.charCodeAt(0);
  if (code < 0xd800 || code > 0xdfff) return Buffer.from(unit, 'utf8');
  return Buffer.from([0xe0 | (code >> 12), 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
}
