import { ask, type Change } from './dialect.js';
import type { Approval, Batch, Journal, NewRow, Request } from './port.js';
import { quoted, unsentStates } from './states.js';
import { assertNotRestored, findAlive, read, type Store } from './store.js';
import { insert, pendingSql, recordFrom, replacing, requestFrom } from './tables.js';
import { change, payments, type WorkingSet } from './working-set.js';

const batchSql = 'SELECT * FROM batch WHERE id = coalesce(?, id) ORDER BY rowid DESC';
const unsentSql = `batch = ? AND state IN (${quoted(unsentStates)})`;
const heldSql = `SELECT 1 AS one FROM request WHERE ${unsentSql} AND`;
const done = 'RETURNING 1 AS done';

export function batchMethods(store: Store) {
  const { dialect } = store.tables;
  return {
    addBatch: (batch) =>
      change(store, function* ({ now }) {
        yield [insert(dialect, 'batch', [{ ...batch, state: 'planning', canary: '', createdAt: now }])];
      }),
    addRows: (batch, rows) => change(store, (set) => addRows(set, batch, rows)),
    changeBatch: async (...wanted) => {
      // Rows that it takes for unsent may have been sent.
      if (wanted[2].state === 'cancelled') assertNotRestored(store);
      return change(store, (set) => changeBatch(set, wanted));
    },
    findBatches: async (id) => (await read(store, batchSql, id ?? null)).map(recordFrom<Batch>),
    approve: (approval) =>
      change(store, function* ({ now }) {
        // A role of the database is entered by the database.
        const without = store.role === undefined ? '' : 'role';
        yield [insert(dialect, 'approval', [{ ...approval, at: now }], '', without)];
      }),
    approvals: async (batch) =>
      (await read(store, 'SELECT * FROM approval WHERE batch = ? ORDER BY rowid', batch)).map(recordFrom<Approval>),
    takeToSend: (batch, limit) => change(store, (set) => takeToSend(set, batch, limit)),
    areRowsHeld: async (batch) => (await read(store, `${heldSql} worker <> ? LIMIT 1`, batch, store.worker)).length > 0,
    giveBack: (batch) =>
      change(store, function* () {
        yield* ask(`UPDATE request SET worker = NULL WHERE ${unsentSql} AND worker = ? ${done}`, batch, store.worker);
      }),
    readPayloads: (ids) => readPayloads(store, ids),
    purgePayloads: (batch) => change(store, () => purgePayloads(batch)),
  } satisfies Partial<Journal>;
}

function* readBatch(id: string): Change<Batch> {
  const [row] = yield* ask(batchSql, id);
  if (row === undefined) throw new Error(`the journal has no batch ${id}`);
  return recordFrom<Batch>(row);
}

function* addRows(set: WorkingSet, batch: string, rows: readonly NewRow[]) {
  if ((yield* readBatch(batch)).state !== 'planning') throw new Error(`batch ${batch} has all its rows`);
  yield* set.load(rows.map(payments));
  return rows.map((row) => {
    const other = row.kind === 'payment' ? set.payment(row) : undefined;
    if (other !== undefined) return { other };
    const { number, payload } = row;
    const encrypted = set.store.secrets.encrypt(payload, payloadName(batch, number));
    return { id: set.insert(row, { batch, number }, encrypted).id };
  });
}

const payloadName = (batch: string, number: number) => JSON.stringify(['payload', batch, number]);

async function readPayloads({ tables, secrets }: Store, ids: readonly number[]): Promise<ReadonlyMap<number, string>> {
  const sql = `SELECT id, batch, number, encrypted FROM request JOIN payload ON payload.request = request.id
    WHERE ${tables.dialect.among('id', 'bigint')}`;
  const rows = await tables.read({ sql, values: [JSON.stringify(ids)] });
  return new Map(
    rows.map(({ id, batch, number, encrypted }) => {
      const text = secrets.decrypt(String(encrypted), payloadName(String(batch), Number(number)));
      if (text === undefined) throw new Error(`row ${number} of batch ${batch} cannot be decrypted`);
      return [Number(id), text];
    }),
  );
}

function* purgePayloads(batch: string): Change<boolean> {
  const mayBeNeeded = "batch = ? AND state IN ('planned', 'not_sent', 'sending', 'unknown')";
  if ((yield* ask(`SELECT 1 AS one FROM request WHERE ${mayBeNeeded} LIMIT 1`, batch)).length > 0) return false;
  yield* ask(`DELETE FROM payload WHERE request IN (SELECT id FROM request WHERE batch = ?) ${done}`, batch);
  return true;
}

function* takeToSend(set: WorkingSet, batch: string, limit: number): Change<readonly Request[]> {
  const { worker, tables } = set.store;
  const { canary } = yield* readBatch(batch);
  const alive = yield* findAlive(set.store, set.now);
  if (canary !== 'passed' && (yield* areHeldByOthers(set, batch, alive))) return [];
  const isFree = `(worker IS NULL OR NOT (${tables.dialect.among('worker')}))`;
  const sql = `UPDATE request SET worker = ? WHERE id IN (
    SELECT id FROM request WHERE ${unsentSql} AND ${isFree} ORDER BY number LIMIT ?) RETURNING *`;
  set.isWorkerSeen = true;
  const rows = (yield* ask(sql, worker, batch, JSON.stringify([worker, ...alive]), limit)).map(requestFrom);
  return rows.sort((one, other) => (one.number ?? 0) - (other.number ?? 0));
}

/** Whether others that still run have taken rows that they have not sent yet. */
function* areHeldByOthers({ store }: WorkingSet, batch: string, alive: readonly string[]): Change<boolean> {
  const others = JSON.stringify(alive.filter((each) => each !== store.worker));
  return (yield* ask(`${heldSql} ${store.tables.dialect.among('worker')} LIMIT 1`, batch, others)).length > 0;
}

function* changeBatch(
  set: WorkingSet,
  [id, from, to, facts]: Parameters<Journal['changeBatch']>,
): Change<Batch | undefined> {
  const before = yield* readBatch(id);
  if (!from.includes(before.state)) return undefined;
  // Who joins others that send it keeps their limit.
  const joins = to.state === 'running' && to.rowsLeft === undefined;
  const isLimited = joins && (yield* areHeldByOthers(set, id, yield* findAlive(set.store, set.now)));
  const after: Batch = { ...before, ...to, ...(isLimited && { rowsLeft: before.rowsLeft }) };
  yield [insert(set.store.tables.dialect, 'batch', [after], `ON CONFLICT (id) ${replacing('batch')}`)];
  const due = `UPDATE request SET ask_at = changed_at WHERE batch = ? AND ${pendingSql} ${done}`;
  if (to.state === 'running') yield* ask(due, id);
  // Once more where it is cancelled already: a row that was on its way then may have turned out not to be sent.
  if (to.state === 'cancelled')
    yield* ask(`UPDATE request SET state = 'cancelled', changed_at = ? WHERE ${unsentSql} ${done}`, set.now, id);
  if (after.state !== before.state)
    set.events.push({ reason: 'batch-state', facts: { ...facts, batch: id, from: before.state, to: after.state } });
  return after;
}
