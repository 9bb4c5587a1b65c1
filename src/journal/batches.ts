import { ask, type Change } from './dialect.js';
import type { Added, Approval, Batch, BatchChange, BatchState, NewRow, Request } from './port.js';
import { assignments, insertSql, requestFrom, rowFrom, valuesOf } from './rows.js';
import { pendingSql } from './schema.js';
import { quoted, statesMovedBy, unsentStates } from './states.js';
import { read, type Store } from './store.js';
import { findAlive } from './workers.js';
import type { WorkingSet } from './working-set.js';

const batchFields = ['id', 'digest', 'head', 'state', 'canary', 'rate', 'rowsLeft', 'createdAt'];
const done = 'RETURNING 1 AS done';

export function* insertBatch(set: WorkingSet, batch: Omit<Batch, 'state' | 'createdAt'>): Change<Batch> {
  const fresh: Batch = { ...batch, state: 'planning', createdAt: set.now };
  yield* ask(`${insertSql('batch', batchFields)} ${done}`, ...valuesOf(batchFields, fresh));
  return fresh;
}

export function* insertRows(set: WorkingSet, batch: string, rows: readonly NewRow[]): Change<readonly Added[]> {
  if ((yield* readBatch(batch)).state !== 'planning') throw new Error(`batch ${batch} has all its rows`);
  const payments = rows.filter(({ kind }) => kind === 'payment');
  yield* set.read([{ payments }]);
  return rows.map((row): Added => {
    const other = row.kind === 'payment' ? set.payment(row) : undefined;
    if (other !== undefined) return { other };
    const { id } = set.insert(row, { batch, number: row.number });
    set.addPayload(id, set.store.secrets.encrypt(row.payload, payloadName(batch, row.number)));
    return { id };
  });
}

const payloadName = (batch: string, number: number) => JSON.stringify(['payload', batch, number]);

export async function decryptPayloads(store: Store, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const sql = `SELECT id, batch, number, encrypted FROM request JOIN payload ON payload.request = request.id
    WHERE ${store.tables.dialect.among('id', 'bigint')}`;
  const found = new Map<number, string>();
  for (const { id, batch, number, encrypted } of await read(store, sql, JSON.stringify(ids))) {
    const text = store.secrets.decrypt(String(encrypted), payloadName(String(batch), Number(number)));
    if (text === undefined) throw new Error(`row ${number} of batch ${batch} cannot be decrypted`);
    found.set(Number(id), text);
  }
  return found;
}

const unsentSql = `batch = ? AND state IN (${quoted(unsentStates)})`;

export function* takeToSend(set: WorkingSet, batch: string, limit: number): Change<readonly Request[]> {
  const { worker, tables } = set.store;
  // It locks the batch as well: one process at a time looks whether others have rows.
  const isUntried = `UPDATE batch SET canary = canary WHERE id = ? AND canary <> 'passed' ${done}`;
  const [untried] = yield* ask(isUntried, batch);
  const alive = yield* findAlive(set.store, set.now);
  const isAlive = tables.dialect.among('worker');
  const others = JSON.stringify(alive.filter((each) => each !== worker));
  const held = `SELECT 1 AS one FROM request WHERE ${unsentSql} AND ${isAlive} LIMIT 1`;
  if (untried !== undefined && (yield* ask(held, batch, others)).length > 0) return [];
  const isFree = `(worker IS NULL OR NOT (${isAlive}))`;
  const sql = `UPDATE request SET worker = ? WHERE id IN (
    SELECT id FROM request WHERE ${unsentSql} AND ${isFree} ORDER BY number LIMIT ?) RETURNING *`;
  set.seeWorker();
  const rows = (yield* ask(sql, worker, batch, JSON.stringify([worker, ...alive]), limit)).map(requestFrom);
  return rows.sort((one, other) => (one.number ?? 0) - (other.number ?? 0));
}

export async function areRowsHeld(store: Store, batch: string): Promise<boolean> {
  const sql = `SELECT 1 AS one FROM request WHERE ${unsentSql} AND worker <> ? LIMIT 1`;
  return (await read(store, sql, batch, store.worker)).length > 0;
}

export function* giveBack({ store }: WorkingSet, batch: string): Change<void> {
  yield* ask(`UPDATE request SET worker = NULL WHERE ${unsentSql} AND worker = ? ${done}`, batch, store.worker);
}

export function* clearPayloads(batch: string): Change<boolean> {
  const mayBeNeeded =
    "SELECT 1 AS one FROM request WHERE batch = ? AND state IN ('planned', 'not_sent', 'sending', 'unknown') LIMIT 1";
  if ((yield* ask(mayBeNeeded, batch)).length > 0) return false;
  yield* ask(`DELETE FROM payload WHERE request IN (SELECT id FROM request WHERE batch = ?) ${done}`, batch);
  return true;
}

interface BatchUpdate {
  readonly id: string;
  readonly from: readonly BatchState[];
  readonly change: BatchChange;
  readonly facts: Readonly<Record<string, unknown>> | undefined;
}

/** Undefined where the batch is in none of the states `from`. */
export function* updateBatch(set: WorkingSet, { id, from, change, facts }: BatchUpdate): Change<Batch | undefined> {
  const before = yield* readBatch(id);
  if (!from.includes(before.state)) return undefined;
  const after: Batch = { ...before, ...change };
  const { state } = after;
  const sql = `UPDATE batch SET ${assignments(batchFields)} WHERE id = ? ${done}`;
  yield* ask(sql, ...valuesOf(batchFields, after), id);
  const due = `UPDATE request SET ask_at = changed_at WHERE batch = ? AND ${pendingSql} ${done}`;
  if (change.state === 'running') yield* ask(due, id);
  // Once more where it is cancelled already: a row that was on its way then may have turned out not to be sent.
  if (change.state === 'cancelled') yield* cancelUnsent(set, id);
  if (state === before.state) return after;
  yield* set.read([]);
  set.addEvent({ reason: 'batch-state', facts: { ...facts, batch: id, from: before.state, to: state } });
  return after;
}

/** However many there are. */
function* cancelUnsent({ store, now }: WorkingSet, batch: string): Change<void> {
  const states = JSON.stringify(statesMovedBy('cancel'));
  const unsent = `batch = ? AND ${store.tables.dialect.among('state')}`;
  yield* ask(
    `INSERT INTO event (id, nonce, request, from_state, to_state, at, who, reason, facts)
     SELECT (SELECT coalesce(max(id), 0) FROM event) + row_number() OVER (ORDER BY id), ?, id, state, 'cancelled',
       CAST(? AS BIGINT), ?, '', '{}' FROM request WHERE ${unsent} ${done}`,
    ...[store.random.letters(16), now, store.who, batch, states],
  );
  yield* ask(`UPDATE request SET state = 'cancelled', changed_at = ? WHERE ${unsent} ${done}`, now, batch, states);
}

const batchSql = 'SELECT * FROM batch WHERE id = coalesce(?, id) ORDER BY rowid DESC';

export async function readBatches(store: Store, id: string | undefined): Promise<readonly Batch[]> {
  return (await read(store, batchSql, id ?? null)).map(rowFrom<Batch>);
}

function* readBatch(id: string): Change<Batch> {
  const [row] = yield* ask(batchSql, id);
  if (row === undefined) throw new Error(`the journal has no batch ${id}`);
  return rowFrom<Batch>(row);
}

export async function readApprovals(store: Store, batch: string): Promise<readonly Approval[]> {
  return (await read(store, 'SELECT * FROM approval WHERE batch = ? ORDER BY rowid', batch)).map(rowFrom<Approval>);
}

export function* insertApproval(set: WorkingSet, approval: Omit<Approval, 'at'>): Change<void> {
  const fields = ['batch', 'digest', 'total', 'at', ...(set.store.tables.dialect.hasRoles ? [] : ['role'])];
  yield* ask(`${insertSql('approval', fields)} ${done}`, ...valuesOf(fields, { ...approval, at: set.now }));
}
