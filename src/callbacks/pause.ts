import type { Clock } from '../runtime/ports.js';

/** Waits, unless the signal comes first; true when it came. Leaves nothing behind at a signal that lives long. */
export async function pauseUnless(signal: AbortSignal, clock: Clock, ms: number): Promise<boolean> {
  if (signal.aborted) return true;
  const over = new AbortController();
  const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { signal: over.signal }));
  await Promise.race([clock.sleep(ms), stopped]);
  over.abort();
  return signal.aborted;
}
