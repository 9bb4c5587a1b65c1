import { fail } from '../../../errors/index.js';
import { doubtfulStates, reachedStates, type State, stateClause, unsentStates } from '../../../journal/states.js';
import { captureOperation, operationById, returnOperation } from '../../../spec/index.js';
import { gatewayName } from '../../../wire/address.js';
import type { BatchRow, PlanHead } from '../../plan.js';
import { DatabaseFailure, type Query, type Row, serializationFailure } from './database.js';

// Which rows may not be sent beside or after each other. Orders are told apart by their ids alone: a follow-up may go
// to another endpoint of the gateway than its order was made at, and the gateway gives an order id once.

const listed = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

const otherFollowUpSql = (condition: string) => `(gate.kind = 'follow-up' AND EXISTS (SELECT FROM paycli.gate AS other
  WHERE other.kind = 'follow-up' AND other.base = gate.base AND other.order_id = gate.order_id AND other.id <> gate.id
  AND ${condition}))`;

/** In a statement: another follow-up on the order of a row is in one of these states. */
export const hasOtherFollowUpSql = (states: readonly State[]) => otherFollowUpSql(`other.state IN (${listed(states)})`);

/**
 * In a statement: a row has to wait. Another follow-up on its order is in doubt; or one of the same operation is
 * pending, and the row is for all that is left, so that both would move it.
 */
export const hasToWaitSql = otherFollowUpSql(`(other.state IN (${listed(doubtfulStates)}) OR (other.state = 'accepted'
  AND other.operation = gate.operation AND gate.minor IS NULL AND gate.operation IN (${listed([returnOperation.id, captureOperation.id])})))`);

/** A row and another one that are the same request. For openings the condition of their index stands here as well. */
const isSameSql = (kind: string) => `other.base = gate.base AND other.operation = gate.operation
  AND other.minor IS NOT DISTINCT FROM gate.minor AND other.currency IS NOT DISTINCT FROM gate.currency AND ${
    kind === 'opening'
      ? `other.kind = 'opening' AND other.client_order_id = gate.client_order_id
         AND other.state NOT IN ('refused', 'withdrawn')`
      : "other.kind = 'follow-up' AND other.order_id = gate.order_id"
  }`;

/** Rows of other batches that are the same request and were sent, or may have been since their batch was moved away. */
const equalSentRowsSql = (kind: string) => `paycli.gate AS other JOIN paycli.batches AS owner ON owner.id = other.batch
  WHERE other.batch <> gate.batch AND ${isSameSql(kind)} AND (other.state IN (${listed(reachedStates)})
    OR (owner.moved_to IS NOT NULL AND other.state IN (${listed(unsentStates)})))`;

/**
 * In a statement: a row of another batch is the same request and was sent. Nobody puts such a row in, but earlier
 * versions did where it went to another endpoint.
 */
export const hasEqualSentRowSql = (kind: string) => `EXISTS (SELECT FROM ${equalSentRowsSql(kind)})`;

/**
 * Right after rows were begun, in the same transaction, when no other follow-up on their orders can begin any more:
 * what was sent and ended while the statement that began them ran is seen here. The next try leaves the row out.
 */
export async function checkNoEqualSentRow(query: Query, begun: readonly Row[]): Promise<void> {
  const ids = begun.filter(({ kind }) => kind === 'follow-up').map(({ id }) => String(id));
  if (ids.length === 0) return;
  const [equal] = await query(
    `SELECT gate.id FROM paycli.gate WHERE id = ANY($1::bigint[]) AND ${hasEqualSentRowSql('follow-up')} LIMIT 1`,
    [ids],
  );
  // The transaction is tried again, and then sees it.
  if (equal !== undefined) throw new DatabaseFailure(serializationFailure, undefined);
}

/** Why a row that nobody has sent is left out, where it was the only one asked for. Throws it. */
export async function checkNotExcluded(query: Query, row: Row | undefined): Promise<void> {
  if (row?.['state'] !== 'planned' && row?.['state'] !== 'not_sent') return;
  const kind = String(row['kind']);
  const order = String(row[kind === 'opening' ? 'client_order_id' : 'order_id']);
  if (row['waits'] === true) throw fail('ORDER_BUSY', { order, what: 'another row for it', clause: 'is in flight' });
  const [equal] = await query(
    `SELECT other.batch, other.state FROM paycli.gate CROSS JOIN LATERAL (SELECT other.* FROM ${equalSentRowsSql(kind)})
     AS other WHERE gate.id = $1 ORDER BY other.id LIMIT 1`,
    [String(row['id'])],
  );
  if (equal === undefined) return;
  throw fail('SAME_CONTENT_SENT', { order, state: `${String(equal['state'])} in batch ${String(equal['batch'])}` });
}

/**
 * Before rows are put in: a client order id that another batch has, or an equal follow-up, would be a second payment.
 * Throws BATCH_REFUSED.
 */
export async function checkInNoOtherBatch(query: Query, head: PlanHead, rows: readonly BatchRow[]): Promise<void> {
  const { opens } = operationById(head.operation);
  const [first] = await query(
    `SELECT given.number, gate.batch, gate.state FROM unnest($1::int[], $2::text[], $3::text[], $4::text[])
       AS given (number, own, minor, currency) JOIN paycli.gate ON gate.base = $5 AND gate.batch <> $6
       AND gate.state NOT IN ('refused', 'withdrawn') AND ${
         opens
           ? "gate.kind = 'opening' AND gate.client_order_id = given.own"
           : `gate.kind = 'follow-up' AND gate.order_id = given.own AND gate.operation = '${head.operation}'
              AND gate.minor::text IS NOT DISTINCT FROM given.minor
              AND gate.currency IS NOT DISTINCT FROM given.currency`
       } ORDER BY given.number LIMIT 1`,
    [
      rows.map(({ number }) => number),
      rows.map(({ values }) => values[opens ? 'clientOrderId' : 'orderId'] ?? ''),
      rows.map(({ sum }) => sum?.minor ?? null),
      rows.map(({ sum }) => sum?.currency ?? null),
      ...[gatewayName(head.base), head.id],
    ],
  );
  if (first === undefined) return;
  throw fail('BATCH_REFUSED', {
    why: `row ${String(first['number'])} is already in batch ${String(first['batch'])}, where it ${stateClause(String(first['state']))}`,
    how: 'nothing was sent; finish that batch, or remove its rows from the file and plan it again',
    row: String(first['number']),
    batch: String(first['batch']),
  });
}
