import type { Clock } from '../runtime/ports.js';

// One listener per signal for all that wait on it: many lanes do at once.
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

/** Sleeps for `ms` milliseconds or until the signal is aborted; true when it was. */
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

/** Resolves when the signal is aborted; at once when it was already. */
export async function aborted(signal: AbortSignal): Promise<'stopped'> {
  if (!signal.aborted)
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  return 'stopped';
}
