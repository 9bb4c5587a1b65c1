import type { ControlEncoding } from '../schemes/public-types.js';
import type { Mistake } from './search.js';

/** The bytes that a text may stand for, and what is wrong with the way they are written. */
export interface Reading {
  readonly bytes: Buffer;
  readonly mistakes: readonly Mistake[];
}

type Unwrap = readonly [variant: string, words: string, read: (text: string) => string | undefined];
type Decode = (text: string) => Buffer | undefined;

const inside = (pattern: RegExp) => (text: string) => pattern.exec(text)?.[1];
const decodedOnce = (text: string) =>
  /%(?:2[BF5]|3D|0A)/i.test(text)
    ? text.replace(/%(?:2[BF5]|3D|0A)/gi, (written) => decodeURIComponent(written))
    : undefined;

/** What stands around a digest. */
const wrappers: readonly Unwrap[] = [
  ['quoted', 'with quotes around it', inside(/^"(.*)"$/s)],
  ['quoted', 'with quotes around it', inside(/^'(.*)'$/s)],
  ['quoted', 'as JSON', (text) => inside(/^"(.*\\\/.*)"$/s)(text)?.replaceAll('\\/', '/')],
  ['bytes-printed', "as Python prints bytes, b'…'", inside(/^b'(.*?)(?:\\n)?'$/s)],
  ['line-end', 'with a line break after it', inside(/^([^\s]+)(?:\r\n|\n|\r)$/)],
  ['blanks', 'with spaces around it', inside(/^ *(\S+) *$/)],
  ['lines', 'broken into lines', (text) => (/\S\s+\S/.test(text) ? text.replace(/\s+/g, '') : undefined)],
  ['percent-encoded', 'already percent-encoded', decodedOnce],
  ['percent-encoded-twice', 'percent-encoded twice', (text) => decodedOnce(decodedOnce(text) ?? '')],
  ['openssl-line', 'as the whole line of openssl dgst', inside(/^[\w-]+\(.*\)= ?(\S+)$/i)],
  ['sha1sum-line', 'as the whole line of sha1sum', inside(/^(\S+) [ *]\S+\n?$/)],
];

const fromHex =
  (pattern: RegExp): Decode =>
  (text) =>
    pattern.test(text) ? Buffer.from(text, 'hex') : undefined;
const fromBase64: Decode = (text) => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
};
const fromBase64url: Decode = (text) => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text.replace(/=+$/, '') ? bytes : undefined;
};
const fromUnpadded: Decode = (text) =>
  /[=_-]/.test(text) ? undefined : fromBase64url(text.replaceAll('+', '-').replaceAll('/', '_'));
const within =
  (inner: Decode): Decode =>
  (text) => {
    const outer = fromBase64(text);
    return outer === undefined ? undefined : inner(outer.toString('latin1'));
  };

/** How bytes are written; the first three are those that may be due. */
const writings: readonly (readonly [variant: string, words: string, read: Decode])[] = [
  ['hex-lower', 'in lower-case hexadecimal', fromHex(/^(?:[0-9a-f]{2})+$/)],
  ['hex-upper', 'in upper-case hexadecimal', fromHex(/^(?:[0-9A-F]{2})+$/)],
  ['base64', 'as Base64', fromBase64],
  ['no-padding', 'as Base64 without the = at its end', fromUnpadded],
  ['url-safe', 'as URL-safe Base64, with - and _', fromBase64url],
  ['hex-in-base64', 'as Base64 of hexadecimal', within(fromHex(/^(?:[0-9a-f]{2})+$/i))],
  ['base64-twice', 'as Base64 twice', within(fromBase64)],
];

/** What is due, and how its mistakes are called. */
export interface Due {
  readonly encoding: ControlEncoding;
  readonly what: 'checksum' | 'signature';
  /** Bytes that a digest can have. */
  readonly lengths: readonly number[];
}

const dueWords: Readonly<Record<ControlEncoding, string>> = {
  'hex-lower': '40 hexadecimal characters in lower case (A01)',
  'hex-upper': '40 hexadecimal characters in upper case (A01)',
  base64: 'standard Base64 on one line',
};

// A signature of 16384 bits in hexadecimal, in Base64.
const maxLength = 16_384;

/** Everything a text can mean, likeliest first: as it is due, written otherwise, with something around it. */
export function readDigest(text: string, due: Due): Reading[] {
  if (text.length > maxLength) return [];
  const seen = new Set<string>();
  const wrapped = wrappers.flatMap(([variant, words, unwrap]) => {
    const inner = unwrap(text);
    return inner === undefined || inner === text ? [] : [{ inner, mistakes: [wrong(variant, words, due)] }];
  });
  return [{ inner: text, mistakes: [] }, ...wrapped].flatMap(({ inner, mistakes }) =>
    writings.flatMap(([variant, words, decode]): Reading[] => {
      const bytes = decode(inner);
      const key = bytes?.toString('latin1') ?? '';
      if (bytes === undefined || !due.lengths.includes(bytes.length) || seen.has(key)) return [];
      seen.add(key);
      return [{ bytes, mistakes: variant === due.encoding ? mistakes : [...mistakes, wrong(variant, words, due)] }];
    }),
  );
}

function wrong(variant: string, words: string, { what, encoding }: Due): Mistake {
  const name =
    what === 'checksum' ? nameInChecksum(variant, encoding) : `digest ${variant.replace('hex-lower', 'hex')}`;
  const [family = '', shown = ''] = name.split(' ');
  return {
    ...{ name: family, variant: shown },
    detail: `the ${what} written ${words}; it must be ${dueWords[encoding]}`,
    fix: `write the bytes of the ${what === 'checksum' ? 'SHA-1' : 'signature'} as ${dueWords[encoding]}`,
  };
}

/** A checksum has names of its own for the usual ones. */
function nameInChecksum(variant: string, due: ControlEncoding): string {
  if (variant.startsWith('hex-lower') || variant.startsWith('hex-upper')) {
    if (due === 'base64') return 'base64 hex';
    return variant === 'hex-upper' ? 'upper-case digest' : 'upper-case digest-lower';
  }
  if (variant === 'base64') return 'base64 digest';
  if (variant === 'hex-in-base64') return 'base64 of-hex';
  return `${['no-padding', 'url-safe', 'base64-twice'].includes(variant) ? 'base64' : 'digest'} ${variant}`;
}
