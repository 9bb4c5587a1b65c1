import { describe, expect, test } from 'vitest';
import { diffOauth, oddCharacters, textDifferences } from '../../../src/signing/diagnose/index.js';
import { caseOf, rich } from './orders.js';
import { baseString } from './signer.js';

const given = caseOf(rich);
const ours = baseString(rich);

describe('a base string', () => {
  test('method, address and each parameter, with the bytes where they begin', () => {
    const theirs = ours
      .replace(/^POST/, 'GET')
      .replace('https', 'http')
      .replace('%26oauth_version%3D1.0', '')
      .concat('%26zzz%3D1');
    const { differences = [] } = diffOauth(given, { baseString: theirs });
    expect(differences.map(({ of, name }) => name ?? of)).toEqual(['method', 'address', 'oauth_version', 'zzz']);
    for (const { at, ours: own, theirsAt, theirs: other } of differences) {
      if (own !== undefined) expect(Buffer.from(ours).subarray(at).toString().startsWith(own)).toBe(true);
      if (other !== undefined) expect(Buffer.from(theirs).subarray(theirsAt).toString().startsWith(other)).toBe(true);
    }
    expect(differences[2]).toMatchObject({ ours: 'oauth_version%3D1.0', theirs: undefined });
    expect(differences[3]).toMatchObject({ ours: undefined, theirs: 'zzz%3D1' });
  });
});

test('the parameters of a header', () => {
  const header = 'OAuth oauth_nonce="n", oauth_signature="AA%3D%3D", oauth_version="2.0", x="1"';
  const { differences = [] } = diffOauth(given, { header });
  const found = new Map(differences.map(({ name, ours: own, theirs }) => [name, [own, theirs]]));
  expect(found.get('x')).toEqual([undefined, '1']);
  expect(found.get('oauth_version')).toEqual(['1.0', '2.0']);
  expect(found.get('oauth_signature')?.[1]).toBe('AA%3D%3D');
  expect(found.has('oauth_nonce')).toBe(false);
});

describe('two texts', () => {
  test.each([
    ['abc', 'abc', []],
    [
      '4001Order-11050Jane',
      '4001Order-21050jane',
      [
        [10, 10, '1', '2'],
        [15, 15, 'J', 'j'],
      ],
    ],
    ['ab', 'axb', [[1, 1, '', 'x']]],
    ['aéb', 'ae\u0301b', [[1, 1, 'é', 'e\u0301']]],
    ['é1', 'é2', [[2, 2, '1', '2']]],
    ['a%20b', 'a+b', [[1, 1, '%20', '+']]],
    ['', 'x', [[0, 0, '', 'x']]],
  ])('%j and %j', (one, other, expected) => {
    const found = textDifferences(one, other);
    expect(found.map(({ at, theirsAt, ours: own, theirs }) => [at, theirsAt, own, theirs])).toEqual(expected);
  });
});

// By the Unicode tables of these characters.
test.each([
  ['a\u00a0b', ['U+00A0 blank no-break space']],
  ['a\ufeff', ['U+FEFF invisible byte order mark']],
  ['a\r\n', ['U+000D invisible carriage return', 'U+000A invisible line feed']],
  ['Mu\u0308ller', ['U+0308 decomposed combining mark after its letter, which NFC composes to ü']],
  ['Müller, Иванов, 東京, ñ 😀', []],
  ['pаypal', ['U+0430 look-alike looks like a']],
  ['сор', ['U+0441 look-alike looks like c', 'U+043E look-alike looks like o', 'U+0440 look-alike looks like p']],
  ['１0', ['U+FF11 look-alike looks like 1']],
  ['a–b', ['U+2013 look-alike looks like -']],
  ['it’s', ["U+2019 look-alike looks like '"]],
  ["plain ~!@#$%^&*()_+-=[]{}|;':,./<>?`", []],
])('odd characters of %j', (text, expected) => {
  expect(oddCharacters(text).map(({ codePoint, kind, name }) => `${codePoint} ${kind} ${name}`)).toEqual(expected);
});
