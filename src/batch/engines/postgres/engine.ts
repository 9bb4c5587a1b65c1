import type { AttemptResult, Intent, Sender, State } from '../../../journal/index.js';
import { sleepOrAbort } from '../../../payments/sleep.js';
import type { Clock } from '../../../runtime/ports.js';
import type { ClaimedRow, Engine, OpenRow, PreparedRow, StateTotal } from '../../engine.js';
import { type EngineIdentity, outdatedDatabaseError } from '../../engine-binding.js';
import type { BatchRow, PlanHead, PlanStore } from '../../plan.js';
import { RateLimiter } from '../../run/scheduling.js';
import { BatchControl, withdrawnRows } from './batch-control.js';
import { checkBatchNow, limitsOf, movedElsewhere, recoverBatch } from './batches.js';
import { type ChunkQueue, chunkRows, isHeldSql, type Lease, type SharedRate } from './coordination.js';
import { DatabaseFailure, type PostgresDatabase, type Query } from './database.js';
import { type Claimant, claim, hasOtherFollowUpSql, otherWorkersSql, settle, takeOverOpenRows } from './gate.js';
import {
  type BatchRecord,
  databaseIdentity,
  holdsMarkSql,
  newestMarkSql,
  readNewestMark,
  serverColumns,
  serverFrom,
} from './identity.js';
import type { RowCipher } from './row-encryption.js';
import { addRemark, begunIntents, hasFinalRow, intentsOnOrder, largestRows, tallyOf } from './row-queries.js';
import { intentFrom, ordersAfter, RemotePlan, type RowOrder } from './rows.js';
import { consumePermits, notProvenUnsent } from './send-permits.js';
import { type BatchLimits, checkSharedLimits, type WorkerLimits } from './shared-limits.js';

export interface EngineOptions {
  readonly clock: Clock;
  readonly sender: Sender;
  /** Requests per second of all workers together; as somebody said before when left out. */
  readonly rate: number | undefined;
  /** Ends waiting for rows that others hold. */
  readonly stop: AbortSignal;
  /** The caps of this machine; without them nothing is counted. */
  readonly worker?: WorkerLimits;
  /** The share of unknown outcomes among the last 200, of all workers, that is borne; nothing is looked at without. */
  readonly maxUnknown?: number;
}

export interface EngineParts {
  readonly database: PostgresDatabase;
  readonly known: BatchRecord;
  readonly seal: RowCipher;
  readonly queue: ChunkQueue;
  /** Whoever has the plan tries the first row; the others begin once a row has its final status. */
  readonly isStarter: boolean;
  /** Every row is to be asked about first: until then nothing is sent, and what is found there is written down. */
  readonly isRecovering: boolean;
}

const pollMs = 500;
/** Who starts a batch becomes one of its workers a moment after the batch is in the database. */
const mostLooksAlone = 4;
/** Two workers that met at an order: the next try sees what the other did. */
const repeatable = ['23505', '40001', '40P01'];
const maxTries = 5;

const finalStates: readonly State[] = ['refused', 'done', 'declined'];

/** One worker at the gate of a batch in PostgreSQL. */
export class PostgresEngine implements Engine {
  readonly head: PlanHead;
  /** The rows this worker was given, for those who have no plan of their own. */
  readonly plan: PlanStore;
  readonly #parts: EngineParts;
  readonly #options: EngineOptions;
  readonly #lease: Lease;
  readonly #pace: SharedRate;
  readonly #rows: RemotePlan;
  readonly #claimant: Claimant;
  /** Held and not handed out yet. */
  #claimed: number[] = [];
  #previous: Promise<unknown> = Promise.resolve();
  #closing: Promise<void> | undefined;
  #isCanaryPassed: boolean;
  #isResting = false;
  /** How often in a row no worker was there that could send the first row. */
  #looksAlone = 0;
  /** The newest move seen here. */
  #mark: string | undefined;
  #isRecovering: boolean;
  /**
   * The rows that this process sent itself, which it sends once whatever the tables say; not those it knows never left.
   */
  readonly #sent = new Set<number>();
  readonly #ownLimit: RateLimiter | undefined;
  readonly #control: BatchControl;

  constructor(parts: EngineParts, options: EngineOptions, lease: Lease, pace: SharedRate) {
    const { head } = parts.known;
    this.head = head;
    this.#parts = parts;
    this.#options = options;
    this.#lease = lease;
    this.#pace = pace;
    this.#rows = new RemotePlan(head, parts.seal);
    this.plan = this.#rows;
    this.#claimant = { batch: head.id, worker: lease.worker, sender: options.sender };
    this.#isCanaryPassed = parts.isStarter;
    this.#isRecovering = parts.isRecovering;
    const { database, seal } = parts;
    const { sender, maxUnknown } = options;
    this.#control = new BatchControl({ database, seal, batch: head.id, host: sender.host, maxUnknown });
    const rate = options.rate ?? parts.known.rate;
    this.#ownLimit = rate === undefined ? undefined : new RateLimiter(options.clock, rate);
  }

  /** What holds over all workers; undefined where whoever started it set nothing. */
  get limits(): BatchLimits | undefined {
    return limitsOf(this.#parts.known);
  }

  /** See `largestRows`. */
  largestRows(): Promise<readonly BatchRow[]> {
    return largestRows(this.#query, this.head, this.#parts.seal);
  }

  withdrawnRows(): Promise<readonly number[]> {
    return withdrawnRows(this.#query, this.head.id);
  }

  /** The facts of its approvals. */
  get approvals(): BatchRecord['approvals'] {
    return this.#parts.known.approvals;
  }

  get #query(): Query {
    return this.#parts.database.query;
  }

  /** One after another: what one finds is there for the next. */
  next(most: number): Promise<readonly number[]> {
    const turn = this.#previous.then(() => this.#next(most));
    this.#previous = turn.catch(() => undefined);
    return turn;
  }

  async #next(most: number): Promise<readonly number[]> {
    if (this.#claimed.length === 0) this.#claimed = await this.#find();
    const given = this.#claimed.splice(0, most);
    if (!this.#parts.isStarter) await this.#rows.load(given, this.#query);
    return given;
  }

  /** Waits while the rows that are left are other workers': one of them may end before its rows do. */
  async #find(): Promise<number[]> {
    const { clock, stop } = this.#options;
    while (!stop.aborted) {
      if (await this.#mayBegin()) {
        await this.#setResting(false);
        for (let chunk = await this.#parts.queue.take(); chunk !== undefined; chunk = await this.#parts.queue.take()) {
          const held = await this.#claimFree(chunk.first, chunk.last);
          if (held.length > 0) return held;
        }
        const left = await this.#claimFree(1, this.head.count);
        if (left.length > 0) return left;
      }
      if (!(await this.#mayComeFree())) return [];
      await sleepOrAbort(clock, pollMs, stop);
    }
    return [];
  }

  async #mayBegin(): Promise<boolean> {
    this.#isCanaryPassed ||= await this.hasFinalRow();
    return this.#isCanaryPassed;
  }

  hasFinalRow(): Promise<boolean> {
    return hasFinalRow(this.#query, this.head.id);
  }

  /** Whether the other workers need not wait for this one. */
  async #setResting(resting: boolean): Promise<void> {
    if (resting !== this.#isResting) await this.#lease.setResting(resting);
    this.#isResting = resting;
  }

  /** What was proven not sent is tried again by those who joined later; who tried it would try for ever. */
  async #claimFree(first: number, last: number): Promise<number[]> {
    const rows = await this.#query(
      `UPDATE paycli.gate SET worker = $2 WHERE id IN (
         SELECT id FROM paycli.gate WHERE batch = $1 AND number BETWEEN $3 AND $4
         AND (state = 'planned' OR (state = 'not_sent' AND changed_at < (SELECT joined_at FROM paycli.workers WHERE id \
= $2)))
         AND NOT ${isHeldSql} AND NOT ${hasOtherFollowUpSql(['sending', 'unknown'])} ORDER BY number LIMIT \
${chunkRows} FOR UPDATE SKIP LOCKED
       ) RETURNING number`,
      [this.head.id, this.#lease.worker, first, last],
    );
    return rows.map(({ number }) => Number(number)).sort((one, other) => one - other);
  }

  /** Before the first row is final, whoever started the batch is waited for; not for others that wait like this one. */
  async #mayComeFree(): Promise<boolean> {
    if (!this.#isCanaryPassed) await this.#setResting(true);
    const [found] = await this.#query(
      `SELECT EXISTS (SELECT FROM paycli.gate WHERE batch = $1 AND state = 'planned') AS planned,
         EXISTS (SELECT FROM paycli.gate WHERE batch = $1 AND state = 'planned'
           AND ((${isHeldSql} AND worker <> $2) OR ${hasOtherFollowUpSql(['sending'])})) AS held,
         EXISTS (SELECT FROM paycli.workers WHERE batch = $1 AND id <> $2 AND lease_until > clock_timestamp() AND NOT \
resting) AS led`,
      [this.head.id, this.#lease.worker],
    );
    if (found?.['planned'] !== true) return false;
    if (found['held'] === true || this.#isCanaryPassed) return found['held'] === true;
    this.#looksAlone = found['led'] === true ? 0 : this.#looksAlone + 1;
    return this.#looksAlone < mostLooksAlone;
  }

  async begin(rows: readonly PreparedRow[]): Promise<readonly ClaimedRow[]> {
    for (let tries = 1; ; tries += 1) {
      try {
        const begun = await this.#parts.database.transaction((query) => this.#begin(query, rows), repeatable);
        if (typeof begun === 'string') throw await this.#control.haltedError(begun);
        for (const { row, do: way } of begun) if (way === 'send') this.#sent.add(row.number);
        return begun;
      } catch (error) {
        if (!(error instanceof DatabaseFailure) || tries === maxTries) throw error;
      }
    }
  }

  /** Stops the batch on all machines, until a person lets it go on. */
  halt(why: string): Promise<void> {
    return this.#control.halt(why);
  }

  /** Begins what may be begun; else why the batch has to stop. */
  async #begin(query: Query, rows: readonly PreparedRow[]): Promise<readonly ClaimedRow[] | string> {
    const [here] = await query(
      `SELECT ${serverColumns}, ${this.#lease.isFresh} AS fresh, (SELECT moved_to FROM paycli.batches WHERE id = $1) \
AS moved_to,
         ${newestMarkSql} AS mark, ${holdsMarkSql('$2')} AS held`,
      [this.head.id, this.#mark ?? null],
    );
    if (here?.['held'] !== true) throw outdatedDatabaseError();
    if (typeof here['mark'] === 'string') this.#mark = here['mark'];
    if (typeof here['moved_to'] === 'string') throw movedElsewhere(this.head.id, here['moved_to']);
    const { known, seal } = this.#parts;
    const now = this.#isRecovering ? known : await checkBatchNow(query, known, serverFrom(here), seal);
    const why = this.#isRecovering ? undefined : await this.#control.reasonToStop(query);
    if (why !== undefined) return why;
    if (here['fresh'] !== true) await this.#lease.renew(query);
    const { worker } = this.#options;
    const limits = new Map(rows.map(({ row }) => [row.number, worker?.limitsOf(row, this.head) ?? {}]));
    const gated = await claim(query, rows, this.#claimant, ({ number }) => limits.get(number)?.counts);
    // What is written down while all rows are asked about was sent by others.
    const sent = this.#isRecovering ? [] : gated.filter((each) => each.do === 'send');
    for (const { row } of sent) if (this.#sent.has(row.number)) throw notProvenUnsent(row.number);
    const begun = sent.map(({ row, intent }) => ({ id: intent.id, limits: limits.get(row.number) ?? {} }));
    await checkSharedLimits(query, this.head, begun, { limits: limitsOf(now), worker });
    await consumePermits(query, this.head.id, seal, sent);
    return gated;
  }

  async settle(intent: Intent, to: State, result: AttemptResult): Promise<Intent> {
    const row = await settle(this.#parts.database, this.#parts.seal, intent, to, result, this.#options.sender);
    const settled = intentFrom(row);
    if (to === 'not_sent' && intent.state === 'sending') this.#sent.delete(Number(row['number']));
    if (finalStates.includes(settled.state)) this.#rows.forget(Number(row['number']));
    return settled;
  }

  async *open(): AsyncGenerator<OpenRow> {
    await this.#setResting(false);
    const rows = await takeOverOpenRows(this.#query, this.#claimant);
    const open = rows
      .map((row) => ({ number: Number(row['number']), intent: intentFrom(row) }))
      .sort(
        (one, other) =>
          Number(one.intent.state === 'accepted') - Number(other.intent.state === 'accepted') ||
          one.number - other.number,
      );
    if (!this.#parts.isStarter)
      await this.#rows.load(
        open.map(({ number }) => number),
        this.#query,
      );
    yield* open;
  }

  tally(): Promise<readonly StateTotal[]> {
    return tallyOf(this.#query, this.head.id);
  }

  /** Waits until who started the batch is past its first row. */
  async waitForCanary(): Promise<void> {
    const { clock, stop } = this.#options;
    while (!(await this.#mayBegin()) && (await this.#mayComeFree()) && !(await sleepOrAbort(clock, pollMs, stop)));
  }

  /**
   * Waits, with nothing more to do, until no other worker has anything to do. True when one of them ended and left a
   * row behind that is to be taken up.
   */
  async waitForOtherWorkers(): Promise<boolean> {
    const { clock, stop } = this.#options;
    await this.#setResting(true);
    while (!stop.aborted) {
      const mayBegin = await this.#mayBegin();
      const [found] = await this.#query(otherWorkersSql, [this.head.id, this.#lease.worker, mayBegin]);
      if (found?.['busy'] !== true) {
        const isFree = found?.['free'] === true;
        if (isFree) await this.#setResting(false);
        return isFree;
      }
      await sleepOrAbort(clock, pollMs, stop);
    }
    return false;
  }

  /** The rate of all workers, and of this one never more than is proven with the batch, whatever the database says. */
  async pace(stop: AbortSignal): Promise<boolean> {
    return (await this.#pace.wait(stop)) && (this.#ownLimit === undefined || this.#ownLimit.pace(stop));
  }

  /** The keyed hash for the content of intents, the same on every worker. */
  hash(parts: readonly string[]): string {
    return this.#parts.seal.hash(parts);
  }

  onOrder(intent: Intent, orderId: string): Promise<readonly Intent[]> {
    return intentsOnOrder(this.#query, intent, orderId);
  }

  find(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>> {
    return begunIntents(this.#query, this.head.id, rows);
  }

  remark(intent: Intent, what: string, why: string): Promise<void> {
    return addRemark(this.#query, intent, { what, why, worker: this.#lease.worker, sender: this.#options.sender });
  }

  /** The newest move of the database that was seen here; undefined before the first. */
  get mark(): string | undefined {
    return this.#mark;
  }

  /** Sees the newest move. Throws STORAGE. */
  async refreshMark(): Promise<void> {
    this.#mark = (await readNewestMark(this.#query)) ?? this.#mark;
  }

  identity(): Promise<EngineIdentity> {
    return databaseIdentity(this.#parts.database);
  }

  /** Which orders its rows are about, in their order, after a number; these stand there in the clear. */
  orders(after: number, most: number): Promise<readonly RowOrder[]> {
    return ordersAfter(this.#query, this.head.id, after, most);
  }

  /**
   * From here on the batch counts as one of this server and database, for all workers, and what nobody sent may be
   * sent.
   */
  async confirmServer(): Promise<void> {
    await recoverBatch(this.#parts.database, this.#parts.known, this.#parts.seal);
    this.#isRecovering = false;
  }

  close(): Promise<void> {
    this.#closing ??= this.#lease.end().then(() => this.#parts.database.close());
    return this.#closing;
  }
}
