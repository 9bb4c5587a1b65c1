import { sleepOrAbort } from '../payments/sleep.js';
import type { Clock } from '../runtime/ports.js';

interface Suspension {
  /** Milliseconds that went by unnoticed. */
  readonly ms: number;
}

const tickMs = 5000;
const maxTickMs = 10_000;

/**
 * Notices when this process was not running for a while: the machine slept, or somebody stopped the process. A sleeping
 * machine stops one clock and not the other; a stopped process comes back late by both. Ends when `signal` says so.
 */
export async function detectSuspend(
  clock: Clock,
  signal: AbortSignal,
  onTick: (gap: Suspension | undefined) => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    const before = { wall: clock.now(), monotonic: clock.monotonic() };
    if (await sleepOrAbort(clock, tickMs, signal)) return;
    const passed = Math.max(clock.now() - before.wall, clock.monotonic() - before.monotonic);
    const ms = passed - tickMs;
    await onTick(ms > maxTickMs ? { ms } : undefined);
  }
}
