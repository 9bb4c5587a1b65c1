import { createPrivateKey, createPublicKey, type JsonWebKey } from 'node:crypto';
import type { Half } from './key-formats.js';

/** Keys as JSON Web Keys (RFC 7517) and as the XML of .NET (RSA.ToXmlString). */
export interface WrittenOtherwise {
  readonly as: 'JWK' | 'XML';
  readonly keys: readonly WrittenKey[];
}

export interface WrittenKey {
  /** `symmetric`: one secret, of no pair. */
  readonly half: Half | 'symmetric';
  /** PKCS#8 or SPKI; undefined when numbers are missing or wrong, or when it is no key of a pair. */
  readonly der: Uint8Array | undefined;
}

/** The keys of a text that is JSON or XML; undefined when it is neither, or holds none. */
export function keysWrittenOtherwise(text: string): WrittenOtherwise | undefined {
  const plain = text.replace(/^\uFEFF/, '').trim();
  if (plain.startsWith('{')) {
    const keys = jsonWebKeys(plain).map(written);
    return keys.length === 0 ? undefined : { as: 'JWK', keys };
  }
  const values = [...plain.matchAll(/<RSAKeyValue>(.*?)<\/RSAKeyValue>/gs)].map(([, inner = '']) => inner);
  return values.length === 0 ? undefined : { as: 'XML', keys: values.map((inner) => written(jwkOfXml(inner))) };
}

/** One, or those of a set (RFC 7517 5). */
function jsonWebKeys(text: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    const parsed: unknown = JSON.parse(text);
    const list: readonly unknown[] = isObject(parsed) && Array.isArray(parsed['keys']) ? parsed['keys'] : [parsed];
    return list.filter(isObject).filter((key) => typeof key['kty'] === 'string');
  } catch {
    return [];
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const xmlNames: Readonly<Record<string, string>> = {
  ...{ Modulus: 'n', Exponent: 'e', D: 'd', P: 'p', Q: 'q', DP: 'dp', DQ: 'dq', InverseQ: 'qi' },
};

function jwkOfXml(inner: string): Readonly<Record<string, unknown>> {
  const numbers = [...inner.matchAll(/<(\w+)>([^<]*)<\/\1>/g)].flatMap(([, name = '', value = '']) => {
    const short = xmlNames[name];
    return short === undefined ? [] : [[short, Buffer.from(value, 'base64').toString('base64url')] as const];
  });
  return { kty: 'RSA', ...Object.fromEntries(numbers) };
}

// The cause of a failure is left out on purpose: it could quote the key.
function written(jwk: Readonly<Record<string, unknown>>): WrittenKey {
  if (jwk['kty'] === 'oct') return { half: 'symmetric', der: undefined };
  const half = jwk['d'] === undefined ? 'public' : 'private';
  const key: JsonWebKey = jwk;
  try {
    const der =
      half === 'private'
        ? createPrivateKey({ key, format: 'jwk' }).export({ type: 'pkcs8', format: 'der' })
        : createPublicKey({ key, format: 'jwk' }).export({ type: 'spki', format: 'der' });
    return { half, der };
  } catch {
    return { half, der: undefined };
  }
}
