import { expect, test } from 'vitest';
import { readDuration, readSeconds } from '../../src/wire/duration.js';

test.each([
  ['500ms', 500],
  ['5s', 5000],
  ['2m', 120_000],
  ['1h', 3_600_000],
  ['7d', 604_800_000],
])('%s is %i ms everywhere', (text, ms) => {
  expect([readDuration(text), readSeconds(text)]).toEqual([ms, ms]);
});

test('a number alone means seconds for a timeout, and nothing elsewhere', () => {
  expect([readDuration('90'), readSeconds('90')]).toEqual([undefined, 90_000]);
});

test.each(['', '0', '0s', '-1s', '1.5s', '5 s', '5S', '1h30m', '5w', '1234567890s'])('%j is no duration', (text) => {
  expect([readDuration(text), readSeconds(text)]).toEqual([undefined, undefined]);
});
