import { isDeepStrictEqual } from 'node:util';
import { fail } from '../../../errors/index.js';
import type { BatchRow } from '../../plan.js';
import type { BatchRecord } from './batch-record.js';
import { pinSearchPath, type Query, type Row } from './database.js';
import { checkTable } from './plain-tables.js';
import type { RowCipher, RowVersion } from './row-encryption.js';
import { clearRowFrom } from './rows.js';

/**
 * A permit to send a row once: a row of `paycli.unsent` with a MAC over the row's number, the transaction that wrote it
 * and the number of the table. Whoever begins a row deletes its permit in the same transaction. The state of a row can
 * be set back by the owner of the tables, rules switched off or not; its permit cannot: put back by any later statement
 * it bears the number of another transaction (xmin), a copy that was made in the same transaction stands in another
 * table (tableoid), and without the key nobody makes a MAC for these.
 */
const groupRows = 10_000;

/** The version that all rows have which this transaction writes into the table. */
async function versionWrittenNow(query: Query, table: 'unsent' | 'batches'): Promise<RowVersion> {
  await pinSearchPath(query);
  const [now] = await query(
    `SELECT (txid_current() % 4294967296)::text AS written, 'paycli.${table}'::regclass::oid::text AS written_in`,
  );
  return versionFrom(now);
}

const versionSql = (table: 'unsent' | 'batches') =>
  `${table}.xmin::text AS written, ${table}.tableoid::text AS written_in`;

function versionFrom(row: Row | undefined): RowVersion {
  return { transaction: String(row?.['written']), table: String(row?.['written_in']) };
}

/** The table that was written to is the one whose number stands in the proofs. */
async function checkTableIs(query: Query, table: 'unsent' | 'batches', { table: id }: RowVersion): Promise<void> {
  if ((await checkTable(query, table)) !== id) throw new Error(`paycli.${table} was replaced by another table`);
}

/** In a transaction of the caller, who has the plan: permits for all rows that nobody sent, and for no other. */
export async function grantPermits(query: Query, batch: string, cipher: RowCipher): Promise<void> {
  await query('DELETE FROM paycli.unsent WHERE batch = $1', [batch]);
  for (let after = 0; ; ) {
    const rows = await query(
      "SELECT number FROM paycli.gate WHERE batch = $1 AND state IN ('planned', 'not_sent') AND number > $2 ORDER BY number LIMIT $3",
      [batch, after, groupRows],
    );
    const numbers = rows.map(({ number }) => Number(number));
    await grantPermitsTo(query, batch, cipher, numbers);
    if (numbers.length < groupRows) return;
    after = numbers.at(-1) ?? after;
  }
}

/** In a transaction of the caller, which also writes down that none of them left. */
export async function grantPermitsTo(
  query: Query,
  batch: string,
  cipher: RowCipher,
  numbers: readonly number[],
): Promise<void> {
  const now = await versionWrittenNow(query, 'unsent');
  const proofs = numbers.map((number) => cipher.proveUnsent(number, now));
  await query(
    `INSERT INTO paycli.unsent (batch, number, proof) SELECT $1, * FROM unnest($2::int[], $3::text[])
     ON CONFLICT (batch, number) DO UPDATE SET proof = excluded.proof`,
    [batch, numbers, proofs],
  );
  await checkTableIs(query, 'unsent', now);
}

/**
 * What looks unsent is going to be sent from elsewhere: all of it has its permit, or nothing is moved. Throws STORAGE.
 */
export async function verifyPermits(query: Query, batch: string, cipher: RowCipher): Promise<void> {
  for (let after = 0; ; ) {
    await pinSearchPath(query);
    const rows = await query(
      `SELECT gate.number, unsent.batch, unsent.number AS permitted, unsent.proof, ${versionSql('unsent')} FROM ONLY paycli.gate
         LEFT JOIN ONLY paycli.unsent ON unsent.batch = gate.batch AND unsent.number = gate.number
       WHERE gate.batch = $1 AND gate.state IN ('planned', 'not_sent') AND gate.number > $2 ORDER BY gate.number LIMIT $3`,
      [batch, after, groupRows],
    );
    const table = await checkTable(query, 'unsent', ['gate']);
    for (const row of rows)
      if (!isPermit(row, batch, Number(row['number']), table, cipher)) throw notProvenUnsent(Number(row['number']));
    if (rows.length < groupRows) return;
    after = Number(rows.at(-1)?.['number']);
  }
}

function isPermit(row: Row, batch: string, number: number, table: string, cipher: RowCipher): boolean {
  const written = versionFrom(row);
  const isOwn = row['batch'] === batch && Number(row['permitted']) === number && written.table === table;
  return isOwn && cipher.isProvenUnsent(number, written, String(row['proof']));
}

/** The holder of the key says in the batch itself that it left; bound to transaction and table as a permit is. */
export async function proveMove(query: Query, batch: string, cipher: RowCipher): Promise<void> {
  const now = await versionWrittenNow(query, 'batches');
  await query('UPDATE paycli.batches SET proof = $2 WHERE id = $1', [batch, cipher.prove(moveFacts(now))]);
  await checkTableIs(query, 'batches', now);
}

const moveFacts = ({ transaction, table }: RowVersion) => ['moved', transaction, table];

export async function isMovedAway(
  query: Query,
  { head, movedTo, proof }: BatchRecord,
  cipher: RowCipher,
): Promise<boolean> {
  await pinSearchPath(query);
  const [row] = await query(`SELECT ${versionSql('batches')} FROM ONLY paycli.batches WHERE id = $1`, [head.id]);
  const written = versionFrom(row);
  const table = await checkTable(query, 'batches');
  return (
    table === written.table &&
    movedTo !== undefined &&
    proof !== undefined &&
    cipher.isProven(moveFacts(written), proof)
  );
}

/** Nothing of a batch is sent from here any more, whatever becomes of its other rows in the tables. */
export async function revokePermits(query: Query, batch: string): Promise<void> {
  await query('DELETE FROM paycli.unsent WHERE batch = $1', [batch]);
}

/**
 * In the transaction that begins these rows: each is the one that was put in, opens with the key, and was never begun.
 * Throws STORAGE, and with it nothing is begun.
 */
export async function consumePermits(
  query: Query,
  batch: string,
  cipher: RowCipher,
  rows: readonly { readonly row: BatchRow }[],
): Promise<void> {
  if (rows.length === 0) return;
  // Before, so that a view is told as what it is; and again once it is locked, so that nobody changes it any more.
  await checkTable(query, 'unsent');
  const found = await query(
    `DELETE FROM ONLY paycli.unsent USING ONLY paycli.gate
     WHERE unsent.batch = $1 AND unsent.number = ANY($2::int[]) AND gate.batch = unsent.batch AND gate.number = unsent.number
     RETURNING gate.number, gate.line, gate.endpoint_id, gate.minor, gate.currency, gate.sealed, unsent.batch, unsent.number AS permitted,
       unsent.proof, ${versionSql('unsent')}`,
    [batch, rows.map(({ row }) => row.number)],
  );
  const table = await checkTable(query, 'unsent', ['gate']);
  for (const { row } of rows) {
    const known = found.find(({ number }) => Number(number) === row.number);
    if (known === undefined || !isPermit(known, batch, row.number, table, cipher)) throw notProvenUnsent(row.number);
    const { sealed } = known;
    const opened = sealed instanceof Uint8Array ? cipher.decrypt(clearRowFrom(known), sealed) : undefined;
    if (!isDeepStrictEqual(opened?.values, row.values)) throw cipher.changedRowError(row.number);
  }
}

export function notProvenUnsent(number: number): Error {
  return fail('rowNotProvenUnsent', { row: number });
}
