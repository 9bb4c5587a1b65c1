import { fail } from '../../../errors/index.js';
import {
  type AttemptResult,
  type BatchStateChange,
  type Intent,
  openStates,
  type Sender,
  type State,
  stateClause,
} from '../../../journal/index.js';
import type { Secret } from '../../../wire/mask.js';
import type { StateTotal } from '../../engine.js';
import type { EngineIdentity } from '../../engine-binding.js';
import type { BatchRow, PlanHead } from '../../plan.js';
import { checkArchivable } from '../../run/progress.js';
import {
  batchStateChanges,
  changeBatchState,
  checkMayRemove,
  liftRunLimit,
  newestBatchState,
  newestStates,
  removeSendingData,
  type WantedState,
  withdrawnRows,
  withdrawRows,
} from './batch-control.js';
import { type BatchRecord, type BatchSummary, batchSummaries, findBatch } from './batch-record.js';
import { checkBatch, checkKey } from './batches.js';
import { ChunkQueue } from './chunk-queue.js';
import { type DatabaseAccess, openDatabase, type PostgresDatabase, type Query } from './database.js';
import { advanceRow, settleManually, takeFromDeadWorker } from './gate.js';
import { databaseIdentity, requireDurableServer } from './identity.js';
import { hasMark } from './newest-move.js';
import { RowCipher } from './row-encryption.js';
import {
  addRemark,
  begunIntents,
  countsOf,
  intentsIn,
  intentsNamed,
  movesOf,
  newestOpenings,
  type OrderFilter,
  type RowMove,
  tallyOf,
  type WorkerView,
  workersAt,
} from './row-queries.js';
import { clearRows, intentFrom } from './rows.js';
import { checkVersion, install, isCurrent, isInstalled, lockNumber } from './schema.js';

/** A batch in a database, for those who look at it or take it away; they begin nothing. */
export class GateView {
  readonly identity: EngineIdentity;
  /** Its address, fit for messages. */
  readonly shown: string;
  /** Undefined when it was never put in. */
  readonly known: BatchRecord | undefined;
  readonly #database: PostgresDatabase;

  private constructor(
    database: PostgresDatabase,
    shown: string,
    identity: EngineIdentity,
    known: BatchRecord | undefined,
  ) {
    this.shown = shown;
    this.#database = database;
    this.identity = identity;
    this.known = known;
  }

  /** Throws STORAGE. */
  static async open(id: string, access: DatabaseAccess): Promise<GateView> {
    const database = await openDatabase(access);
    try {
      const identity = await databaseIdentity(database);
      const known = (await isInstalled(database)) ? await findBatch(database, id) : undefined;
      return new GateView(database, access.address.shown, identity, known);
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** A look needs no key; one that is given has to be that of the batch. Throws SECRET_UNREADABLE. */
  checkKey(rowKey: Secret): void {
    if (this.known !== undefined)
      checkKey(this.known.head.id, this.known.keyCheck, new RowCipher(rowKey, this.known.head));
  }

  /** What became of these rows, by their numbers; those nobody began are left out. */
  async find(rows: readonly Pick<BatchRow, 'number'>[]): Promise<ReadonlyMap<number, Intent>> {
    return this.known === undefined ? new Map() : begunIntents(this.#database.query, this.known.head.id, rows);
  }

  /** See `clearRows`. */
  rows(from: number, max: number): Promise<readonly BatchRow[]> {
    return clearRows(this.#database.query, this.known?.head.id ?? '', from, max);
  }

  /** Whether it still holds a move that was seen in it. */
  async holds(mark: string): Promise<boolean> {
    return this.known !== undefined && (await hasMark(this.#database.query, mark));
  }

  /**
   * What a database of the same server, copy or not, is called now; undefined where it is gone or of another server.
   */
  async databaseNameOf(engine: EngineIdentity): Promise<string | undefined> {
    if (engine.kind !== 'postgres' || this.identity.kind !== 'postgres' || engine.system !== this.identity.system)
      return undefined;
    const [found] = await this.#database.query('SELECT datname FROM pg_database WHERE oid::text = $1', [
      engine.database,
    ]);
    return found === undefined ? undefined : String(found['datname']);
  }

  /** Count and money by state and currency. */
  tally(): Promise<readonly StateTotal[]> {
    return tallyOf(this.#database.query, this.known?.head.id ?? '');
  }

  /** Rows by state. */
  counts(): Promise<Map<State, number>> {
    return countsOf(this.#database.query, this.known?.head.id ?? '');
  }

  /**
   * What somebody says the batch is from here on; a withdrawal takes every row back that never left, and archiving
   * removes what only sending needs. `now` is what holds then. Throws STORAGE, SECRET_UNREADABLE and BATCH_REFUSED.
   */
  async changeState(
    rowKey: Secret,
    wanted: WantedState,
  ): Promise<{
    readonly change: BatchStateChange | undefined;
    readonly now: BatchStateChange | undefined;
    readonly withdrawn: readonly number[];
  }> {
    const { known } = this;
    if (known === undefined) throw new Error('a batch that does not exist cannot be stopped');
    const [database, { id }] = [this.#database, known.head];
    const cipher = new RowCipher(rowKey, known.head);
    await checkVersion(database);
    checkBatch(known, await requireDurableServer(database.query), cipher);
    const isWithdrawal = wanted.state === 'withdrawn';
    const also = async (query: Query) => {
      if (isWithdrawal) await withdrawRows(query, id, wanted.reason);
      if (wanted.state === 'running') await liftRunLimit(query, id);
      if (wanted.state !== 'archived') return;
      await checkMayRemove(query);
      await checkIdle(query, id);
      checkArchivable(id, await countsOf(query, id));
    };
    const change = await changeBatchState(database, id, wanted, also);
    const now = await newestBatchState(database.query, id);
    // Once nobody can begin anything any more; also what an earlier try left.
    if (wanted.state === 'archived' && now?.state === 'archived') {
      await removeSendingData(database, known.head);
      await (await ChunkQueue.open(database, id, false)).remove();
    }
    return { change, now, withdrawn: isWithdrawal ? await this.withdrawnRows() : [] };
  }

  /** Rows of all batches here that were begun and are about an order of one of these names. */
  async intentsNamed(base: string, names: readonly string[]): Promise<readonly Intent[]> {
    const { query } = this.#database;
    return (await isInstalled(this.#database)) ? intentsNamed(query, base, names) : [];
  }

  /** The same of rows in one of these states, whatever order they are about. */
  async intentsIn(base: string, states: readonly State[]): Promise<readonly Intent[]> {
    const { query } = this.#database;
    return (await isInstalled(this.#database)) ? intentsIn(query, base, states) : [];
  }

  /** See `newestOpenings`. */
  async newestOpenings(filter: OrderFilter, max: number, before?: number): Promise<readonly Intent[]> {
    return (await isInstalled(this.#database)) ? newestOpenings(this.#database.query, filter, max, before) : [];
  }

  /** See `movesOf`. */
  movesOf(intent: Intent): Promise<readonly RowMove[]> {
    return movesOf(this.#database.query, intent);
  }

  /** Every batch of the database with its rows by state, oldest first. */
  async batches(): Promise<readonly BatchSummary[]> {
    if (!(await isInstalled(this.#database))) return [];
    const { query } = this.#database;
    return batchSummaries(query, (await isCurrent(this.#database)) ? await newestStates(query) : new Map());
  }

  /** What was learned of a row from the gateway; gives it as it stands then. */
  async recordResult(intent: Intent, to: State, result: AttemptResult, sender: Sender): Promise<Intent> {
    return intentFrom(await advanceRow(this.#database.query, intent, to, result, sender));
  }

  /** See `takeFromDeadWorker`. */
  takeFromDeadWorker(intent: Intent, sender: Sender): Promise<Intent> {
    return takeFromDeadWorker(this.#database.query, intent, sender);
  }

  /** See `settleManually`. */
  settleManually(
    intent: Intent,
    to: 'done' | 'declined',
    facts: Readonly<Record<string, unknown>>,
    sender: Sender,
  ): Promise<Intent> {
    return this.#database.transaction((query) => settleManually(query, intent, to, facts, sender));
  }

  remark(intent: Intent, what: string, why: string, sender: Sender): Promise<void> {
    return addRemark(this.#database.query, intent, { what, why, worker: null, sender });
  }

  /** Every change of its state, oldest first, as it stands there. */
  async stateChanges(): Promise<readonly BatchStateChange[]> {
    const { known } = this;
    return known === undefined || !(await isCurrent(this.#database))
      ? []
      : batchStateChanges(this.#database.query, known.head.id);
  }

  /** See `workersAt`. */
  workers(): Promise<readonly WorkerView[]> {
    return workersAt(this.#database.query, this.known?.head.id ?? '');
  }

  withdrawnRows(): Promise<readonly number[]> {
    return withdrawnRows(this.#database.query, this.known?.head.id ?? '');
  }

  /**
   * Closes the batch here, in one step with the proof that nothing of it is open: no row of it is ever sent from this
   * database again. Doing it twice is doing it once. Throws BATCH_REFUSED, STORAGE.
   */
  async closeBatch(head: PlanHead, rowKey: Secret, to: string): Promise<void> {
    const server = await requireDurableServer(this.#database.query);
    await install(this.#database);
    await checkVersion(this.#database);
    await this.#database.transaction(async (query) => {
      await query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
      // Also where it was never put in: who wants to put it in at this moment finds it moved.
      const cipher = new RowCipher(rowKey, head);
      await query(
        `INSERT INTO paycli.batches (id, digest, head, key_check, system_id, timeline, moved_to, database_oid)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
         ON CONFLICT (id) DO UPDATE SET moved_to = excluded.moved_to`,
        [
          ...[head.id, head.digest, JSON.stringify(head), cipher.keyCheck],
          ...[server.systemId, server.timeline, to, server.database],
        ],
      );
      // Whoever is beginning one of these has to be done first, and is seen below.
      await query("SELECT id FROM paycli.gate WHERE batch = $1 AND state IN ('planned', 'not_sent') FOR UPDATE", [
        head.id,
      ]);
      await checkIdle(query, head.id);
      const left = await query(
        'SELECT number, state FROM paycli.gate WHERE batch = $1 AND state = ANY($2::text[]) ORDER BY number LIMIT 1',
        [head.id, openStates],
      );
      if (left[0] !== undefined) {
        const row = String(left[0]['number']);
        throw fail('BATCH_REFUSED', {
          why: `row ${row} ${stateClause(String(left[0]['state']))}`,
          how: 'nothing was sent; resolve it first with `{again}`',
          row,
        });
      }
    });
  }

  close(): Promise<void> {
    return this.#database.close();
  }
}

async function checkIdle(query: Query, id: string): Promise<void> {
  const [worker] = await query(
    `SELECT host, pid, ceil(extract(epoch FROM lease_until - clock_timestamp()))::int AS seconds FROM paycli.workers
     WHERE batch = $1 AND lease_until > clock_timestamp() ORDER BY lease_until DESC LIMIT 1`,
    [id],
  );
  if (worker === undefined) return;
  const seconds = String(worker['seconds']);
  throw fail('BATCH_REFUSED', {
    why: `process ${String(worker['pid'])} on ${String(worker['host'])} is working on it, or ended less than a minute ago`,
    how: `nothing was sent; stop it if it is running; its rows are released in ${seconds} s`,
    pid: String(worker['pid']),
    host: String(worker['host']),
    seconds,
  });
}
