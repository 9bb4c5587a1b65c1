import type { Clock } from '../runtime/ports.js';

// One listener for all that wait on a signal: many lanes do at once.
const sleepers = new WeakMap<AbortSignal, Set<() => void>>();

function sleepersOf(stop: AbortSignal): Set<() => void> {
  const known = sleepers.get(stop);
  if (known !== undefined) return known;
  const made = new Set<() => void>();
  sleepers.set(stop, made);
  stop.addEventListener('abort', () => {
    for (const wake of made) wake();
  });
  return made;
}

/** Sleeps, unless stopped; false then. */
export async function pauseUnless(stop: AbortSignal, clock: Pick<Clock, 'sleep'>, ms: number): Promise<boolean> {
  if (stop.aborted) return false;
  const asleep = sleepersOf(stop);
  let wake = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    wake = resolve;
  });
  asleep.add(wake);
  try {
    await Promise.race([clock.sleep(ms), stopped]);
  } finally {
    asleep.delete(wake);
  }
  return !stop.aborted;
}
