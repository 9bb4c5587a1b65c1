import type { Intent, Result, Sender, State } from '../../journal/index.js';
import { sleepOrAbort } from '../../payments/sleep.js';
import type { Clock } from '../../runtime/ports.js';
import type { EngineIdentity } from '../binding.js';
import type { Engine, Gated, OpenRow, Prepared, StateTotal } from '../engine.js';
import { olderDatabase } from '../older-database.js';
import type { BatchRow, PlanHead, PlanStore } from '../plan.js';
import { Pacer } from '../rate.js';
import { checkBatchNow, mendBatch, moved } from './postgres-batch.js';
import { DatabaseFailure, type PostgresDatabase, type Query } from './postgres-database.js';
import { adopt, type Claimant, claim, isBusy, othersSql, settle } from './postgres-gate.js';
import type { KnownBatch } from './postgres-known.js';
import { isHeld, type Lease } from './postgres-lease.js';
import { takeLeave } from './postgres-leave.js';
import { holdsMark, markNow, newestMark } from './postgres-mark.js';
import type { SharedPace } from './postgres-pace.js';
import { RemotePlan } from './postgres-plan.js';
import { type ChunkQueue, chunkRows } from './postgres-queue.js';
import { intentColumns, intentIn, ordersAfter, type RowOrder, stateOf } from './postgres-rows.js';
import type { RowSeal } from './postgres-seal.js';
import { databaseIdentity, serverColumns, serverIn } from './postgres-server.js';

export interface EngineOptions {
  readonly clock: Clock;
  readonly sender: Sender;
  /** Requests per second of all workers together; as somebody said before when left out. */
  readonly rate: number | undefined;
  /** Ends waiting for rows that others hold. */
  readonly stop: AbortSignal;
}

export interface EngineParts {
  readonly database: PostgresDatabase;
  readonly known: KnownBatch;
  readonly seal: RowSeal;
  readonly queue: ChunkQueue;
  /** Whoever has the plan tries the first row; the others begin when it went on to the second. */
  readonly isStarter: boolean;
  /** Every row is to be asked about first: until then nothing is sent, and what is found there is written down. */
  readonly isMending: boolean;
}

const pollMs = 500;
/** Two workers that met at an order: the next try sees what the other did. */
const repeatable = ['23505', '40001', '40P01'];
const mostTries = 5;

const over: readonly State[] = ['refused', 'done', 'declined'];

/** One worker at the gate of a batch in PostgreSQL. */
export class PostgresEngine implements Engine {
  readonly head: PlanHead;
  /** The rows this worker was given, for those who have no plan of their own. */
  readonly plan: PlanStore;
  readonly #parts: EngineParts;
  readonly #options: EngineOptions;
  readonly #lease: Lease;
  readonly #pace: SharedPace;
  readonly #rows: RemotePlan;
  readonly #claimant: Claimant;
  /** Held and not handed out yet. */
  #stock: number[] = [];
  #before: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #hasPassed: boolean;
  /** The newest move seen here. */
  #mark: string | undefined;
  #isMending: boolean;
  readonly #bound: Pacer | undefined;

  constructor(parts: EngineParts, options: EngineOptions, lease: Lease, pace: SharedPace) {
    const { head } = parts.known;
    this.head = head;
    this.#parts = parts;
    this.#options = options;
    this.#lease = lease;
    this.#pace = pace;
    this.#rows = new RemotePlan(head, parts.seal);
    this.plan = this.#rows;
    this.#claimant = { batch: head.id, worker: lease.worker, sender: options.sender };
    this.#hasPassed = parts.isStarter;
    this.#isMending = parts.isMending;
    const rate = options.rate ?? parts.known.rate;
    this.#bound = rate === undefined ? undefined : new Pacer(options.clock, rate);
  }

  /** The facts of its approvals. */
  get approvals(): KnownBatch['approvals'] {
    return this.#parts.known.approvals;
  }

  get #query(): Query {
    return this.#parts.database.query;
  }

  /** One after another: what one finds is there for the next. */
  next(most: number): Promise<readonly number[]> {
    const turn = this.#before.then(() => this.#next(most));
    this.#before = turn.catch(() => undefined);
    return turn;
  }

  async #next(most: number): Promise<readonly number[]> {
    if (this.#stock.length === 0) this.#stock = await this.#find();
    const given = this.#stock.splice(0, most);
    if (!this.#parts.isStarter) await this.#rows.load(given, this.#query);
    return given;
  }

  /** Waits while the rows that are left are other workers': one of them may end before its rows do. */
  async #find(): Promise<number[]> {
    const { clock, stop } = this.#options;
    while (!stop.aborted) {
      if (await this.#mayBegin()) {
        for (let chunk = await this.#parts.queue.take(); chunk !== undefined; chunk = await this.#parts.queue.take()) {
          const held = await this.#hold(chunk.first, chunk.last);
          if (held.length > 0) return held;
        }
        const left = await this.#hold(1, this.head.count);
        if (left.length > 0) return left;
      }
      if (!(await this.#mayComeFree())) return [];
      await sleepOrAbort(clock, pollMs, stop);
    }
    return [];
  }

  async #mayBegin(): Promise<boolean> {
    if (this.#hasPassed) return true;
    const begun = await this.#query('SELECT 1 FROM paycli.gate WHERE batch = $1 AND attempts > 0 LIMIT 2', [this.head.id]);
    this.#hasPassed = begun.length === 2;
    return this.#hasPassed;
  }

  /** What was proven not sent is tried again by those who joined later; who tried it would try for ever. */
  async #hold(first: number, last: number): Promise<number[]> {
    const rows = await this.#query(
      `UPDATE paycli.gate SET worker = $2 WHERE id IN (
         SELECT id FROM paycli.gate WHERE batch = $1 AND number BETWEEN $3 AND $4
         AND (state = 'planned' OR (state = 'not_sent' AND changed_at < (SELECT joined_at FROM paycli.workers WHERE id = $2)))
         AND NOT ${isHeld} AND NOT ${isBusy(['sending', 'unknown'])} ORDER BY number LIMIT ${chunkRows} FOR UPDATE SKIP LOCKED
       ) RETURNING number`,
      [this.head.id, this.#lease.worker, first, last],
    );
    return rows.map(({ number }) => Number(number)).sort((one, other) => one - other);
  }

  async #mayComeFree(): Promise<boolean> {
    const [found] = await this.#query(
      `SELECT EXISTS (SELECT FROM paycli.gate WHERE batch = $1 AND state = 'planned'
         AND ((${isHeld} AND worker <> $2) OR ${isBusy(['sending'])} OR NOT $3)) AS waits`,
      [this.head.id, this.#lease.worker, this.#hasPassed],
    );
    return found?.['waits'] === true;
  }

  async begin(rows: readonly Prepared[]): Promise<readonly Gated[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#parts.database.transaction((query) => this.#begin(query, rows), repeatable);
      } catch (error) {
        if (!(error instanceof DatabaseFailure) || tries === mostTries) throw error;
      }
    }
  }

  async #begin(query: Query, rows: readonly Prepared[]): Promise<Gated[]> {
    const [here] = await query(
      `SELECT ${serverColumns}, ${this.#lease.isFresh} AS fresh, (SELECT moved_to FROM paycli.batches WHERE id = $1) AS moved_to,
         ${newestMark} AS mark, ${holdsMark('$2')} AS held`,
      [this.head.id, this.#mark ?? null],
    );
    if (here?.['held'] !== true) throw olderDatabase();
    if (typeof here['mark'] === 'string') this.#mark = here['mark'];
    if (typeof here['moved_to'] === 'string') throw moved(this.head.id, here['moved_to']);
    const { known, seal } = this.#parts;
    if (!this.#isMending) await checkBatchNow(query, known, serverIn(here), seal);
    if (here['fresh'] !== true) await this.#lease.renew(query);
    const gated = await claim(query, rows, this.#claimant);
    // What is written down while all rows are asked about was sent by others.
    const sent = this.#isMending ? [] : gated.filter((each) => each.do === 'send');
    await takeLeave(query, this.head.id, seal, sent);
    return gated;
  }

  async settle(intent: Intent, to: State, result: Result): Promise<Intent> {
    const row = await settle(this.#parts.database, this.#parts.seal, intent, to, result, this.#options.sender);
    const settled = intentIn(row);
    if (over.includes(settled.state)) this.#rows.forget(Number(row['number']));
    return settled;
  }

  async *open(): AsyncGenerator<OpenRow> {
    const rows = await adopt(this.#query, this.#claimant);
    const open = rows
      .map((row) => ({ number: Number(row['number']), intent: intentIn(row) }))
      .sort(
        (one, other) => Number(one.intent.state === 'accepted') - Number(other.intent.state === 'accepted') || one.number - other.number,
      );
    if (!this.#parts.isStarter)
      await this.#rows.load(
        open.map(({ number }) => number),
        this.#query,
      );
    yield* open;
  }

  async tally(): Promise<readonly StateTotal[]> {
    const rows = await this.#query(
      `SELECT state, currency, count(*)::int AS count, coalesce(sum(minor), 0)::text AS minor FROM paycli.gate WHERE batch = $1
       GROUP BY state, currency ORDER BY state, currency`,
      [this.head.id],
    );
    return rows.map((row) => {
      const currency = row['currency'] === null ? undefined : String(row['currency']);
      return { state: stateOf(row), currency, count: Number(row['count']), minor: String(row['minor']) };
    });
  }

  /** Waits until who started the batch is past its first row. */
  async admitted(): Promise<void> {
    const { clock, stop } = this.#options;
    while (!(await this.#mayBegin()) && (await this.#mayComeFree()) && !(await sleepOrAbort(clock, pollMs, stop)));
  }

  /**
   * Waits, with nothing more to do, until no other worker has anything to do. True when one of them ended and left a row behind
   * that is to be taken up.
   */
  async othersLeft(): Promise<boolean> {
    const { clock, stop } = this.#options;
    await this.#lease.rest(true);
    while (!stop.aborted) {
      const [found] = await this.#query(othersSql, [this.head.id, this.#lease.worker]);
      if (found?.['busy'] !== true) {
        const isFree = found?.['free'] === true;
        if (isFree) await this.#lease.rest(false);
        return isFree;
      }
      await sleepOrAbort(clock, pollMs, stop);
    }
    return false;
  }

  /** The rate of all workers, and of this one never more than is proven with the batch, whatever the database says. */
  async pace(stop: AbortSignal): Promise<boolean> {
    return (await this.#pace.wait(stop)) && (this.#bound === undefined || this.#bound.pace(stop));
  }

  /** The keyed hash for the content of intents, the same on every worker. */
  hash(parts: readonly string[]): string {
    return this.#parts.seal.hash(parts);
  }

  async onOrder({ base, endpointId }: Intent, orderId: string): Promise<readonly Intent[]> {
    const rows = await this.#query(
      `SELECT ${intentColumns} FROM paycli.gate WHERE base = $1 AND endpoint_id = $2 AND order_id = $3 ORDER BY id`,
      [base, endpointId, orderId],
    );
    return rows.map(intentIn);
  }

  async find(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>> {
    const numbers = rows.map(({ number }) => number);
    const found = await this.#query(
      `SELECT ${intentColumns} FROM paycli.gate WHERE batch = $1 AND number = ANY($2::int[]) AND attempts > 0`,
      [this.head.id, numbers],
    );
    return new Map(found.map((row) => [Number(row['number']), intentIn(row)]));
  }

  async remark(intent: Intent, what: string, why: string): Promise<void> {
    const { host, pid, version } = this.#options.sender;
    await this.#query(
      `INSERT INTO paycli.moves (gate, from_state, to_state, at, worker, reason, facts)
       SELECT id, state, state, clock_timestamp(), $2, $3, $4::jsonb FROM paycli.gate WHERE id = $1`,
      [intent.id, this.#lease.worker, what, JSON.stringify({ why, host, pid, version })],
    );
  }

  /** The newest move of the database that was seen here; undefined before the first. */
  get mark(): string | undefined {
    return this.#mark;
  }

  /** Sees the newest move. Throws STORAGE. */
  async lookForMark(): Promise<void> {
    this.#mark = (await markNow(this.#query)) ?? this.#mark;
  }

  identity(): Promise<EngineIdentity> {
    return databaseIdentity(this.#parts.database);
  }

  /** Which orders its rows are about, in their order, after a number; these stand there in the clear. */
  orders(after: number, most: number): Promise<readonly RowOrder[]> {
    return ordersAfter(this.#query, this.head.id, after, most);
  }

  /** From here on the batch counts as one of this server and database, for all workers, and what nobody sent may be sent. */
  async keepServer(): Promise<void> {
    await mendBatch(this.#parts.database, this.#parts.known, this.#parts.seal);
    this.#isMending = false;
  }

  close(): Promise<void> {
    this.#closing ??= this.#lease.end().then(() => this.#parts.database.close());
    return this.#closing;
  }
}
