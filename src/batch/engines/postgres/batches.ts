import { fail } from '../../../errors/index.js';
import type { Random } from '../../../runtime/ports.js';
import { operationById } from '../../../spec/index.js';
import { gatewayName } from '../../../wire/address.js';
import { approvalsOf } from '../../plan/approval.js';
import type { BatchRow, PlanHead, PlanStore } from '../../plan.js';
import { type BatchRecord, batchChangedInDatabase, findBatch } from './batch-record.js';
import { type Chunk, type ChunkQueue, chunkRows } from './chunk-queue.js';
import type { PostgresDatabase, Query } from './database.js';
import { checkIdentity, type ServerIdentity } from './identity.js';
import { checkInNoOtherBatch } from './order-rules.js';
import type { RowCipher } from './row-encryption.js';
import { lockNumber } from './schema.js';
import type { BatchLimits } from './shared-limits.js';

// Rows one transaction writes.
const groupRows = 40 * chunkRows;

/** Throws where this process cannot work on it: it was moved, or it is of another server or key. */
export function checkBatch(known: BatchRecord, here: ServerIdentity, cipher: RowCipher): void {
  const { head, server, keyCheck, movedTo } = known;
  if (movedTo !== undefined) throw movedElsewhere(head.id, movedTo);
  checkIdentity(server, here);
  checkKey(head.id, keyCheck, cipher);
}

/** The same for who has the plan and will have every row asked about: then the plan counts, not what stands there. */
export function checkBatchForRecovery({ head, keyCheck, movedTo }: BatchRecord, cipher: RowCipher): void {
  if (movedTo !== undefined) throw movedElsewhere(head.id, movedTo);
  checkKey(head.id, keyCheck, cipher);
}

/** Right before rows are begun, in the transaction that begins them; gives the batch as it is now. */
export async function checkBatchNow(
  query: Query,
  known: BatchRecord,
  here: ServerIdentity,
  cipher: RowCipher,
): Promise<BatchRecord> {
  const now = await findBatch({ query }, known.head.id);
  if (now === undefined || now.headText !== known.headText) throw batchChangedInDatabase();
  checkBatch(now, here, cipher);
  return now;
}

/** After every row was asked about: what stands there is the plan's head, at this server. */
export async function recoverBatch(
  { query }: PostgresDatabase,
  { head, headText, server, rate, limitsText }: BatchRecord,
): Promise<void> {
  await query(
    'UPDATE paycli.batches SET digest = $2, head = $3, system_id = $4, timeline = $5, database_oid = $6, rate = $7, limits = $8 WHERE id = $1',
    [
      ...[head.id, head.digest, headText, server.systemId, server.timeline, server.database, rate ?? null],
      limitsText ?? null,
    ],
  );
}

/** What whoever has the plan says anew for all workers; what is left out stays as it was. */
export interface BatchTerms {
  readonly rate: number | undefined;
  readonly limits?: BatchLimits | undefined;
}

/** Who has the plan says anew how fast and by which caps, and brings the approvals it has by now. */
export async function renewBatch(
  { query }: PostgresDatabase,
  known: BatchRecord,
  plan: PlanStore,
  { rate, limits }: BatchTerms,
): Promise<BatchRecord> {
  const approvals = approvalsOf(plan.events());
  const limitsText = limits === undefined ? known.limitsText : JSON.stringify(limits);
  const renewed = { ...known, approvals, rate: rate ?? known.rate, limitsText };
  const isSame =
    renewed.rate === known.rate &&
    limitsText === known.limitsText &&
    JSON.stringify(approvals) === JSON.stringify(known.approvals);
  if (isSame) return known;
  await query('UPDATE paycli.batches SET approvals = $2, rate = $3, limits = $4 WHERE id = $1', [
    ...[known.head.id, JSON.stringify(approvals), renewed.rate ?? null, limitsText ?? null],
  ]);
  return renewed;
}

export function limitsOf({ limitsText }: BatchRecord): BatchLimits | undefined {
  if (limitsText === undefined) return undefined;
  const limits: BatchLimits = JSON.parse(limitsText);
  return limits;
}

export function movedElsewhere(id: string, to: string): Error {
  return fail('BATCH_REFUSED', {
    why: `batch ${id} goes on in ${to}, a restored copy of this database`,
    how: 'nothing was sent; continue it there, from the machine that planned it',
    batch: id,
    engine: to,
  });
}

export function contentDiffers(id: string): Error {
  return fail('BATCH_REFUSED', {
    why: `batch ${id} is in the database with different content`,
    how: 'nothing was sent; plan the file again',
    batch: id,
  });
}

/** Throws SECRET_UNREADABLE for the key of another batch. */
export function checkKey(id: string, keyCheck: string, cipher: RowCipher): void {
  if (keyCheck !== cipher.keyCheck)
    throw fail('SECRET_UNREADABLE', {
      what: '--row-key-file',
      why: `is not the row key of batch ${id}`,
      how: 'use the file that the first `paycli batch run` of this batch used',
      batch: id,
    });
}

interface BatchUpload {
  readonly plan: PlanStore;
  readonly cipher: RowCipher;
  readonly queue: ChunkQueue;
  readonly server: ServerIdentity;
  readonly random: Random;
}

/**
 * Puts a frozen plan in, rows and chunks in one transaction; once only. Throws when rows of it stand there for another
 * batch.
 */
export async function uploadBatch(database: PostgresDatabase, parts: BatchUpload): Promise<void> {
  const { plan, cipher, server } = parts;
  const { head } = plan;
  await database.transaction(async (query) => {
    await query('SELECT pg_advisory_xact_lock($1)', [lockNumber]);
    const [known] = await query('SELECT digest FROM paycli.batches WHERE id = $1', [head.id]);
    if (known !== undefined && known['digest'] !== head.digest) throw contentDiffers(head.id);
    if (known !== undefined) return;
    await query(
      'INSERT INTO paycli.batches (id, digest, head, key_check, system_id, timeline, database_oid) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [
        ...[head.id, head.digest, JSON.stringify(head), cipher.keyCheck],
        ...[server.systemId, server.timeline, server.database],
      ],
    );
    await uploadRows(query, parts);
    if ((await countRows(query, head)) !== head.count)
      throw fail('BATCH_REFUSED', {
        why: 'the plan has fewer rows than its header says',
        how: 'nothing was sent; plan the file again',
      });
  });
}

async function uploadRows(query: Query, { plan, cipher, queue, random }: BatchUpload): Promise<void> {
  const { head } = plan;
  await queue.make(query);
  for (let first = 1; first <= head.count; first += groupRows) {
    const rows = plan.rows(first, groupRows);
    await checkInNoOtherBatch(query, head, rows);
    await insertRows(query, head, rows, (row) => cipher.encrypt(row, random));
    await queue.put(chunksOf(rows), query);
  }
}

async function countRows(query: Query, { id }: PlanHead): Promise<number> {
  const [count] = await query('SELECT count(*)::int AS rows FROM paycli.gate WHERE batch = $1', [id]);
  return Number(count?.['rows']);
}

function chunksOf(rows: readonly BatchRow[]): Chunk[] {
  return rows
    .filter((_, at) => at % chunkRows === 0)
    .map(({ number }, at) => ({
      first: number,
      last: rows[(at + 1) * chunkRows - 1]?.number ?? rows.at(-1)?.number ?? number,
    }));
}

/** The follow-ups of one order are numbered on, whatever batch they stand in and whatever endpoint they go to. */
async function insertRows(
  query: Query,
  head: PlanHead,
  rows: readonly BatchRow[],
  close: (row: BatchRow) => Uint8Array,
): Promise<void> {
  const { id, operation, base, login, profile, class: kind } = head;
  await query(
    `INSERT INTO paycli.gate (batch, operation, base, login, profile, class, kind, effect, number, line, endpoint_id, client_order_id, order_id,
       minor, currency, sealed, sequence)
     SELECT $1, $2, $3, $4, $5, $6, $7, $8, given.*, CASE $7 WHEN 'opening' THEN 1 ELSE
       (SELECT coalesce(max(sequence), 0) FROM paycli.gate WHERE gate.kind = 'follow-up' AND gate.base = $3 AND gate.operation = $2
         AND gate.order_id = given.order_id)
       + row_number() OVER (PARTITION BY given.order_id ORDER BY given.number) END
     FROM unnest($9::int[], $10::int[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::text[], $16::bytea[])
       AS given (number, line, endpoint_id, client_order_id, order_id, minor, currency, sealed)`,
    [
      ...[id, operation, gatewayName(base), login, profile, kind],
      ...[opens(head) ? 'opening' : 'follow-up', operationById(operation).effect],
      ...[rows.map(({ number }) => number), rows.map(({ line }) => line), rows.map(({ endpointId }) => endpointId)],
      rows.map(({ values }) => values['clientOrderId'] ?? null),
      rows.map(({ values }) => (opens(head) ? null : (values['orderId'] ?? null))),
      rows.map(({ sum }) => sum?.minor ?? null),
      rows.map(({ sum }) => sum?.currency ?? null),
      rows.map(close),
    ],
  );
}

function opens(head: PlanHead): boolean {
  return operationById(head.operation).opens;
}

/** Throws USAGE for what stays on one machine. */
export function checkShareable(head: PlanHead, command: string): void {
  if (head.hasCards)
    throw fail('USAGE', {
      why: `batch ${head.id} holds card numbers, which must stay on the machine with the file; run it without --engine`,
      batch: head.id,
      command,
    });
  if (operationById(head.operation).effect === 'read')
    throw fail('USAGE', {
      why: `batch ${head.id} only queries statuses, which moves no money; run it without --engine`,
      batch: head.id,
      command,
    });
}
