import { isPaycliError, type PaycliError } from '../../errors/index.js';
import type { Intent } from '../../journal/index.js';
import type { Classified } from '../../payments/classify.js';
import type { Delivery } from '../../runtime/ports.js';
import type { BatchRow } from '../plan.js';
import { CanaryRow } from './canary-row.js';
import { CircuitBreaker, type Halt, haltAfterQuery, rejectionFacts, retryAfter } from './circuit-breaker.js';
import type { OpenRow } from './engine.js';
import { StateTally } from './progress.js';
import { markAbandoned, queryOnce, type RowPorts, sendOnce } from './row-sender.js';
import type { RunEnd, RunPorts } from './run-ports.js';
import {
  delayBeforeQuery,
  lastUnknownQuery,
  mayBeQueried,
  RowQueue,
  RunWait,
  type StatusQuery,
  StatusQueue,
} from './scheduling.js';

/** How many rows are on their way at once until `rowsBeforeAllLanes` were answered: an early fault costs few rows. */
const lanesAtFirst = 4;
const rowsBeforeAllLanes = 20;
/** Rows the gateway has accepted and whose outcome is not known; at this many, no new row is sent. */
const maxOpenRows = 5000;
/** A lane that waits looks again after this time at the latest. */
const maxWaitMs = 1000;
/** Rows that earlier runs left open are read in while fewer queries than this are scheduled. */
const maxQueriesAhead = 100;

type Work = () => Promise<void>;

/**
 * One run of a batch: sends the rows of a plan that nobody sent, and queries the outcome of those that were sent. Its
 * work is done by lanes, as many as requests may be on their way at once; each does one thing at a time.
 */
export class BatchRun {
  /** What this run has seen so far, for those who watch it; the totals at its end come from the engine. */
  readonly counters = new StateTally();
  readonly #ports: RunPorts;
  readonly #work: RowPorts;
  readonly #queries = new StatusQueue();
  readonly #rows: RowQueue;
  readonly #breaker: CircuitBreaker;
  #halt: Halt | undefined;
  #refusal: PaycliError | undefined;
  #fault: { readonly error: unknown } | undefined;
  /** How many lanes are at work, and how many of these send a row. */
  #workingLanes = 0;
  #sendingLanes = 0;
  /** Rows that were or are being sent, and those whose sending has ended. */
  #begun = 0;
  #answered = 0;
  readonly #canary: CanaryRow;
  #pausedUntil = 0;
  readonly #wait: RunWait;
  #wasLastAQuery = false;
  #isResuming = false;
  /** Rows that earlier runs left open, a few in memory at a time; undefined when all are. */
  #earlierOpenRows: AsyncIterator<OpenRow> | undefined;
  /** Each continues a lane that waits for work. */
  #wakers: (() => void)[] = [];

  constructor(ports: RunPorts) {
    this.#ports = ports;
    this.#work = { ...ports, onSend: () => ports.onSend?.(), received: (delivery) => this.#onDelivery(delivery) };
    this.#rows = new RowQueue(ports.engine, ports.plan);
    this.#canary = new CanaryRow(ports.options.waitMs);
    this.#breaker = new CircuitBreaker(ports.options.maxUnknown);
    this.#wait = new RunWait(ports.connection.ports.clock, ports.options.waitMs);
  }

  /** Runs to the end. Throws STORAGE, or a fault of paycli, once no request is on its way any more. */
  async toEnd(): Promise<RunEnd> {
    const { stop, options } = this.#ports;
    const wakeLanes = () => this.#wakeLanes();
    stop.addEventListener('abort', wakeLanes);
    try {
      this.#earlierOpenRows = this.#ports.engine.open()[Symbol.asyncIterator]();
      while ((await this.#resumeNextOpen())?.state === 'unknown');
      await Promise.all(Array.from({ length: options.concurrency }, () => this.#lane()));
    } finally {
      stop.removeEventListener('abort', wakeLanes);
    }
    if (this.#fault !== undefined) throw this.#fault.error;
    return { halt: this.#halt, refusal: this.#refusal };
  }

  get #now(): number {
    return this.#ports.connection.ports.clock.monotonic();
  }

  async #lane(): Promise<void> {
    for (let work = await this.#nextWork(); work !== undefined; work = await this.#nextWork()) {
      try {
        await work();
      } catch (error) {
        // A fault of the storage, or of paycli. What other lanes have sent is still waited for.
        this.#fault ??= { error };
      } finally {
        this.#workingLanes -= 1;
        this.#wakeLanes();
      }
    }
  }

  /** What this lane does next, counted at once, before another lane decides; undefined at its end. */
  async #nextWork(): Promise<Work | undefined> {
    for (;;) {
      if (this.#ports.stop.aborted || this.#fault !== undefined) return undefined;
      this.#checkCanaryWait();
      if (!this.#hasRows && this.#sendingLanes === 0) this.#wait.begin();
      const work = this.#nextQuery() ?? this.#nextRow();
      if (work !== undefined) {
        this.#workingLanes += 1;
        return work;
      }
      if (this.#isOver()) return undefined;
      await this.#waitForWork();
    }
  }

  #nextQuery(): Work | undefined {
    if (this.#halt?.mayQuery === false || this.#now < this.#pausedUntil || this.#wait.isGivenUp) return undefined;
    if (this.#wait.isOver) this.#queries.keep((query) => this.#isQueriedInAnyCase(query));
    const unknown = this.#queries.takeUnknown(this.#now);
    if (unknown !== undefined) return () => this.#query(unknown);
    // However many accepted rows there are, new ones have their turn.
    if (this.#wasLastAQuery && this.#mayBegin()) return undefined;
    const query = this.#queries.takeAccepted(this.#now);
    this.#wasLastAQuery = query !== undefined;
    if (query !== undefined) return () => this.#query(query);
    if (this.#earlierOpenRows === undefined || this.#isResuming || this.#queries.size >= maxQueriesAhead)
      return undefined;
    this.#isResuming = true;
    return () => this.#resumeMoreOpen();
  }

  #nextRow(): Work | undefined {
    if (!this.#mayBegin()) return undefined;
    this.#wasLastAQuery = false;
    this.#sendingLanes += 1;
    this.#begun += 1;
    return () => this.#begin();
  }

  #mayBegin(): boolean {
    if (!this.#hasRows || this.#now < this.#pausedUntil || this.#queries.size >= maxOpenRows) return false;
    // One row to its final answer, then four at once, then all.
    if (!this.#canary.hasPassed) return this.#canary.number === undefined && this.#sendingLanes === 0;
    return this.#answered >= rowsBeforeAllLanes || this.#sendingLanes < lanesAtFirst;
  }

  get #hasRows(): boolean {
    return this.#halt === undefined && !this.#rows.isEmpty && this.#begun < this.#ports.options.maxRows;
  }

  /** Goes on without the final status of the first row, or stops, once nothing more is heard of it. */
  #checkCanaryWait(): void {
    const { until, since } = this.#canary;
    if (until === undefined || this.#halt !== undefined || this.#workingLanes > 0) return;
    if (this.#queries.size > 0 && this.#now < until) return;
    const halt = this.#canary.endWait();
    this.#stop(halt);
    if (halt !== undefined) this.#wait.beginAt(since);
  }

  #isOver(): boolean {
    if (this.#workingLanes > 0) return false;
    if (this.#halt?.mayQuery === false) return true;
    if (this.#hasRows || (this.#canary.until !== undefined && this.#halt === undefined)) return false;
    return this.#queries.size === 0 || this.#wait.isOver;
  }

  /** Until something may have changed. */
  async #waitForWork(): Promise<void> {
    const later = [...this.#queries.due, this.#pausedUntil, this.#wait.end, this.#canary.until];
    const next = Math.min(...later.filter((time): time is number => time !== undefined && time > this.#now));
    const woken = new Promise<void>((resolve) => this.#wakers.push(resolve));
    const { clock } = this.#ports.connection.ports;
    await (Number.isFinite(next) ? Promise.race([woken, clock.sleep(Math.min(next - this.#now, maxWaitMs))]) : woken);
  }

  #wakeLanes(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }

  /** A turn that came to no sending does not count among the rows begun. */
  async #begin(): Promise<void> {
    let isSent = false;
    try {
      const row = await this.#rows.next();
      if (row === undefined || !(await this.#ports.engine.pace(this.#ports.stop)) || this.#halt !== undefined) return;
      this.#canary.take(row.number, this.#now);
      isSent = await this.#send(row);
    } finally {
      this.#wait.hear();
      this.#sendingLanes -= 1;
      if (!isSent) this.#begun -= 1;
    }
  }

  /** Whether it was begun here. */
  async #send(row: BatchRow): Promise<boolean> {
    try {
      if ((await this.#ports.mayBegin?.(row)) === false) return false;
      const sent = await sendOnce(row, this.#work);
      if (sent.kind === 'sent') return await this.#onSent(row, sent.intent, sent.classified);
      this.#canary.release(row.number);
      if (sent.kind === 'known') this.#follow(row, sent.intent);
      else this.#reportLeft(row, 'another paycli process is sending it right now');
    } catch (error) {
      if (!isPaycliError(error) || error.code === 'STORAGE' || error.code === 'INTERNAL') throw error;
      this.#onRejected(row, error);
    }
    return false;
  }

  #onRejected(row: BatchRow, error: PaycliError): void {
    this.#canary.release(row.number);
    const { why, isOfOneRow } = rejectionFacts(error);
    this.#reportLeft(row, why);
    if (isOfOneRow) return;
    this.#refusal = error;
    this.#stop({ why, mayQuery: true });
  }

  #reportLeft({ number }: BatchRow, reason: string): void {
    this.#ports.onEvent({ what: 'left', number, reason });
  }

  async #onSent(row: BatchRow, intent: Intent, classified: Classified): Promise<true> {
    this.#answered += 1;
    this.#canary.answered(row.number, this.#now);
    const halt = this.#breaker.record(intent.state, classified);
    this.#stop(halt);
    this.#follow(row, intent);
    return true;
  }

  /** Schedules the query of the next row that an earlier run left open; undefined when there is none. */
  async #resumeNextOpen(): Promise<Intent | undefined> {
    const next = await this.#earlierOpenRows?.next();
    if (next?.done !== false) this.#earlierOpenRows = undefined;
    if (next?.done !== false) return undefined;
    const { number, intent } = next.value;
    const own = await markAbandoned(intent, this.#ports.engine);
    // What was unknown before this run had its queries; one more shows whether the gateway has learned of it since.
    const asked = intent.state === 'unknown' ? lastUnknownQuery(this.#ports.connection.place.class) : 0;
    this.#follow({ number, sum: this.#ports.plan.row(number)?.sum }, own, { pause: 0, asked });
    return own;
  }

  async #resumeMoreOpen(): Promise<void> {
    try {
      while (
        this.#queries.size < maxQueriesAhead &&
        !this.#ports.stop.aborted &&
        (await this.#resumeNextOpen()) !== undefined
      )
        this.#wakeLanes();
    } finally {
      this.#isResuming = false;
    }
  }

  /** Counts and reports a row that was sent, now or before, and schedules its query where it is open. */
  #follow(
    { number, sum }: Pick<BatchRow, 'number' | 'sum'>,
    intent: Intent,
    how: { pause?: number; asked: number } = { asked: 0 },
  ): void {
    this.counters.move(undefined, intent.state, sum);
    this.#ports.onEvent({ what: 'row', number, state: intent.state, intent, reason: intent.reason });
    const isFirst = how.pause === 0 || intent.state === 'unknown';
    this.#schedule({ number, sum, intent, asked: how.asked, since: this.#now, isFirst }, how.pause);
    this.#stop(this.#canary.note(number, intent.state));
  }

  /** Schedules the next query about an open row; false where none is due any more. */
  #schedule(open: Omit<StatusQuery, 'due'>, pause = this.#pauseBefore(open)): boolean {
    if (pause === undefined || this.#halt?.mayQuery === false || !mayBeQueried(open.intent)) return false;
    if (this.#wait.isOver && !this.#isQueriedInAnyCase(open)) return false;
    this.#queries.add({ ...open, due: this.#now + pause });
    return true;
  }

  /** Even with --wait 0, or once the wait is over. */
  #isQueriedInAnyCase({ number, isFirst }: Pick<StatusQuery, 'number' | 'isFirst'>): boolean {
    return isFirst || this.#canary.is(number);
  }

  #pauseBefore(open: Omit<StatusQuery, 'due'>): number | undefined {
    const { connection, options } = this.#ports;
    return delayBeforeQuery(open, {
      ...{ now: this.#now, class: connection.place.class, random: connection.ports.random, pauses: options.pauses },
      mayWait: options.waitMs > 0 || this.#canary.is(open.number),
    });
  }

  async #query(query: StatusQuery): Promise<void> {
    const { engine, stop, onEvent } = this.#ports;
    if (!(await engine.pace(stop))) return;
    const { number, sum, intent: before } = query;
    const until = (this.#canary.is(number) ? this.#canary.until : undefined) ?? this.#wait.queryEnd(query.isFirst);
    const { intent, doubt, failure, isShown } = await queryOnce(before, this.#work, until);
    this.#stop(haltAfterQuery(failure));
    const hasMoved = intent.state !== before.state;
    if (hasMoved) this.counters.move(before.state, intent.state, sum);
    const history = hasMoved ? { asked: 0, since: this.#now } : { asked: query.asked + 1, since: query.since };
    const goesOn = this.#schedule({ number, sum, intent, ...history, isFirst: false });
    const reason = hasMoved ? intent.reason : goesOn ? undefined : doubt;
    if (reason !== undefined) onEvent({ what: 'row', number, state: intent.state, intent, reason });
    this.#stop(this.#canary.note(number, intent.state, isShown));
    const order = intent.clientOrderId ?? intent.orderId;
    if (this.#canary.shouldReportWait(number, intent))
      onEvent({ what: 'wait', number, state: intent.state, order, ms: this.#canary.waitMs });
  }

  #stop(halt: Halt | undefined): void {
    if (halt === undefined) return;
    const first = this.#halt;
    // The first reason stands; a later one may still end the queries.
    this.#halt = { ...(first ?? halt), mayQuery: halt.mayQuery && first?.mayQuery !== false };
    if (first !== undefined) return;
    this.#ports.onEvent({ what: 'halt', why: halt.why });
    this.#wakeLanes();
  }

  #onDelivery(delivery: Delivery): void {
    if (delivery.kind !== 'reply') return;
    this.#wait.hear();
    const { status, headers } = delivery.reply;
    const ms = retryAfter(status, headers['retry-after'], this.#ports.connection.ports.clock.now());
    if (ms === undefined || ms === 0) return;
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now + ms);
    this.#ports.onEvent({ what: 'pause', ms });
  }
}
