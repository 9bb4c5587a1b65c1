import { expect, test } from 'vitest';
import { controlChecksum, controlEncoding } from '../../src/signing/index.js';
import { assumeDefaults } from '../../src/spec/index.js';

// printf %s abc | openssl dgst -sha1
const abc = 'a9993e364706816aba3e25717850c26c9cd0d89d';

test.each<[string, string[], string]>([
  ['joins with nothing between', ['a', 'b'], 'c'],
  ['an empty value adds nothing', ['', 'a', '', 'b', ''], 'c'],
  ['the key comes last', ['a'], 'bc'],
  ['no values at all', [], 'abc'],
])('%s', (_, values, key) => {
  expect(controlChecksum(values, key)).toBe(abc);
});

test.each<[string, string[], string]>([
  ['a value', ['x', '\ud83d'], 'key'],
  ['two values whose halves would join', ['\ud83d', '\ude00'], 'key'],
  ['the key', ['x'], '\ude00'],
])('a lone surrogate in %s is refused', (_, values, key) => {
  expect(() => controlChecksum(values, key)).toThrow(expect.objectContaining({ code: 'TEXT_INVALID' }));
});

test('A01: the encoding is the switch of the profile, lower-case hexadecimal unless it says otherwise', () => {
  expect(controlEncoding(assumeDefaults)).toBe('hex-lower');
  expect(controlEncoding({ ...assumeDefaults, 'control-encoding': 'base64' })).toBe('base64');
  expect(() => controlEncoding({ ...assumeDefaults, 'control-encoding': 'toString' })).toThrow(
    expect.objectContaining({ code: 'INTERNAL' }),
  );
});
