import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import {
  controlChecksum,
  normalizeParameters,
  readPrivateKey,
  readPublicKey,
  signatureBaseString,
  signHmacSha1,
  signRsaSha256,
  verifyHmacSha1,
  verifyRsaSha256,
} from '../../src/signing/index.js';
import { decodeForm, type Pair } from '../../src/wire/form.js';
import { controls, keys, oauths, shell, vectorFolder } from './support.js';

const file = (name: string) => readFileSync(`${vectorFolder}/${name}`, 'utf8');

interface Vector {
  readonly name: string;
  /** Of RFC 5849. */
  readonly clause: string;
  readonly url: string;
  readonly pairs: readonly (readonly [string, string])[];
  readonly baseString: string;
  readonly signature: string;
}

const rfc: { secret: string; vectors: readonly Vector[] } = JSON.parse(file('rfc5849.json'));

describe('RFC 5849', () => {
  test.each(rfc.vectors)('$clause: $name', ({ url, pairs, baseString, signature }) => {
    expect(signatureBaseString('POST', url, pairs)).toBe(baseString);
    expect(signHmacSha1(baseString, rfc.secret)).toBe(signature);
  });
});

test.each(oauths)('$name: parameters, base string and signature come out, and it is accepted', (vector) => {
  const query: Pair[] = decodeForm(vector.url.split('?')[1] ?? '');
  expect(normalizeParameters([...query, ...vector.pairs])).toBe(vector.parameters);
  expect(signatureBaseString(vector.method, vector.url, vector.pairs)).toBe(vector.baseString);
  if (vector.signatureMethod === 'HMAC-SHA1') {
    const { consumerSecret, tokenSecret, keyForm } = vector;
    expect(signHmacSha1(vector.baseString, consumerSecret, tokenSecret, keyForm)).toBe(vector.signature);
    expect(verifyHmacSha1(vector.baseString, vector.signature, consumerSecret, tokenSecret, keyForm)).toBe(true);
  } else {
    expect(signRsaSha256(vector.baseString, file(vector.privateKey))).toBe(vector.signature);
    expect(verifyRsaSha256(vector.baseString, vector.signature, file(vector.publicKey))).toBe(true);
  }
});

// RFC 5849 1.2 prints these three beside their requests; the vector file holds what openssl says.
test.each([
  ['RFC 5849 1.2, temporary credentials', '74KNZJeDHnMBp0EMJ9ZHt/XKycU='],
  ['RFC 5849 1.2, token credentials', 'gKgrFCywp7rO0OXSjdot/IHF7IU='],
  ['RFC 5849 1.2, protected resource', 'MdpQcU8iPSUjWoN/UDMsK2sui9I='],
])('%s has the signature the RFC prints', (name, signature) => {
  expect(oauths.find((vector) => vector.name === name)?.signature).toBe(signature);
});

test.each(controls.vectors)('the checksum of $name', ({ signed, encoding, control }) => {
  expect(controlChecksum(signed, controls.controlKey, { encoding })).toBe(control);
});

test.each(keys.private)('$file is read as $form of $bits bits', ({ file: name, form, bits, fingerprint }) => {
  expect(readPrivateKey(file(`keys/${name}`), keys.passphrase)).toMatchObject({ form, bits, fingerprint });
});

test.each(keys.public)('$file is read as $form of $bits bits', ({ file: name, form, bits, fingerprint }) => {
  expect(readPublicKey(file(`keys/${name}`))).toMatchObject({ form, bits, fingerprint });
});

describe('openssl still says so', { tags: 'openssl' }, () => {
  test.each(oauths)('$name', (vector) => expect(shell(vector['made-by'])).toBe(vector.signature));
  test.each(controls.vectors)('$name', (vector) => expect(shell(vector['made-by'])).toBe(vector.control));
  test.each([...keys.private, ...keys.public])('$file', (key) =>
    expect(`SHA256:${shell(key['made-by'])}`).toBe(key.fingerprint),
  );
});

// printf %s abc | openssl dgst -sha1
const abc = 'a9993e364706816aba3e25717850c26c9cd0d89d';

test.each<[string, string[], string]>([
  ['joins with nothing between', ['a', 'b'], 'c'],
  ['the key comes last', ['a'], 'bc'],
  ['no values at all', [], 'abc'],
])('%s', (_, values, key) => {
  expect(controlChecksum(values, key)).toBe(abc);
});

test.each<[string, string[], string]>([
  ['a value', ['x', '\ud83d'], 'key'],
  ['the key', ['x'], '\ude00'],
])('a lone surrogate in %s is refused', (_, values, key) => {
  expect(() => controlChecksum(values, key)).toThrow(expect.objectContaining({ code: 'TEXT_INVALID' }));
});
