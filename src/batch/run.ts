import { isPaycliError, type PaycliError } from '../errors/index.js';
import type { Intent, State } from '../journal/index.js';
import type { Classified } from '../payments/classify.js';
import type { Delivery } from '../runtime/ports.js';
import { type Question, Questions } from './agenda.js';
import { Breaker, concernsOneRow, type Halt, retryAfter } from './breaker.js';
import type { OpenRow } from './engine.js';
import { Figures } from './figures.js';
import { FirstRow } from './first-row.js';
import type { BatchRow } from './plan.js';
import { askOnce, markAbandoned, sendOnce, type WorkPorts } from './row-sender.js';
import { Rows } from './rows.js';
import type { RunEnd, RunPorts } from './run-ports.js';
import { lastQuestion, mayBeAsked, pauseBefore } from './schedule.js';

const rampLanes = 4;
const rampRows = 20;
/** Rows the gateway has taken and not settled; beyond, no more are begun. */
const mostOpen = 5000;
const longestNapMs = 1000;
const backlogAhead = 100;

type Work = () => Promise<void>;

/** Sends the rows of a plan that nobody sent, and asks for the outcome of those that were sent. */
export class Run {
  readonly figures = new Figures();
  readonly #ports: RunPorts;
  readonly #work: WorkPorts;
  readonly #questions = new Questions();
  readonly #rows: Rows;
  readonly #breaker: Breaker;
  #halt: Halt | undefined;
  #refusal: PaycliError | undefined;
  #fault: { readonly error: unknown } | undefined;
  /** Lanes at work, and those of them that send. */
  #busy = 0;
  #sending = 0;
  #begun = 0;
  #answered = 0;
  readonly #first: FirstRow;
  #pausedUntil = 0;
  #sentAllAt: number | undefined;
  #wasQuestion = false;
  #isTakingOver = false;
  /** Rows that earlier runs left taken, a few in memory at a time; undefined when all are. */
  #backlog: AsyncIterator<OpenRow> | undefined;
  #wake: (() => void)[] = [];

  constructor(ports: RunPorts) {
    this.#ports = ports;
    this.#work = { ...ports, leaving: () => ports.leaving?.(), came: (delivery) => this.#came(delivery) };
    this.#rows = new Rows(ports.engine, ports.plan);
    this.#first = new FirstRow(ports.options.waitMs);
    this.#breaker = new Breaker(ports.options.mostUnknown);
  }

  /** Throws STORAGE, and what is a fault of paycli, once nothing is on its way any more. */
  async toEnd(): Promise<RunEnd> {
    const { stop, options } = this.#ports;
    const ring = () => this.#ring();
    stop.addEventListener('abort', ring);
    try {
      this.#backlog = this.#ports.engine.open()[Symbol.asyncIterator]();
      while ((await this.#takeOver())?.state === 'unknown');
      await Promise.all(Array.from({ length: options.concurrency }, () => this.#lane()));
    } finally {
      stop.removeEventListener('abort', ring);
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
        // A fault of the storage, or of paycli. What other lanes have on their way still comes to its end.
        this.#fault ??= { error };
      } finally {
        this.#busy -= 1;
        this.#ring();
      }
    }
  }

  /** What this lane does next, counted at once, before another lane decides; undefined at its end. */
  async #nextWork(): Promise<Work | undefined> {
    for (;;) {
      if (this.#ports.stop.aborted || this.#fault !== undefined) return undefined;
      const work = this.#nextQuestion() ?? this.#nextRow();
      if (work !== undefined) {
        this.#busy += 1;
        return work;
      }
      if (this.#isOver()) return undefined;
      await this.#nap();
    }
  }

  #nextQuestion(): Work | undefined {
    if (this.#halt?.mayAsk === false || this.#now < this.#pausedUntil) return undefined;
    const doubt = this.#questions.takeDoubt(this.#now);
    if (doubt !== undefined) return () => this.#ask(doubt);
    // However many rows are taken, new ones have their turn.
    if (this.#wasQuestion && this.#mayBegin()) return undefined;
    const question = this.#questions.takeOther(this.#now);
    this.#wasQuestion = question !== undefined;
    if (question !== undefined) return () => this.#ask(question);
    if (this.#backlog === undefined || this.#isTakingOver || this.#questions.size >= backlogAhead) return undefined;
    this.#isTakingOver = true;
    return () => this.#takeOverMore();
  }

  #nextRow(): Work | undefined {
    if (!this.#mayBegin()) return undefined;
    this.#wasQuestion = false;
    this.#sending += 1;
    this.#begun += 1;
    return () => this.#begin();
  }

  #mayBegin(): boolean {
    if (!this.#hasRows || this.#now < this.#pausedUntil || this.#questions.size >= mostOpen) return false;
    // One row to its final answer, then four at once, then all.
    if (!this.#first.hasPassed) return this.#first.number === undefined && this.#sending === 0;
    return this.#answered >= rampRows || this.#sending < rampLanes;
  }

  get #hasRows(): boolean {
    return this.#halt === undefined && !this.#rows.isEmpty && this.#begun < this.#ports.options.mostRows;
  }

  #isOver(): boolean {
    if (this.#busy > 0) return false;
    if (this.#halt?.mayAsk === false) return true;
    if (this.#first.until !== undefined && this.#halt === undefined) {
      if (this.#questions.size > 0 && this.#now < this.#first.until) return false;
      this.#stop({ why: `row ${this.#first.number}, the first one, has no final answer, so no other row is sent`, mayAsk: true });
      this.#sentAllAt = this.#first.since;
    }
    if (this.#hasRows) return false;
    this.#sentAllAt ??= this.#now;
    return this.#questions.size === 0 || this.#now - this.#sentAllAt >= this.#ports.options.waitMs;
  }

  /** Until something may have changed. */
  async #nap(): Promise<void> {
    const { waitMs } = this.#ports.options;
    const later = [...this.#questions.due, this.#pausedUntil, (this.#sentAllAt ?? 0) + waitMs, this.#first.until];
    const next = Math.min(...later.filter((time): time is number => time !== undefined && time > this.#now));
    const rung = new Promise<void>((resolve) => this.#wake.push(resolve));
    const { clock } = this.#ports.connection.ports;
    await (Number.isFinite(next) ? Promise.race([rung, clock.sleep(Math.min(next - this.#now, longestNapMs))]) : rung);
  }

  #ring(): void {
    for (const wake of this.#wake.splice(0)) wake();
  }

  /** A turn that came to no sending does not count among the rows begun. */
  async #begin(): Promise<void> {
    let isSent = false;
    try {
      const row = await this.#rows.next();
      if (row === undefined || !(await this.#ports.engine.pace(this.#ports.stop)) || this.#halt !== undefined) return;
      this.#first.take(row.number, this.#now);
      isSent = await this.#send(row);
    } finally {
      this.#sending -= 1;
      if (!isSent) this.#begun -= 1;
    }
  }

  /** Whether it was begun here. */
  async #send(row: BatchRow): Promise<boolean> {
    try {
      if ((await this.#ports.before?.(row)) === false) return false;
      const sent = await sendOnce(row, this.#work);
      if (sent.kind === 'sent') return this.#sent(row, sent.intent, sent.classified);
      this.#first.spare(row.number);
      if (sent.kind === 'known') this.#follow(row, sent.intent);
      else this.#ports.tell({ what: 'left', number: row.number, reason: 'another paycli is sending it right now' });
    } catch (error) {
      if (!isPaycliError(error) || error.code === 'STORAGE' || error.code === 'INTERNAL') throw error;
      this.#hindered(row, error);
    }
    return false;
  }

  /** What the gate refuses concerns this row alone, or, as a cap does, all that follow. */
  #hindered(row: BatchRow, error: PaycliError): void {
    this.#first.spare(row.number);
    this.#ports.tell({ what: 'left', number: row.number, reason: error.message });
    if (concernsOneRow(error.code)) return;
    this.#refusal = error;
    this.#stop({ why: error.message, mayAsk: true });
  }

  #sent(row: BatchRow, intent: Intent, classified: Classified): true {
    this.#answered += 1;
    this.#first.answered(row.number, this.#now);
    const halt = this.#breaker.note(intent.state, classified);
    if (halt !== undefined) this.#stop(halt);
    this.#follow(row, intent);
    return true;
  }

  /** Goes on with the next row that an earlier run left open; undefined when there is none. */
  async #takeOver(): Promise<Intent | undefined> {
    const next = await this.#backlog?.next();
    if (next?.done !== false) this.#backlog = undefined;
    if (next?.done !== false) return undefined;
    const { number, intent } = next.value;
    const own = await markAbandoned(intent, this.#ports.engine);
    // What was in doubt before this run had its questions; one more shows whether the gateway has learned of it since.
    const asked = intent.state === 'unknown' ? lastQuestion(this.#ports.connection.place.class) : 0;
    this.#follow({ number, sum: this.#ports.plan.row(number)?.sum }, own, { pause: 0, asked });
    return own;
  }

  async #takeOverMore(): Promise<void> {
    try {
      while (this.#questions.size < backlogAhead && !this.#ports.stop.aborted && (await this.#takeOver()) !== undefined) this.#ring();
    } finally {
      this.#isTakingOver = false;
    }
  }

  /** Goes on with a row that was sent, now or before. */
  #follow({ number, sum }: Pick<BatchRow, 'number' | 'sum'>, intent: Intent, how: { pause?: number; asked: number } = { asked: 0 }): void {
    this.figures.move(undefined, intent.state, sum);
    this.#ports.tell({ what: 'row', number, state: intent.state, intent, reason: intent.reason });
    this.#schedule({ number, sum, intent, asked: how.asked, since: this.#now }, how.pause);
    this.#watchFirst(number, intent.state);
  }

  /** Asks about an open row later; false where there is nothing more to ask. */
  #schedule(open: Omit<Question, 'due'>, pause = this.#pauseBefore(open)): boolean {
    if (pause === undefined || !mayBeAsked(open.intent)) return false;
    this.#questions.add({ ...open, due: this.#now + pause });
    return true;
  }

  #pauseBefore(open: Omit<Question, 'due'>): number | undefined {
    const { connection, options } = this.#ports;
    return pauseBefore(open, {
      ...{ now: this.#now, class: connection.place.class, random: connection.ports.random, pauses: options.pauses },
      mayWait: options.waitMs > 0 || this.#first.is(open.number),
    });
  }

  /** The first row has to come through: one that is refused, lost or never sent says something about all of them. */
  #watchFirst(number: number, state: State): void {
    if (!this.#first.is(number)) return;
    if (state === 'done' || state === 'declined') this.#first.pass();
    else if (state === 'refused' || state === 'not_sent')
      this.#stop({ why: `row ${number}, the first one, is ${state}, so no other row is sent`, mayAsk: true });
  }

  async #ask(question: Question): Promise<void> {
    const { engine, stop, tell } = this.#ports;
    if (!(await engine.pace(stop))) return;
    const { number, sum, intent: before } = question;
    const { intent, doubt } = await askOnce(before, this.#work);
    const isNews = intent.state !== before.state;
    if (isNews) this.figures.move(before.state, intent.state, sum);
    const history = isNews ? { asked: 0, since: this.#now } : { asked: question.asked + 1, since: question.since };
    const goesOn = this.#schedule({ number, sum, intent, ...history });
    if (isNews) tell({ what: 'row', number, state: intent.state, intent, reason: intent.reason });
    else if (!goesOn && doubt !== undefined) tell({ what: 'row', number, state: intent.state, intent, reason: doubt });
    this.#watchFirst(number, intent.state);
    if (this.#first.isWaitedFor(number, intent))
      tell({ what: 'wait', number, state: intent.state, order: intent.clientOrderId ?? intent.orderId, ms: this.#first.waitMs });
  }

  #stop(halt: Halt): void {
    if (this.#halt !== undefined) return;
    this.#halt = halt;
    this.#ports.tell({ what: 'halt', why: halt.why });
    this.#ring();
  }

  #came(delivery: Delivery): void {
    const why = this.#ports.lookAt?.(delivery);
    if (why !== undefined) this.#stop({ why, mayAsk: false });
    if (delivery.kind !== 'reply') return;
    const { status, headers } = delivery.reply;
    const ms = retryAfter(status, headers['retry-after'], this.#ports.connection.ports.clock.now());
    if (ms === undefined || ms === 0) return;
    this.#pausedUntil = Math.max(this.#pausedUntil, this.#now + ms);
    this.#ports.tell({ what: 'pause', ms });
  }
}
