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

/** Sleeps so many milliseconds, unless the signal comes first; true when it came. */
export async function sleepOrAbort(clock: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return true;
  const asleep = sleepersOf(signal);
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
  return signal.aborted;
}

/** Comes when the signal does, or has come already. */
export async function aborted(signal: AbortSignal): Promise<'stopped'> {
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  return 'stopped';
}
