import type { BatchConnection } from '../../batch/connection.js';
import type { Engine } from '../../batch/engine.js';
import type { BatchRow } from '../../batch/plan.js';
import { fail } from '../../errors/index.js';

/** Throws BATCH_REFUSED when a payout is not as it was checked; false when stopped before that was known. */
export async function checkOnceMore(
  row: BatchRow,
  connection: BatchConnection,
  engine: Pick<Engine, 'pace'>,
  stop: AbortSignal,
): Promise<boolean> {
  const { changedSinceCheck } = await import('../../batch/still-checked.js');
  if (!(await engine.pace(stop))) return false;
  const why = await changedSinceCheck(row, connection, { signal: stop, came: () => undefined });
  if (stop.aborted) return false;
  if (why === undefined) return true;
  throw fail('BATCH_REFUSED', {
    why: `row ${row.number}, order ${row.values['orderId'] ?? ''}, is not paid: ${why}`,
    how: 'see `paycli status` and `paycli timeline` of the order',
  });
}
