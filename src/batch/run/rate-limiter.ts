import { sleepOrAbort } from '../../payments/sleep.js';
import type { Clock } from '../../runtime/ports.js';

/** One rate for all lanes: each request gets the next free moment. */
export class RateLimiter {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #everyMs: number;
  #next = Number.NEGATIVE_INFINITY;

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>, perSecond: number) {
    this.#clock = clock;
    this.#everyMs = 1000 / perSecond;
  }

  /** Waits until one more request may be sent; false when stopped. */
  async pace(stop: AbortSignal): Promise<boolean> {
    const now = this.#clock.monotonic();
    const mine = Math.max(this.#next, now);
    this.#next = mine + this.#everyMs;
    // A late start delays nothing after it: the next request has its moment already.
    return !(mine > now ? await sleepOrAbort(this.#clock, mine - now, stop) : stop.aborted);
  }
}
