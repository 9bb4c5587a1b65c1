import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { percentEncode } from '../../src/wire/form.js';
import { anyText } from '../support/any-text.js';

// RFC 3986 2.3, character by character.
const plainBytes = new Set('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~');
const hex = '0123456789ABCDEF';

describe('percent encoding', () => {
  test('treats each ASCII byte as RFC 3986 says', () => {
    for (let byte = 0; byte < 128; byte++) {
      const char = String.fromCharCode(byte);
      const expected = plainBytes.has(char) ? char : `%${hex.charAt(byte >> 4)}${hex.charAt(byte & 15)}`;
      expect(percentEncode(char), `byte ${byte}`).toBe(expected);
    }
  });

  // UTF-8 of U+0080 to U+00FF is C2 or C3 and one byte more, so these 128 texts reach every continuation byte.
  test('writes every byte above 127 as two hexadecimal digits', () => {
    for (let code = 128; code < 256; code++) {
      const [lead, rest] = code < 192 ? ['%C2', code] : ['%C3', code - 64];
      expect(percentEncode(String.fromCharCode(code)), `U+${code}`).toBe(
        `${lead}%${hex.charAt(rest >> 4)}${hex.charAt(rest & 15)}`,
      );
    }
  });

  test.each([
    ['', ''],
    ['a b', 'a%20b'],
    ['a+b', 'a%2Bb'],
    ["!*'()", '%21%2A%27%28%29'],
    ['-._~', '-._~'],
    ['%20', '%2520'],
    ['=%3D', '%3D%253D'],
    ['é', '%C3%A9'],
    ['漢', '%E6%BC%A2'],
    ['😀', '%F0%9F%98%80'],
    ['\u0000\r\n', '%00%0D%0A'],
  ])('%j becomes %s', (text, expected) => {
    expect(percentEncode(text)).toBe(expected);
  });

  test.each(['\ud83d', 'a\ude00b', '\ude00\ud83d'])('refuses half of a surrogate pair', (text) => {
    expect(() => percentEncode(text, 'comment')).toThrow('comment: it contains an unpaired surrogate');
  });

  test('says the same as the bytes, one by one', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        const bytes = [...Buffer.from(text, 'utf8')];
        const expected = bytes.map((byte) => {
          const char = String.fromCharCode(byte);
          return byte < 128 && plainBytes.has(char) ? char : `%${hex.charAt(byte >> 4)}${hex.charAt(byte & 15)}`;
        });
        expect(percentEncode(text)).toBe(expected.join(''));
      }),
    );
  });
});
