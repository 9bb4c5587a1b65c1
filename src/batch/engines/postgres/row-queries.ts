import type { Intent, Sender } from '../../../journal/index.js';
import type { StateTotal } from '../../engine.js';
import type { BatchRow, PlanHead } from '../../plan.js';
import type { Query } from './database.js';
import type { RowCipher } from './row-encryption.js';
import { intentColumns, intentFrom, RemotePlan, stateOf } from './rows.js';

/** What became of these rows, by their numbers; those nobody began are left out. */
export async function begunIntents(
  query: Query,
  batch: string,
  rows: readonly Pick<BatchRow, 'number'>[],
): Promise<ReadonlyMap<number, Intent>> {
  const found = await query(
    `SELECT ${intentColumns} FROM paycli.gate WHERE batch = $1 AND number = ANY($2::int[]) AND attempts > 0`,
    [batch, rows.map(({ number }) => number)],
  );
  return new Map(found.map((row) => [Number(row['number']), intentFrom(row)]));
}

/** Count and money by state and currency. */
export async function tallyOf(query: Query, batch: string): Promise<readonly StateTotal[]> {
  const rows = await query(
    `SELECT state, currency, count(*)::int AS count, coalesce(sum(minor), 0)::text AS minor FROM paycli.gate WHERE \
batch = $1
     GROUP BY state, currency ORDER BY state, currency`,
    [batch],
  );
  return rows.map((row) => {
    const currency = row['currency'] === null ? undefined : String(row['currency']);
    return { state: stateOf(row), currency, count: Number(row['count']), minor: String(row['minor']) };
  });
}

/** Every intent on an order at the place of this one, whatever batch it is of. */
export async function intentsOnOrder(
  query: Query,
  { base, endpointId }: Intent,
  orderId: string,
): Promise<readonly Intent[]> {
  const rows = await query(
    `SELECT ${intentColumns} FROM paycli.gate WHERE base = $1 AND endpoint_id = $2 AND order_id = $3 ORDER BY id`,
    [base, endpointId, orderId],
  );
  return rows.map(intentFrom);
}

/** A process at a batch, and the rows that are its. */
export interface WorkerView {
  readonly host: string;
  readonly pid: number;
  /** Its lease holds. */
  readonly isAlive: boolean;
  readonly sending: number;
  /** Sent, and their end is open. */
  readonly open: number;
}

/** Those that live, and those that left rows behind. */
export async function workersAt(query: Query, batch: string): Promise<readonly WorkerView[]> {
  const rows = await query(
    `SELECT host, pid, lease_until > clock_timestamp() AS alive, coalesce(own.sending, 0)::int AS sending,
       coalesce(own.open, 0)::int AS open
     FROM paycli.workers LEFT JOIN (
       SELECT worker, count(*) FILTER (WHERE state = 'sending') AS sending,
         count(*) FILTER (WHERE state IN ('unknown', 'accepted')) AS open
       FROM paycli.gate WHERE batch = $1 AND state IN ('sending', 'unknown', 'accepted') GROUP BY worker
     ) AS own ON own.worker = workers.id
     WHERE batch = $1 AND (lease_until > clock_timestamp() OR own.sending > 0) ORDER BY workers.id`,
    [batch],
  );
  return rows.map((row) => ({
    ...{ host: String(row['host']), pid: Number(row['pid']), isAlive: row['alive'] === true },
    ...{ sending: Number(row['sending']), open: Number(row['open']) },
  }));
}

/** Every begun row at a gateway about an order of one of these names, whatever batch it is of. */
export async function intentsNamed(query: Query, base: string, names: readonly string[]): Promise<readonly Intent[]> {
  const rows = await query(
    `SELECT ${intentColumns} FROM paycli.gate WHERE base = $1 AND attempts > 0
     AND (client_order_id = ANY($2::text[]) OR order_id = ANY($2::text[])) ORDER BY id`,
    [base, names],
  );
  return rows.map(intentFrom);
}

interface Remark {
  readonly what: string;
  readonly why: string;
  /** Null for a command that is no worker. */
  readonly worker: string | null;
  readonly sender: Sender;
}

/** Notes something about a row that does not move it. */
export async function addRemark(
  query: Query,
  intent: Intent,
  { what, why, worker, sender: { host, pid, version } }: Remark,
): Promise<void> {
  await query(
    `INSERT INTO paycli.moves (gate, from_state, to_state, at, worker, reason, facts)
     SELECT id, state, state, clock_timestamp(), $2, $3, $4::jsonb FROM paycli.gate WHERE id = $1`,
    [intent.id, worker, what, JSON.stringify({ why, host, pid, version })],
  );
}

/** Whether the gateway gave a row its final status. */
export async function hasFinalRow(query: Query, batch: string): Promise<boolean> {
  const [found] = await query(
    `SELECT EXISTS (SELECT FROM paycli.gate WHERE batch = $1 AND state IN ('done', 'declined')) AS found`,
    [batch],
  );
  return found?.['found'] === true;
}

/** Of the rows that may still be sent, the one of the largest amount for each currency and endpoint. */
export async function largestRows(query: Query, head: PlanHead, seal: RowCipher): Promise<readonly BatchRow[]> {
  const found = await query(
    `SELECT DISTINCT ON (endpoint_id, currency) number FROM paycli.gate WHERE batch = $1 AND state IN ('planned', \
'not_sent')
     ORDER BY endpoint_id, currency, minor DESC`,
    [head.id],
  );
  const rows = new RemotePlan(head, seal);
  await rows.load(
    found.map(({ number }) => Number(number)),
    query,
  );
  return rows.rows(1, found.length);
}
