import { fail } from '../../../errors/index.js';
import type { SendLimits, Sum } from '../../../journal/index.js';
import { checkDay, sumOfUnits, unitsOf } from '../../../journal/index.js';
import type { BatchRow, PlanHead } from '../../plan.js';
import type { Query } from './database.js';

/** What holds over all workers of a batch, as it is proven with its head. */
export interface BatchLimits {
  /** At most one amount per currency, from 00:00 to 24:00 UTC; an empty list is no cap. */
  readonly maxTotalPerDay: readonly Sum[];
}

/** The limits that one worker brings along; each holds for what that worker begins. */
export interface WorkerLimits {
  /** Throws CAP_EXCEEDED for a row that may not be sent at all. */
  limitsOf(row: BatchRow, head: PlanHead): SendLimits;
  /** Units (see `unitsOf`) that this machine sent since this moment, but for rows of these batches. */
  spentHere(currency: string, since: number, batches: ReadonlySet<string>): bigint;
}

/** A row that was claimed, and what it counts. */
interface CountedRow {
  readonly id: number;
  readonly limits: SendLimits;
}

/**
 * In the transaction that begins these rows, after they were counted: the count is locked until it ends, so that all
 * workers see one another. Throws CAP_EXCEEDED or BATCH_LEFT, and with it nothing is begun.
 */
export async function checkSharedLimits(
  query: Query,
  head: PlanHead,
  begun: readonly CountedRow[],
  { limits, worker }: { readonly limits: BatchLimits | undefined; readonly worker: WorkerLimits | undefined },
): Promise<void> {
  if (begun.length === 0) return;
  await takeRunRows(query, head.id, begun.length);
  for (const { currency, units, since } of await dayTotals(query, begun)) {
    const own = begun.flatMap(({ limits: { counts, day } }) =>
      counts?.currency === currency ? [{ counts, day }] : [],
    );
    const requested = own.reduce((sum, { counts }) => sum + unitsOf(counts), 0n);
    // The strictest of the caps of each worker's profile and of the batch.
    const caps = [...own.map(({ day }) => day?.max), capIn(limits, currency)].filter((cap) => cap !== undefined);
    const min = caps.reduce<Sum | undefined>(
      (low, cap) => (low === undefined || unitsOf(cap) < unitsOf(low) ? cap : low),
      undefined,
    );
    if (min === undefined) continue;
    const spentHere = worker?.spentHere(currency, since, await batchIds(query)) ?? 0n;
    const day = { profile: head.profile, max: min };
    // The totals of the database include these rows already.
    checkDay(day, sumOfUnits(requested, currency), since, units - requested + spentHere);
  }
}

async function batchIds(query: Query): Promise<ReadonlySet<string>> {
  return new Set((await query('SELECT id FROM paycli.batches')).map(({ id }) => String(id)));
}

function capIn(limits: BatchLimits | undefined, currency: string): Sum | undefined {
  return limits?.maxTotalPerDay.find((cap) => cap.currency === currency);
}

/** Counts these rows against the limit of rows for this run, where it has one. Throws BATCH_LEFT. */
async function takeRunRows(query: Query, batch: string, count: number): Promise<void> {
  const [limit] = await query(
    'UPDATE paycli.run_limits SET rows_left = rows_left - $2 WHERE batch = $1 RETURNING rows_left',
    [batch, count],
  );
  if (limit !== undefined && Number(limit['rows_left']) < 0)
    throw fail('BATCH_LEFT', {
      why: 'all rows that --max-rows allows have been started, counting every machine',
      how: '`paycli batch continue {batchAndWay}` lets every machine send the others; then `{again}`',
      batch,
    });
}

/** What all batches of this database sent on the day these rows are counted for, these included. */
async function dayTotals(
  query: Query,
  begun: readonly CountedRow[],
): Promise<readonly { readonly currency: string; readonly units: bigint; readonly since: number }[]> {
  const rows = await query(
    `SELECT total.currency, total.units::text AS units, extract(epoch FROM total.day)::bigint * 1000 AS since
     FROM paycli.day_totals AS total JOIN (
       SELECT DISTINCT base, login, profile, counted_currency AS currency, counted_day AS day FROM paycli.gate
       WHERE id = ANY($1::bigint[]) AND counted_units IS NOT NULL
     ) AS begun USING (base, login, profile, currency, day)`,
    [begun.map(({ id }) => id)],
  );
  return rows.map((row) => ({
    currency: String(row['currency']),
    units: BigInt(String(row['units'])),
    since: Number(row['since']),
  }));
}
