import { sleepOrAbort } from '../../../payments/sleep.js';
import type { Clock } from '../../../runtime/ports.js';

/** How a worker waits out an outage of the database. */
export interface OutageSettings {
  readonly clock: Clock;
  /** Aborted when the run ends: then no outage is waited out. */
  readonly stop: AbortSignal;
  /** How long one outage may last, in milliseconds, before the statements that wait fail. */
  readonly maxMs: number;
  /** Called once when an outage begins (true), and once when it is over (false). */
  onChange(hasBegun: boolean): void;
}

const retryPauseMs = 500;

/**
 * An outage of the database, which all statements of a worker share: each is tried again until one succeeds, which ends
 * the outage, or until it has lasted too long, which fails all of them.
 */
export class Outage {
  readonly #settings: OutageSettings;
  /** When it began, on the monotonic clock; undefined while there is none. */
  #startedAt: number | undefined;
  /** Aborted when the connection is closed. */
  readonly #closing = new AbortController();

  constructor(settings: OutageSettings) {
    this.#settings = settings;
  }

  /** After a transient failure: waits, then true when the statement is to be tried again, false when it is to fail. */
  async waitToRetry(): Promise<boolean> {
    const { clock, stop, maxMs, onChange } = this.#settings;
    const ended = AbortSignal.any([stop, this.#closing.signal]);
    if (this.#startedAt === undefined) {
      this.#startedAt = clock.monotonic();
      if (!ended.aborted) onChange(true);
    }
    if (clock.monotonic() - this.#startedAt >= maxMs) return false;
    return !(await sleepOrAbort(clock, retryPauseMs, ended));
  }

  /** A statement succeeded: there is no outage, or it is over. */
  statementSucceeded(): void {
    if (this.#startedAt === undefined) return;
    this.#startedAt = undefined;
    this.#settings.onChange(false);
  }

  /** From here on no outage is waited for. */
  stopWaiting(): void {
    this.#closing.abort();
  }
}
