import { fail } from '../../../errors/index.js';
import { batchHeldError } from '../../../journal/index.js';
import type { Random } from '../../../runtime/ports.js';
import type { Secret } from '../../../wire/mask.js';
import { batchNotInDatabase, type EngineIdentity } from '../../engine-binding.js';
import type { PlanStore } from '../../plan.js';
import { newestBatchState, setRunLimit } from './batch-control.js';
import { type BatchRecord, findBatch, openBatches } from './batch-record.js';
import {
  type BatchTerms,
  checkBatch,
  checkBatchForRecovery,
  checkShareable,
  contentDiffers,
  renewBatch,
  uploadBatch,
} from './batches.js';
import { ChunkQueue } from './chunk-queue.js';
import { type DatabaseAccess, openDatabase, type PostgresDatabase } from './database.js';
import { PostgresEngine } from './engine.js';
import type { EngineOptions, EngineParts } from './engine-parts.js';
import { databaseIdentity, requireDurableServer, unverifiedDatabase } from './identity.js';
import { defaultLeaseMs, Lease } from './lease.js';
import { hasMark } from './newest-move.js';
import type { OutageSettings } from './outage.js';
import { RowCipher } from './row-encryption.js';
import { checkVersion, install, isInstalled } from './schema.js';
import type { BatchLimits } from './shared-limits.js';
import { SharedRate } from './shared-rate.js';

export { readDatabaseAddress } from './database-address.js';
export { GateView } from './gate-view.js';
export type { WorkerView } from './row-queries.js';
export type { BatchLimits, WorkerLimits } from './shared-limits.js';

export interface PostgresOptions extends DatabaseAccess, EngineOptions {
  /** What all workers share, to read the rows. */
  readonly rowKey: Secret;
  readonly random: Random;
  /** For messages. */
  readonly command: string;
  readonly leaseMs?: number;
  /** How an outage of the database is waited for; not at all when left out. */
  readonly outage?: Omit<OutageSettings, 'clock' | 'stop'>;
  /** The batch may go on at a server that took over, once every row was asked about; see `confirmServer`. */
  readonly afterRestore?: boolean;
  /**
   * Given which database this is before anything is put into it, with a way to ask whether it still holds a move that
   * was seen; throws when the plan may not run here.
   */
  readonly admit?: (engine: EngineIdentity, isThere: boolean, holds: HoldsMark) => void | Promise<void>;
  /** Of whoever starts: what holds over all workers; as before when left out. */
  readonly limits?: BatchLimits;
  /** Of whoever starts: how many rows are begun from here on, by whichever worker; as before when left out. */
  readonly maxRows?: number;
}

export type HoldsMark = (mark: string) => Promise<boolean>;

/** Starts or goes on with the batch of a plan that lies here. Throws STORAGE, USAGE, SECRET_UNREADABLE. */
export async function startOnPostgres(plan: PlanStore, options: PostgresOptions): Promise<PostgresEngine> {
  checkShareable(plan.head, options.command);
  return withDatabase(options, async (database) => {
    const { random, admit } = options;
    const server = await requireDurableServer(database.query);
    const isThere = (await isInstalled(database)) && (await findBatch(database, plan.head.id)) !== undefined;
    await admit?.(await databaseIdentity(database), isThere, async (mark) => isThere && hasMark(database.query, mark));
    await install(database);
    await checkVersion(database);
    const cipher = new RowCipher(options.rowKey, plan.head);
    const queue = await ChunkQueue.open(database, plan.head.id, true);
    await uploadBatch(database, { plan, cipher, queue, server, random });
    const known = await findBatch(database, plan.head.id);
    if (known === undefined) throw new Error('the uploaded batch was not found');
    await checkNotArchived(database, known);
    const isRecovering = options.afterRestore === true;
    const own = { ...known, head: plan.head, headText: JSON.stringify(plan.head) };
    if (isRecovering) checkBatchForRecovery(own, cipher);
    else checkBatch({ ...own, headText: known.headText }, server, cipher);
    if (!isRecovering && known.headText !== own.headText) throw contentDiffers(plan.head.id);
    // Cut off from here on, it is refused until every row was asked about after all; no other worker begins one
    // meanwhile.
    if (isRecovering)
      await database.query('UPDATE paycli.batches SET database_oid = $2 WHERE id = $1', [
        plan.head.id,
        unverifiedDatabase,
      ]);
    const renewed = isRecovering
      ? { ...own, server, ...recoveredTerms(known, options) }
      : await renewBatch(database, known, plan, options);
    if (options.maxRows !== undefined) await setRunLimit(database, plan.head.id, options.maxRows);
    return engineFor({ database, known: renewed, cipher, queue, isStarter: true, isRecovering }, options);
  });
}

/** Throws BATCH_REFUSED. */
async function checkNotArchived({ query }: PostgresDatabase, { head }: BatchRecord): Promise<void> {
  const change = await newestBatchState(query, head.id);
  const held = change?.state === 'archived' ? batchHeldError(head.id, change) : undefined;
  if (held !== undefined) throw held;
}

/** What somebody says now, else what was said before. */
function recoveredTerms(known: BatchRecord, { rate, limits }: BatchTerms): Pick<BatchRecord, 'rate' | 'limitsText'> {
  return {
    rate: rate ?? known.rate,
    limitsText: limits === undefined ? known.limitsText : JSON.stringify(limits),
  };
}

/** Joins a batch that another machine started; without an id the only one that has rows left. */
export async function joinOnPostgres(id: string | undefined, options: PostgresOptions): Promise<PostgresEngine> {
  return withDatabase(options, async (database) => {
    const server = await requireDurableServer(database.query);
    const known = await batchToJoin(database, id, options.command);
    const cipher = new RowCipher(options.rowKey, known.head);
    checkBatch(known, server, cipher);
    await checkNotArchived(database, known);
    const queue = await ChunkQueue.open(database, known.head.id, false);
    return engineFor({ database, known, cipher, queue, isStarter: false, isRecovering: false }, options);
  });
}

async function withDatabase(
  options: PostgresOptions,
  use: (database: PostgresDatabase) => Promise<PostgresEngine>,
): Promise<PostgresEngine> {
  const { outage, clock, stop } = options;
  const database = await openDatabase(options, outage === undefined ? undefined : { ...outage, clock, stop });
  try {
    return await use(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function batchToJoin(database: PostgresDatabase, id: string | undefined, command: string): Promise<BatchRecord> {
  const isReady = await isInstalled(database);
  if (isReady) await checkVersion(database);
  if (id !== undefined) {
    const known = isReady ? await findBatch(database, id) : undefined;
    if (known !== undefined) return known;
    throw batchNotInDatabase(id, command);
  }
  const open = isReady ? await openBatches(database) : [];
  const [only] = open;
  if (only !== undefined && open.length === 1) return only;
  if (only === undefined)
    throw fail('USAGE', {
      why: 'no batch in this database has rows left; `paycli batch run PLAN --engine …` adds one',
      command,
    });
  throw fail('USAGE', {
    why: `several batches have rows left; name one: ${open.map(({ head }) => head.id).join(', ')}`,
    command,
  });
}

async function engineFor(parts: EngineParts, options: PostgresOptions): Promise<PostgresEngine> {
  const { sender, clock, leaseMs = defaultLeaseMs } = options;
  const lease = await Lease.take(parts.database, parts.known.head.id, sender, clock, leaseMs);
  const pace = new SharedRate(parts.database, parts.known.head.base, clock);
  if (options.rate !== undefined) await pace.setRate(options.rate);
  return new PostgresEngine(parts, options, lease, pace);
}
