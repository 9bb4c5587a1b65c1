import {
  base32,
  base64In,
  base85,
  digitsOf58,
  digitsOf62,
  digitsOf85,
  inBase,
  otherBase64Digits,
  quotedByPython,
  quotedPrintable,
  uuencoded,
} from './base-digits.js';
import { encodedBy, percentEncoders } from './percent-encoders.js';
import { pythonBytes, rubyBytes } from './printed-bytes.js';
import { blanks, cases, wrappings } from './texts.js';

/**
 * A named way to write the bytes of a digest as text. The right ones are hexadecimal (checksums) and Base64 (OAuth);
 * these are the wrong ones that programs are known to send, tried when a received checksum or signature does not match.
 */
export interface DigestWriting {
  /** A stable word for programs (see `Mistake`). Writings that differ only in punctuation share one. */
  readonly variant: string;
  /** The writing in words that follow "written", for people. */
  readonly detail: string;
  readonly write: (bytes: Buffer) => string;
}

const base64 = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64');
const hex = (bytes: Buffer) => bytes.toString('hex');
const upperHex = (bytes: Buffer) => hex(bytes).toUpperCase();
/** Each byte as two hexadecimal digits. */
const hexPairs = (bytes: Buffer) => hex(bytes).match(/../g) ?? [];
/** Each byte as a number from -128 to 127. */
const signedBytes = (bytes: Buffer) => [...new Int8Array(bytes)];
/** All bytes as one number, the first byte highest. */
const integer = (bytes: Buffer) => BigInt(`0x${hex(bytes) || '0'}`);
const signedInteger = (bytes: Buffer) => BigInt.asIntN(bytes.length * 8, integer(bytes));

const row = (variant: string, detail: string, write: DigestWriting['write']): DigestWriting => ({
  variant,
  detail,
  write,
});

/** As hex.Dump of Go writes it: sixteen bytes a line in two halves, and their ASCII characters beside them. */
function hexDump(bytes: Buffer): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += 16) {
    const line = bytes.subarray(at, at + 16);
    const halves = [line.subarray(0, 8), line.subarray(8)].map((half) => hexPairs(half).join(' ').padEnd(23));
    const letters = line.toString('latin1').replace(/[^ -~]/g, '.');
    lines.push(`${at.toString(16).padStart(8, '0')}  ${halves.join('  ')}  |${letters}|\n`);
  }
  return lines.join('');
}

/** Each byte as a percent escape, but letters, digits and these marks as they are. */
function escapedBytes(bytes: Buffer, marks: string): string {
  return Array.from(bytes, (byte) => {
    const char = String.fromCharCode(byte);
    const isKept = /[A-Za-z0-9]/.test(char) || marks.includes(char);
    return isKept ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }).join('');
}

/** How languages print an array of bytes that was not encoded as text first. */
const printedBytes: readonly DigestWriting[] = [
  row('bytes', 'as its byte values in decimal', (bytes) => `[${bytes.join(' ')}]`),
  row('bytes', 'as its byte values in decimal', (bytes) => `[${bytes.join(', ')}]`),
  row('bytes', 'as its byte values in decimal', (bytes) => `[${bytes.join(',')}]`),
  row('bytes', 'as its byte values in decimal', (bytes) => bytes.join(',')),
  row('bytes', 'as its byte values in decimal', (bytes) => bytes.join(', ')),
  row('bytes', 'as its byte values in decimal', (bytes) => bytes.join(' ')),
  row('bytes', 'as its byte values in decimal', (bytes) => bytes.join('')),
  row('bytes', 'as its byte values in decimal, signed as in Java', (bytes) => `[${signedBytes(bytes).join(', ')}]`),
  row('bytes', 'as its byte values in decimal, signed as in Java', (bytes) => signedBytes(bytes).join(',')),
  row('bytes', 'as its byte values in decimal, signed as in Java', (bytes) => signedBytes(bytes).join('')),
  row(
    'bytes',
    'as Go prints a slice with %#v',
    (bytes) => `[]byte{${[...bytes].map((byte) => `0x${byte.toString(16)}`).join(', ')}}`,
  ),
  row('bytes', 'as the JSON of a Node.js Buffer', (bytes) => JSON.stringify(bytes)),
  row('bytes', 'as Node.js prints a Buffer', (bytes) => `<Buffer ${hexPairs(bytes).join(' ')}>`),
  row('bytes', 'as \\x escapes of its bytes', (bytes) =>
    hexPairs(bytes)
      .map((pair) => `\\x${pair}`)
      .join(''),
  ),
  row('bytes', 'as \\x escapes of its bytes', (bytes) =>
    hexPairs(bytes)
      .map((pair) => `\\x${pair.toUpperCase()}`)
      .join(''),
  ),
  row('bytes', 'as percent escapes of its bytes', (bytes) =>
    hexPairs(bytes)
      .map((pair) => `%${pair.toUpperCase()}`)
      .join(''),
  ),
];

/** Encodings other than the two right ones, and further ways to print bytes. */
const otherEncodings: readonly DigestWriting[] = [
  row('bits', 'in binary', (bytes) => [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')),
  row('bits', 'in binary, without the leading zeros of each byte', (bytes) =>
    [...bytes].map((byte) => byte.toString(2)).join(''),
  ),
  row('bits', 'in binary, with spaces between the bytes', (bytes) =>
    [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join(' '),
  ),
  row('hex-unpadded', 'in hexadecimal without the leading zero of a byte', (bytes) =>
    [...bytes].map((byte) => byte.toString(16)).join(''),
  ),
  row('hex-unpadded', 'in upper-case hexadecimal without the leading zero of a byte', (bytes) =>
    [...bytes].map((byte) => byte.toString(16).toUpperCase()).join(''),
  ),
  row('hex-signed', 'in hexadecimal, each byte sign-extended as in Java', (bytes) =>
    signedBytes(bytes)
      .map((byte) => (byte >>> 0).toString(16))
      .join(''),
  ),
  row('hex-signed', 'in hexadecimal, each byte sign-extended as in Java', (bytes) =>
    signedBytes(bytes)
      .map((byte) => (byte >>> 0).toString(16).padStart(2, '0'))
      .join(''),
  ),
  row('hex-prefixed', 'in hexadecimal with 0x before it', (bytes) => `0x${hex(bytes)}`),
  row('hex-prefixed', 'in hexadecimal with 0x before it', (bytes) => `0x${upperHex(bytes)}`),
  row('hex-prefixed', 'in hexadecimal with 0X before it', (bytes) => `0X${upperHex(bytes)}`),
  row('hex-prefixed', 'in hexadecimal with 0x before each byte', (bytes) =>
    hexPairs(bytes)
      .map((pair) => `0x${pair}`)
      .join(' '),
  ),
  row('hex-prefixed', 'in hexadecimal with \\x before it', (bytes) => `\\x${hex(bytes)}`),
  ...['-', ':', ' ', ', ', ','].flatMap((mark) => [
    row('hex-marked', 'in hexadecimal with separators between the bytes', (bytes) => hexPairs(bytes).join(mark)),
    row('hex-marked', 'in upper-case hexadecimal with separators between the bytes', (bytes) =>
      hexPairs(bytes).join(mark).toUpperCase(),
    ),
  ]),
  row('nibbles', 'in hexadecimal, the two digits of each byte swapped', (bytes) =>
    hexPairs(bytes)
      .map(([high = '', low = '']) => low + high)
      .join(''),
  ),
  row('reversed', 'in hexadecimal, the last byte first', (bytes) => [...hexPairs(bytes)].reverse().join('')),
  row('reversed', 'as Base64, the last byte first', (bytes) => base64(Buffer.from(bytes).reverse())),
  row('integer', 'in hexadecimal as an integer, without its leading zeros', (bytes) => integer(bytes).toString(16)),
  row('integer', 'in hexadecimal as a signed integer', (bytes) => signedInteger(bytes).toString(16)),
  row('integer', 'in upper-case hexadecimal as a signed integer', (bytes) =>
    signedInteger(bytes).toString(16).toUpperCase(),
  ),
  row('decimal', 'as a decimal number', (bytes) => integer(bytes).toString()),
  row('decimal', 'as a signed decimal number', (bytes) => signedInteger(bytes).toString()),
  row('octal', 'in octal', (bytes) => integer(bytes).toString(8)),
  row('base36', 'in base 36', (bytes) => integer(bytes).toString(36)),
  row('ascii85', 'as Ascii85', (bytes) => base85(bytes)),
  row('ascii85', 'as Ascii85 between <~ and ~>', (bytes) => `<~${base85(bytes)}~>`),
  row('base85', 'in base 85 with the digits of RFC 1924', (bytes) => base85(bytes, digitsOf85.rfc1924)),
  row('base85', 'in base 85 with the digits of ZeroMQ', (bytes) => base85(bytes, digitsOf85.z85)),
  row('base58', 'in base 58', (bytes) => inBase(bytes, digitsOf58)),
  row('base62', 'in base 62', (bytes) => inBase(bytes, digitsOf62)),
  ...otherBase64Digits.map((digits) =>
    row('base64-digits', 'as Base64 with another alphabet', (bytes) => base64In(bytes, digits)),
  ),
  row('base32', 'as Base32 without padding', (bytes) => base32(bytes, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')),
  row('base32', 'as Base32 in lower case', (bytes) => base32(bytes, 'abcdefghijklmnopqrstuvwxyz234567')),
  row('base32', 'as Base32 with the extended hex alphabet', (bytes) =>
    base32(bytes, '0123456789ABCDEFGHIJKLMNOPQRSTUV'),
  ),
  ...(['`', ' '] as const).flatMap((zero) => [
    row('uuencode', 'uuencoded', (bytes) => uuencoded(bytes, zero)),
    row('uuencode', 'uuencoded, with its last line', (bytes) => `${uuencoded(bytes, zero)}${zero}\n`),
  ]),
  row('quoted-printable', 'as quoted-printable', quotedByPython),
  row('quoted-printable', 'as quoted-printable', (bytes) => quotedPrintable(bytes)),
  row(
    'quoted-printable',
    'as quoted-printable with a soft line break',
    (bytes) => `${quotedPrintable(bytes, '\t')}=\n`,
  ),
  row('bytes', 'as Python prints bytes', pythonBytes),
  row('bytes', 'as Python prints a bytearray', (bytes) => `bytearray(${pythonBytes(bytes)})`),
  row('bytes', 'as Ruby prints bytes', rubyBytes),
  row('bytes', 'as its byte values in decimal, three digits each', (bytes) =>
    [...bytes].map((byte) => String(byte).padStart(3, '0')).join(''),
  ),
  row('bytes', "as Go's hex.Dump prints it", hexDump),
  row('raw', 'as its bytes, percent-encoded', (bytes) => escapedBytes(bytes, '-._~').replaceAll('%20', '+')),
  row('raw', 'as its bytes, percent-encoded', (bytes) => escapedBytes(bytes, '-._~')),
  row('raw', 'as its bytes read as Latin-1', (bytes) => bytes.toString('latin1')),
  row('raw', 'as its bytes read as UTF-8', (bytes) => bytes.toString('utf8')),
  row('raw', 'as its bytes read as UTF-8, with its zero bytes lost', (bytes) => {
    return bytes.toString('utf8').replaceAll('\0', '\ufffd');
  }),
  row('raw', 'as its bytes read as UTF-8, with its zero bytes lost', (bytes) => {
    return bytes.toString('utf8').replaceAll('\0', '');
  }),
  row('raw', 'as its bytes read as UTF-8, without spaces around', (bytes) => bytes.toString('utf8').trim()),
  row('url-token', "as .NET's UrlTokenEncode writes it", (bytes) => {
    const text = base64(bytes);
    const padding = /=*$/.exec(text)?.[0].length ?? 0;
    return (
      text
        .slice(0, text.length - padding)
        .replaceAll('+', '-')
        .replaceAll('/', '_') + padding
    );
  }),
];

/** A text that was written first, and whose bytes are encoded again: a digest is written twice then. */
type FirstWriting = readonly [detail: string, bytesOf: (bytes: Buffer) => Buffer];

const firstWritings: readonly FirstWriting[] = [
  ...printedBytes,
  row('hex', 'in hexadecimal', hex),
  row('hex', 'in upper-case hexadecimal', upperHex),
  row('hex', 'in upper-case hexadecimal with - between the bytes', (bytes) => hexPairs(bytes).join('-').toUpperCase()),
  row('base64', 'as Base64', base64),
  row('base64', 'as Base64 with a line feed', (bytes) => `${base64(bytes)}\n`),
  row('hex', 'in hexadecimal with a line feed', (bytes) => `${hex(bytes)}\n`),
  row('integer', 'as a decimal number', (bytes) => integer(bytes).toString()),
  row('quoted', 'as Base64 in quotes', (bytes) => JSON.stringify(base64(bytes))),
  row('url-safe', 'as URL-safe Base64', (bytes) => bytes.toString('base64url')),
  row('utf-8', 'as UTF-8 text, with bytes lost', (bytes) => bytes.toString('utf8')),
  row('utf-8', 'as UTF-8 text, with bytes lost', (bytes) => bytes.toString('utf8').replace(/\uFFFD+/g, '\uFFFD')),
  row('latin-1', 'as Latin-1 text', (bytes) => bytes.toString('latin1')),
  row('ascii', 'as ASCII text, with ? for other bytes', (bytes) =>
    bytes.toString('latin1').replace(/[^\0-\x7f]/g, '?'),
  ),
  row('ascii', 'as ASCII text, with the top bit of each byte cleared', (bytes) => bytes.toString('ascii')),
].map(({ detail, write }) => [detail, (bytes: Buffer) => Buffer.from(write(bytes), 'utf8')] as const);

const firstWritingsInUtf16: readonly FirstWriting[] = [
  ['as Base64 in UTF-16', (bytes) => Buffer.from(base64(bytes), 'utf16le')],
  ['in hexadecimal in UTF-16', (bytes) => Buffer.from(hex(bytes), 'utf16le')],
  ['in upper-case hexadecimal in UTF-16', (bytes) => Buffer.from(upperHex(bytes), 'utf16le')],
];

/** The encodings that nearly every program has: their text may be changed after it was right. */
const usualEncodings: readonly (readonly [words: string, write: DigestWriting['write']])[] = [
  ['as Base64', base64],
  ['in hexadecimal', hex],
  ['in upper-case hexadecimal', upperHex],
  ['as URL-safe Base64', (bytes) => bytes.toString('base64url')],
];

/**
 * Every writing, likeliest first, as the first one that fits names the mistake: another encoding of the digest, two
 * encodings one after the other, and the usual encodings with their text changed.
 */
export function* digestWritings(): Generator<DigestWriting> {
  yield* printedBytes;
  yield* otherEncodings;
  for (const [detail, bytesOf] of [...firstWritings, ...firstWritingsInUtf16]) {
    yield row('written-twice', `${detail}, then as Base64`, (bytes) => base64(bytesOf(bytes)));
    yield row('written-twice', `${detail}, then as URL-safe Base64`, (bytes) => bytesOf(bytes).toString('base64url'));
    yield row('written-twice', `${detail}, then in hexadecimal`, (bytes) => hex(bytesOf(bytes)));
    yield row('written-twice', `${detail}, then as Base64 with a line feed`, (bytes) => `${base64(bytesOf(bytes))}\n`);
    yield row(
      'written-twice',
      `${detail}, then as Base64 in lines of 60`,
      (bytes) => `${(base64(bytesOf(bytes)).match(/.{1,60}/g) ?? []).join('\n')}\n`,
    );
  }
  for (const [words, write] of usualEncodings)
    for (const list of [blanks, wrappings, cases])
      for (const { variant, detail, write: change } of list)
        yield row(variant, `${words}, ${detail}`, (bytes) => change(write(bytes)));
  for (const [words, write] of usualEncodings) {
    yield row('quoted', `${words}, in quotes`, (bytes) => `"${write(bytes)}"`);
    yield row('quoted', `${words}, in quotes`, (bytes) => `'${write(bytes)}'`);
    yield row('plus-lost', `${words}, with its + read as a space`, (bytes) => write(bytes).replaceAll('+', ' '));
    yield row('plus-lost', `${words}, without its + and /`, (bytes) => write(bytes).replace(/[+/]/g, ''));
    yield row('cut', `${words}, without = and line ends`, (bytes) => write(bytes).replace(/=+$/, ''));
    // The lengths of a SHA-1 as text, or one less (27, 28, 39, 40), and usual widths of database columns and fields.
    for (const length of [8, 10, 16, 20, 24, 27, 28, 30, 32, 36, 38, 39, 40, 64])
      yield row('cut', `${words}, cut to ${length} characters`, (bytes) => write(bytes).slice(0, length));
    for (const encoder of percentEncoders.filter(({ beyond }) => beyond === undefined)) {
      const once = (bytes: Buffer) => encodedBy(encoder, write(bytes));
      yield row('percent-encoded', `${words}, percent-encoded as by ${encoder.of}`, once);
      yield row('percent-encoded-twice', `${words}, percent-encoded twice as by ${encoder.of}`, (bytes) =>
        encodedBy(encoder, once(bytes)),
      );
    }
    yield row('html', `${words}, escaped for HTML`, (bytes) =>
      write(bytes).replaceAll('=', '&#61;').replaceAll('+', '&#43;'),
    );
    yield row('json', `${words}, escaped as JSON`, (bytes) => write(bytes).replaceAll('/', '\\/'));
    yield row('json', `${words}, escaped as .NET escapes JSON`, (bytes) => write(bytes).replaceAll('+', '\\u002B'));
  }
}
