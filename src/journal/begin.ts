import { count, fromUnits, readSpent, toUnits } from './caps.js';
import { findEqualTo, readRequest } from './find.js';
import type { Begin, Begun, NewRequest, Refusal, Request } from './port.js';
import { assignments, contentFields, insertSql, requestFrom, valuesOf } from './rows.js';
import { inDoubtStates, mayMove, reachedStates } from './states.js';
import type { Store } from './store.js';
import { seeWorker } from './workers.js';

/** An attempt, the recorded request it is of, and what is to be sent. */
interface Wanted {
  readonly attempt: Begin;
  readonly known: Request | undefined;
  readonly request: NewRequest;
}

/** Within a change. */
export function beginAttempt(store: Store, attempt: Begin): Begun {
  const known = attempt.id === undefined ? undefined : readRequest(store, attempt.id);
  const request = attempt.request ?? known;
  if (request === undefined) throw new Error('an attempt of no request');
  const wanted = { attempt, known, request };
  const refused =
    refuseTaken(store, wanted) ??
    refuseOnOrder(store, wanted) ??
    refuseEqual(store, wanted) ??
    refuseInBatch(store, wanted) ??
    refuseOverCap(store, wanted);
  if (refused !== undefined) return { refused };
  const now = store.now();
  const before = known === undefined ? insertRequest(store, request) : correct(store, known, attempt.request);
  const begun: Request = {
    ...before,
    ...{ state: 'sending', attempt: before.attempt + 1, worker: store.worker, begunAt: now, changedAt: now },
    ...{ reason: '', waitsFor: undefined, waitsSince: undefined, isElsewhere: false },
    // What an earlier attempt was told, such as a serial number, says nothing of this one.
    outcome: {},
    counted: count(request, attempt.counts, now),
  };
  if (attempt.batch !== undefined) countRows(store, attempt.batch, -1);
  seeWorker(store);
  store.move(before, begun, { ...attempt.facts, attempt: begun.attempt });
  return { begun };
}

function refuseTaken({ database }: Store, { attempt, known, request }: Wanted): Refusal | undefined {
  if (known === undefined) {
    const other = request.kind === 'payment' ? readPayment(database, request) : undefined;
    return other && { why: 'used-id', other };
  }
  const isLegal = mayMove(attempt.isResend === true ? 'resend' : 'begin', known.state, 'sending');
  if (known.attempt !== attempt.attempt || !isLegal) return { why: 'taken', other: known };
  return known.batch === attempt.batch ? undefined : { why: 'in-batch', other: known };
}

/** The payment under the client order id of a request, at whatever endpoint. */
export function readPayment(database: Store['database'], { base, login, clientOrderId }: NewRequest) {
  if (clientOrderId === undefined) return undefined;
  const sql = `SELECT * FROM request WHERE client_order_id = ? AND base = ? AND login = ? AND kind = 'payment'
    AND state <> 'cancelled'`;
  const row = database.get(sql, clientOrderId, base, login);
  return row && requestFrom(row);
}

const movesMoney = ({ kind, effect }: NewRequest) => kind === 'follow-up' && effect === 'money';

/** One follow-up that moves money in doubt on an order, and none while its payment is. */
function refuseOnOrder({ database }: Store, { attempt, known, request }: Wanted): Refusal | undefined {
  const { base, orderId, operation, sum } = request;
  if (!movesMoney(request) || orderId === undefined) return undefined;
  const rows = database.all('SELECT * FROM request WHERE base = ? AND order_id = ?', base, orderId);
  const payment = readPayment(database, request);
  const all = [...rows.map(requestFrom), ...(payment !== undefined && payment.orderId === undefined ? [payment] : [])];
  const others = all.filter((each) => each.id !== known?.id && (each.kind === 'payment' || movesMoney(each)));
  const inDoubt = others.find(({ state }) => inDoubtStates.includes(state));
  if (inDoubt !== undefined) return { why: 'in-doubt', other: inDoubt };
  const attempts = countAttempts(rows.map(requestFrom), known?.id);
  const reached = others.filter(({ state }) => reachedStates.includes(state));
  const newest = reached.reduce((one, each) => ((each.begunAt ?? 0) > (one?.begunAt ?? 0) ? each : one), reached[0]);
  if (attempts > (attempt.attemptsOnOrder ?? attempts) && newest !== undefined) return { why: 'newer', other: newest };
  const like = others.filter((each) => each.state === 'accepted' && each.operation === operation);
  const pending = like.find((each) => each.sum === undefined || sum === undefined);
  return pending && { why: 'pending', other: pending };
}

/** Of requests on one order but this one; they only grow. */
export function countAttempts(onOrder: readonly Request[], exceptId: number | undefined): number {
  return onOrder.filter(({ id }) => id !== exceptId).reduce((sum, { attempt }) => sum + attempt, 0);
}

function refuseEqual(store: Store, { attempt, known, request }: Wanted): Refusal | undefined {
  if (attempt.equalSince === undefined) return undefined;
  const [other] = findEqualTo(store, request, attempt.equalSince, known?.id);
  return other && { why: 'equal', other };
}

function refuseInBatch({ database }: Store, { attempt: { batch } }: Wanted): Refusal | undefined {
  if (batch === undefined) return undefined;
  const { state, rows_left: left } = database.get('SELECT state, rows_left FROM batch WHERE id = ?', batch) ?? {};
  if (state !== 'running') return { why: 'batch-held', state: String(state) };
  return left === 0 ? { why: 'no-rows-left' } : undefined;
}

function refuseOverCap(store: Store, { attempt, known, request }: Wanted): Refusal | undefined {
  const counted = count(request, attempt.counts, store.now());
  const { dayCap: cap } = attempt;
  if (cap === undefined || counted === undefined || cap.currency !== counted.currency) return undefined;
  const { day, currency } = counted;
  // A request that is sent again counts already.
  const own = known?.state === 'unknown' && known.counted?.day === day ? BigInt(known.counted.units) : 0n;
  const spent = (readSpent(store.database, request, day).get(currency) ?? 0n) - own;
  if (spent + BigInt(counted.units) <= toUnits(cap)) return undefined;
  const counts = fromUnits(BigInt(counted.units), currency);
  return { why: 'over-cap', spent: fromUnits(spent, currency), cap, counts, day };
}

/** Within a change: counts a row of a batch as sent, or as not sent after all, where the batch may send only so many. */
export function countRows({ database }: Store, batch: string, difference: 1 | -1): void {
  const sql = 'UPDATE batch SET rows_left = rows_left + ? WHERE id = ? AND rows_left IS NOT NULL';
  database.run(sql, difference, batch);
}

const insertedFields = `${contentFields.join(' ')} batch number createdAt changedAt state attempt reason outcome
  mayHaveArrived isElsewhere`.split(/\s+/);
const insert = insertSql('request', insertedFields);

/** Within a change: a new request in `planned`, perhaps as the row of a batch. */
export function insertRequest(
  store: Store,
  request: NewRequest,
  row: { readonly batch?: string; readonly number?: number } = {},
): Request {
  const now = store.now();
  const fresh = { state: 'planned', attempt: 0, reason: '', outcome: {}, mayHaveArrived: false, isElsewhere: false };
  const values = valuesOf(insertedFields, { ...request, ...row, ...fresh, createdAt: now, changedAt: now });
  return readRequest(store, store.database.run(insert, ...values).lastId);
}

/** A refused payment is corrected in its own row; what it is found by stays. */
function correct(store: Store, known: Request, request: NewRequest | undefined): Request {
  if (request === undefined) return known;
  const isSame = (['kind', 'base', 'login', 'clientOrderId'] as const).every((name) => known[name] === request[name]);
  if (!isSame) throw new Error(`request ${known.id} cannot become another one`);
  const sql = `UPDATE request SET ${assignments(contentFields)} WHERE id = ?`;
  store.database.run(sql, ...valuesOf(contentFields, request), known.id);
  return readRequest(store, known.id);
}
