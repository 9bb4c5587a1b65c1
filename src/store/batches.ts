import { insertRequest } from './begin.js';
import type { Added, Approval, Batch, BatchChange, BatchState, NewRow } from './port.js';
import { batchFrom, requestFrom } from './rows.js';
import { statesMovedBy } from './states.js';
import type { Store } from './store.js';

/** Within a change. */
export function insertBatch(store: Store, batch: Omit<Batch, 'state' | 'createdAt'>): Batch {
  const { id, digest, head, canary, rate = null, rowsLeft = null } = batch;
  store.database.run(
    "INSERT INTO batch VALUES (?, ?, ?, 'planning', ?, ?, ?, ?)",
    ...[id, digest, JSON.stringify(head), canary, rate, rowsLeft, store.now()],
  );
  return readBatch(store, id);
}

/** Within a change. */
export function insertRows(store: Store, batch: string, rows: readonly NewRow[]): readonly Added[] {
  const { database, parts } = store;
  if (readBatch(store, batch).state !== 'planning') throw new Error(`batch ${batch} has all its rows`);
  const ownerSql = `SELECT * FROM request WHERE client_order_id = ? AND base = ? AND login = ? AND kind = 'payment'
    AND state <> 'cancelled'`;
  const now = store.now();
  return rows.map((row): Added => {
    const owner =
      row.kind === 'payment' && row.clientOrderId !== undefined
        ? database.get(ownerSql, row.clientOrderId, row.base, row.login)
        : undefined;
    if (owner !== undefined) return { other: requestFrom(owner) };
    const payload = parts.secrets.encrypt(row.payload, payloadName(batch, row.number));
    return { id: insertRequest(store, row, now, { batch, number: row.number, payload }) };
  });
}

const payloadName = (batch: string, number: number) => JSON.stringify(['payload', batch, number]);

export function decryptPayloads({ database, parts }: Store, ids: readonly number[]): ReadonlyMap<number, string> {
  const sql = `SELECT id, batch, number, payload FROM request
    WHERE payload IS NOT NULL AND id IN (SELECT value FROM json_each(?))`;
  const found = new Map<number, string>();
  for (const { id, batch, number, payload } of database.all(sql, JSON.stringify(ids))) {
    const text = parts.secrets.decrypt(String(payload), payloadName(String(batch), Number(number)));
    if (text === undefined) throw new Error(`row ${number} of batch ${batch} cannot be decrypted`);
    found.set(Number(id), text);
  }
  return found;
}

/** Within a change. */
export function clearPayloads({ database }: Store, batch: string): boolean {
  const mayBeNeeded =
    "SELECT 1 FROM request WHERE batch = ? AND state IN ('planned', 'not_sent', 'sending', 'unknown')";
  if (database.get(mayBeNeeded, batch) !== undefined) return false;
  database.run('UPDATE request SET payload = NULL WHERE batch = ? AND payload IS NOT NULL', batch);
  return true;
}

/** Within a change. */
export function deleteBatch({ database }: Store, id: string): void {
  const isPlanning = "EXISTS (SELECT 1 FROM batch WHERE id = ?1 AND state = 'planning')";
  database.run(`DELETE FROM request WHERE batch = ?1 AND ${isPlanning}`, id);
  database.run("DELETE FROM batch WHERE id = ? AND state = 'planning'", id);
}

/** Within a change; undefined where the batch is in none of the states `from`. */
export function updateBatch(
  store: Store,
  id: string,
  from: readonly BatchState[],
  change: BatchChange,
): Batch | undefined {
  const before = readBatch(store, id);
  if (!from.includes(before.state)) return undefined;
  const { digest, head, state, canary, rate = null, rowsLeft = null } = { ...before, ...change };
  store.database.run(
    'UPDATE batch SET digest = ?, head = ?, state = ?, canary = ?, rate = ?, rows_left = ? WHERE id = ?',
    ...[digest, JSON.stringify(head), state, canary, rate, rowsLeft, id],
  );
  if (state !== before.state) {
    store.addEvents([{ reason: 'batch-state', facts: { batch: id, from: before.state, to: state } }]);
    if (state === 'cancelled') cancelUnsent(store, id);
  }
  return readBatch(store, id);
}

function cancelUnsent(store: Store, batch: string): void {
  const states = JSON.stringify(statesMovedBy('cancel'));
  const unsent = 'FROM request WHERE batch = ? AND state IN (SELECT value FROM json_each(?))';
  store.database.run(
    `INSERT INTO event (nonce, request, from_state, to_state, at, who, reason, facts)
     SELECT ?, id, state, 'cancelled', ?, ?, '', '{}' ${unsent}`,
    ...[store.parts.random.letters(16), store.now(), store.parts.who, batch, states],
  );
  store.database.run(
    `UPDATE request SET state = 'cancelled', changed_at = ? WHERE batch = ? AND state IN (SELECT value FROM json_each(?))`,
    ...[store.now(), batch, states],
  );
}

export function readBatches({ database }: Store, id: string | undefined): readonly Batch[] {
  return database.all('SELECT * FROM batch WHERE id = coalesce(?, id) ORDER BY rowid DESC', id ?? null).map(batchFrom);
}

function readBatch(store: Store, id: string): Batch {
  const [batch] = readBatches(store, id);
  if (batch === undefined) throw new Error(`the journal has no batch ${id}`);
  return batch;
}

export function readApprovals({ database }: Store, batch: string): readonly Approval[] {
  return database.all('SELECT * FROM approval WHERE batch = ? ORDER BY rowid', batch).map((row) => ({
    batch,
    digest: String(row['digest']),
    total: String(row['total']),
    role: String(row['role']),
    at: Number(row['at']),
  }));
}
