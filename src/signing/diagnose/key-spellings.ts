import { createHash } from 'node:crypto';
import { common } from './search.js';

/** A control key otherwise than it was given: the same for a checksum and for an HMAC. */
export type Spelling = readonly [
  variant: string,
  words: string,
  write: (key: string) => string,
  mark?: typeof common | undefined,
];

/** What stands around a key that was read from a file or a form. */
export const keyEnds: readonly Spelling[] = [
  ['line-feed', 'a line feed after the control key', (key) => `${key}\n`, common],
  ['crlf', 'a carriage return and a line feed after the control key', (key) => `${key}\r\n`, common],
  ['blank', 'a space after the control key', (key) => `${key} `, common],
  ['carriage-return', 'a carriage return after the control key', (key) => `${key}\r`],
  ['tab', 'a tab after the control key', (key) => `${key}\t`],
  ['byte-order-mark', 'a byte order mark before the control key', (key) => `\uFEFF${key}`],
  ['trimmed', 'blanks around the control key removed, which are part of it', (key) => key.trim()],
  ['blanks', 'spaces at both ends of the control key', (key) => ` ${key} `],
  ['blank-before', 'a space before the control key', (key) => ` ${key}`],
];

const hashed = (hash: string) => (key: string) => createHash(hash).update(key).digest('hex');

export const keyTexts: readonly Spelling[] = [
  ['quotes', 'the control key with its quotes', (key) => `"${key}"`, common],
  ['quotes', 'the control key with its quotes', (key) => `'${key}'`],
  ['none', 'no control key at all', () => '', common],
  ['no-dashes', 'the control key without its dashes', (key) => key.replaceAll('-', '')],
  ['base64', 'the control key as Base64', (key) => Buffer.from(key).toString('base64')],
  ['hex', 'the control key in hexadecimal', (key) => Buffer.from(key).toString('hex')],
  ['md5-of-key', 'the MD5 of the control key', hashed('md5')],
  ['sha1-of-key', 'the SHA-1 of the control key', hashed('sha1')],
  ['sha256-of-key', 'the SHA-256 of the control key', hashed('sha256')],
  ...['undefined', 'null', 'None'].map((word): Spelling => ['word', `${word} in place of the control key`, () => word]),
];

export const keyCases: readonly Spelling[] = [
  ['key-lower', 'the control key in lower case', (key) => key.toLowerCase(), common],
  ['key', 'the control key in upper case', (key) => key.toUpperCase()],
];
