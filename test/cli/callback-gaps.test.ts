import { describe, expect, test } from 'vitest';
import { watchForGaps } from '../../src/cli/commands/callback/listener.js';
import type { Clock } from '../../src/runtime/ports.js';

/** Two clocks that go on by what each sleep is given. */
function clockOf(steps: readonly (readonly [wall: number, monotonic: number])[], end: () => void): Clock {
  const left = [...steps];
  let [wall, monotonic] = [0, 0];
  return {
    now: () => wall,
    monotonic: () => monotonic,
    async sleep() {
      const [one, other] = left.shift() ?? [5000, 5000];
      wall += one;
      monotonic += other;
      // One ordinary step more, as what follows the last one is still judged.
      if (left.length === 0 && one === 5000 && other === 5000) end();
    },
  };
}

async function gapsOf(steps: readonly (readonly [number, number])[]): Promise<number[]> {
  const ending = new AbortController();
  const clock = clockOf(steps, () => ending.abort());
  const seen: number[] = [];
  await watchForGaps(clock, ending.signal, async (ms) => void seen.push(ms));
  return seen;
}

describe('the gap that is reported', () => {
  test.each<readonly [string, readonly [number, number], number | undefined]>([
    ['none when nothing was amiss', [5000, 5000], undefined],
    ['none when the machine was only slow', [14_000, 14_000], undefined],
    ['the sleep of the machine, which stops one clock', [605_000, 5000], 600_000],
    ['the time the process was stopped', [65_000, 65_000], 60_000],
    ['none when the clock was set back meanwhile', [-3_600_000, 5000], undefined],
  ])('%s', async (_, step, ms) => {
    expect(await gapsOf([step])).toEqual(ms === undefined ? [] : [ms]);
  });

  test('is reported each time', async () => {
    expect(
      await gapsOf([
        [605_000, 5000],
        [5000, 5000],
        [65_000, 65_000],
      ]),
    ).toEqual([600_000, 60_000]);
  });
});
