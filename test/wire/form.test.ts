import { describe, expect, test } from 'vitest';
import { decodeForm, encodeForm, percentEncode } from '../../src/wire/form.js';

describe('encodeForm', () => {
  test('keeps order, equal names and empty values', () => {
    const pairs = [
      ['b', '2'],
      ['a', ''],
      ['b', '1'],
      ['a b', 'x+y&z=1'],
    ] as const;
    expect(encodeForm(pairs)).toBe('b=2&a=&b=1&a%20b=x%2By%26z%3D1');
  });

  test('names the field whose text cannot be sent, never the text', () => {
    expect(() => encodeForm([['order_desc', 'x\ud800']])).toThrow(/^order_desc: it contains an unpaired/);
  });
});

describe('decodeForm', () => {
  test.each([
    ['', {}],
    ['a=1&b=2', { a: '1', b: '2' }],
    ['a+b=c+d', { 'a b': 'c d' }],
    ['a%2Bb=c%20d', { 'a+b': 'c d' }],
    ['a', { a: '' }],
    ['&&a=1&&', { a: '1' }],
    ['a=%c3%a9&b=%F0%9F%98%80', { a: 'é', b: '😀' }],
    ['a=é%21', { a: 'é!' }],
    ['a=%EF%BB%BFx', { a: '\ufeffx' }],
  ])('reads %j', (text, pairs) => {
    expect(decodeForm(text)).toEqual(Object.entries(pairs));
  });

  test.each([
    ['a=%', 'two hexadecimal digits'],
    ['a=%C3', 'not UTF-8'],
    ['a=%ED%A0%80', 'not UTF-8'],
  ])('refuses %j', (text, why) => {
    expect(() => decodeForm(text)).toThrow(why);
  });
});

describe('percent encoding', () => {
  test.each([
    ['', ''],
    ['a+b', 'a%2Bb'],
    ["!*'()", '%21%2A%27%28%29'],
    ['é', '%C3%A9'],
    ['😀', '%F0%9F%98%80'],
    ['\u0000\r\n', '%00%0D%0A'],
  ])('%j becomes %s', (text, expected) => {
    expect(percentEncode(text)).toBe(expected);
  });
});
