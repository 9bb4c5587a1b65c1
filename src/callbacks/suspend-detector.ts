import { sleepOrAbort } from '../payments/sleep.js';
import type { Clock } from '../runtime/ports.js';

interface Suspension {
  /** Milliseconds that the process was not running. */
  readonly ms: number;
}

const tickMs = 5000;
const maxTickMs = 10_000;

/**
 * Detects when this process was not running for a while: the machine slept, or the process was stopped. A sleeping
 * machine stops the monotonic clock only; a stopped process is late by both. Ends when `signal` is aborted.
 */
export async function detectSuspend(
  clock: Clock,
  signal: AbortSignal,
  onTick: (gap: Suspension | undefined) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const before = { wall: clock.now(), monotonic: clock.monotonic() };
    if (await sleepOrAbort(clock, tickMs, signal)) return;
    const elapsedMs = Math.max(clock.now() - before.wall, clock.monotonic() - before.monotonic);
    const ms = elapsedMs - tickMs;
    await onTick(ms > maxTickMs ? { ms } : undefined);
  }
}
