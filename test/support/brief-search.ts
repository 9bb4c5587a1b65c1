import type { Runtime } from '../../src/runtime/ports.js';
import { isEvery } from './every.js';

const day = 86_400_000;

/**
 * By the clock of a test a search for mistakes is never over, so one that finds nothing tries all, for seconds. By this
 * one its time is up when it first looks, after a thousand tries: for tests of something else than what it finds.
 * EVERY_WAY=1 lets it try all.
 */
export function briefSearch(usual: Runtime): Runtime {
  if (isEvery) return usual;
  const { clock } = usual;
  let looks = 0;
  const monotonic = () => {
    looks += 1;
    return clock.monotonic() + looks * day;
  };
  return { ...usual, clock: { now: () => clock.now(), monotonic, sleep: (ms) => clock.sleep(ms) } };
}
