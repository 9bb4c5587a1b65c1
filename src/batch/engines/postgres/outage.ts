import { sleepOrAbort } from '../../../payments/sleep.js';
import type { Clock } from '../../../runtime/ports.js';

/** How a worker waits out an outage of the database. */
export interface OutageSettings {
  readonly clock: Clock;
  /** Aborted when the run ends: then nothing is waited for. */
  readonly stop: AbortSignal;
  /** How long one outage may last, in milliseconds, before the statements that wait fail. */
  readonly maxMs: number;
  /** Called once when an outage begins (true), and once when it is over (false). */
  onChange(isAway: boolean): void;
}

const retryPauseMs = 500;

/**
 * The outage that the statements of a worker have in common: each is tried again until one gets through, which ends
 * the outage, or until it has lasted too long, which fails all of them.
 */
export class Outage {
  readonly #settings: OutageSettings;
  /** On the monotonic clock; undefined while there is no outage. */
  #startedAt: number | undefined;
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

  /** A statement got through: there is no outage, or it is over. */
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

/** Codes of the system, and of PostgreSQL (SQLSTATE), after which the same statement may get through later. */
const transientCodes: ReadonlySet<string> = new Set([
  // The server cannot be reached, or the connection broke.
  ...['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN'],
  // It is shutting down, crashed, is starting, or closed an idle session.
  ...['57P01', '57P02', '57P03', '57P05'],
  // A time limit for a statement, a lock or an idle transaction ran out.
  ...['57014', '55P03', '25P03'],
  // It is a standby that has not taken over yet.
  ...['55000', '25006'],
  // It has no connection left.
  '53300',
]);

const connectionException = /^08\w{3}$/;

/** How the messages of pg begin for lost connections, which have no code. */
const lostConnection =
  /^(Connection terminated|timeout e|Query read timeout|Client has encountered a connection error|Client was closed)/;

/** Whether the same statement may get through later. */
export function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if ('code' in error && typeof error.code === 'string')
    return transientCodes.has(error.code) || connectionException.test(error.code);
  return lostConnection.test(error.message);
}
