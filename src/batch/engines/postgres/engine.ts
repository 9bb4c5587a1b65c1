import { fail } from '../../../errors/index.js';
import { type AttemptResult, finalStates, type Intent, isEqual, type State } from '../../../journal/index.js';
import type { ClaimedRow, Engine, OpenRow, PreparedRow, StateTotal } from '../../engine.js';
import { type EngineIdentity, outdatedDatabaseError } from '../../engine-binding.js';
import type { BatchRow, PlanHead, PlanStore } from '../../plan.js';
import { RateLimiter } from '../../run/scheduling.js';
import { BatchControl, withdrawnRows } from './batch-control.js';
import type { BatchRecord } from './batch-record.js';
import { checkBatchNow, limitsOf, movedElsewhere, recoverBatch } from './batches.js';
import type { Query } from './database.js';
import type { EngineOptions, EngineParts } from './engine-parts.js';
import { advanceRow, begunBy, type Claimant, claim, takeOverOpenRows } from './gate.js';
import { databaseIdentity, isDurableSql, requireDurableServer, serverColumns, serverIdentityFrom } from './identity.js';
import type { Lease } from './lease.js';
import { holdsMarkSql, newestMarkSql, readNewestMark } from './newest-move.js';
import { addRemark, begunIntents, hasFinalRow, intentsOnOrder, largestRows, tallyOf } from './row-queries.js';
import { RowSupply } from './row-supply.js';
import { intentFrom, ordersAfter, RemotePlan, type RowOrder } from './rows.js';
import { type BatchLimits, checkSharedLimits } from './shared-limits.js';
import type { SharedRate } from './shared-rate.js';

/**
 * The engine of one worker of a batch in PostgreSQL. The table `gate` has one line for each row of the batch; a worker
 * may send a row only after it moved that line to `sending` in a transaction.
 */
export class PostgresEngine implements Engine {
  readonly head: PlanHead;
  /** The rows this worker was given, for a machine that does not have the plan file. */
  readonly plan: PlanStore;
  readonly #parts: EngineParts;
  readonly #options: EngineOptions;
  readonly #lease: Lease;
  readonly #pace: SharedRate;
  readonly #rows: RemotePlan;
  readonly #claimant: Claimant;
  readonly #supply: RowSupply;
  #closing: Promise<void> | undefined;
  /** The newest state change that this process saw in the database, as a mark; see `newest-move.ts`. */
  #mark: string | undefined;
  /** True until the outcome of every row was queried after the database was restored or replaced: nothing is sent. */
  #isRecovering: boolean;
  /**
   * The rows that this process sent itself: it sends none of them again, whatever the tables say. Without those that
   * never left.
   */
  readonly #sent = new Set<number>();
  /** Rows this process may have begun: the connection ended before the commit was confirmed. */
  readonly #doubtful = new Set<number>();
  /** The rate of this worker alone, beside the rate of all. */
  readonly #ownLimit: RateLimiter | undefined;
  readonly #control: BatchControl;

  constructor(parts: EngineParts, options: EngineOptions, lease: Lease, pace: SharedRate) {
    const { head } = parts.known;
    this.head = head;
    this.#parts = parts;
    this.#options = options;
    this.#lease = lease;
    this.#pace = pace;
    this.#rows = new RemotePlan(head, parts.cipher);
    this.plan = this.#rows;
    this.#claimant = { batch: head.id, worker: lease.worker, sender: options.sender };
    this.#supply = new RowSupply(parts, options, lease);
    this.#isRecovering = parts.isRecovering;
    const { database } = parts;
    const { sender, maxUnknown } = options;
    this.#control = new BatchControl({ database, batch: head.id, host: sender.host, maxUnknown });
    const rate = options.rate ?? parts.known.rate;
    this.#ownLimit = rate === undefined ? undefined : new RateLimiter(options.clock, rate);
  }

  /** The limits on all workers together; undefined where the one who started the batch set none. */
  get limits(): BatchLimits | undefined {
    return limitsOf(this.#parts.known);
  }

  /** See `largestRows`. */
  largestRows(): Promise<readonly BatchRow[]> {
    return largestRows(this.#query, this.head, this.#parts.cipher);
  }

  withdrawnRows(): Promise<readonly number[]> {
    return withdrawnRows(this.#query, this.head.id);
  }

  /** The facts of its approvals, each signed. */
  get approvals(): BatchRecord['approvals'] {
    return this.#parts.known.approvals;
  }

  get #query(): Query {
    return this.#parts.database.query;
  }

  async next(max: number): Promise<readonly number[]> {
    const given = await this.#supply.next(max);
    if (!this.#parts.isStarter) await this.#rows.load(given, this.#query);
    return given;
  }

  hasFinalRow(): Promise<boolean> {
    return hasFinalRow(this.#query, this.head.id);
  }

  async begin(rows: readonly PreparedRow[], asked?: () => void): Promise<readonly ClaimedRow[]> {
    const numbers = rows.map(({ row }) => row.number);
    const work = (query: Query) => {
      asked?.();
      return this.#begin(query, rows);
    };
    const onDoubt = () => {
      for (const number of numbers) this.#doubtful.add(number);
    };
    const begun = await this.#parts.database.repeatedTransaction(work, onDoubt);
    if (typeof begun === 'string') throw await this.#control.haltedError(begun);
    this.#supply.wereBegun(numbers);
    for (const { row, do: way } of begun) {
      this.#doubtful.delete(row.number);
      if (way === 'send') this.#sent.add(row.number);
    }
    return begun;
  }

  /** Stops the batch on all machines, until a person lets it go on. */
  halt(why: string): Promise<void> {
    return this.#control.halt(why);
  }

  /** Begins what may be begun; else why the batch has to stop. */
  async #begin(query: Query, rows: readonly PreparedRow[]): Promise<readonly ClaimedRow[] | string> {
    const [here] = await query(
      `SELECT ${serverColumns}, ${isDurableSql} AS durable, ${this.#lease.isFresh} AS fresh, (SELECT moved_to FROM paycli.batches WHERE id = $1) AS moved_to,
         ${newestMarkSql} AS mark, ${holdsMarkSql('$2')} AS held`,
      [this.head.id, this.#mark ?? null],
    );
    // Another server may answer now than at the start, with other settings.
    if (here?.['durable'] !== true) await requireDurableServer(this.#query);
    if (here?.['held'] !== true) throw outdatedDatabaseError();
    if (typeof here['mark'] === 'string') this.#mark = here['mark'];
    if (typeof here['moved_to'] === 'string') throw movedElsewhere(this.head.id, here['moved_to']);
    const { known, cipher } = this.#parts;
    const now = this.#isRecovering ? known : await checkBatchNow(query, known, serverIdentityFrom(here), cipher);
    const why = this.#isRecovering ? undefined : await this.#control.reasonToStop(query);
    if (why !== undefined) return why;
    if (here['fresh'] !== true) await this.#lease.renew(query);
    const { worker } = this.#options;
    const limits = new Map(rows.map(({ row }) => [row.number, worker?.limitsOf(row, this.head) ?? {}]));
    const confirmed = await this.#confirmDoubtful(query, rows);
    const others = rows.filter(({ row }) => !confirmed.some((each) => each.row.number === row.number));
    const gated =
      others.length === 0 ? [] : await claim(query, others, this.#claimant, ({ number }) => limits.get(number)?.counts);
    // While a batch recovers, rows are recorded and queried, and none is sent.
    const sent = this.#isRecovering ? [] : gated.filter((each) => each.do === 'send');
    for (const { row } of sent)
      if (this.#sent.has(row.number))
        throw fail('STORAGE', {
          what: `row ${row.number} of the batch`,
          why: 'whether it was sent cannot be verified, because it was reset or changed in the database',
          how: 'nothing more is sent; find out who changed it; `{recover}`, on the machine that planned it, queries the gateway about every row before it continues',
          row: row.number,
        });
    const begun = sent.map(({ row, intent }) => ({ id: intent.id, limits: limits.get(row.number) ?? {} }));
    await checkSharedLimits(query, this.head, begun, { limits: limitsOf(now), worker });
    return [...confirmed, ...gated];
  }

  /**
   * Rows this process asked to begin when the connection ended before the answer. Such a row was begun if the table
   * says so and it still belongs to this worker, whose lease is renewed in this transaction: nobody took it over, and
   * nobody can from here on.
   */
  async #confirmDoubtful(query: Query, rows: readonly PreparedRow[]): Promise<ClaimedRow[]> {
    const doubtful = rows.filter(({ row: { number } }) => this.#doubtful.has(number) && !this.#sent.has(number));
    if (doubtful.length === 0 || this.#isRecovering) return [];
    await this.#lease.renew(query);
    const numbers = doubtful.map(({ row }) => row.number);
    const begun = await begunBy(query, this.#claimant, numbers);
    return doubtful.flatMap(({ row, intent: wanted }) => {
      const intent = begun.get(row.number);
      return intent === undefined || !isEqual(intent, wanted) ? [] : [{ row, do: 'send' as const, intent }];
    });
  }

  async recordResult(intent: Intent, wanted: State, result: AttemptResult): Promise<Intent> {
    // Its tables know a conflict of final outcomes only.
    const to = wanted === 'conflict' ? 'unknown' : wanted;
    const row = await advanceRow(this.#query, intent, to, result, this.#options.sender);
    const updated = intentFrom(row);
    if (to === 'not_sent' && intent.state === 'sending') this.#sent.delete(Number(row['number']));
    if (finalStates.includes(updated.state)) this.#rows.forget(Number(row['number']));
    return updated;
  }

  async *open(): AsyncGenerator<OpenRow> {
    await this.#supply.setResting(false);
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

  /** See `RowSupply`. */
  waitForCanary(): Promise<void> {
    return this.#supply.waitForCanary();
  }

  /** See `RowSupply`. */
  waitForOtherWorkers(): Promise<boolean> {
    return this.#supply.waitForOtherWorkers();
  }

  /** The rate of all workers, and of this one never more than that of the batch. */
  async pace(stop: AbortSignal): Promise<boolean> {
    return (await this.#pace.wait(stop)) && (this.#ownLimit === undefined || this.#ownLimit.pace(stop));
  }

  /** The keyed hash for the content of intents, the same on every worker. */
  hash(parts: readonly string[]): string {
    return this.#parts.cipher.hash(parts);
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

  /** The order ids of its rows after a row number, in the order of the file; these are stored unencrypted. */
  orders(after: number, max: number): Promise<readonly RowOrder[]> {
    return ordersAfter(this.#query, this.head.id, after, max);
  }

  /** From here on the batch counts as one of this server and database, for all workers. */
  async confirmServer(): Promise<void> {
    await recoverBatch(this.#parts.database, this.#parts.known);
    this.#isRecovering = false;
  }

  close(): Promise<void> {
    this.#parts.database.stopWaiting();
    this.#closing ??= this.#lease.end().then(() => this.#parts.database.close());
    return this.#closing;
  }
}
