import { isPaycliError, type PaycliError } from '../errors/index.js';
import type { Request } from '../journal/port.js';
import { isResendApproved } from '../payments/decide.js';
import { isBeyondStatus } from '../payments/evidence.js';
import type { Sent } from '../payments/send.js';
import { queryOutcome, recordAnswer } from '../payments/settle.js';
import type { Delivery } from '../runtime/ports.js';
import { CircuitBreaker, type Halt, haltAfterQuery, rejectionFacts, retryAfter } from './breaker.js';
import { Canary, showsAsSent } from './canary.js';
import { OpenRows } from './open-rows.js';
import { RateLimiter, RunWait } from './pace.js';
import { StateTally } from './progress.js';
import { type BatchRow, UnsentRows } from './rows.js';
import type { RunEnd, RunPorts } from './run-ports.js';
import { sendRow } from './send-row.js';

/** How many rows are on their way at once until `rowsBeforeAllLanes` were answered: an early fault costs few rows. */
const lanesAtFirst = 4;
const rowsBeforeAllLanes = 20;
/** Accepted rows that are waited for; at this many, no new row is sent. */
const maxOpenRows = 5000;
const maxRestMs = 1000;

/**
 * One run of a batch: asks about the rows that are open, and sends those that nobody sent. Its work is done by lanes, as
 * many as requests may be on their way at once; each does one thing at a time. What may be sent, and what is due to be
 * asked about, the journal says.
 */
export class BatchRun {
  /** What this run has seen so far, for those who watch it. */
  readonly counters = new StateTally();
  readonly #ports: RunPorts;
  readonly #breaker: CircuitBreaker;
  readonly #canary: Canary;
  readonly #pacer: RateLimiter;
  readonly #wait: RunWait;
  #halt: Halt | undefined;
  #refusal: PaycliError | undefined;
  #fault: { readonly error: unknown } | undefined;
  /** How many lanes are at work, and how many of these send a row. */
  #working = 0;
  #sending = 0;
  /** Rows whose sending has ended. */
  #answered = 0;
  #pausedUntil = 0;
  readonly #rows: UnsentRows;
  readonly #open: OpenRows;
  #isLastTaken = false;
  /** When rows that others left are looked for again. */
  #nextLook = 0;
  /** Others have rows that they have not sent yet, and may still leave behind. */
  #areRowsHeld = false;
  #wasLastAccepted = false;
  #wasPassNoted = false;
  /** Each continues a lane that waits for work. */
  #wakers: (() => void)[] = [];
  #isResting = false;

  constructor(ports: RunPorts) {
    const { options, connection } = ports;
    const { clock } = connection.ports;
    this.#ports = ports;
    this.#canary = new Canary(options.waitMs);
    this.#breaker = new CircuitBreaker(options.maxUnknown);
    this.#pacer = new RateLimiter(clock, options.rate);
    this.#wait = new RunWait(clock, options.waitMs);
    this.#rows = new UnsentRows(ports.batch, ports);
    this.#open = new OpenRows(ports);
  }

  /** Runs to the end. Throws STORAGE, or a fault of paycli, once no request is on its way any more. */
  async toEnd(): Promise<RunEnd> {
    const { stop, options, journal, batch } = this.#ports;
    const wake = () => this.#wake();
    stop.addEventListener('abort', wake);
    try {
      await journal.markGone();
      await Promise.all(Array.from({ length: options.concurrency }, () => this.#lane()));
    } finally {
      stop.removeEventListener('abort', wake);
    }
    if (this.#fault !== undefined) {
      // The first fault is the one to tell.
      await journal.giveBack(batch).catch(() => undefined);
      throw this.#fault.error;
    }
    // Before others get its rows.
    if (this.#halt !== undefined) await journal.changeBatch(batch, ['running'], { state: 'stopped' });
    await journal.giveBack(batch);
    return { halt: this.#halt, refusal: this.#refusal };
  }

  get #now(): number {
    return this.#ports.connection.ports.clock.monotonic();
  }

  async #lane(): Promise<void> {
    try {
      while (!this.#ports.stop.aborted && this.#fault === undefined && (await this.#turn()));
    } catch (error) {
      // A fault of the storage, or of paycli. What other lanes have sent is still waited for.
      this.#fault ??= { error };
    }
    this.#wake();
  }

  /** False when there is nothing more to do. */
  async #turn(): Promise<boolean> {
    await this.#checkCanaryWait();
    if (!this.#hasRows && this.#sending === 0) this.#wait.begin();
    // However many accepted rows there are, new ones have their turn.
    const isRowsTurn = this.#wasLastAccepted && this.#mayBegin();
    const due = isRowsTurn ? undefined : await this.#takeDue();
    this.#wasLastAccepted = due?.state === 'accepted';
    // What a lane does is counted at once, before another one decides.
    if (due !== undefined) await this.#work(() => this.#open.ask(due, (isFirst) => this.#query(due, isFirst)));
    else if (this.#mayBegin()) await this.#work(() => this.#begin());
    else if (await this.#isOver()) return false;
    else await this.#rest();
    return true;
  }

  async #work(work: () => Promise<void>): Promise<void> {
    this.#working += 1;
    try {
      await work();
    } finally {
      this.#working -= 1;
      this.#wake();
    }
  }

  #mayBegin(): boolean {
    if (!this.#hasRows || this.#now < this.#pausedUntil) return false;
    if (this.#ports.options.waitMs > 0 && this.counters.count('accepted') >= maxOpenRows) return false;
    // One row to its final answer, then four at once, then all.
    if (!this.#canary.hasPassed) return this.#canary.number === undefined && this.#sending === 0;
    return this.#answered >= rowsBeforeAllLanes || this.#sending < lanesAtFirst;
  }

  get #hasRows(): boolean {
    return this.#halt === undefined && !this.#rows.areOver;
  }

  /** Goes on without the final status of the first row, or stops, once nothing more is heard of it. */
  async #checkCanaryWait(): Promise<void> {
    const { until, since } = this.#canary;
    if (until === undefined || this.#halt !== undefined || this.#working > 0 || this.#now < until) return;
    const halt = this.#canary.endWait();
    this.#stop(halt);
    if (halt !== undefined) this.#wait.begin(since);
    await this.#notePass();
  }

  async #isOver(): Promise<boolean> {
    if (this.#working > 0) return false;
    for (const request of await this.#open.moved()) await this.#follow(request, false);
    if (this.#halt?.mayQuery === false) return true;
    const isWaiting = this.#canary.until !== undefined && this.#halt === undefined;
    if (this.#working > 0 || this.#hasRows || isWaiting) return false;
    if (this.#halt === undefined && (await this.#hasMoreRows())) return false;
    if (this.#wait.isGivenUp || isBeyondStatus(this.#ports.connection.row.id)) return true;
    if (!this.#wait.isOver && (this.#open.mayTellMore || (await this.#hasOthers()))) return false;
    // What is open and was not asked about yet has its turn.
    if (this.#isLastTaken) return true;
    this.#isLastTaken = true;
    this.#open.lookNow();
    return false;
  }

  /** What a process that is gone had taken, or was sending, is looked for now and then. */
  async #hasMoreRows(): Promise<boolean> {
    const { journal, batch } = this.#ports;
    if (this.#now < this.#nextLook) return this.#areRowsHeld && !this.#rows.isEnded;
    this.#nextLook = this.#now + maxRestMs;
    await journal.markGone();
    if (await this.#rows.lookAgain()) {
      this.#wait.cancel();
      this.#isLastTaken = false;
      return true;
    }
    this.#areRowsHeld = await journal.areRowsHeld(batch);
    return this.#areRowsHeld && !this.#rows.isEnded;
  }

  /** Rows that another run of the batch has sent: the totals at the end tell of them as well. */
  async #hasOthers(): Promise<boolean> {
    const { journal, batch } = this.#ports;
    const found = await journal.find({ batch, states: ['sending', 'accepted'] }, { limit: 1 });
    return found.length > 0;
  }

  /** Until something may have changed; one lane looks at the clock for all. */
  async #rest(): Promise<void> {
    const woken = new Promise<void>((resolve) => this.#wakers.push(resolve));
    // What is on its way wakes the others at its end.
    const isIdle = this.#working === 0 || this.#open.count > 0 || this.#now < this.#pausedUntil;
    if (this.#isResting || !isIdle) return woken;
    this.#isResting = true;
    const later = [this.#open.nextLook, this.#pausedUntil, this.#wait.end, this.#canary.until];
    const next = later.filter((time): time is number => time !== undefined && time > this.#now);
    const ms = Math.min(maxRestMs, ...next.map((time) => time - this.#now));
    await Promise.race([woken, this.#ports.connection.ports.clock.sleep(ms)]);
    this.#isResting = false;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }

  async #takeDue(): Promise<Request | undefined> {
    if (this.#halt?.mayQuery === false || this.#now < this.#pausedUntil || this.#wait.isGivenUp) return undefined;
    return this.#open.take(this.#wait.isOver, ({ number }) => this.#canary.is(number));
  }

  async #begin(): Promise<void> {
    this.#sending += 1;
    try {
      const row = await this.#rows.next();
      if (row === undefined || !(await this.#pacer.pace(this.#ports.stop)) || this.#halt !== undefined) return;
      await this.#learnOfPass();
      this.#canary.take(row.number, this.#now);
      await this.#send(row);
    } finally {
      this.#wait.hear();
      this.#sending -= 1;
    }
  }

  async #send(row: BatchRow, isResend = false): Promise<void> {
    const { number } = row;
    try {
      const received = (delivery: Delivery) => this.#onDelivery(delivery);
      const sent = await sendRow(row, this.#ports, { received, isResend });
      if ('request' in sent) await this.#onSent(number, sent);
      else if (sent.left !== undefined) this.#leave(number, sent.left);
    } catch (error) {
      if (!isPaycliError(error) || error.code === 'STORAGE' || error.code === 'INTERNAL') throw error;
      this.#onRejected(number, error);
    }
  }

  async #onSent(number: number, { request, classified, fault }: Sent): Promise<void> {
    this.#answered += 1;
    this.#canary.answered(number, this.#now);
    this.#stop(this.#breaker.record(request.state, classified));
    await this.#follow(request, false);
    if (fault !== undefined) throw fault;
  }

  #onRejected(number: number, error: PaycliError): void {
    if (error.facts['rowsLeft'] === 0) {
      this.#canary.release(number);
      this.#rows.end();
      return;
    }
    // Another run of the batch has it.
    if (error.code === 'REQUEST_BUSY') {
      this.#canary.release(number);
      return;
    }
    const { why, isOfOneRow } = rejectionFacts(error);
    this.#leave(number, why);
    if (isOfOneRow) return;
    this.#refusal ??= error;
    this.#stop({ why, mayQuery: true });
  }

  #leave(number: number, reason: string): void {
    this.#canary.release(number);
    this.#ports.onEvent({ what: 'left', number, reason });
  }

  /** Counts and reports a row where it is now. */
  async #follow(request: Request, isShown: boolean): Promise<void> {
    const { number = 0, state, sum } = request;
    const before = this.#open.note(request);
    if (before !== state) {
      this.counters.move(before, state, sum);
      this.#ports.onEvent({ what: 'row', number, request });
      // Asked about before the next row is sent.
      if (state === 'unknown') this.#open.lookNow();
    }
    this.#stop(this.#canary.note(number, state, isShown));
    await this.#notePass();
  }

  async #learnOfPass(): Promise<void> {
    if (this.#canary.hasPassed) return;
    const { journal, batch } = this.#ports;
    const [found] = await journal.findBatches(batch);
    this.#wasPassNoted = found?.canary === 'passed';
    if (this.#wasPassNoted) this.#canary.hasPassed = true;
  }

  /** The first row of a batch is that of all its runs. */
  async #notePass(): Promise<void> {
    if (this.#wasPassNoted || !this.#canary.hasPassed) return;
    this.#wasPassNoted = true;
    await this.#ports.journal.changeBatch(this.#ports.batch, ['running'], { canary: 'passed' });
  }

  async #query(request: Request, isFirst: boolean): Promise<void> {
    const { journal, connection, stop, onEvent } = this.#ports;
    const { number = 0 } = request;
    if (!(await this.#pacer.pace(stop))) return;
    if (this.#halt === undefined && (await isResendApproved(journal, request, connection.ports.clock.now())))
      return this.#sendAgain(request);
    const until = (this.#canary.is(number) ? this.#canary.until : undefined) ?? this.#wait.queryEnd(isFirst);
    const received = (delivery: Delivery) => this.#onDelivery(delivery);
    const answer = await queryOutcome(connection, request, { signal: stop, until, received });
    const { 'minor-digits': minorDigits } = connection.assume;
    const answered = await recordAnswer(request, answer, journal, minorDigits);
    this.#stop(haltAfterQuery(answered.failure));
    await this.#follow(answered.request, showsAsSent(answered, minorDigits));
    if (this.#canary.shouldReportWait(number, answered.request.state))
      onEvent({ what: 'wait', number, request: answered.request, ms: this.#canary.waitMs });
  }

  /** A person has agreed to it. */
  async #sendAgain(request: Request): Promise<void> {
    const [row] = await this.#ports.rows.read([request]);
    if (row !== undefined) await this.#send(row, true);
  }

  #stop(halt: Halt | undefined): void {
    if (halt === undefined) return;
    const first = this.#halt;
    // The first reason stands; a later one may still end the queries.
    this.#halt = { ...(first ?? halt), mayQuery: halt.mayQuery && first?.mayQuery !== false };
    if (first !== undefined) return;
    this.#ports.onEvent({ what: 'halt', why: halt.why });
    this.#wake();
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
