import {
  type BatchState,
  type BatchStateChange,
  batchHaltedError,
  batchHeldError,
  isBatchState,
  isState,
  mayMoveBatch,
  type State,
} from '../../../journal/index.js';
import type { PlanHead } from '../../plan.js';
import { breakerWindow, reasonToStop } from '../../run/circuit-breaker.js';
import { batchChangedInDatabase } from './batch-record.js';
import type { PostgresDatabase, Query, Row } from './database.js';
import { abandonedReason } from './gate.js';

/** A change of the state of a batch, by its number among them. */
interface RecordedChange extends BatchStateChange {
  readonly number: number;
}

/** Every change so far, oldest first. */
export async function batchStateChanges(query: Query, batch: string): Promise<readonly RecordedChange[]> {
  const rows = await query(`SELECT ${changeColumns} FROM paycli.batch_states WHERE batch = $1 ORDER BY number`, [
    batch,
  ]);
  return rows.map(changeFrom);
}

/** The newest one; undefined for a batch that nobody ever stopped. Throws STORAGE. */
export async function newestBatchState(query: Query, batch: string): Promise<RecordedChange | undefined> {
  const [row] = await query(
    `SELECT ${changeColumns} FROM paycli.batch_states WHERE batch = $1 ORDER BY number DESC LIMIT 1`,
    [batch],
  );
  return row === undefined ? undefined : changeFrom(row);
}

const changeColumns = 'number, state, (extract(epoch FROM at) * 1000)::bigint AS at, who, host, reason';

function changeFrom(row: Row): RecordedChange {
  const state = String(row['state']);
  if (!isBatchState(state)) throw batchChangedInDatabase();
  return {
    ...{ number: Number(row['number']), state, at: Number(row['at']), by: String(row['who']) },
    ...{ host: String(row['host']), reason: String(row['reason']) },
  };
}

/** What somebody wants a batch to be from here on. */
export interface WantedState {
  readonly state: BatchState;
  readonly by: string;
  readonly host: string;
  readonly reason: string;
}

/**
 * Writes down what a batch is from here on, in a transaction of the caller; undefined where it is that already, or
 * nothing leads there from what it is.
 */
async function writeBatchState(
  query: Query,
  batch: string,
  { state, by, host, reason }: WantedState,
): Promise<BatchStateChange | undefined> {
  const before = await newestBatchState(query, batch);
  if (!mayMoveBatch(before?.state ?? 'running', state)) return undefined;
  const [now] = await query('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS ms');
  const change = { number: (before?.number ?? 0) + 1, state, at: Number(now?.['ms']), by, host, reason };
  await query(
    `INSERT INTO paycli.batch_states (batch, number, state, at, who, host, reason)
     VALUES ($1, $2, $3, to_timestamp($4::double precision / 1000), $5, $6, $7)`,
    [batch, change.number, state, change.at, by, host, reason],
  );
  return change;
}

/** The same in a transaction of its own, with what belongs to it. Throws STORAGE. */
export function changeBatchState(
  database: PostgresDatabase,
  batch: string,
  wanted: WantedState,
  also: (query: Query) => Promise<void> = async () => undefined,
): Promise<BatchStateChange | undefined> {
  return database.repeatedTransaction(async (query) => {
    const change = await writeBatchState(query, batch, wanted);
    await also(query);
    return change;
  });
}

/**
 * Takes back for good what never left, in a transaction of the caller: its order ids are free for another batch. What
 * is just being begun is waited for, and stays.
 */
export async function withdrawRows(query: Query, batch: string, reason: string): Promise<void> {
  await query(
    `UPDATE paycli.gate SET state = 'withdrawn', reason = $2, worker = NULL
     WHERE batch = $1 AND state IN ('planned', 'not_sent')`,
    [batch, reason],
  );
}

export async function withdrawnRows(query: Query, batch: string): Promise<readonly number[]> {
  const rows = await query("SELECT number FROM paycli.gate WHERE batch = $1 AND state = 'withdrawn' ORDER BY number", [
    batch,
  ]);
  return rows.map(({ number }) => Number(number));
}

/**
 * Why no worker may begin a row, by what came of the newest ones on whichever machine; what came before a person let
 * the batch go on counts no more, nor do the rows of a worker that ended.
 */
async function breakerReason(
  query: Query,
  batch: string,
  liftedAt: number,
  maxUnknown: number,
): Promise<string | undefined> {
  const rows = await query(
    `SELECT to_state FROM paycli.moves WHERE batch = $1 AND from_state = 'sending' AND at > to_timestamp($2::double precision / 1000)
       AND reason <> '${abandonedReason}' ORDER BY id DESC LIMIT ${breakerWindow}`,
    [batch, liftedAt],
  );
  const newest = rows.map(({ to_state: state }) => String(state)).filter((state): state is State => isState(state));
  return reasonToStop(newest, maxUnknown);
}

/** More than any batch has rows. */
const noRunLimit = 2n ** 62n;

/** The role of a worker may change the count, and remove none. */
export async function liftRunLimit(query: Query, batch: string): Promise<void> {
  await query('UPDATE paycli.run_limits SET rows_left = $2 WHERE batch = $1', [batch, noRunLimit.toString()]);
}

/** The newest run, on whichever machine its rows are begun, may begin so many rows more; Infinity for all. */
export async function setRunLimit({ query }: PostgresDatabase, batch: string, maxRows: number): Promise<void> {
  if (!Number.isFinite(maxRows)) {
    await liftRunLimit(query, batch);
    return;
  }
  await query(
    `INSERT INTO paycli.run_limits VALUES ($1, $2) ON CONFLICT (batch) DO UPDATE SET rows_left = excluded.rows_left`,
    [batch, maxRows],
  );
}

/** The newest state of every batch that was ever stopped, as it stands there. */
export async function newestStates(query: Query): Promise<ReadonlyMap<string, string>> {
  const rows = await query(
    'SELECT DISTINCT ON (batch) batch, state FROM paycli.batch_states ORDER BY batch, number DESC',
  );
  return new Map(rows.map(({ batch, state }) => [String(batch), String(state)]));
}

/** In the transaction that archives a batch: without the right to, nothing is written. Throws STORAGE. */
export async function checkMayRemove(query: Query): Promise<void> {
  await query("UPDATE paycli.gate SET sealed = '' WHERE false");
  await query("UPDATE paycli.moves SET facts = '{}' WHERE false");
}

const archivedRowsAtOnce = 5000;

/**
 * Removes what only sending needs of a batch that is archived: the sealed rows, and of each move what its row has as
 * well. Its rows stay with their ids, so that no other batch pays them again, and with their outcomes; day totals stay.
 * Cut off, it is done to its end the next time. Throws STORAGE.
 */
export async function removeSendingData(database: PostgresDatabase, { id, count }: PlanHead): Promise<void> {
  for (let first = 1; first <= count; first += archivedRowsAtOnce) {
    const piece = [id, first, first + archivedRowsAtOnce - 1];
    await database.query(
      "UPDATE paycli.gate SET sealed = '' WHERE batch = $1 AND number BETWEEN $2 AND $3 AND sealed <> ''",
      piece,
    );
    // A remark, and what a person said, stands there alone.
    await database.query(
      `UPDATE paycli.moves SET facts = '{}' WHERE from_state <> to_state AND worker IS NOT NULL AND facts <> '{}'
       AND gate IN (SELECT id FROM paycli.gate WHERE batch = $1 AND number BETWEEN $2 AND $3)`,
      piece,
    );
  }
  await database.query('DELETE FROM paycli.run_limits WHERE batch = $1', [id]);
}

interface ControlParts {
  readonly database: PostgresDatabase;
  readonly batch: string;
  /** Of this machine. */
  readonly host: string;
  /** The share of unknown outcomes that is borne; undefined where the outcomes are not looked at. */
  readonly maxUnknown: number | undefined;
}

/** Whether one worker may go on with a batch. */
export class BatchControl {
  readonly #parts: ControlParts;

  constructor(parts: ControlParts) {
    this.#parts = parts;
  }

  /** Why it has to stop here and now. Throws BATCH_LEFT for a batch that was stopped before. */
  async reasonToStop(query: Query): Promise<string | undefined> {
    const { batch, maxUnknown } = this.#parts;
    const change = await newestBatchState(query, batch);
    const held = batchHeldError(batch, change);
    if (held !== undefined) throw held;
    return maxUnknown === undefined ? undefined : breakerReason(query, batch, change?.at ?? 0, maxUnknown);
  }

  /** Stops the batch on all machines, until a person lets it go on. */
  async halt(why: string): Promise<void> {
    const { database, batch, host } = this.#parts;
    const wanted = { state: 'halted', by: 'paycli', host, reason: why } as const;
    await changeBatchState(database, batch, wanted);
  }

  /** The same, and what to throw. */
  async haltedError(why: string): Promise<Error> {
    const { database, batch } = this.#parts;
    await this.halt(why);
    const change = await newestBatchState(database.query, batch);
    return batchHeldError(batch, change) ?? batchHaltedError(batch, why);
  }
}
