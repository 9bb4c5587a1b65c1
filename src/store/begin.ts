import { count, DayTotals, fromUnits, startOfDay, toUnits } from './caps.js';
import { findEqualTo, isEqual, readRequests } from './find.js';
import type { Batch, Begin, Begun, NewRequest, Refusal } from './port.js';
import { batchFrom, contentColumns, contentValues, requestFrom, type StoredRequest } from './rows.js';
import { inDoubtStates, mayMove, reachedStates } from './states.js';
import type { Move, Store } from './store.js';
import { seeWorker } from './workers.js';

/** What decides about a group of attempts, kept up to date with those that may begin. */
interface View {
  readonly now: number;
  readonly byId: Map<number, StoredRequest>;
  /** By merchant and client order id. */
  readonly payments: Map<string, StoredRequest>;
  readonly onOrders: Map<string, readonly StoredRequest[]>;
  readonly batches: Map<string, Batch>;
  readonly spent: DayTotals;
  readonly begun: StoredRequest[];
}

/** Within a change. It takes about ten statements whatever the size of the group; a new request takes one more. */
export function beginGroup(store: Store, attempts: readonly Begin[]): readonly Begun[] {
  const view = lookUp(store, attempts);
  const moves: Move[] = [];
  const decided = attempts.map((attempt): Refusal | number => {
    const known = attempt.id === undefined ? undefined : view.byId.get(attempt.id);
    const request = attempt.request ?? known;
    if (request === undefined) throw new Error(`the journal has no request ${attempt.id}`);
    const refused = refuse(store, { attempt, known, request }, view);
    if (refused !== undefined) return refused;
    const move = allow(store, { attempt, known, request }, view.now);
    moves.push(move);
    keepInView(move, view);
    return move.after.id;
  });
  if (moves.length > 0) write(store, moves, view);
  const begun = new Map(
    readRequests(
      store,
      moves.map(({ after }) => after.id),
    ).map((each) => [each.id, each]),
  );
  return decided.map((one): Begun => {
    if (typeof one !== 'number') return { refused: one };
    const request = begun.get(one);
    if (request === undefined) throw new Error('the journal has lost a request');
    return { begun: request };
  });
}

function lookUp(store: Store, attempts: readonly Begin[]): View {
  const { database } = store;
  const now = store.now();
  const known = readRequests(
    store,
    attempts.flatMap(({ id }) => id ?? []),
  );
  const requests = [...known, ...attempts.flatMap(({ request }) => request ?? [])];
  const spent = new DayTotals();
  const day = startOfDay(now);
  for (const text of new Set(requests.map(({ base, login }) => JSON.stringify({ base, login })))) {
    const merchant = JSON.parse(text) as { base: string; login: string };
    for (const { currency, units } of readSpent(store, merchant, day)) spent.add(merchant, { day, units, currency });
  }
  const ids = new Set(known.flatMap(({ batch }) => batch ?? []));
  const batches = [...ids].flatMap((id) => database.all('SELECT * FROM batch WHERE id = ?', id).map(batchFrom));
  const onOrders = new Map<string, StoredRequest[]>();
  for (const each of readOnOrders(store, requests)) {
    const key = orderKey(each);
    onOrders.set(key, [...(onOrders.get(key) ?? []), each]);
  }
  return {
    ...{ now, spent, onOrders, begun: [] },
    byId: new Map(known.map((each) => [each.id, each])),
    payments: new Map(readPayments(store, requests).map((each) => [paymentKey(each), each])),
    batches: new Map(batches.map((each) => [each.id, each])),
  };
}

/** What a merchant sent on a day, by currency, in units. */
export function readSpent({ database }: Store, { base, login }: { base: string; login: string }, day: number) {
  // As text: units may be larger than a number of JavaScript holds exactly.
  const sql = 'SELECT currency, CAST(units AS TEXT) AS units FROM spent WHERE base = ? AND login = ? AND day = ?';
  return database
    .all(sql, base, login, day)
    .map(({ currency, units }) => ({ currency: String(currency), units: String(units) }));
}

const movesMoney = ({ kind, effect }: NewRequest) => kind === 'follow-up' && effect === 'money';
const orderKey = ({ base, orderId }: NewRequest) => JSON.stringify([base, orderId]);
const paymentKey = ({ base, login, clientOrderId }: NewRequest) => JSON.stringify([base, login, clientOrderId]);

/** All requests on the orders of follow-ups that move money. */
function readOnOrders({ database }: Store, requests: readonly NewRequest[]): readonly StoredRequest[] {
  const wanted = new Set(requests.filter(movesMoney).map(orderKey));
  if (wanted.size === 0) return [];
  const sql = `SELECT request.* FROM json_each(?) AS wanted CROSS JOIN request
    ON request.base = wanted.value ->> 0 AND request.order_id = wanted.value ->> 1`;
  return database.all(sql, `[${[...wanted].join()}]`).map(requestFrom);
}

/** The payments under the client order ids of these requests. */
function readPayments({ database }: Store, requests: readonly NewRequest[]): readonly StoredRequest[] {
  const isKnown = (each: NewRequest) => 'id' in each && each.kind === 'payment';
  const wanted = requests.filter((each) => each.clientOrderId !== undefined && !isKnown(each)).map(paymentKey);
  if (wanted.length === 0) return [];
  const sql = `SELECT request.* FROM json_each(?) AS wanted CROSS JOIN request ON request.base = wanted.value ->> 0
    AND request.login = wanted.value ->> 1 AND request.client_order_id = wanted.value ->> 2
    WHERE request.kind = 'payment' AND request.state <> 'cancelled'`;
  return database.all(sql, `[${[...new Set(wanted)].join()}]`).map(requestFrom);
}

/** An attempt, the recorded request it is of, and what is to be sent. */
interface Wanted {
  readonly attempt: Begin;
  readonly known: StoredRequest | undefined;
  readonly request: NewRequest;
}

function refuse(store: Store, wanted: Wanted, view: View): Refusal | undefined {
  return (
    refuseTaken(wanted, view) ??
    refuseOnOrder(wanted, view) ??
    refuseEqual(store, wanted, view) ??
    refuseInBatch(wanted, view) ??
    refuseOverCap(wanted, view)
  );
}

function refuseTaken({ attempt, known, request }: Wanted, { payments }: View): Refusal | undefined {
  if (known === undefined) {
    const other = request.kind === 'payment' ? payments.get(paymentKey(request)) : undefined;
    return other && { why: 'used-id', other };
  }
  const isLegal = mayMove(attempt.isResend === true ? 'resend' : 'begin', known.state, 'sending');
  if (known.attempt !== attempt.attempt || !isLegal) return { why: 'taken', other: known };
  return known.batch === attempt.batch ? undefined : { why: 'in-batch', other: known };
}

/** One follow-up that moves money in doubt on an order, and none while its payment is. */
function refuseOnOrder({ attempt, known, request }: Wanted, { onOrders, payments }: View): Refusal | undefined {
  if (!movesMoney(request)) return undefined;
  const payment = payments.get(paymentKey(request));
  const isOfOrder = payment !== undefined && (payment.orderId ?? request.orderId) === request.orderId;
  const all = [...(onOrders.get(orderKey(request)) ?? []), ...(isOfOrder ? [payment] : [])];
  const others = all.filter((each) => each.id !== known?.id && (each.kind === 'payment' || movesMoney(each)));
  const inDoubt = others.find(({ state }) => inDoubtStates.includes(state));
  if (inDoubt !== undefined) return { why: 'in-doubt', other: inDoubt };
  const newer = others.find(
    ({ id, state }) => id > (attempt.newestOnOrder ?? Number.POSITIVE_INFINITY) && reachedStates.includes(state),
  );
  if (newer !== undefined) return { why: 'newer', other: newer };
  const pending = others.find(
    ({ state, operation, sum }) =>
      state === 'accepted' && operation === request.operation && (sum === undefined || request.sum === undefined),
  );
  return pending && { why: 'pending', other: pending };
}

function refuseEqual(store: Store, { attempt, known, request }: Wanted, { begun }: View): Refusal | undefined {
  if (attempt.equalSince === undefined) return undefined;
  const beside = begun.find((each) => isEqual(each, request));
  const [other = beside] = findEqualTo(store, request, attempt.equalSince, known?.id);
  return other && { why: 'equal', other };
}

function refuseInBatch({ attempt }: Wanted, { batches }: View): Refusal | undefined {
  if (attempt.batch === undefined) return undefined;
  const batch = batches.get(attempt.batch);
  if (batch?.state !== 'running') return { why: 'batch-held', state: batch?.state };
  return batch.rowsLeft === 0 ? { why: 'no-rows-left' } : undefined;
}

function refuseOverCap({ attempt, known, request }: Wanted, { spent, now }: View): Refusal | undefined {
  const counted = count(request, attempt.counts, now);
  const { dayCap: cap } = attempt;
  if (cap === undefined || counted === undefined || cap.currency !== counted.currency) return undefined;
  const { day, currency } = counted;
  // What a request that is sent again counts already.
  const own = known?.state === 'unknown' && known.counted?.day === day ? BigInt(known.counted.units) : 0n;
  const before = spent.get(request, counted) - own;
  if (before + BigInt(counted.units) <= toUnits(cap)) return undefined;
  const counts = fromUnits(BigInt(counted.units), currency);
  return { why: 'over-cap', spent: fromUnits(before, currency), cap, counts, day };
}

function allow(store: Store, { attempt, known, request }: Wanted, now: number): Move {
  const before = known === undefined ? insert(store, request, now) : correct(store, known, attempt.request);
  const after: StoredRequest = {
    ...before,
    ...{ state: 'sending', attempt: before.attempt + 1, worker: store.worker, begunAt: now, changedAt: now },
    ...{ reason: '', waitsFor: undefined, waitsSince: undefined },
    counted: count(request, attempt.counts, now),
  };
  return { before, after, facts: { ...attempt.facts, attempt: after.attempt } };
}

function insert(store: Store, request: NewRequest, now: number): StoredRequest {
  const id = insertRequest(store, request, now);
  const [added] = readRequests(store, [id]);
  if (added === undefined) throw new Error('the journal has lost a request');
  return added;
}

const insertedColumns = [...contentColumns, 'created_at', 'changed_at', 'batch', 'number', 'payload'];
const insertSql = `INSERT INTO request
  (${insertedColumns.join(', ')}, state, attempt, reason, outcome, may_have_arrived, elsewhere)
  VALUES (${insertedColumns.map(() => '?').join(', ')}, 'planned', 0, '', '{}', 0, 0)`;

/** Within a change: a new request in `planned`, perhaps as the row of a batch; its id. */
export function insertRequest(
  { database }: Store,
  request: NewRequest,
  now: number,
  row?: { readonly batch: string; readonly number: number; readonly payload: string },
): number {
  const ofBatch = [row?.batch ?? null, row?.number ?? null, row?.payload ?? null];
  return database.run(insertSql, ...contentValues(request), now, now, ...ofBatch).lastId;
}

/** A refused payment is corrected in its own row; what it is found by stays. */
function correct({ database }: Store, known: StoredRequest, request: NewRequest | undefined): StoredRequest {
  if (request === undefined) return known;
  if (request.kind !== known.kind || paymentKey(request) !== paymentKey(known))
    throw new Error('a corrected request has another id');
  const columns = contentColumns.map((name) => `${name} = ?`).join(', ');
  database.run(`UPDATE request SET ${columns} WHERE id = ?`, ...contentValues(request), known.id);
  return { ...known, ...request };
}

function keepInView({ before, after }: Move, view: View): void {
  view.byId.set(after.id, after);
  view.begun.push(after);
  view.spent.replace(before, after);
  if (after.kind === 'payment') view.payments.set(paymentKey(after), after);
  else view.onOrders.set(orderKey(after), [...(view.onOrders.get(orderKey(after)) ?? []), after]);
  const batch = after.batch === undefined ? undefined : view.batches.get(after.batch);
  if (batch?.rowsLeft !== undefined) view.batches.set(batch.id, { ...batch, rowsLeft: batch.rowsLeft - 1 });
}

function write(store: Store, moves: readonly Move[], view: View): void {
  for (const { id, rowsLeft } of view.batches.values())
    if (rowsLeft !== undefined) store.database.run('UPDATE batch SET rows_left = ? WHERE id = ?', rowsLeft, id);
  seeWorker(store, view.now);
  store.saveMoves(moves);
}
