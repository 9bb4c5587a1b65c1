import { expect, test } from 'vitest';
import { csvCell } from '../../src/wire/csv-cell.js';

test.each([
  ['=HYPERLINK("https://evil.example","x")', '\'=HYPERLINK("https://evil.example","x")'],
  ['+1+cmd|calc', "'+1+cmd|calc"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\r=1', "'\r=1"],
  ['\n=1', "'\n=1"],
  ['\0=1', "'\0=1"],
  ['  =1', "'  =1"],
  ['\ufeff=1', "'\ufeff=1"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠x', "'＠x"],
])('%j is kept from running', (text, expected) => {
  expect(csvCell(text)).toBe(expected);
});

test.each(['', '10.42', 'order 17', 'a=b', 'x@example.com', '2030-01-07', "'quoted", ' text', '"=1'])('%j stays', (text) => {
  expect(csvCell(text)).toBe(text);
});
