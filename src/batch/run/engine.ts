import { isPaycliError } from '../../errors/index.js';
import {
  type AttemptResult,
  GroupCommit,
  type Intent,
  type IntentPlace,
  isEqual,
  type Journal,
  type NewIntent,
  openStates,
  queryableStates,
  type Sender,
  type SendLimits,
  type State,
  unsentStates,
} from '../../journal/index.js';
import type { Clock } from '../../runtime/ports.js';
import { operationById } from '../../spec/index.js';
import { orderPlaceOf } from '../connection.js';
import { journalPrefilter } from '../plan/duplicates.js';
import { type BatchRow, type PlanStore, pageSize, planRows } from '../plan.js';
import { StateTally, type StateTotal } from './progress.js';
import { RateLimiter } from './scheduling.js';

/** A row with its intent. */
interface PreparedRow {
  readonly row: BatchRow;
  readonly intent: NewIntent;
}

/** What the engine decided: `send` may be sent; `ask` may have been sent before; `show` has its outcome. */
interface ClaimedRow {
  readonly row: BatchRow;
  readonly do: 'send' | 'ask' | 'show';
  readonly intent: Intent;
}

/** A row whose outcome is open. */
export interface OpenRow {
  readonly number: number;
  readonly intent: Intent;
}

interface EnginePorts {
  readonly journal: Journal;
  readonly plan: PlanStore;
  readonly clock: Clock;
  /** What the journal keeps of a row. */
  readonly intentOf: (row: BatchRow) => NewIntent;
  /** On what a row may begin. */
  readonly limitsOf: (row: BatchRow) => SendLimits;
  /**
   * Whether the process that wrote a move still runs; false for this one. Not asked about rows that this plan began:
   * whoever has its lock knows that nobody else sends them, whatever process has the number by now.
   */
  readonly isAlive: (sender: Sender) => boolean;
  /** Whether people agreed that an unknown one may be sent once more. */
  readonly isApproved?: (intent: Intent) => boolean;
  /** Requests in a second. */
  readonly rate: number;
}

// Notes that are lost cost a question to the journal, so they may wait.
const maxBufferedStates = 256;
const flushEveryMs = 1000;

/**
 * Decides by the journal whether a row is sent, and records there what came of it; the plan's notes only say where to
 * look first. Only a row that `begin` returned as `send` may be sent, and it is returned as such once.
 */
export class BatchEngine {
  readonly #ports: EnginePorts;
  readonly #grouper: GroupCommit;
  readonly #pacer: RateLimiter;
  readonly #states: Map<number, State>;
  readonly #unsaved = new Map<number, State>();
  /** Rows by their intents, as far as they were begun or found open here. */
  readonly #numbers = new Map<number, number>();
  /** Intents by their rows, as far as rows met theirs here. */
  readonly #ids = new Map<number, number>();
  /** Intents that were found open when their rows were to begin. */
  readonly #foundOpen = new Set<number>();
  /** Intents begun here whose end is not written down yet. */
  readonly #inFlight = new Set<number>();
  #notedAt = 0;
  #cursor = 1;

  constructor(ports: EnginePorts) {
    this.#ports = ports;
    this.#grouper = new GroupCommit(ports.journal, ports.clock);
    this.#pacer = new RateLimiter(ports.clock, ports.rate);
    this.#states = new Map(ports.plan.noted());
  }

  /** Numbers of rows that nobody has begun, in their order, at most `max`; each is given once. */
  async next(max: number): Promise<readonly number[]> {
    const numbers: number[] = [];
    for (; numbers.length < max && this.#cursor <= this.#ports.plan.head.count; this.#cursor += 1)
      if (unsentStates.includes(this.#states.get(this.#cursor) ?? 'planned')) numbers.push(this.#cursor);
    return numbers;
  }

  /**
   * Records that these rows may be sent; all is on disk when the promise resolves. A row that another process has is
   * left out of the result. Throws what hinders a row when it is the only one; of several such a row is left out.
   */
  async begin(rows: readonly PreparedRow[]): Promise<readonly ClaimedRow[]> {
    const ended = await Promise.allSettled(rows.map((each) => this.#grouper.change(() => this.#begin(each))));
    const faults = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    const fatal = faults.find((fault) => rows.length === 1 || !isPaycliError(fault) || fault.code === 'STORAGE');
    if (fatal !== undefined && !isBusy(fatal)) throw fatal;
    const gated = ended.flatMap((each) =>
      each.status === 'fulfilled' && each.value !== undefined ? [each.value] : [],
    );
    for (const { row, intent } of gated) if (intent.state !== 'sending') this.#note(row.number, intent.state);
    return gated;
  }

  #begin({ row, intent }: PreparedRow): ClaimedRow | undefined {
    const { journal, limitsOf, plan } = this.#ports;
    const isAlive = (sender: Sender, id: number) => this.#isAlive(sender, id);
    const planned = journal.plan(intent, { again: false, isGenerated: false, isBatchRow: true, isAlive });
    this.#ids.set(row.number, planned.intent.id);
    // An equal row of the same file: this process sends it right now.
    if (this.#inFlight.has(planned.intent.id)) return undefined;
    const isResend = planned.do === 'ask' && this.#isApproved(planned.intent);
    if (planned.do !== 'send' && !isResend) {
      this.#foundOpen.add(planned.intent.id);
      this.#numbers.set(planned.intent.id, row.number);
      return { row, do: planned.do, intent: planned.intent };
    }
    const begun = journal.begin(planned.intent, isResend, { ...limitsOf(row), plan: plan.head.id });
    this.#inFlight.add(begun.id);
    this.#numbers.set(begun.id, row.number);
    return { row, do: 'send', intent: begun };
  }

  /** Records the result of a row, on disk when the promise resolves; returns the updated intent. */
  async recordResult(intent: Intent, to: State, result: AttemptResult): Promise<Intent> {
    const { id, attempts } = intent;
    const updated = await this.#grouper.change(() => this.#ports.journal.recordResult(id, to, result, attempts));
    const number = this.#numbers.get(intent.id);
    this.#inFlight.delete(intent.id);
    if (number !== undefined) this.#note(number, updated.state);
    // Nothing more is to come of it.
    if (!queryableStates.includes(updated.state)) this.#numbers.delete(intent.id);
    return updated;
  }

  /**
   * Rows that were sent by a process that is gone, or whose outcome is open: first those that may have arrived, then
   * those the gateway has accepted.
   */
  async *open(): AsyncGenerator<OpenRow> {
    // All as they stand now: what moves on in between was given already, or was begun here.
    const [uncertain, accepted] = [this.#openByOrder(openStates), this.#openByOrder(['accepted'])];
    yield* this.#rowsOf(uncertain, openStates);
    yield* this.#rowsOf(accepted, ['accepted']);
  }

  /** The journal mostly has few of them, so the plan is looked through for these and no further. */
  async *#rowsOf(left: Map<string, number[]>, states: readonly State[]): AsyncGenerator<OpenRow> {
    const { journal, plan, intentOf, clock } = this.#ports;
    if (left.size === 0) return;
    const operation = operationById(plan.head.operation);
    for await (const row of planRows(plan, clock)) {
      const order = orderKey(orderPlaceOf(operation, row, plan.head.base));
      const candidates = left.get(order);
      if (candidates === undefined) continue;
      const wanted = intentOf(row);
      const intent = candidates
        .map((id) => journal.get(id))
        .find((each) => each !== undefined && isEqual(each, wanted));
      if (intent === undefined) continue;
      const others = candidates.filter((id) => id !== intent.id);
      if (others.length > 0) left.set(order, others);
      else left.delete(order);
      if (states.includes(intent.state)) yield* this.#yieldOpen(row.number, intent);
      if (left.size === 0) return;
    }
  }

  *#yieldOpen(number: number, intent: Intent): Generator<OpenRow> {
    if (this.#foundOpen.has(intent.id)) return;
    if (this.#isApproved(intent)) {
      this.#states.delete(number);
      return;
    }
    this.#numbers.set(intent.id, number);
    this.#states.set(number, intent.state);
    yield { number, intent };
  }

  /** Ids alone: there may be as many as rows. */
  #openByOrder(states: readonly State[]): Map<string, number[]> {
    const { journal, plan } = this.#ports;
    const { base, operation } = plan.head;
    const ids = new Map<string, number[]>();
    for (let after = 0; ; ) {
      const page = journal.list({ base, operation, states, after, max: pageSize });
      for (const intent of page.filter(({ state, sender, id }) => state !== 'sending' || !this.#isAlive(sender, id))) {
        const order = orderKey(intent);
        ids.set(order, [...(ids.get(order) ?? []), intent.id]);
      }
      if (page.length < pageSize) return ids;
      after = page.at(-1)?.id ?? after;
    }
  }

  #isAlive(sender: Sender, id: number): boolean {
    const { journal, isAlive, plan } = this.#ports;
    return isAlive(sender) && journal.planOf(id) !== plan.head.id;
  }

  #isApproved(intent: Intent): boolean {
    return intent.state === 'unknown' && this.#ports.isApproved?.(intent) === true;
  }

  /** Rows and amounts by state and currency, amounts as planned; rows that nobody has begun are `planned`. */
  async tally(): Promise<readonly StateTotal[]> {
    const { plan, journal, intentOf, clock } = this.#ports;
    const tally = new StateTally();
    for await (const row of planRows(plan, clock)) {
      const id = this.#ids.get(row.number);
      const state = id === undefined ? journal.find(intentOf(row))?.state : journal.stateOf(id);
      // Its order may be another plan's since.
      const isCancelled = this.#states.get(row.number) === 'cancelled';
      tally.add(isCancelled ? 'cancelled' : (state ?? 'planned'), row.sum);
    }
    return tally.totals();
  }

  /** What is known of these rows, by their numbers; those that nobody has begun are left out. */
  async find(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>> {
    const { journal, intentOf, plan } = this.#ports;
    const left = rows.filter(journalPrefilter(operationById(plan.head.operation), rows, journal));
    const found = left.map((row) => [row.number, journal.find(intentOf(row))] as const);
    return new Map(found.filter((each): each is readonly [number, Intent] => each[1] !== undefined));
  }

  /** Records something about an intent without a change of state. */
  remark(intent: Intent, what: string, why: string): Promise<void> {
    return this.#grouper.change(() => this.#ports.journal.note(intent.id, what, { why }));
  }

  /** Every intent known on an order, which decides what a status answer proves. */
  onOrder({ base }: Intent, order: string): readonly Intent[] {
    return this.#ports.journal.list({ base, order });
  }

  /** Waits until one more request may be sent; false when stopped. */
  pace(stop: AbortSignal): Promise<boolean> {
    return this.#pacer.pace(stop);
  }

  async close(): Promise<void> {
    this.#writeNotes();
  }

  #note(number: number, state: State): void {
    const { clock } = this.#ports;
    this.#states.set(number, state);
    this.#unsaved.set(number, state);
    if (this.#unsaved.size >= maxBufferedStates || clock.monotonic() - this.#notedAt >= flushEveryMs)
      this.#writeNotes();
  }

  #writeNotes(): void {
    if (this.#unsaved.size > 0) this.#ports.plan.note(this.#unsaved);
    this.#unsaved.clear();
    this.#notedAt = this.#ports.clock.monotonic();
  }
}

function isBusy(fault: unknown): boolean {
  return isPaycliError(fault) && fault.code === 'INTENT_BUSY';
}

/** What an intent and its row have in common without laying out the request. */
function orderKey({ kind, endpointId, orderId, clientOrderId }: Omit<IntentPlace, 'base' | 'operation'>): string {
  // Another process may have sent an equal follow-up to another endpoint: it is the same request.
  return kind === 'follow-up' ? (orderId ?? '') : JSON.stringify([endpointId, clientOrderId ?? orderId ?? '']);
}
