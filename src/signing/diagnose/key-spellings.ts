import { createHash } from 'node:crypto';

/** A control key otherwise than it was given: the same for a checksum and for an HMAC. */
export type KeySpelling = readonly [variant: string, words: string, write: (key: string) => string];

const marks = [
  ['line-feed', 'a line feed', '\n'],
  ['crlf', 'a carriage return and a line feed', '\r\n'],
  ['blank', 'a space', ' '],
  ['carriage-return', 'a carriage return', '\r'],
  ['tab', 'a tab', '\t'],
] as const;

/** What stands around a key that was read from a file or a form. */
export const keyEnds: readonly KeySpelling[] = [
  ...marks.map(
    ([variant, words, mark]): KeySpelling => [variant, `${words} after the control key`, (key) => key + mark],
  ),
  ['byte-order-mark', 'a byte order mark before the control key', (key) => `\uFEFF${key}`],
  ['trimmed', 'blanks or line breaks around the control key removed, which are part of it', (key) => key.trim()],
  ['blanks', 'spaces at both ends of the control key', (key) => ` ${key} `],
  ...marks.map(
    ([variant, words, mark]): KeySpelling => [
      `${variant}-before`,
      `${words} before the control key`,
      (key) => mark + key,
    ],
  ),
];

export const keyTexts: readonly KeySpelling[] = [
  ...[`"`, `'`].map((mark): KeySpelling => ['quotes', 'the control key with its quotes', (key) => mark + key + mark]),
  ['none', 'no control key at all', () => ''],
  ['no-dashes', 'the control key without its dashes', (key) => key.replaceAll('-', '')],
  ...(['base64', 'hex'] as const).map(
    (writing): KeySpelling => [writing, `the control key as ${writing}`, (key) => Buffer.from(key).toString(writing)],
  ),
  ...['md5', 'sha1', 'sha256'].map(
    (hash): KeySpelling => [
      `${hash}-of-key`,
      `the ${hash.toUpperCase()} of the control key`,
      (key) => createHash(hash).update(key).digest('hex'),
    ],
  ),
  ...['undefined', 'null', 'None'].map(
    (word): KeySpelling => ['word', `${word} in place of the control key`, () => word],
  ),
];

export const keyCases: readonly KeySpelling[] = [
  ['key-lower', 'the control key in lower case', (key) => key.toLowerCase()],
  ['key', 'the control key in upper case', (key) => key.toUpperCase()],
];
