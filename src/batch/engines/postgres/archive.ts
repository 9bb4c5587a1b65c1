import type { State } from '../../../journal/index.js';
import type { PlanHead } from '../../plan.js';
import type { PostgresDatabase, Query } from './database.js';
import { stateOf } from './rows.js';

/** Rows of a batch by state. */
export async function countsOf(query: Query, batch: string): Promise<Map<State, number>> {
  const rows = await query(
    'SELECT state, count(*)::int AS count FROM paycli.gate WHERE batch = $1 GROUP BY state ORDER BY state',
    [batch],
  );
  return new Map(rows.map((row) => [stateOf(row), Number(row['count'])]));
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

const rowsAtOnce = 5000;

/**
 * Removes what only sending needs of a batch that is archived: the sealed rows, and of each move what its row has as
 * well. Its rows stay with their ids, so that no other batch pays them again, and with their outcomes; day totals stay.
 * Cut off, it is done to its end the next time. Throws STORAGE.
 */
export async function removeSendingData(database: PostgresDatabase, { id, count }: PlanHead): Promise<void> {
  for (let first = 1; first <= count; first += rowsAtOnce) {
    const piece = [id, first, first + rowsAtOnce - 1];
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
  await database.query('DELETE FROM paycli.unsent WHERE batch = $1', [id]);
  await database.query('DELETE FROM paycli.run_limits WHERE batch = $1', [id]);
}
