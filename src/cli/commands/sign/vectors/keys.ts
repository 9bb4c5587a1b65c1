import { checkPrimeSync, createPrivateKey, createPublicKey } from 'node:crypto';
import { type PrivateKey, readPrivateKey } from '../../../../signing/index.js';
import type { Seeded } from './values.js';

/** Keys for tests, which anybody can make again from the seed. */
export interface VectorKeys {
  /** A merchant control key as gateways hand them out. */
  readonly uuid: string;
  /** One with characters that are encoded in an HMAC key and in no checksum. */
  readonly reserved: string;
  readonly rsa: PrivateKey;
  /** Of another merchant. */
  readonly other: string;
}

export function vectorKeys(seeded: Seeded): VectorKeys {
  return {
    uuid: uuid(seeded, 'control key'),
    reserved: `${seeded.hex('reserved control key', 12)} +/=&%2B~!*'()é`,
    rsa: readPrivateKey(seededRsaPem(seeded)),
    other: uuid(seeded, 'other control key'),
  };
}

function uuid(seeded: Seeded, label: string): string {
  const hex = seeded.hex(label, 32).toUpperCase();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

/** The texts to write down, by the names that vectors call them. */
export function keyTexts({ uuid: plain, reserved, rsa }: VectorKeys): Readonly<Record<string, string>> {
  return {
    uuid: plain,
    reserved,
    rsa: String(rsa.keyObject.export({ type: 'pkcs8', format: 'pem' })),
    rsaPublic: String(createPublicKey(rsa.keyObject).export({ type: 'spki', format: 'pem' })),
  };
}

const exponent = 65_537n;

/** A private RSA key of 2048 bits as PKCS #8; node's own generator takes no seed. */
export function seededRsaPem(seeded: Seeded): string {
  const p = prime(seeded.bytes('rsa p', 128));
  const q = prime(seeded.bytes('rsa q', 128));
  const d = inverse(exponent, (p - 1n) * (q - 1n));
  const numbers = { n: p * q, e: exponent, d, p, q, dp: d % (p - 1n), dq: d % (q - 1n), qi: inverse(q, p) };
  const key = Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, base64url(value)]));
  return String(
    createPrivateKey({ format: 'jwk', key: { kty: 'RSA', ...key } }).export({ type: 'pkcs8', format: 'pem' }),
  );
}

/**
 * The first fitting prime from here on. Its two highest bits are set, so that a product of two has full length. What a
 * small prime divides is passed over first: the real test costs a hundred times as much.
 */
function prime(bytes: Buffer): bigint {
  const bits = BigInt(bytes.length * 8);
  const start = BigInt(`0x${bytes.toString('hex')}`) | (3n << (bits - 2n)) | 1n;
  const remainders = smallPrimes.map((divisor) => ({ divisor, remainder: Number(start % BigInt(divisor)) }));
  for (let step = 0; ; step += 2) {
    if (remainders.some(({ divisor, remainder }) => (remainder + step) % divisor === 0)) continue;
    const candidate = start + BigInt(step);
    if (candidate % exponent !== 1n && checkPrimeSync(candidate, { checks: 10 })) return candidate;
  }
}

/** The odd primes below 2,000. */
const smallPrimes: readonly number[] = Array.from({ length: 1000 }, (_, at) => 2 * at + 1).filter(isSmallPrime);

function isSmallPrime(value: number): boolean {
  for (let divisor = 3; divisor * divisor <= value; divisor += 2) if (value % divisor === 0) return false;
  return value > 1;
}

/** By Euclid's extended algorithm. */
function inverse(value: bigint, modulus: bigint): bigint {
  let [rest, next, factor, nextFactor] = [value, modulus, 1n, 0n];
  while (next !== 0n) {
    const quotient = rest / next;
    [rest, next] = [next, rest - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return ((factor % modulus) + modulus) % modulus;
}

function base64url(value: bigint): string {
  const hex = value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex').toString('base64url');
}
