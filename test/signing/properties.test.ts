import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  authorizationHeader,
  decodeForm,
  encodeForm,
  normalizeParameters,
  type Pair,
  parseAuthorizationHeader,
  percentEncode,
  readPrivateKey,
  requestSigning,
  signatureBaseString,
  signHmacSha1,
  signRsaSha256,
  sortPairs,
  verifyRsaSha256,
} from '../../src/signing/index.js';
import { assumeDefaults, hmac, rsa } from '../../src/spec/index.js';
import { anyText, propertyRuns } from '../support/properties.js';
import { credentials, fresh, merchant, received, unsignedOf } from './request-support.js';
import { pem, shell } from './support.js';

const text = anyText({ maxLength: 20 });
const name = fc.oneof(
  text,
  fc.constantFrom('__proto__', 'constructor', '10', 'c@', 'c2', 'a', 'client-order-id', 'client_orderid', 'realm'),
);
// oauth_signature is left out by design, so it is the one name that may change unnoticed.
const pairs = fc
  .array(fc.tuple(name, text), { maxLength: 8 })
  .filter((list) => list.every(([key]) => key !== 'oauth_signature'));
const url = fc.constantFrom(
  'https://gateway.example/a/b',
  'http://[::1]:8080/',
  'https://gateway.example:8443/A%2f?x=1&y=%2B',
);
const secret = anyText({ minLength: 1, maxLength: 40 });
const key = readPrivateKey(pem('test-rsa-2048.pkcs8')).keyObject;
const key1 = readPrivateKey(pem('test-rsa-2048.pkcs1')).keyObject;
const hold = <Ts>(property: fc.IProperty<Ts>, runs = propertyRuns) => fc.assert(property, { numRuns: runs });

test('pairs are sorted by the bytes of their names, then of their values, however many there are', () => {
  const short = fc.string({ unit: fc.constantFrom('a', 'b', '%', '-', '~'), maxLength: 3 });
  const bytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other));
  hold(
    fc.property(fc.array(fc.tuple(short, short), { maxLength: 80, size: 'max' }), (list) => {
      const before = JSON.stringify(list);
      const sorted = sortPairs(list);
      expect(sorted).toHaveLength(list.length);
      for (const [at, pair] of sorted.entries()) {
        const next = sorted[at + 1];
        if (next !== undefined) expect(bytes(pair[0], next[0]) || bytes(pair[1], next[1])).toBeLessThanOrEqual(0);
      }
      // The same pairs, and the given list as it was.
      expect(new Set(sorted)).toEqual(new Set(list));
      expect(JSON.stringify(list)).toBe(before);
    }),
  );
});

test('a body and a header give back what went in', () => {
  hold(
    fc.property(pairs, (list) => {
      expect(decodeForm(encodeForm(list))).toEqual(list);
      const named = list.filter(([key]) => key !== '' && key.toLowerCase() !== 'realm');
      if (named.length > 0) expect(parseAuthorizationHeader(authorizationHeader(named))).toEqual({ pairs: named });
    }),
  );
});

describe('the signature', () => {
  const signed = (address: string, list: readonly Pair[], method = 'POST') =>
    signHmacSha1(signatureBaseString(method, address, list), 'secret');

  test('breaks with any change of a name or a value', () => {
    const place = fc.record({
      list: pairs.filter((list) => list.length > 0),
      at: fc.nat(),
      side: fc.constantFrom(0, 1),
      other: text,
    });
    hold(
      fc.property(url, place, (address, { list, at, side, other }) => {
        const index = at % list.length;
        const changed = list.map(
          (pair, each): Pair => (each !== index ? pair : side === 0 ? [other, pair[1]] : [pair[0], other]),
        );
        const sameSet = normalizeParameters(list) === normalizeParameters(changed);
        fc.pre(list[index]?.[side] !== other && other !== 'oauth_signature');
        // One pair changed to another can only give the same parameters if it is the same pair.
        expect(sameSet).toBe(false);
        expect(signed(address, list)).not.toBe(signed(address, changed));
      }),
    );
  });

  test('is the same for the PKCS#8 and the PKCS#1 form of a key, and breaks with any byte', () => {
    hold(
      fc.property(text, text, (base, other) => {
        const signature = signRsaSha256(base, key);
        expect(signRsaSha256(base, key1)).toBe(signature);
        fc.pre(base !== other && merchant.publicKey !== undefined);
        expect(verifyRsaSha256(other, signature, pem('test-rsa-2048.public'))).toBe(false);
      }),
      Math.min(propertyRuns, 300),
    );
  });
});

test.each([
  ['HMAC-SHA1', hmac],
  ['RSA-SHA256', rsa],
])('what %s signs it accepts, whatever the fields hold', (_, protection) => {
  const row = unsignedOf('PAYOUT', {});
  hold(
    fc.property(url, pairs, (address, list) => {
      const clean = list.filter(([key]) => !key.startsWith('oauth_'));
      const unsigned = { ...row, url: address, protection, pairs: clean };
      const request = requestSigning.sign(unsigned, credentials, assumeDefaults, fresh);
      expect(requestSigning.verify(received(unsigned, request), merchant, assumeDefaults)).toEqual({
        ok: true,
        ...fresh,
      });
    }),
    Math.min(propertyRuns, 500),
  );
});

describe('openssl agrees', { tags: 'openssl' }, () => {
  const runs = propertyRuns > 25 ? 15 : 4;

  test('on HMAC-SHA1', () => {
    const hexKey = (value: string) => Buffer.from(`${percentEncode(value)}&`).toString('hex');
    hold(
      fc.property(pairs, secret, (list, word) => {
        const base = signatureBaseString('POST', 'https://gateway.example/a', list);
        const theirs = shell(
          `openssl dgst -sha1 -mac HMAC -macopt hexkey:${hexKey(word)} -binary | openssl base64 -A`,
          base,
        );
        expect(signHmacSha1(base, word)).toBe(theirs);
      }),
      runs,
    );
  });

  test('on RSA-SHA256', () => {
    hold(
      fc.property(pairs, (list) => {
        const base = signatureBaseString('POST', 'https://gateway.example/a', list);
        const theirs = shell(
          'openssl dgst -sha256 -sign keys/test-rsa-2048.pkcs8.pem -binary | openssl base64 -A',
          base,
        );
        expect(signRsaSha256(base, key)).toBe(theirs);
      }),
      runs,
    );
  });
});
