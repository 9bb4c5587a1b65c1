import { createHash } from 'node:crypto';

/** A control key otherwise than it was given: the same for a checksum and for an HMAC. */
export type KeySpelling = readonly [variant: string, words: string, write: (key: string) => string];

const marks = {
  ...{
    'line-feed': ['a line feed', '\n'],
    crlf: ['a carriage return and a line feed', '\r\n'],
    blank: ['a space', ' '],
  },
  ...{ 'carriage-return': ['a carriage return', '\r'], tab: ['a tab', '\t'] },
};
const marked = (where: string, end: string, write: (key: string, mark: string) => string) =>
  Object.entries(marks).map(
    ([variant, [words, mark = '']]): KeySpelling => [
      variant + end,
      `${words} ${where} the control key`,
      (key) => write(key, mark),
    ],
  );

/** What stands around a key that was read from a file or a form. */
export const keyEnds: readonly KeySpelling[] = [
  ...marked('after', '', (key, mark) => key + mark),
  ['byte-order-mark', 'a byte order mark before the control key', (key) => `\uFEFF${key}`],
  ['trimmed', 'blanks around the control key removed, which are part of it', (key) => key.trim()],
  ['blanks', 'spaces at both ends of the control key', (key) => ` ${key} `],
  ...marked('before', '-before', (key, mark) => mark + key),
];

const hashed = (hash: string) => (key: string) => createHash(hash).update(key).digest('hex');

export const keyTexts: readonly KeySpelling[] = [
  ['quotes', 'the control key with its quotes', (key) => `"${key}"`],
  ['quotes', 'the control key with its quotes', (key) => `'${key}'`],
  ['none', 'no control key at all', () => ''],
  ['no-dashes', 'the control key without its dashes', (key) => key.replaceAll('-', '')],
  ['base64', 'the control key as Base64', (key) => Buffer.from(key).toString('base64')],
  ['hex', 'the control key in hexadecimal', (key) => Buffer.from(key).toString('hex')],
  ['md5-of-key', 'the MD5 of the control key', hashed('md5')],
  ['sha1-of-key', 'the SHA-1 of the control key', hashed('sha1')],
  ['sha256-of-key', 'the SHA-256 of the control key', hashed('sha256')],
  ...['undefined', 'null', 'None'].map(
    (word): KeySpelling => ['word', `${word} in place of the control key`, () => word],
  ),
];

export const keyCases: readonly KeySpelling[] = [
  ['key-lower', 'the control key in lower case', (key) => key.toLowerCase()],
  ['key', 'the control key in upper case', (key) => key.toUpperCase()],
];
