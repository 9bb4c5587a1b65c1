import { type Intent, type State, unsettledStates } from '../../journal/index.js';
import type { Classified } from '../../payments/classify.js';
import { failureFacts, isLastingFailure } from '../../payments/failure.js';

/** Why no further row is begun. */
export interface Halt {
  /** A whole clause. */
  readonly why: string;
  /** False when asking the gateway makes no sense either. */
  readonly mayAsk: boolean;
  /** What every machine at the batch has to stop for, not this one alone. */
  readonly isForAll?: boolean;
}

const maxConsecutive = 5;

/** How many outcomes a breaker looks back. */
export const breakerWindow = 200;

/**
 * Why a batch with these outcomes of its newest rows, the newest first, must not go on; undefined where it may.
 * `maxUnknown` is the share of unknown outcomes among the last 200 that is still borne.
 */
export function reasonToStop(newest: readonly State[], maxUnknown: number): string | undefined {
  const inRow = (state: State) => newest.length >= maxConsecutive && newest.slice(0, maxConsecutive).every(is(state));
  if (inRow('unknown')) return `${maxConsecutive} consecutive rows have an unknown outcome`;
  if (inRow('not_sent')) return `${maxConsecutive} consecutive rows could not be sent`;
  const last = newest.slice(0, breakerWindow);
  const unknown = last.filter(is('unknown')).length;
  if (last.length < breakerWindow || unknown / breakerWindow <= maxUnknown) return undefined;
  return `the outcomes of ${unknown} of the last ${breakerWindow} rows are unknown`;
}

const is = (wanted: State) => (state: State) => state === wanted;

/** Stops a batch that goes wrong before it goes wrong for all rows. */
export class CircuitBreaker {
  readonly #maxUnknown: number;
  /** Newest first. */
  readonly #outcomes: State[] = [];

  /** See `reasonToStop`. */
  constructor(maxUnknown: number) {
    this.#maxUnknown = maxUnknown;
  }

  /** Takes what came of a row into account; gives the reason to stop, if there is one now. */
  note(state: State, { status, isOfAnother }: Classified): Halt | undefined {
    this.#outcomes.unshift(state);
    if (this.#outcomes.length > breakerWindow) this.#outcomes.pop();
    if (status === 401 || status === 403 || status === 404) {
      const why = `the gateway answered ${status}: check login, keys, endpoint and address`;
      return { why, mayAsk: false, isForAll: true };
    }
    if (isOfAnother === true)
      return { why: 'the gateway replied about a different order from the one sent', mayAsk: true, isForAll: true };
    const why = reasonToStop(this.#outcomes, this.#maxUnknown);
    // What one machine cannot send, the others may.
    return why === undefined ? undefined : { why, mayAsk: true, isForAll: state !== 'not_sent' };
  }
}

/** Why a run stops after a status query that failed in a way that waiting does not change; undefined after another. */
export function haltAfterQuery(failure: Classified | undefined): Halt | undefined {
  if (failure === undefined || !isLastingFailure(failure)) return undefined;
  const { why, check = 'check login, keys, endpoint and address' } = failureFacts(failure);
  return { why: `a status query failed: ${why}; ${check}`, mayAsk: false };
}

/** Whether what the gate refuses says nothing about the rows that follow. */
export function affectsOneRowOnly(code: string): boolean {
  return ofOneRow.has(code);
}

const ofOneRow: ReadonlySet<string> = new Set([
  ...['INTENT_DIFFERS', 'ORDER_BUSY', 'AMOUNT_PENDING', 'SAME_CONTENT_OPEN', 'SAME_CONTENT_SENT'],
]);

const defaultRetryMs = 5000;
const maxRetryMs = 60_000;

/** How long a gateway that answers 429 or 503 is left alone; undefined for another answer. */
export function retryAfter(
  status: number,
  header: string | readonly string[] | undefined,
  now: number,
): number | undefined {
  if (status !== 429 && status !== 503) return undefined;
  const text = typeof header === 'string' ? header : '';
  if (/^\d+$/.test(text)) return Math.min(Number(text) * 1000, maxRetryMs);
  const asked = Date.parse(text) - now;
  return asked > 0 ? Math.min(asked, maxRetryMs) : defaultRetryMs;
}

/** Where nobody waits for the others. */
const defaultWaitMs = 300_000;

/** The first row a run sends: no other one leaves before it has its final answer. */
export class CanaryRow {
  /** As long as accepted rows are waited for at the end: it is waited for whatever the user says of those. */
  readonly waitMs: number;
  #number: number | undefined;
  /** Monotonic; from its reply on. */
  #since = 0;
  #hasPassed = false;
  #isReported = false;

  constructor(waitMs: number) {
    this.waitMs = waitMs > 0 ? waitMs : defaultWaitMs;
  }

  get hasPassed(): boolean {
    return this.#hasPassed;
  }

  /** The row that is on its way or waits for its answer; undefined when there is none. */
  get number(): number | undefined {
    return this.#hasPassed ? undefined : this.#number;
  }

  get since(): number {
    return this.#since;
  }

  /** Monotonic; undefined when nothing is waited for. */
  get until(): number | undefined {
    return this.number === undefined ? undefined : this.#since + this.waitMs;
  }

  is(number: number): boolean {
    return this.number === number;
  }

  /** Takes this one, unless there is one. */
  take(number: number, now: number): void {
    if (this.#number !== undefined) return;
    this.#number = number;
    this.#since = now;
  }

  answered(number: number, now: number): void {
    if (this.is(number)) this.#since = now;
  }

  /** It was not sent: another one is the first. */
  release(number: number): void {
    if (this.is(number)) this.#number = undefined;
  }

  pass(): void {
    this.#hasPassed = true;
  }

  /** True once, when a status query left it open: the user is to be told why no other row is sent. */
  shouldReportWait(number: number, { state }: Intent): boolean {
    if (this.#isReported || !this.is(number) || !unsettledStates.includes(state)) return false;
    this.#isReported = true;
    return true;
  }
}
