import { type Intent, type State, unsettledStates } from '../../journal/index.js';
import type { Classified } from '../../payments/classify.js';

/** Why no further row is begun. */
export interface Halt {
  /** A whole clause. */
  readonly why: string;
  /** False when asking the gateway makes no sense either. */
  readonly mayAsk: boolean;
}

const maxConsecutive = 5;
const windowSize = 200;

/** Stops a batch that goes wrong before it goes wrong for all rows. */
export class CircuitBreaker {
  readonly #maxUnknown: number;
  #unknownInRow = 0;
  #unsentInRow = 0;
  readonly #window: boolean[] = [];

  /** `maxUnknown` is the share of unknown outcomes among the last 200 that is still borne. */
  constructor(maxUnknown: number) {
    this.#maxUnknown = maxUnknown;
  }

  /** Takes what came of a row into account; gives the reason to stop, if there is one now. */
  note(state: State, { status, isOfAnother }: Classified): Halt | undefined {
    const isUnknown = state === 'unknown';
    this.#unknownInRow = isUnknown ? this.#unknownInRow + 1 : 0;
    this.#unsentInRow = state === 'not_sent' ? this.#unsentInRow + 1 : 0;
    this.#window.push(isUnknown);
    if (this.#window.length > windowSize) this.#window.shift();
    if (status === 401 || status === 403 || status === 404)
      return { why: `the gateway answered ${status}: check login, keys, endpoint and address`, mayAsk: false };
    if (isOfAnother === true)
      return { why: 'the gateway replied about a different order from the one sent', mayAsk: true };
    if (this.#unknownInRow >= maxConsecutive)
      return { why: `${maxConsecutive} consecutive rows have an unknown outcome`, mayAsk: true };
    if (this.#unsentInRow >= maxConsecutive)
      return { why: `${maxConsecutive} consecutive rows could not be sent`, mayAsk: true };
    const unknown = this.#window.filter(Boolean).length;
    if (this.#window.length === windowSize && unknown / windowSize > this.#maxUnknown)
      return { why: `the outcomes of ${unknown} of the last ${windowSize} rows are unknown`, mayAsk: true };
    return undefined;
  }
}

/** Whether what the gate refuses says nothing about the rows that follow. */
export function affectsOneRowOnly(code: string): boolean {
  return (
    code === 'INTENT_DIFFERS' || code === 'ORDER_BUSY' || code === 'SAME_CONTENT_OPEN' || code === 'SAME_CONTENT_SENT'
  );
}

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
