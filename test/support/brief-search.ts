import type { Runtime } from '../../src/runtime/ports.js';
import { isEvery } from './every.js';

const day = 86_400_000;

/** The clock of a brief search (see below), for what takes one as an argument. */
export function briefClock(): (() => number) | undefined {
  if (isEvery) return undefined;
  let looks = 0;
  return () => {
    looks += 1;
    return looks * day;
  };
}

/**
 * By the clock of a test a search for mistakes is never over, so one that finds nothing tries all, for seconds. By this
 * one its time is up when it first looks, after a thousand tries: for tests of something else than what it finds.
 * EVERY_WAY=1 lets it try all.
 */
export function briefSearch(usual: Runtime): Runtime {
  const monotonic = briefClock();
  if (monotonic === undefined) return usual;
  const { clock } = usual;
  return { ...usual, clock: { now: () => clock.now(), monotonic, sleep: (ms) => clock.sleep(ms) } };
}
