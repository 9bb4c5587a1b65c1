import { isDeepStrictEqual } from 'node:util';
import { fail } from '../../../errors/index.js';
import type { BatchRow } from '../../plan.js';
import type { Query } from './database.js';
import type { BatchRecord } from './identity.js';
import type { RowCipher } from './row-encryption.js';
import { clearRowFrom } from './rows.js';

/**
 * A permit to send a row once: a row of `paycli.unsent` with a MAC over the row's number and the transaction that wrote it. Whoever begins a
 * row deletes its permit in the same transaction. The state of a row can be set back by the owner of the tables, rules switched off or
 * not; its permit cannot: put back by any later statement it bears the number of another transaction (xmin), and without the key nobody
 * makes a MAC for that one.
 */
const groupRows = 10_000;

/** The number that the rows written by this transaction bear. */
const transactionSql = 'SELECT (txid_current() % 4294967296)::text AS number';

/** In a transaction of the caller, who has the plan: permits for all rows that nobody sent, and for no other. */
export async function grantPermits(query: Query, batch: string, seal: RowCipher): Promise<void> {
  await query('DELETE FROM paycli.unsent WHERE batch = $1', [batch]);
  for (let after = 0; ; ) {
    const rows = await query(
      `SELECT number FROM paycli.gate WHERE batch = $1 AND state IN ('planned', 'not_sent') AND number > $2 ORDER BY number LIMIT $3`,
      [batch, after, groupRows],
    );
    const numbers = rows.map(({ number }) => Number(number));
    await grantPermitsTo(query, batch, seal, numbers);
    if (numbers.length < groupRows) return;
    after = numbers.at(-1) ?? after;
  }
}

/** In a transaction of the caller, which also writes down that none of them left. */
export async function grantPermitsTo(query: Query, batch: string, seal: RowCipher, numbers: readonly number[]): Promise<void> {
  const [transaction] = await query(transactionSql);
  const proofs = numbers.map((number) => seal.proveUnsent(number, String(transaction?.['number'])));
  await query(
    `INSERT INTO paycli.unsent (batch, number, proof) SELECT $1, * FROM unnest($2::int[], $3::text[])
     ON CONFLICT (batch, number) DO UPDATE SET proof = excluded.proof`,
    [batch, numbers, proofs],
  );
}

/** What looks unsent is going to be sent from elsewhere: all of it has its permit, or nothing is moved. Throws STORAGE. */
export async function verifyPermits(query: Query, batch: string, seal: RowCipher): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await query(
      `SELECT gate.number, unsent.proof, unsent.xmin::text AS written FROM paycli.gate LEFT JOIN ONLY paycli.unsent USING (batch, number)
       WHERE gate.batch = $1 AND gate.state IN ('planned', 'not_sent') AND gate.number > $2 ORDER BY gate.number LIMIT $3`,
      [batch, after, groupRows],
    );
    await checkTable(query, 'unsent');
    for (const row of rows)
      if (!seal.verifyUnsent(Number(row['number']), String(row['written']), String(row['proof'])))
        throw notProvenUnsent(Number(row['number']));
    if (rows.length < groupRows) return;
    after = Number(rows.at(-1)?.['number']);
  }
}

/** The holder of the key says in the batch itself that it left; bound to the transaction as a permit is. */
export async function proveMove(query: Query, batch: string, seal: RowCipher): Promise<void> {
  const [transaction] = await query(transactionSql);
  const proof = seal.prove(['moved', String(transaction?.['number'])]);
  await query('UPDATE paycli.batches SET proof = $2 WHERE id = $1', [batch, proof]);
}

export async function isMovedAway(query: Query, { head, movedTo, proof }: BatchRecord, seal: RowCipher): Promise<boolean> {
  const [row] = await query('SELECT xmin::text AS written FROM ONLY paycli.batches WHERE id = $1', [head.id]);
  await checkTable(query, 'batches');
  return movedTo !== undefined && proof !== undefined && seal.isProven(['moved', String(row?.['written'])], proof);
}

/** A view may have a column that is called xmin and says anything. */
async function checkTable(query: Query, name: 'unsent' | 'batches'): Promise<void> {
  const [table] = await query(
    `SELECT relkind = 'r' AND NOT relhasrules AS is_plain FROM pg_catalog.pg_class WHERE oid = 'paycli.${name}'::pg_catalog.regclass`,
  );
  if (table?.['is_plain'] === true) return;
  throw fail('STORAGE', {
    what: `paycli.${name} in the database`,
    why: 'it is no longer the plain table that paycli made',
    how: 'nothing more is sent; find out who changed it',
  });
}

/** Nothing of a batch is sent from here any more, whatever becomes of its other rows in the tables. */
export async function revokePermits(query: Query, batch: string): Promise<void> {
  await query('DELETE FROM paycli.unsent WHERE batch = $1', [batch]);
}

/**
 * In the transaction that begins these rows: each is the one that was put in, opens with the key, and was never begun. Throws STORAGE,
 * and with it nothing is begun.
 */
export async function consumePermits(
  query: Query,
  batch: string,
  seal: RowCipher,
  rows: readonly { readonly row: BatchRow }[],
): Promise<void> {
  if (rows.length === 0) return;
  const found = await query(
    `DELETE FROM ONLY paycli.unsent USING paycli.gate
     WHERE unsent.batch = $1 AND unsent.number = ANY($2::int[]) AND gate.batch = unsent.batch AND gate.number = unsent.number
     RETURNING gate.number, gate.line, gate.endpoint_id, gate.minor, gate.currency, gate.sealed, unsent.proof, unsent.xmin::text AS written`,
    [batch, rows.map(({ row }) => row.number)],
  );
  await checkTable(query, 'unsent');
  for (const { row } of rows) {
    const known = found.find(({ number }) => Number(number) === row.number);
    if (known === undefined || !seal.verifyUnsent(row.number, String(known['written']), String(known['proof'])))
      throw notProvenUnsent(row.number);
    const { sealed } = known;
    const opened = sealed instanceof Uint8Array ? seal.decrypt(clearRowFrom(known), sealed) : undefined;
    if (!isDeepStrictEqual(opened?.values, row.values)) throw seal.changed(row.number);
  }
}

function notProvenUnsent(number: number): Error {
  return fail('STORAGE', {
    what: `row ${number} of the batch`,
    why: 'nothing proves that it was not sent: it was set back or changed in the database',
    how: 'nothing more is sent; find out who changed it; `paycli batch resume PLAN --engine … --after-restore`, on the machine that planned it, asks the gateway about every row before it goes on',
  });
}
