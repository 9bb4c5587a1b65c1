import { createHash } from 'node:crypto';
import { bytesAs, type Charset } from '../encoding-mutations.js';
import { type Writing, writing } from './writing.js';

const title = (text: string) => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A value in another case. */
export const cases: readonly Writing[] = [
  writing('lower-case', 'in lower case', (text) => text.toLowerCase()),
  writing('upper-case', 'in upper case', (text) => text.toUpperCase()),
  writing('title-case', 'with a capital at its beginning alone', (text) => title(text.toLowerCase())),
  writing('title-case', 'with a capital at its beginning', title),
  writing(
    'title-case',
    'with a small letter at its beginning',
    (text) => text.slice(0, 1).toLowerCase() + text.slice(1),
  ),
  writing('title-case', 'with a capital at each word', (text) =>
    text.replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  writing('title-case', 'with a capital at each word alone', (text) =>
    text.toLowerCase().replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase()),
  ),
  // PHP ucwords, which knows only letters of ASCII after white space.
  writing('title-case', 'with a capital after each space', (text) =>
    text.replace(/(?<!\S)[a-z]/g, (letter) => letter.toUpperCase()),
  ),
  writing('swapped-case', 'in the other case', (text) =>
    [...text].map((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())).join(''),
  ),
];

/** A value with other blanks. */
export const blanks: readonly Writing[] = [
  writing('trimmed', 'without the spaces at its ends', (text) => text.trim()),
  writing('trimmed', 'without the spaces before it', (text) => text.trimStart()),
  writing('trimmed', 'without the spaces after it', (text) => text.trimEnd()),
  writing('no-blanks', 'without its spaces', (text) => text.replaceAll(' ', '')),
  writing('no-blanks', 'with single spaces', (text) => text.replace(/ {2,}/g, ' ')),
  writing('no-blanks', 'with single spaces and none at its ends', (text) => text.trim().replace(/\s+/g, ' ')),
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
  writing('byte-order-mark', 'with a byte order mark before it', (text) => `\uFEFF${text}`),
  ...['-', '_', '+', '.', ''].map((mark) =>
    writing('blanks-replaced', `with ${mark === '' ? 'nothing' : mark} instead of each space`, (text) =>
      text.replaceAll(' ', mark),
    ),
  ),
  ...['-', '_'].flatMap((mark) => [
    writing('slug', 'as a word for addresses', (text) => text.toLowerCase().replace(/[^a-z0-9\-_]+/g, mark)),
    writing('slug', 'as a word for addresses', (text) =>
      text
        .toLowerCase()
        .replace(/[^a-z0-9]+/g, mark)
        .replace(/^[-_]+|[-_]+$/g, ''),
    ),
  ]),
];

const bare = (text: string) => text.normalize('NFD').replace(/\p{Mn}/gu, '');
const charsets: readonly (readonly [Charset, string])[] = [
  ['byte-by-byte', 'as its bytes of UTF-8 read as Latin-1'],
  ['latin-1', 'as its bytes of Latin-1 read as UTF-8'],
  ['windows-1252', 'as its bytes of Windows-1252 read as UTF-8'],
  ['ascii', 'with ? for each letter beyond ASCII'],
];

/** A value with other letters than were sent. */
export const letters: readonly Writing[] = [
  writing('decomposed', 'with letters and their accents apart (NFD)', (text) => text.normalize('NFD')),
  writing('composed', 'with letters and their accents as one (NFC)', (text) => text.normalize('NFC')),
  writing('compatible', 'with compatible letters (NFKD)', (text) => text.normalize('NFKD')),
  writing('compatible', 'with compatible letters (NFKC)', (text) => text.normalize('NFKC')),
  writing('unaccented', 'without accents', bare),
  writing('unaccented', 'without accents and what ASCII lacks', (text) => bare(text).replace(/[^ -~]/g, '')),
  writing('unaccented', 'without accents and with ? for what ASCII lacks', (text) =>
    bare(text).replace(/[^ -~]/gu, '?'),
  ),
  writing('unaccented', 'without what ASCII lacks', (text) => text.normalize('NFKD').replace(/[^ -~]/g, '')),
  ...charsets.map(([charset, detail]) => writing(charset, detail, (text) => bytesAs(charset, text).toString('utf8'))),
  writing('ascii', 'with �� for each letter beyond ASCII', (text) =>
    text.replace(/[^\0-\x7f]/gu, (char) => '\ufffd'.repeat(Buffer.byteLength(char))),
  ),
  writing('ascii', 'with � for each letter beyond ASCII', (text) => text.replace(/[^\0-\x7f]/gu, '\ufffd')),
  writing('ascii', 'without the letters beyond ASCII', (text) => text.replace(/[^\0-\x7f]/g, '')),
];

const bytes = (text: string) => Buffer.from(text, 'utf8');
const signed = (text: string) => [...new Int8Array(bytes(text))];

/** A value in the writing of its bytes or of its characters. */
export const printedBytes: readonly Writing[] = [
  writing('bytes', 'as the numbers of its bytes', (text) => `[${[...bytes(text)].join(' ')}]`),
  writing('bytes', 'as the numbers of its bytes', (text) => `[${[...bytes(text)].join(', ')}]`),
  writing('bytes', 'as the numbers of its bytes, as Java prints them', (text) => `[${signed(text).join(', ')}]`),
  writing('bytes', 'as the numbers of its bytes', (text) => [...bytes(text)].join(',')),
  writing('bytes', 'as the numbers of its bytes', (text) => [...bytes(text)].join(' ')),
  writing('bytes', 'as the numbers of its bytes', (text) => [...bytes(text)].join('')),
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
  writing('characters', 'as its characters with commas', (text) => [...text].join(',')),
  writing(
    'characters',
    'as the numbers of its characters',
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
  writing('base64', 'as Base64 of it and a line feed', (text) => bytes(`${text}\n`).toString('base64')),
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
      ['Optional[', ']', 'an Optional of Java'],
      ['Some(', ')', 'a Some'],
      ['Some("', '")', 'a Some of Rust'],
      ['Optional("', '")', 'an Optional of Swift'],
      ['Just "', '"', 'a Maybe'],
      ['OptionalInt[', ']', 'an OptionalInt of Java'],
      ['OptionalLong[', ']', 'an OptionalLong of Java'],
      ['OptionalDouble[', ']', 'an OptionalDouble of Java'],
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
      ['%!d(string=', ')', 'what Go prints for %d of a text'],
      ['%!f(string=', ')', 'what Go prints for %f of a text'],
      ['%!v(string=', ')', 'what Go prints for a wrong verb'],
      ['%!(EXTRA string=', ')', 'what Go prints for a value without a verb'],
      ['<![CDATA[', ']]>', 'a section of XML'],
      ["N'", "'", 'a text of SQL'],
      ['string(', ')', 'a call'],
      ['${', '}', 'a placeholder'],
      ['{{', '}}', 'a placeholder'],
      ['$', '', 'a variable'],
      ['@', '', 'a variable'],
    ] as const
  ).map(([before, behind, words]) => writing('wrapped', `printed as ${words}`, (text) => before + text + behind)),
  writing('wrapped', 'printed as PHP dumps a text', (text) => `string(${Buffer.byteLength(text)}) "${text}"`),
  writing('wrapped', 'serialised as PHP does it', (text) => `s:${Buffer.byteLength(text)}:"${text}";`),
  writing('wrapped', 'printed as a Decimal of Python', (text) => `Decimal('${text}')`),
  writing('doubled', 'twice', (text) => text + text),
  writing('reversed', 'backwards', (text) => [...text].reverse().join('')),
  writing('cut', 'without its last character', (text) => text.slice(0, -1)),
  writing('cut', 'without its first character', (text) => text.slice(1)),
];
