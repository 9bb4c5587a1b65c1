import { insertRequest, readPayment } from './begin.js';
import type { Added, Approval, Batch, BatchChange, BatchState, NewRow } from './port.js';
import { assignments, insertSql, rowFrom, valuesOf } from './rows.js';
import { pendingSql } from './schema.js';
import { statesMovedBy } from './states.js';
import type { Store } from './store.js';

const batchFields = ['id', 'digest', 'head', 'state', 'canary', 'rate', 'rowsLeft', 'createdAt'];

/** Within a change. */
export function insertBatch(store: Store, batch: Omit<Batch, 'state' | 'createdAt'>): Batch {
  const fresh: Batch = { ...batch, state: 'planning', createdAt: store.now() };
  store.database.run(insertSql('batch', batchFields), ...valuesOf(batchFields, fresh));
  return fresh;
}

/** Within a change. */
export function insertRows(store: Store, batch: string, rows: readonly NewRow[]): readonly Added[] {
  if (readBatch(store, batch).state !== 'planning') throw new Error(`batch ${batch} has all its rows`);
  const { database, parts } = store;
  return rows.map((row): Added => {
    const other = row.kind === 'payment' ? readPayment(database, row) : undefined;
    if (other !== undefined) return { other };
    const { id } = insertRequest(store, row, { batch, number: row.number });
    const encrypted = parts.secrets.encrypt(row.payload, payloadName(batch, row.number));
    database.run('INSERT INTO payload VALUES (?, ?)', id, encrypted);
    return { id };
  });
}

const payloadName = (batch: string, number: number) => JSON.stringify(['payload', batch, number]);

export function decryptPayloads({ database, parts }: Store, ids: readonly number[]): ReadonlyMap<number, string> {
  const sql = `SELECT id, batch, number, encrypted FROM request JOIN payload ON payload.request = request.id
    WHERE id IN (SELECT value FROM json_each(?))`;
  const found = new Map<number, string>();
  for (const { id, batch, number, encrypted } of database.all(sql, JSON.stringify(ids))) {
    const text = parts.secrets.decrypt(String(encrypted), payloadName(String(batch), Number(number)));
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
  // What is cleared must not stay readable in free pages.
  database.exec('PRAGMA secure_delete = ON');
  database.run('DELETE FROM payload WHERE request IN (SELECT id FROM request WHERE batch = ?)', batch);
  return true;
}

interface BatchUpdate {
  readonly id: string;
  readonly from: readonly BatchState[];
  readonly change: BatchChange;
  readonly facts: Readonly<Record<string, unknown>> | undefined;
}

/** Within a change; undefined where the batch is in none of the states `from`. */
export function updateBatch(store: Store, { id, from, change, facts }: BatchUpdate): Batch | undefined {
  const before = readBatch(store, id);
  if (!from.includes(before.state)) return undefined;
  const after: Batch = { ...before, ...change };
  const { state } = after;
  const sql = `UPDATE batch SET ${assignments(batchFields)} WHERE id = ?`;
  store.database.run(sql, ...valuesOf(batchFields, after), id);
  if (change.state === 'running') makeDue(store, id);
  // Once more where it is cancelled already: a row that was on its way then may have turned out not to be sent.
  if (change.state === 'cancelled') cancelUnsent(store, id);
  if (state !== before.state) {
    store.addEvent({ reason: 'batch-state', facts: { ...facts, batch: id, from: before.state, to: state } });
  }
  return after;
}

function makeDue({ database }: Store, batch: string): void {
  database.run(`UPDATE request SET ask_at = changed_at WHERE batch = ? AND ${pendingSql}`, batch);
}

function cancelUnsent(store: Store, batch: string): void {
  const states = JSON.stringify(statesMovedBy('cancel'));
  const unsent = 'batch = ? AND state IN (SELECT value FROM json_each(?))';
  store.database.run(
    `INSERT INTO event (nonce, request, from_state, to_state, at, who, reason, facts)
     SELECT ?, id, state, 'cancelled', ?, ?, '', '{}' FROM request WHERE ${unsent}`,
    ...[store.parts.random.letters(16), store.now(), store.parts.who, batch, states],
  );
  const sql = `UPDATE request SET state = 'cancelled', changed_at = ? WHERE ${unsent}`;
  store.database.run(sql, store.now(), batch, states);
}

export function readBatches({ database }: Store, id: string | undefined): readonly Batch[] {
  return database
    .all('SELECT * FROM batch WHERE id = coalesce(?, id) ORDER BY rowid DESC', id ?? null)
    .map(rowFrom<Batch>);
}

function readBatch(store: Store, id: string): Batch {
  const [batch] = readBatches(store, id);
  if (batch === undefined) throw new Error(`the journal has no batch ${id}`);
  return batch;
}

export function readApprovals({ database }: Store, batch: string): readonly Approval[] {
  return database.all('SELECT * FROM approval WHERE batch = ? ORDER BY rowid', batch).map(rowFrom<Approval>);
}

/** Within a change. */
export function insertApproval(store: Store, { batch, digest, total, role }: Omit<Approval, 'at'>): void {
  store.database.run('INSERT INTO approval VALUES (?, ?, ?, ?, ?)', batch, digest, total, role, store.now());
}
