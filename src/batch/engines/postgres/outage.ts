import { sleepOrAbort } from '../../../payments/sleep.js';
import type { Clock } from '../../../runtime/ports.js';

/** How a worker waits for a database that cannot be reached. */
export interface Patience {
  readonly clock: Clock;
  /** Ends the waiting. */
  readonly stop: AbortSignal;
  /** How long one outage is borne, in milliseconds. */
  readonly ms: number;
  /** Told once for each outage that it began, and that it is over. */
  onChange(isAway: boolean): void;
}

const pauseMs = 500;

/**
 * One outage at a time, as all statements of a worker see it: each is tried again until one gets through, or the
 * patience is over for all of them.
 */
export class Outage {
  readonly #patience: Patience;
  /** Monotonic; when it began. */
  #since: number | undefined;
  readonly #ended = new AbortController();

  constructor(patience: Patience) {
    this.#patience = patience;
  }

  /** Waits a moment after a failure; false when the statement is to fail for good. */
  async wait(): Promise<boolean> {
    const { clock, stop, ms, onChange } = this.#patience;
    if (this.#since === undefined) {
      this.#since = clock.monotonic();
      if (!stop.aborted && !this.#ended.signal.aborted) onChange(true);
    }
    if (clock.monotonic() - this.#since >= ms) return false;
    return !(await sleepOrAbort(clock, pauseMs, AbortSignal.any([stop, this.#ended.signal])));
  }

  /** A statement got through. */
  over(): void {
    if (this.#since === undefined) return;
    this.#since = undefined;
    this.#patience.onChange(false);
  }

  /** From here on nothing is waited for. */
  end(): void {
    this.#ended.abort();
  }
}

/**
 * The server is away, is starting or stopping, is a standby that has not taken over yet (25006, 55000), has no
 * connection left or too much to do, or the connection broke: what it would say a moment later is another matter.
 */
const passing =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|57P0[1235]|57014|55P03|55000|25006|53300|25P03|08\w{3})$/;

/** How pg tells it, where it has no code. */
const lost =
  /^(Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** Whether the same statement may get through later. */
export function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string') return passing.test(error.code);
  return lost.test(error.message);
}
