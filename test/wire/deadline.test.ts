import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { deadline } from '../../src/wire/deadline.js';

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

test('a deadline ends with its signal', async () => {
  const stop = new AbortController();
  const signal = deadline(60_000, stop.signal);
  expect(signal.aborted).toBe(false);
  stop.abort();
  expect(signal.aborted).toBe(true);
});
