import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { deadline, readDuration, readSeconds } from '../../src/wire/time.js';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Whether a signal aborts within two seconds during which garbage is collected again and again. */
async function aborts(signal: AbortSignal): Promise<boolean> {
  let isAborted = false;
  signal.addEventListener('abort', () => {
    isAborted = true;
  });
  for (let turn = 0; turn < 200 && !isAborted; turn += 1) {
    collectGarbage();
    await pause(10);
  }
  return isAborted;
}

test('a deadline comes although nothing else holds its timeout when garbage is collected', async () => {
  expect(await aborts(deadline(100, new AbortController().signal))).toBe(true);
  expect(await aborts(deadline(100))).toBe(true);
});

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
