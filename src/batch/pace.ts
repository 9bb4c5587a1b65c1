import { sleepOrAbort } from '../payments/wait.js';
import type { Clock } from '../runtime/ports.js';

/** One rate for all requests of a run: each gets the next free moment. */
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

/** For the answers of a run that waits for no accepted row. */
const unwaitedMs = 10_000;

/** How long a run asks about open rows once it sends no more, by the monotonic clock. */
export class RunWait {
  readonly #clock: Pick<Clock, 'monotonic'>;
  readonly #waitMs: number;
  #since: number | undefined;
  /** The newest reply, or the end of the newest attempt to send. */
  #heardAt: number;

  constructor(clock: Pick<Clock, 'monotonic'>, waitMs: number) {
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#heardAt = clock.monotonic();
  }

  hear(): void {
    this.#heardAt = this.#clock.monotonic();
  }

  /** Nothing is sent any more, since then: what counts is the first time. */
  begin(since = this.#clock.monotonic()): void {
    this.#since ??= since;
  }

  /** There are rows to send after all. */
  cancel(): void {
    this.#since = undefined;
  }

  /** Undefined while rows are sent. */
  get end(): number | undefined {
    return this.#since === undefined ? undefined : this.#since + this.#waitMs;
  }

  /** Only rows that nobody has asked about in this run are asked about from then on. */
  get isOver(): boolean {
    return this.#clock.monotonic() >= (this.end ?? Number.POSITIVE_INFINITY);
  }

  /** The gateway has not answered for so long that nothing more is asked at all. */
  get isGivenUp(): boolean {
    return this.#since !== undefined && this.#clock.monotonic() - this.#heardAt >= this.#patienceMs;
  }

  /** When a query that begins now is given up; `isFirst` where nobody has asked about its row in this run. */
  queryEnd(isFirst: boolean): number {
    if (this.end === undefined) return this.#clock.monotonic() + this.#patienceMs;
    const silenceEnd = this.#heardAt + this.#patienceMs;
    return isFirst ? silenceEnd : Math.min(silenceEnd, this.end);
  }

  get #patienceMs(): number {
    return this.#waitMs > 0 ? this.#waitMs : unwaitedMs;
  }
}
