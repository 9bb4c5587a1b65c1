import { type Intent, queryableStates } from '../../journal/index.js';
import { isBeyondStatus } from '../../payments/evidence.js';
import { sleepOrAbort } from '../../payments/sleep.js';
import { jittered, pauseAt, pausesForUnknown, usualPause } from '../../payments/wait.js';
import type { Clock, Random } from '../../runtime/ports.js';
import type { BatchRow, PlanStore } from '../plan.js';

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

const prefetchRows = 64;

/** Gives out rows (see `BatchEngine.next`). */
interface NextRows {
  next(max: number): Promise<readonly number[]>;
}

/** The rows that may be begun, one after another; a few are read ahead. */
export class RowQueue {
  readonly #engine: NextRows;
  readonly #plan: Pick<PlanStore, 'rows' | 'row'>;
  #waiting: number[] = [];
  #page = new Map<number, BatchRow>();
  #filling: Promise<void> | undefined;
  #isEmpty = false;

  constructor(engine: NextRows, plan: Pick<PlanStore, 'rows' | 'row'>) {
    this.#engine = engine;
    this.#plan = plan;
  }

  /** True once the last one was given out. */
  get isEmpty(): boolean {
    return this.#isEmpty && this.#waiting.length === 0;
  }

  async next(): Promise<BatchRow | undefined> {
    // Many may wait for the same few: who gets none of them looks for more.
    while (this.#waiting.length === 0 && !this.#isEmpty) {
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = undefined;
      });
      await this.#filling;
    }
    const number = this.#waiting.shift();
    if (number === undefined) return undefined;
    const row = this.#page.get(number) ?? this.#plan.row(number);
    this.#page.delete(number);
    return row;
  }

  async #fill(): Promise<void> {
    const numbers = await this.#engine.next(prefetchRows);
    this.#isEmpty = numbers.length === 0;
    const [first, last] = [numbers[0], numbers.at(-1)];
    // In one go where they stand together, as they mostly do.
    const page =
      first === undefined || last === undefined || last - first >= 2 * prefetchRows
        ? []
        : this.#plan.rows(first, last - first + 1);
    this.#page = new Map(page.map((row) => [row.number, row]));
    this.#waiting = [...numbers];
  }
}

/** A status query about an open row, and when it is due. */
export interface StatusQuery {
  /** Monotonic. */
  readonly due: number;
  readonly number: number;
  readonly sum: BatchRow['sum'];
  readonly intent: Intent;
  /** How often it was asked since its intent entered its present state. */
  readonly asked: number;
  /** Monotonic; when it entered that state. */
  readonly since: number;
  /** Nobody has asked about it in this run: that is done however little the user waits. */
  readonly isFirst: boolean;
}

/** Status queries by the time they are due (a binary heap). */
export class DueQueue {
  #queries: StatusQuery[] = [];

  get size(): number {
    return this.#queries.length;
  }

  /** When the next one is due; undefined when there is none. */
  get next(): number | undefined {
    return this.#queries[0]?.due;
  }

  add(query: StatusQuery): void {
    this.#queries.push(query);
    let at = this.#queries.length - 1;
    while (at > 0 && this.#swapUp(at)) at = (at - 1) >> 1;
  }

  /** Takes the next one that is due. */
  take(now: number): StatusQuery | undefined {
    const first = this.#queries[0];
    if (first === undefined || first.due > now) return undefined;
    const last = this.#queries.pop();
    if (last !== undefined && last !== first) {
      this.#queries[0] = last;
      for (let at = 0; ; ) {
        const [left, right] = [2 * at + 1, 2 * at + 2];
        const child = this.#due(right) < this.#due(left) ? right : left;
        if (this.#due(child) === Number.POSITIVE_INFINITY || !this.#swapUp(child)) break;
        at = child;
      }
    }
    return first;
  }

  /** Drops the others. */
  keep(isKept: (query: StatusQuery) => boolean): void {
    const kept = this.#queries.filter(isKept);
    if (kept.length === this.#queries.length) return;
    this.#queries = [];
    for (const query of kept) this.add(query);
  }

  #due(at: number): number {
    return this.#queries[at]?.due ?? Number.POSITIVE_INFINITY;
  }

  /** Swaps a query with its parent, if it is due earlier. */
  #swapUp(at: number): boolean {
    const above = (at - 1) >> 1;
    const [child, parent] = [this.#queries[at], this.#queries[above]];
    if (child === undefined || parent === undefined || parent.due <= child.due) return false;
    this.#queries[above] = child;
    this.#queries[at] = parent;
    return true;
  }
}

/** Status queries about open rows: rows whose outcome is unknown come before rows the gateway has accepted. */
export class StatusQueue {
  readonly #unknown = new DueQueue();
  readonly #accepted = new DueQueue();

  get size(): number {
    return this.#unknown.size + this.#accepted.size;
  }

  /** When the next one of each kind is due. */
  get due(): readonly (number | undefined)[] {
    return [this.#unknown.next, this.#accepted.next];
  }

  add(query: StatusQuery): void {
    (query.intent.state === 'accepted' ? this.#accepted : this.#unknown).add(query);
  }

  /** Drops the others. */
  keep(isKept: (query: StatusQuery) => boolean): void {
    this.#unknown.keep(isKept);
    this.#accepted.keep(isKept);
  }

  takeUnknown(now: number): StatusQuery | undefined {
    return this.#unknown.take(now);
  }

  takeAccepted(now: number): StatusQuery | undefined {
    return this.#accepted.take(now);
  }
}

interface QueryTiming {
  /** Monotonic. */
  readonly now: number;
  /** Of the profile. */
  readonly class: string;
  readonly random: Pick<Random, 'below'>;
  /** Whether an accepted row is waited for. */
  readonly mayWait: boolean;
  /** Milliseconds between queries about an accepted row, when not at the gateway's usual pace. */
  readonly pauses: readonly number[] | undefined;
}

/** Whether a status answer can tell anything more of it. */
export function mayBeQueried({ operation, state }: Intent): boolean {
  return !isBeyondStatus(operation) && queryableStates.includes(state);
}

/** Milliseconds until an open row is asked about next; undefined when it is asked about no more. */
export function delayBeforeQuery(
  { intent, asked, since }: Omit<StatusQuery, 'due'>,
  timing: QueryTiming,
): number | undefined {
  if (intent.state === 'unknown') {
    const pause = pausesForUnknown(timing.class)[asked];
    return pause === undefined ? undefined : jittered(pause, timing.random);
  }
  return timing.mayWait ? (pauseAt(timing.pauses, asked) ?? usualPause(timing.now - since, timing.random)) : undefined;
}

/** Among those about an unknown outcome, counted from nought. */
export function lastUnknownQuery(profileClass: string): number {
  return pausesForUnknown(profileClass).length - 1;
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

  /** Nothing is sent any more: what counts is the first time. Queries on their way then do not make the wait longer. */
  begin(): void {
    this.#since ??= this.#clock.monotonic();
  }

  /** The same for a wait that began earlier. */
  beginAt(time: number): void {
    this.#since = time;
  }

  /** Undefined while rows are sent. */
  get end(): number | undefined {
    return this.#since === undefined ? undefined : this.#since + this.#waitMs;
  }

  /** Only rows that nobody has asked about in this run are asked about from then on. */
  get isOver(): boolean {
    return this.end !== undefined && this.#clock.monotonic() >= this.end;
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
