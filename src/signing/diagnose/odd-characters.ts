/** A character that looks like another one, or like nothing. */
export interface OddCharacter {
  /** Its place among the characters of the text, from 0. */
  readonly at: number;
  /** `U+00A0` */
  readonly codePoint: string;
  readonly kind: 'invisible' | 'blank' | 'decomposed' | 'look-alike';
  /** What it is, or what it looks like. */
  readonly name: string;
}

const names: Readonly<Record<string, string>> = {
  '\0': 'zero byte',
  '\t': 'tab',
  '\n': 'line feed',
  '\r': 'carriage return',
  '\u00a0': 'no-break space',
  '\u00ad': 'soft hyphen',
  '\u034f': 'combining grapheme joiner',
  '\u061c': 'Arabic letter mark',
  '\u180e': 'Mongolian vowel separator',
  '\u2002': 'en space',
  '\u2003': 'em space',
  '\u2007': 'figure space',
  '\u2009': 'thin space',
  '\u200a': 'hair space',
  '\u200b': 'zero width space',
  '\u200c': 'zero width non-joiner',
  '\u200d': 'zero width joiner',
  '\u200e': 'left-to-right mark',
  '\u200f': 'right-to-left mark',
  '\u2028': 'line separator',
  '\u2029': 'paragraph separator',
  '\u202f': 'narrow no-break space',
  '\u2060': 'word joiner',
  '\u2800': 'blank Braille pattern',
  '\u3000': 'ideographic space',
  '\u3164': 'Hangul filler',
  '\ufe0f': 'variation selector',
  '\ufeff': 'byte order mark',
};

/** Characters of other alphabets that are drawn like one of ASCII, and marks that editors put in the place of one. */
const lookAlikes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'аα',
    A: 'АΑ',
    B: 'ВΒ',
    c: 'с',
    C: 'СϹ',
    d: 'ԁ',
    e: 'е',
    E: 'ЕΕ',
    h: 'һ',
    H: 'НΗ',
    i: 'іı',
    I: 'ІΙ',
    j: 'ј',
    J: 'Ј',
    K: 'КΚ',
    M: 'МΜ',
    N: 'Ν',
    o: 'оο',
    O: 'ОΟ',
    p: 'рρ',
    P: 'РΡ',
    q: 'ԛ',
    s: 'ѕ',
    S: 'Ѕ',
    T: 'ТΤ',
    v: 'ν',
    w: 'ԝ',
    x: 'х',
    X: 'ХΧ',
    y: 'у',
    Y: 'ҮΥ',
    Z: 'Ζ',
    '-': '\u2010\u2011\u2012–—−',
    "'": '‘’‚′ʼ`´',
    '"': '“”„″',
    '/': '⁄∕',
    ':': '∶',
    '.': '․',
    ',': '‚',
    '*': '∗',
    '~': '∼',
  }).flatMap(([plain, others]) => [...others].map((other): [string, string] => [other, plain])),
);

const isInvisible = /\p{Cc}|\p{Cf}|\p{Zl}|\p{Zp}|\u034f|\u115f|\u1160|\u2800|\u3164|[\ufe00-\ufe0f]/u;

/**
 * The characters of a text that an eye does not tell from others: invisible ones, blanks that are no space, letters in
 * two parts (NFD), and letters of another alphabet in a word of ASCII.
 */
export function oddCharacters(text: string): OddCharacter[] {
  const chars = [...text];
  return chars.flatMap((char, at): OddCharacter[] => {
    const found = oddityOf(char, at, chars);
    return found === undefined ? [] : [{ at, codePoint: codePointOf(char), ...found }];
  });
}

/** `U+1F600`, with four digits at least. */
function codePointOf(char: string): string {
  return `U+${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

function oddityOf(char: string, at: number, chars: readonly string[]): Pick<OddCharacter, 'kind' | 'name'> | undefined {
  if (char >= ' ' && char <= '~' && char !== '`') return undefined;
  if (isInvisible.test(char)) return { kind: 'invisible', name: names[char] ?? 'invisible character' };
  if (/\p{Zs}/u.test(char)) return { kind: 'blank', name: names[char] ?? 'space of a different width' };
  if (/\p{M}/u.test(char)) {
    const pair = (chars[at - 1] ?? '') + char;
    return pair.normalize('NFC').length < pair.length
      ? { kind: 'decomposed', name: `combining mark after its letter, which NFC composes to ${pair.normalize('NFC')}` }
      : undefined;
  }
  const plain = plainOf(char);
  if (plain === undefined || (/\p{L}/u.test(char) && !isAmongAscii(at, chars))) return undefined;
  return { kind: 'look-alike', name: `looks like ${plain}` };
}

function plainOf(char: string): string | undefined {
  const code = char.codePointAt(0) ?? 0;
  // Full-width forms, and the digits of other scripts.
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0);
  if (code >= 0x660 && code <= 0x669) return String(code - 0x660);
  if (code >= 0x6f0 && code <= 0x6f9) return String(code - 0x6f0);
  return char === '`' ? undefined : lookAlikes.get(char);
}

/** Whether the word around it has letters of ASCII, or nothing but such look-alikes. */
function isAmongAscii(at: number, chars: readonly string[]): boolean {
  const isWord = (char: string | undefined) => char !== undefined && /[\p{L}\p{N}]/u.test(char);
  let from = at;
  let to = at;
  while (isWord(chars[from - 1])) from -= 1;
  while (isWord(chars[to + 1])) to += 1;
  const letters = chars.slice(from, to + 1).filter((char) => /\p{L}/u.test(char));
  return letters.some((char) => /[A-Za-z]/.test(char)) || letters.every((char) => plainOf(char) !== undefined);
}
