import { createHash, createHmac } from 'node:crypto';
import { blake2b, blake2s } from '@noble/hashes/blake2.js';

/** A hash of a name and a length of its own, by itself and with a key. */
export interface OtherHash {
  readonly variant: string;
  readonly words: string;
  readonly of: (text: Uint8Array) => Buffer;
  readonly withKey: (text: Uint8Array, key: Uint8Array) => Buffer;
}

const sha1Length = 20;

/** Cut to the length of SHA-1, at its end or at its beginning, or filled with zeros. */
function fitted(name: string): OtherHash[] {
  const of = (text: Uint8Array) => createHash(name).update(text).digest();
  const withKey = (text: Uint8Array, key: Uint8Array) => createHmac(name, key).update(text).digest();
  const words = name.toUpperCase();
  const fits: readonly (readonly [string, (digest: Buffer) => Buffer])[] =
    name === 'md5'
      ? [
          ['filled with zeros', (digest) => Buffer.concat([digest, Buffer.alloc(sha1Length - digest.length)])],
          ['filled with zeros', (digest) => Buffer.concat([Buffer.alloc(sha1Length - digest.length), digest])],
        ]
      : [
          ['cut', (digest) => digest.subarray(0, sha1Length)],
          ['cut', (digest) => digest.subarray(-sha1Length)],
        ];
  return fits.map(([what, shorten]) => ({
    variant: `${name}-cut`,
    words: `${words}, ${what} to the length of SHA-1,`,
    of: (text) => shorten(of(text)),
    withKey: (text, key) => shorten(withKey(text, key)),
  }));
}

function shake(name: string, length: number): OtherHash {
  const of = (text: Uint8Array) => createHash(name, { outputLength: length }).update(text).digest();
  return {
    variant: name,
    words: `${name.toUpperCase()} of ${length} bytes`,
    of,
    withKey: (text, key) => of(Buffer.concat([key, text])),
  };
}

/** RFC 7693, as Python and libsodium have it; a longer key is cut, as they refuse it. */
export function blake2(name: 'blake2b' | 'blake2s', length: number): OtherHash {
  const [hash, longestKey] = name === 'blake2b' ? [blake2b, 64] : [blake2s, 32];
  return {
    variant: name,
    words: `${name === 'blake2b' ? 'BLAKE2b' : 'BLAKE2s'} of ${length} bytes`,
    of: (text) => Buffer.from(hash(text, { dkLen: length })),
    withKey: (text, key) =>
      Buffer.from(hash(text, { dkLen: length, ...(key.length === 0 ? {} : { key: key.subarray(0, longestKey) }) })),
  };
}

/** Those of another length than OpenSSL gives them. */
export const otherHashes: readonly OtherHash[] = [
  ...['sha256', 'sha512', 'sha384', 'sha224', 'sha3-256', 'sha3-512', 'md5'].flatMap(fitted),
  ...[20, 32].flatMap((length) => [shake('shake128', length), shake('shake256', length)]),
  ...[20, 32, 64, 16, 48].map((length) => blake2('blake2b', length)),
  ...[20, 32, 16].map((length) => blake2('blake2s', length)),
];
