import { fail } from '../../../errors/index.js';
import {
  type AttemptResult,
  describeIntent,
  type Intent,
  isEqual,
  isState,
  type NewIntent,
  type Sender,
  type State,
  type Sum,
  states,
  unitsOf,
  wayOutOf,
} from '../../../journal/index.js';
import { contradicts, mayMove, settledManually } from '../../../journal/states.js';
import { gatewayName } from '../../../wire/address.js';
import type { ClaimedRow, PreparedRow } from '../../engine.js';
import type { BatchRow } from '../../plan.js';
import type { Query, Row } from './database.js';
import { isHeldSql } from './lease.js';
import {
  checkNoEqualSentRow,
  checkNotExcluded,
  hasEqualSentRowSql,
  hasOtherFollowUpSql,
  hasToWaitSql,
} from './order-rules.js';
import { intentColumns, intentFrom, stateOf } from './rows.js';

/** Which rows, and on whose behalf. */
export interface Claimant {
  readonly batch: string;
  readonly worker: string;
  readonly sender: Sender;
}

/** What a row counts against caps once it is begun; undefined where it moves no money, or nobody counts. */
type CountOf = (row: BatchRow) => Sum | undefined;

/** Of a row whose worker ended while it was sent. */
export const abandonedReason = 'the worker that sent it stopped before it recorded the outcome';

/**
 * In a transaction: what may leave is committed as `sending` by its end, and nobody else gets it. Throws
 * INTENT_DIFFERS.
 */
export async function claim(
  query: Query,
  rows: readonly PreparedRow[],
  claimant: Claimant,
  countOf: CountOf,
): Promise<ClaimedRow[]> {
  const wanted = new Map(onePerOrder(rows).map((each) => [each.row.number, each]));
  const claimed = await claimFree(query, [...wanted.values()], claimant, countOf);
  const others = [...wanted.keys()].filter((number) => !claimed.some((row) => row['number'] === number));
  const rest = others.length === 0 ? [] : await claimRest(query, others, claimant);
  const gated = [
    ...claimed.map((row) => [row, 'send'] as const),
    ...rest.map((row) => [row, actionFor(row, claimant)] as const),
  ];
  await checkNoEqualSentRow(query, claimed);
  if (gated.length === 1) await checkNotExcluded(query, gated[0]?.[0]);
  return gated.flatMap(([row, way]) => {
    const prepared = wanted.get(Number(row['number']));
    if (prepared === undefined) return [];
    const intent = intentFrom(row);
    checkSame(intent, prepared.intent);
    return way === undefined ? [] : [{ row: prepared.row, do: way, intent }];
  });
}

/** A second follow-up on an order has to wait for the first; it is handed out again later. */
function onePerOrder(rows: readonly PreparedRow[]): PreparedRow[] {
  const seen = new Set<string>();
  return rows.filter(({ intent: { kind, base, orderId } }) => {
    const order = JSON.stringify([base, orderId]);
    if (kind !== 'follow-up') return true;
    return !seen.has(order) && seen.add(order);
  });
}

function claimFree(
  query: Query,
  rows: readonly PreparedRow[],
  { batch, worker, sender }: Claimant,
  countOf: CountOf,
): Promise<Row[]> {
  const counts = rows.map(({ row }) => countOf(row));
  return query(
    `WITH given AS (SELECT * FROM unnest($2::int[], $3::text[], $8::numeric[], $9::text[]) AS given (number, content, units, currency)),
     free AS (
       SELECT gate.id, given.content, given.units, given.currency FROM paycli.gate JOIN given USING (number)
       WHERE gate.batch = $1 AND gate.state IN ('planned', 'not_sent') AND (gate.worker = $4 OR NOT ${isHeldSql})
       AND coalesce(gate.content, given.content) = given.content AND NOT ${hasToWaitSql}
       AND NOT ${hasEqualSentRowSql(rows[0]?.intent.kind ?? '')}
       ORDER BY gate.number FOR UPDATE OF gate SKIP LOCKED
     )
     UPDATE paycli.gate SET state = 'sending', attempts = attempts + 1, content = free.content, reason = '', worker = $4,
       host = $5, pid = $6, version = $7, counted_units = free.units, counted_currency = free.currency
     FROM free WHERE gate.id = free.id RETURNING ${intentColumns}`,
    [
      batch,
      rows.map(({ row }) => row.number),
      rows.map(({ intent }) => intent.content),
      worker,
      sender.host,
      sender.pid,
      sender.version,
      counts.map((sum) => (sum === undefined ? null : String(unitsOf(sum)))),
      counts.map((sum) => sum?.currency ?? null),
    ],
  );
}

/** Rows that this worker began and has, by their numbers; locked, so that nobody takes them over meanwhile. */
export async function begunBy(
  query: Query,
  { batch, worker }: Claimant,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, Intent>> {
  const rows = await query(
    `SELECT ${intentColumns} FROM paycli.gate WHERE batch = $1 AND worker = $2 AND state = 'sending'
     AND number = ANY($3::int[]) FOR UPDATE`,
    [batch, worker, numbers],
  );
  return new Map(rows.map((row) => [Number(row['number']), intentFrom(row)]));
}

/** What was not free: rows in doubt whose worker is gone become this worker's, and those in vain held are let go. */
async function claimRest(query: Query, numbers: readonly number[], claimant: Claimant): Promise<Row[]> {
  const { batch, worker } = claimant;
  await takeOverOpenRows(query, claimant, numbers);
  await query(
    "UPDATE paycli.gate SET worker = NULL WHERE batch = $1 AND number = ANY($2::int[]) AND worker = $3 AND state = 'planned'",
    [...[batch, numbers], worker],
  );
  return query(
    `SELECT ${intentColumns}, ${hasToWaitSql} AS waits FROM paycli.gate WHERE batch = $1 AND number = ANY($2::int[])`,
    [batch, numbers],
  );
}

/** Undefined for what is somebody's right now, or has to wait. */
function actionFor(row: Row, { worker }: Claimant): ClaimedRow['do'] | undefined {
  switch (stateOf(row)) {
    case 'planned':
    case 'not_sent':
    case 'sending':
      return undefined;
    case 'unknown':
    case 'accepted':
      return row['worker'] === worker ? 'ask' : undefined;
    case 'refused':
    case 'done':
    case 'declined':
    case 'withdrawn':
    case 'conflict':
      return 'show';
  }
}

function checkSame(known: Intent, wanted: NewIntent): void {
  const parts = ({ kind, operation, base, endpointId, clientOrderId, orderId, sum }: NewIntent) => [
    ...[kind, operation, gatewayName(base), endpointId, clientOrderId, sum?.minor, sum?.currency],
    kind === 'follow-up' ? orderId : undefined,
  ];
  const isSame = JSON.stringify(parts(known)) === JSON.stringify(parts(wanted));
  if (isSame && (known.content === '' || isEqual(known, wanted))) return;
  throw fail('INTENT_DIFFERS', {
    order: known.clientOrderId ?? known.orderId ?? '',
    what: `${describeIntent(known)}, ${known.state}`,
    ...wayOutOf(known),
  });
}

/**
 * Rows that were sent and whose end is open become this worker's when nobody who lives has them. One that was being
 * sent is unknown from here on: it may have left.
 */
export function takeOverOpenRows(
  query: Query,
  { batch, worker, sender }: Claimant,
  numbers?: readonly number[],
): Promise<Row[]> {
  return query(
    `UPDATE paycli.gate SET state = CASE state WHEN 'sending' THEN 'unknown' ELSE state END,
       reason = CASE state WHEN 'sending' THEN '${abandonedReason}' ELSE reason END, may_have_arrived = may_have_arrived OR state = 'sending',
       worker = $2, host = $3, pid = $4, version = $5
     WHERE id IN (
       SELECT id FROM paycli.gate WHERE batch = $1 AND state IN ('sending', 'unknown', 'accepted')
       AND ($6::int[] IS NULL OR number = ANY($6)) AND (NOT ${isHeldSql} OR (worker = $2 AND state <> 'sending')) FOR UPDATE SKIP LOCKED
     ) RETURNING ${intentColumns}`,
    [batch, worker, sender.host, sender.pid, sender.version, numbers ?? null],
  );
}

/**
 * Moves a row on where that is a step forward, and gives it as it stands then. Doing it twice is doing it once.
 * Evidence that contradicts how it ended makes it a conflict.
 */
export async function advanceRow(
  query: Query,
  intent: Intent,
  to: State,
  result: AttemptResult,
  sender: Sender,
): Promise<Row> {
  const { id, attempts } = intent;
  const [moved] = await query(
    `UPDATE paycli.gate SET state = $2, reason = $3, outcome = outcome || $4::jsonb, order_id = coalesce(order_id, $5),
       may_have_arrived = may_have_arrived OR $6, host = $7, pid = $8, version = $9,
       worker = CASE WHEN $2 IN ('unknown', 'accepted') THEN worker END
     WHERE id = $1 AND state = ANY($10::text[]) AND (state <> 'sending' OR attempts = $11)
       AND NOT (state = 'accepted' AND $2 = 'unknown' AND ${hasOtherFollowUpSql(['sending', 'unknown'])})
     RETURNING ${intentColumns}`,
    [
      ...[id, to, result.reason, JSON.stringify(result.outcome ?? {}), result.orderId ?? null],
      ...[to !== 'not_sent' && to !== 'refused', sender.host, sender.pid, sender.version],
      ...[statesBefore(to, result), attempts],
    ],
  );
  if (moved !== undefined) return moved;
  const [known] = await query(`SELECT ${intentColumns} FROM paycli.gate WHERE id = $1`, [id]);
  if (known === undefined) throw new Error('the gate lost a row');
  const before = intentFrom(known);
  return contradicts(before, to) ? ((await markConflict(query, before, result)) ?? known) : known;
}

/** From where a result leads to a state. A conflict is left by a person alone. */
function statesBefore(to: State, { isUnknownAtGateway }: AttemptResult): readonly State[] {
  if (to === 'sending') return [];
  // What a worker lost says nothing against what another one learned.
  const isLoss = to === 'unknown' && isUnknownAtGateway !== true;
  return Object.keys(states)
    .filter(isState)
    .filter((state) => state !== 'conflict' && mayMove(state, to) && !(isLoss && state === 'accepted'));
}

/** Undefined where it moved on since. */
async function markConflict(
  query: Query,
  { id, state, reason }: Intent,
  evidence: AttemptResult,
): Promise<Row | undefined> {
  const [conflict] = await query(
    `UPDATE paycli.gate SET state = 'conflict', reason = $3, outcome = outcome || $4::jsonb, may_have_arrived = true
     WHERE id = $1 AND state = $2 RETURNING ${intentColumns}`,
    [id, state, `${state} (${reason}), but ${evidence.reason}`, JSON.stringify(evidence.outcome ?? {})],
  );
  return conflict;
}

/** A worker that lives may still say what became of a row it is sending. Throws INTENT_BUSY. */
export async function takeFromDeadWorker(query: Query, intent: Intent, sender: Sender): Promise<Intent> {
  if (intent.state !== 'sending') return intent;
  const [held] = await query(`SELECT ${isHeldSql} AS held FROM paycli.gate WHERE id = $1`, [intent.id]);
  if (held?.['held'] === true) throw fail('INTENT_BUSY', { what: describeIntent(intent), pid: intent.sender.pid });
  return intentFrom(await advanceRow(query, intent, 'unknown', { reason: abandonedReason }, sender));
}

/**
 * What a person says became of a row whose outcome is open or in conflict, with what they say it on; in a transaction
 * of the caller. Throws INTENT_BUSY where it moved on since.
 */
export async function settleManually(
  query: Query,
  { id, state, attempts, clientOrderId, orderId }: Intent,
  to: 'done' | 'declined',
  facts: Readonly<Record<string, unknown>>,
  sender: Sender,
): Promise<Intent> {
  const [row] = await query(
    `UPDATE paycli.gate SET state = $2, reason = $3, host = $4, pid = $5, version = $6, worker = NULL
     WHERE id = $1 AND state = $7 AND attempts = $8 RETURNING ${intentColumns}`,
    [...[id, to, settledManually], sender.host, sender.pid, sender.version, state, attempts],
  );
  if (row === undefined)
    throw fail('INTENT_BUSY', { what: `order ${clientOrderId ?? orderId ?? ''}`, pid: sender.pid });
  await query(
    `INSERT INTO paycli.moves (gate, from_state, to_state, at, reason, facts)
     VALUES ($1, $2, $2, clock_timestamp(), $3, $4::jsonb)`,
    [id, to, settledManually, JSON.stringify({ ...facts, from: state })],
  );
  return intentFrom(row);
}
