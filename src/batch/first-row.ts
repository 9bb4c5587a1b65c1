import { type Intent, unsettledStates } from '../journal/index.js';

/** Where nobody waits for the others. */
const usualWaitMs = 300_000;

/** The first row a run sends: no other one leaves before it has its final answer. */
export class FirstRow {
  /** As long as accepted rows are waited for at the end: it is waited for whatever the user says of those. */
  readonly waitMs: number;
  #number: number | undefined;
  /** Monotonic; from its reply on. */
  #since = 0;
  #hasPassed = false;
  #isTold = false;

  constructor(waitMs: number) {
    this.waitMs = waitMs > 0 ? waitMs : usualWaitMs;
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
  spare(number: number): void {
    if (this.is(number)) this.#number = undefined;
  }

  pass(): void {
    this.#hasPassed = true;
  }

  /** True once, when a question about it left it open: whoever looks on wonders why nothing else happens. */
  isWaitedFor(number: number, { state }: Intent): boolean {
    if (this.#isTold || !this.is(number) || !unsettledStates.includes(state)) return false;
    this.#isTold = true;
    return true;
  }
}
