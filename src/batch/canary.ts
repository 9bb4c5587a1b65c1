import { exits } from '../errors/index.js';
import type { State } from '../journal/states.js';
import { amountsIn, unitsOf } from '../payments/evidence.js';
import type { Answered } from '../payments/settle.js';
import { stateClause } from '../payments/words.js';
import type { Halt } from './breaker.js';

/** Used where the user chose not to wait for accepted rows (`--no-wait`). */
const defaultWaitMs = 300_000;
/** At so many first rows with an unknown outcome a run stops. */
const maxUnknown = 3;

/**
 * The first row of a batch: no other one is sent before its outcome is final, so that a wrong field, key or endpoint
 * costs one row and not all of them. One whose outcome stays unknown is replaced by the next row.
 */
export class Canary {
  /** How long its outcome is waited for, in milliseconds: as long as that of accepted rows at the end of a run. */
  readonly waitMs: number;
  #number: number | undefined;
  /** On the monotonic clock: when it was begun, then when its reply came. */
  #since = 0;
  /** Also where another run of the batch had one. */
  hasPassed = false;
  #isReported = false;
  #state: State | undefined;
  /** Whether status showed it as it was sent. */
  #isShown = false;
  #unknown = 0;

  constructor(waitMs: number) {
    this.waitMs = waitMs > 0 ? waitMs : defaultWaitMs;
  }

  /** The row whose outcome is waited for; undefined before the first row and once its outcome is final. */
  get number(): number | undefined {
    return this.hasPassed ? undefined : this.#number;
  }

  get since(): number {
    return this.#since;
  }

  /** When the wait ends, on the monotonic clock; undefined when nothing is waited for. */
  get until(): number | undefined {
    return this.number === undefined ? undefined : this.#since + this.waitMs;
  }

  is(number: number | undefined): boolean {
    return number !== undefined && this.number === number;
  }

  /** Makes this row the canary, unless there is one already. */
  take(number: number, now: number): void {
    if (this.hasPassed || this.#number !== undefined) return;
    this.#number = number;
    this.#since = now;
    this.#isReported = false;
  }

  answered(number: number, now: number): void {
    if (this.is(number)) this.#since = now;
  }

  /** This row was not sent after all: the next one is the canary. */
  release(number: number): void {
    if (this.is(number)) this.#number = undefined;
  }

  /** What is known of a row now. A fault that refuses the first one, or keeps it from being sent, is likely in all. */
  note(number: number, state: State, isShown: boolean): Halt | undefined {
    if (!this.is(number)) return undefined;
    this.#state = state;
    this.#isShown = isShown;
    this.hasPassed = state === 'done' || state === 'declined';
    if (state !== 'refused' && state !== 'not_sent') return undefined;
    return { why: `row ${number}, the first, ${stateClause(state)}; no other rows are sent`, mayQuery: true };
  }

  /**
   * Its wait is over. Others follow one that is pending and shown as it was sent, and the next row replaces one that is
   * unknown; any other stops the run.
   */
  endWait(): Halt | undefined {
    const why = `row ${this.#number}, the first one, has no final status, so no other rows are sent`;
    this.hasPassed = this.#state === 'accepted' && this.#isShown;
    if (this.hasPassed) return undefined;
    if (this.#state !== 'unknown') return { why, mayQuery: true };
    this.#unknown += 1;
    if (this.#unknown === maxUnknown) return { why, mayQuery: true, exit: exits.batchLeft };
    this.#number = undefined;
    return undefined;
  }

  /** True once, when a status query left it open: the user is to be told why no other row is sent. */
  shouldReportWait(number: number, state: State): boolean {
    if (this.#isReported || !this.is(number) || (state !== 'unknown' && state !== 'accepted')) return false;
    this.#isReported = true;
    return true;
  }
}

/** Whether an answer shows the order of a request with the amount that was sent. */
export function showsAsSent({ request, proof, fields }: Answered, minorDigits: string): boolean {
  if (fields === undefined || proof.proves === 'nothing') return false;
  const { own, ofOrder } = amountsIn(fields, request, minorDigits);
  const sent = unitsOf(request);
  return sent === undefined || own === sent || ofOrder === sent;
}
