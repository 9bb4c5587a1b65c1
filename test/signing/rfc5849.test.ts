import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { signatureBaseString, signHmacSha1 } from '../../src/signing/index.js';

interface Vector {
  readonly name: string;
  /** Of RFC 5849. */
  readonly clause: string;
  readonly url: string;
  readonly pairs: readonly (readonly [string, string])[];
  readonly baseString: string;
  readonly signature: string;
}

const { secret, vectors }: { secret: string; vectors: readonly Vector[] } = JSON.parse(
  readFileSync(new URL('../vectors/rfc5849.json', import.meta.url), 'utf8'),
);

describe('RFC 5849', () => {
  test.each(vectors)('$clause: $name', ({ url, pairs, baseString, signature }) => {
    expect(signatureBaseString('POST', url, pairs)).toBe(baseString);
    expect(signHmacSha1(baseString, secret)).toBe(signature);
  });
});

describe('refused, naming the field', () => {
  test.each<readonly [string, string, readonly (readonly [string, string])[], RegExp]>([
    ['half of a surrogate pair in a value', 'https://gate.example/', [['order_desc', 'a\ud83d']], /order_desc/],
    ['half of a surrogate pair in a name', 'https://gate.example/', [['a\ude00', '1']], /surrogate/],
    ['a bad escape in the query', 'https://gate.example/?a=%2', [], /query of the url/],
    ['bytes in the query that are no UTF-8', 'https://gate.example/?a=%ff', [], /query of the url/],
    ['user info in the address', 'https://user:secret@gate.example/', [], /^(?!.*secret).*user name or password/],
  ])('%s', (_, url, pairs, words) => {
    expect(() => signatureBaseString('POST', url, pairs)).toThrow(words);
  });
});
