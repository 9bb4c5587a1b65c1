import type { ControlEncoding } from '../schemes/control-checksum.js';
import type { Mistake, MistakeName } from './search.js';

/** The bytes that a text may stand for, and what is wrong with the way they are written. */
export interface Reading {
  readonly bytes: Buffer;
  readonly mistakes: readonly Mistake[];
}

type Unwrap = readonly [variant: string, words: string, read: (text: string) => string | undefined];
type Decode = readonly [variant: string, words: string, read: (text: string) => Buffer | undefined];

const inside =
  (pattern: RegExp) =>
  (text: string): string | undefined =>
    pattern.exec(text)?.[1];
const decodedOnce = (text: string) =>
  /%[0-9a-f]{2}/i.test(text) ? text.replace(/%(2[BF]|3D|25|0A)/gi, unescaped) : undefined;
const unescaped = (written: string) => decodeURIComponent(written);

/** What stands around a digest. */
const wrappers: readonly Unwrap[] = [
  ['quoted', 'with quotes around it', inside(/^"(.*)"$/s)],
  ['quoted', 'with quotes around it', inside(/^'(.*)'$/s)],
  ['quoted', 'as JSON, with escaped slashes', (text) => inside(/^"(.*\\\/.*)"$/s)(text)?.replaceAll('\\/', '/')],
  ['bytes-printed', "as Python prints bytes, b'…'", inside(/^b'(.*?)(?:\\n)?'$/s)],
  ['line-end', 'with a line break after it', inside(/^([^\s]+)(?:\r\n|\n|\r)$/)],
  ['blanks', 'with spaces around it', inside(/^ +(\S+) *$|^ *(\S+) +$/)],
  ['lines', 'broken into lines', (text) => (/\S\s+\S/.test(text) ? text.replace(/\s+/g, '') : undefined)],
  ['percent-encoded', 'already percent-encoded', decodedOnce],
  [
    'percent-encoded-twice',
    'percent-encoded twice',
    (text) => (/%25/.test(text) ? decodedOnce(decodedOnce(text) ?? '') : undefined),
  ],
  ['prefix-0x', 'with 0x before it', inside(/^0x(.*)$/i)],
  ['hash-named', 'with the name of the hash before it', inside(/^(?:sha|hmac|md5)[\w-]*[=:] ?(\S+)$/i)],
  ['openssl-line', 'as the whole line of openssl dgst', inside(/^[\w-]+\(.*\)= ?(\S+)$/i)],
  ['sha1sum-line', 'as the whole line of sha1sum', inside(/^(\S+) [ *]\S+\n?$/)],
  [
    'hex-marked',
    'with a mark between the bytes',
    (text) =>
      /^[0-9a-f]{2}([-: ])(?:[0-9a-f]{2}\1)*[0-9a-f]{2}$/i.test(text) ? text.replace(/[-: ]/g, '') : undefined,
  ],
];

const fromHex = (pattern: RegExp) => (text: string) => (pattern.test(text) ? Buffer.from(text, 'hex') : undefined);
const fromBase64 = (text: string) => {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length > 0 && bytes.toString('base64') === text ? bytes : undefined;
};
const hexLower = fromHex(/^(?:[0-9a-f]{2})+$/);
const base64url = (text: string) => {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.length > 0 && bytes.toString('base64url') === text.replace(/=+$/, '') ? bytes : undefined;
};
const within = (inner: (text: string) => Buffer | undefined) => (text: string) => {
  const outer = fromBase64(text)?.toString('latin1');
  return outer === undefined ? undefined : inner(outer);
};

/** How bytes are written; the first three are those that may be due. */
const writings: readonly Decode[] = [
  ['hex-lower', 'in lower-case hexadecimal', hexLower],
  ['hex-upper', 'in upper-case hexadecimal', fromHex(/^(?:[0-9A-F]{2})+$/)],
  ['base64', 'as Base64', fromBase64],
  [
    'no-padding',
    'as Base64 without the = at its end',
    (text) =>
      text.endsWith('=') || /[-_]/.test(text) ? undefined : base64url(text.replaceAll('+', '-').replaceAll('/', '_')),
  ],
  ['url-safe', 'as URL-safe Base64, with - and _', base64url],
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

/** Everything a text can mean, likeliest first: as it is due, written otherwise, with something around it. */
export function readDigest(text: string, due: Due): Reading[] {
  if (text.length > maxLength) return [];
  const seen = new Set<string>();
  const wrapped = wrappers.flatMap(([variant, words, unwrap]) => {
    const inner = unwrap(text);
    return inner === undefined ? [] : [{ inner, mistakes: [wrong(variant, words, due)] }];
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

// A signature of 16384 bits in hexadecimal, in Base64.
const maxLength = 16_384;

function wrong(variant: string, words: string, due: Due): Mistake {
  const { name, variant: shown } =
    due.what === 'checksum'
      ? ofChecksum(variant, due)
      : { name: 'digest' as const, variant: variant === 'hex-lower' ? 'hex' : variant };
  return {
    name,
    variant: shown,
    detail: `the ${due.what} written ${words}; it must be ${dueWords[due.encoding]}`,
    fix: `write the bytes of the ${due.what === 'checksum' ? 'SHA-1' : 'signature'} as ${dueWords[due.encoding]}`,
  };
}

/** A checksum has names of its own for the usual ones. */
function ofChecksum(variant: string, { encoding }: Due): { readonly name: MistakeName; readonly variant: string } {
  const isHex = variant === 'hex-lower' || variant === 'hex-upper';
  if (isHex && encoding !== 'base64')
    return { name: 'upper-case', variant: variant === 'hex-upper' ? 'digest' : 'digest-lower' };
  if (isHex) return { name: 'base64', variant: 'hex' };
  if (variant === 'base64') return { name: 'base64', variant: 'digest' };
  if (variant === 'hex-in-base64') return { name: 'base64', variant: 'of-hex' };
  return {
    name: variant === 'no-padding' || variant === 'url-safe' || variant === 'base64-twice' ? 'base64' : 'digest',
    variant,
  };
}
