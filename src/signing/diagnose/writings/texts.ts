import { createHash } from 'node:crypto';
import { bytesAs, type Charset } from '../encoding-mutations.js';
import { type Writing, writing } from './writing.js';

const title = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** As swapcase of Python and Ruby. */
export function swappedCase(text: string): string {
  return [...text].map((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())).join('');
}

/** A value in another case. */
export const cases: readonly Writing[] = [
  writing('lower-case', 'in lower case', (text) => text.toLowerCase()),
  writing('upper-case', 'in upper case', (text) => text.toUpperCase()),
  writing('title-case', 'in lower case with a capital first letter', (text) => title(text.toLowerCase())),
  writing('title-case', 'with a capital first letter', title),
  writing('title-case', 'with a lower-case first letter', (text) => text.slice(0, 1).toLowerCase() + text.slice(1)),
  writing('title-case', 'with a capital at the start of each word', (text) =>
    text.replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  writing('title-case', 'in lower case with a capital at the start of each word', (text) =>
    text.toLowerCase().replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  // PHP ucwords, which knows only letters of ASCII after white space.
  writing('title-case', 'with a capital after each space', (text) =>
    text.replace(/(?<!\S)[a-z]/g, (letter) => letter.toUpperCase()),
  ),
  writing('swapped-case', 'with upper and lower case swapped', swappedCase),
];

/** A value with other blanks. */
export const blanks: readonly Writing[] = [
  writing('trimmed', 'without its leading and trailing spaces', (text) => text.trim()),
  writing('trimmed', 'without its leading spaces', (text) => text.trimStart()),
  writing('trimmed', 'without its trailing spaces', (text) => text.trimEnd()),
  writing('no-blanks', 'without its spaces', (text) => text.replaceAll(' ', '')),
  writing('no-blanks', 'with single spaces', (text) => text.replace(/ {2,}/g, ' ')),
  writing('no-blanks', 'with single spaces, and none at its ends', (text) => text.trim().replace(/\s+/g, ' ')),
  ...[
    ['\n', 'a line feed'],
    ['\r\n', 'a carriage return and a line feed'],
    ['\r', 'a carriage return'],
    [' ', 'a space'],
    ['\t', 'a tab'],
    ['\0', 'a zero byte'],
    ['\u00a0', 'a no-break space'],
    ['\u200b', 'a zero-width space'],
  ].flatMap(([mark = '', words]) => [
    writing('line-end', `with ${words} after it`, (text) => text + mark),
    writing('line-end', `with ${words} before it`, (text) => mark + text),
    writing('line-end', `with ${words} at both ends`, (text) => mark + text + mark),
  ]),
  ...[' ', '#', '&', '+', '=', '/', '?', ',', ';', '@'].map((mark) =>
    writing('cut', `cut at its first ${mark === ' ' ? 'space' : mark}`, (text) => text.split(mark, 1).join('')),
  ),
  writing('byte-order-mark', 'with a byte order mark before it', (text) => `\uFEFF${text}`),
  // Numbers of cards and of bank accounts, as people write them.
  ...[' ', '-'].map((mark) =>
    writing('grouped', `in groups of four characters, with ${mark === ' ' ? 'spaces' : '-'} between them`, (text) =>
      /^[A-Z0-9]{12,34}$/.test(text) ? text.replace(/.{4}(?=.)/g, `$&${mark}`) : text,
    ),
  ),
  ...['-', '_', '+', '.', ''].map((mark) =>
    writing('blanks-replaced', `with ${mark === '' ? 'nothing' : mark} instead of each space`, (text) =>
      text.replaceAll(' ', mark),
    ),
  ),
  ...['-', '_'].flatMap((mark) => [
    writing('slug', 'as a URL slug', (text) => text.toLowerCase().replace(/[^a-z0-9\-_]+/g, mark)),
    writing('slug', 'as a URL slug', (text) =>
      text
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, mark)
        .replace(/^[-_]+|[-_]+$/g, ''),
    ),
  ]),
];

const bare = (text: string) => text.normalize('NFD').replace(/\p{Mn}/gu, '');
const charsets: readonly (readonly [Charset, string])[] = [
  ['byte-by-byte', 'as its UTF-8 bytes read as Latin-1'],
  ['latin-1', 'as its Latin-1 bytes read as UTF-8'],
  ['windows-1252', 'as its Windows-1252 bytes read as UTF-8'],
  ['ascii', 'with ? for each non-ASCII character'],
];

const asciiSpellings: Readonly<Record<string, string>> = {
  ...{ ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i', ħ: 'h' },
  ...{ Æ: 'AE', Œ: 'OE', Ø: 'O', Ł: 'L', Đ: 'D', Ð: 'D', Þ: 'TH' },
};
const germanSpellings: Readonly<Record<string, string>> = {
  ...asciiSpellings,
  ...{ ä: 'ae', ö: 'oe', ü: 'ue', å: 'aa', ø: 'oe', Ä: 'Ae', Ö: 'Oe', Ü: 'Ue', Å: 'Aa', Ø: 'Oe' },
};
const spelled = (spellings: Readonly<Record<string, string>>) => (text: string) =>
  bare([...text.normalize('NFC')].map((char) => spellings[char] ?? char).join(''));

/** A value with other letters than were sent. */
export const letters: readonly Writing[] = [
  writing('decomposed', 'in decomposed form (NFD)', (text) => text.normalize('NFD')),
  writing('composed', 'in composed form (NFC)', (text) => text.normalize('NFC')),
  writing('compatible', 'in compatibility form (NFKD)', (text) => text.normalize('NFKD')),
  writing('compatible', 'in compatibility form (NFKC)', (text) => text.normalize('NFKC')),
  writing('unaccented', 'without accents', bare),
  writing('transliterated', 'with ue for ü and the like, transliterated to ASCII', spelled(germanSpellings)),
  writing('transliterated', 'transliterated to ASCII, such as ss for ß', spelled(asciiSpellings)),
  writing('unaccented', 'without accents and other non-ASCII characters', (text) => bare(text).replace(/[^ -~]/g, '')),
  writing('unaccented', 'without accents, with ? for other non-ASCII characters', (text) =>
    bare(text).replace(/[^ -~]/gu, '?'),
  ),
  writing('unaccented', 'in compatibility form (NFKD), without non-ASCII characters', (text) =>
    text.normalize('NFKD').replace(/[^ -~]/g, ''),
  ),
  ...charsets.map(([charset, detail]) => writing(charset, detail, (text) => bytesAs(charset, text).toString('utf8'))),
  writing('ascii', 'with �� for each non-ASCII character', (text) =>
    text.replace(/[^\0-\x7f]/gu, (char) => '\ufffd'.repeat(Buffer.byteLength(char))),
  ),
  writing('ascii', 'with � for each non-ASCII character', (text) => text.replace(/[^\0-\x7f]/gu, '\ufffd')),
  writing('ascii', 'without non-ASCII characters', (text) => text.replace(/[^\0-\x7f]/g, '')),
];

const bytes = (text: string) => Buffer.from(text, 'utf8');
const signed = (text: string) => [...new Int8Array(bytes(text))];

/** A value in the writing of its bytes or of its characters. */
export const printedBytes: readonly Writing[] = [
  writing('bytes', 'as its byte values in decimal', (text) => `[${[...bytes(text)].join(' ')}]`),
  writing('bytes', 'as its byte values in decimal', (text) => `[${[...bytes(text)].join(', ')}]`),
  writing('bytes', 'as its byte values in decimal, signed as in Java', (text) => `[${signed(text).join(', ')}]`),
  writing('bytes', 'as its byte values in decimal', (text) => [...bytes(text)].join(',')),
  writing('bytes', 'as its byte values in decimal', (text) => [...bytes(text)].join(' ')),
  writing('bytes', 'as its byte values in decimal', (text) => [...bytes(text)].join('')),
  writing('characters', 'as a list of its characters', (text) => `[${text.split('').join(', ')}]`),
  writing(
    'characters',
    'as a list of its characters',
    (text) => `[${[...text].map((char) => JSON.stringify(char)).join(', ')}]`,
  ),
  writing(
    'characters',
    'as a list of its characters',
    (text) => `[${[...text].map((char) => `'${char}'`).join(', ')}]`,
  ),
  writing('characters', 'as its characters joined with commas', (text) => [...text].join(',')),
  writing(
    'characters',
    'as its code points in decimal',
    (text) => `[${[...text].map((char) => char.codePointAt(0)).join(' ')}]`,
  ),
  writing('hex', 'in hexadecimal', (text) => bytes(text).toString('hex')),
  writing('hex', 'in upper-case hexadecimal', (text) => bytes(text).toString('hex').toUpperCase()),
  writing('hex', 'in hexadecimal with 0x before it', (text) => `0x${bytes(text).toString('hex')}`),
  writing('hex', 'in hexadecimal with - between its bytes', (text) =>
    (bytes(text).toString('hex').toUpperCase().match(/../g) ?? []).join('-'),
  ),
  writing('base64', 'as Base64', (text) => bytes(text).toString('base64')),
  writing('base64', 'as URL-safe Base64', (text) => bytes(text).toString('base64url')),
  writing('base64', 'as Base64 with a line feed', (text) => `${bytes(text).toString('base64')}\n`),
  writing('base64', 'as Base64 of the value and a line feed', (text) => bytes(`${text}\n`).toString('base64')),
  ...['md5', 'sha1', 'sha256'].flatMap((hash) => [
    writing(`${hash}-of-it`, `as its ${hash.toUpperCase()}`, (text) => createHash(hash).update(text).digest('hex')),
    writing(`${hash}-of-it`, `as its ${hash.toUpperCase()}`, (text) =>
      createHash(hash).update(text).digest('hex').toUpperCase(),
    ),
    writing(`${hash}-of-it`, `as its ${hash.toUpperCase()}`, (text) => createHash(hash).update(text).digest('base64')),
  ]),
];

/** A value inside of another that a program printed. */
export const wrappings: readonly Writing[] = [
  ...(
    [
      // The likeliest: pairs of mistakes take the first of a kind.
      ["b'", "'", 'Python bytes'],
      ['b"', '"', 'Python bytes'],
      ['Optional[', ']', 'a Java Optional'],
      ['Some(', ')', 'a Some'],
      ['Some("', '")', 'a Rust Some'],
      ['Optional("', '")', 'a Swift Optional'],
      ['Just "', '"', 'a Maybe'],
      ['OptionalInt[', ']', 'a Java OptionalInt'],
      ['OptionalLong[', ']', 'a Java OptionalLong'],
      ['OptionalDouble[', ']', 'a Java OptionalDouble'],
      ['[', ']', 'a list'],
      ['{', '}', 'braces'],
      ['(', ')', 'parentheses'],
      ['<', '>', 'angle brackets'],
      ['["', '"]', 'a list'],
      ["['", "']", 'a list'],
      ["('", "',)", 'a tuple'],
      ['(', ',)', 'a tuple'],
      ["{'", "'}", 'a set'],
      ['[:', ']', 'a list of symbols'],
      [':', '', 'a symbol'],
      [':"', '"', 'a symbol'],
      ...[...'dfvteginubcosxFGEUT'].map((verb) => [`%!${verb}(string=`, ')', `a string for %${verb} in Go`] as const),
      ['%!(EXTRA string=', ')', 'a string without a verb in Go'],
      ['<![CDATA[', ']]>', 'a CDATA section of XML'],
      ["N'", "'", 'an SQL string'],
      ["bytearray(b'", "')", 'a Python bytearray'],
      ["u'", "'", 'a Python 2 string'],
      ['Just(', ')', 'a Maybe'],
      ['Some(String("', '"))', 'a Rust Some'],
      ['String("', '")', 'a Rust string'],
      ['string(', ')', 'a call'],
      ['${', '}', 'a placeholder'],
      ['{{', '}}', 'a placeholder'],
      ['$', '', 'a variable'],
      ['@', '', 'a variable'],
    ] as const
  ).map(([before, behind, words]) => writing('wrapped', `printed as ${words}`, (text) => before + text + behind)),
  writing('wrapped', "as PHP's var_dump prints it", (text) => `string(${Buffer.byteLength(text)}) "${text}"`),
  writing('wrapped', "as PHP's serialize writes it", (text) => `s:${Buffer.byteLength(text)}:"${text}";`),
  writing('wrapped', 'as Python prints a Decimal', (text) => `Decimal('${text}')`),
  writing('doubled', 'twice', (text) => text + text),
  writing('reversed', 'backwards', (text) => [...text].reverse().join('')),
  writing('cut', 'without its last character', (text) => text.slice(0, -1)),
  writing('cut', 'without its first character', (text) => text.slice(1)),
];
