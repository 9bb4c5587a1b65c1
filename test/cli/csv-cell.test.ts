import { expect, test } from 'vitest';
import { csvCell } from '../../src/cli/format/csv.js';

test.each([
  ['=HYPERLINK("https://evil.example","x")', '\'=HYPERLINK("https://evil.example","x")'],
  ['+1+cmd|calc', "'+1+cmd|calc"],
  ['-2+3', "'-2+3"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\tx', "'\tx"],
  ['\r=1', "'\\u{d}=1"],
  ['\n=1', "'\n=1"],
  ['\0=1', "'\\u{0}=1"],
  ['  =1', "'  =1"],
  ['\ufeff=1', "'\\u{feff}=1"],
  ['＝1', "'＝1"],
  ['＋1', "'＋1"],
  ['－1', "'－1"],
  ['＠x', "'＠x"],
])('%j is kept from running', (text, expected) => {
  expect(csvCell(text)).toBe(expected);
});

test('what would steer a terminal is escaped', () => {
  expect(csvCell('a\u001b]52;c;eA==\u0007\u202e\u009b')).toBe('a\\u{1b}]52;c;eA==\\u{7}\\u{202e}\\u{9b}');
});

test.each(['', '10.42', 'order 17', 'a=b', 'x@example.com', '2030-01-07', "'quoted", ' text', '"=1'])(
  '%j stays',
  (text) => {
    expect(csvCell(text)).toBe(text);
  },
);
