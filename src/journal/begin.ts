import { fromUnits, toUnits } from '../wire/amount.js';
import { startOfDay } from '../wire/time.js';
import type { Change } from './dialect.js';
import { findRepeated } from './equal.js';
import type { Begin, Begun, Counted, NewRequest, Refusal, Request } from './port.js';
import { inDoubtStates, mayMove, reachedStates } from './states.js';
import { requestFrom } from './tables.js';
import { order, payments, pickContent, type Steps, spent, type WorkingSet } from './working-set.js';

/** An attempt, the recorded request it is of, and what is to be sent. */
interface Wanted {
  readonly attempt: Begin;
  readonly known: Request | undefined;
  readonly request: NewRequest;
}

function want(set: WorkingSet, attempt: Begin): Wanted {
  const known = attempt.id === undefined ? undefined : set.request(attempt.id);
  const request = attempt.request ?? known;
  if (request === undefined) throw new Error('an attempt of no request');
  return { attempt, known, request };
}

/** In a transaction of its own: only the store can tell which others it would repeat. */
export function* beginUnlessEqual(set: WorkingSet, attempt: Begin, since: number): Change<Begun | undefined> {
  yield* set.read([{ table: 'request', key: { id: attempt.id } }]);
  const { known, request } = want(set, attempt);
  const found = yield findRepeated(set.store.tables.dialect, [{ request, since, exceptId: known?.id }], 1);
  const [equal] = found.flat().map(requestFrom);
  const [begun] = yield* set.make([(own) => beginAttempt(own, attempt, equal)]);
  return begun;
}

/** Undefined where the store has turned out to be a copy: nothing is sent. `equal` is one that it would repeat. */
export function* beginAttempt(set: WorkingSet, attempt: Begin, equal?: Request): Steps<Begun | undefined> {
  if (set.store.restored !== undefined) return undefined;
  yield [
    { table: 'request', key: { id: attempt.id } },
    { table: 'batch', key: { id: attempt.batch } },
  ];
  const { request: asked } = want(set, attempt);
  const onOrder = movesMoney(asked);
  yield [
    ...(onOrder || attempt.id === undefined ? [payments(asked)] : []),
    ...(onOrder ? [order(asked)] : []),
    ...(attempt.dayCap === undefined ? [] : [spent(asked, set.now)]),
  ];
  // Anew: another attempt of the same moment may have changed it.
  const wanted = want(set, attempt);
  const { known, request } = wanted;
  const refused: Refusal | undefined =
    refuseTaken(set, wanted) ??
    refuseOnOrder(set, wanted) ??
    (equal && { why: 'equal', other: equal }) ??
    refuseInBatch(set, wanted) ??
    refuseOverCap(set, wanted);
  if (refused !== undefined) return { refused };
  const { now } = set;
  const before = known === undefined ? set.insert(request) : correct(known, attempt.request);
  const begun: Request = {
    ...before,
    ...{ state: 'sending', attempt: before.attempt + 1, worker: set.store.worker, begunAt: now, changedAt: now },
    ...{ reason: '', waitsFor: undefined, waitsSince: undefined, isElsewhere: false },
    mayHaveArrived: before.state === 'unknown',
    // What an earlier attempt was told, such as a serial number, says nothing of this one.
    outcome: {},
    counted: count(wanted, now),
  };
  if (attempt.batch !== undefined) set.countRow(attempt.batch, 1);
  set.isWorkerSeen = true;
  return { begun: set.move(before, begun, { ...attempt.facts, attempt: begun.attempt }) };
}

function refuseTaken(set: WorkingSet, { attempt, known, request }: Wanted): Refusal | undefined {
  if (known === undefined) {
    const other = request.kind === 'payment' ? set.payment(request) : undefined;
    return other && { why: 'used-id', other };
  }
  const isLegal = mayMove(attempt.isResend === true ? 'resend' : 'begin', known.state, 'sending');
  if (known.attempt !== attempt.attempt || !isLegal) return { why: 'taken', other: known };
  return known.batch === attempt.batch ? undefined : { why: 'in-batch', other: known };
}

/** A follow-up that does. */
export function movesMoney({ kind, effect }: NewRequest): boolean {
  return kind === 'follow-up' && effect === 'money';
}

/** One follow-up that moves money in doubt on an order, and none while its payment is. */
function refuseOnOrder(set: WorkingSet, { attempt, known, request }: Wanted): Refusal | undefined {
  const { orderId, operation, sum } = request;
  if (!movesMoney(request) || orderId === undefined) return undefined;
  const onOrder = set.onOrder(request);
  const payment = set.payment(request);
  const all = [...onOrder, ...(payment !== undefined && payment.orderId === undefined ? [payment] : [])];
  const others = all.filter((each) => each.id !== known?.id && (each.kind === 'payment' || movesMoney(each)));
  const inDoubt = others.find(({ state }) => inDoubtStates.includes(state));
  if (inDoubt !== undefined) return { why: 'in-doubt', other: inDoubt };
  const attempts = countAttempts(onOrder, known?.id);
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

function refuseInBatch(set: WorkingSet, { attempt: { batch } }: Wanted): Refusal | undefined {
  if (batch === undefined) return undefined;
  const known = set.batch(batch);
  if (known.state !== 'running') return { why: 'batch-held', state: known.state };
  return known.rowsLeft <= 0 ? { why: 'no-rows-left' } : undefined;
}

/** What an attempt counts; undefined where it moves no money, or its amount is not known. */
function count({ attempt: { counts }, request: { effect, sum } }: Wanted, now: number): Counted | undefined {
  const counted = counts ?? sum;
  if (effect !== 'money' || counted === undefined) return undefined;
  return { day: startOfDay(now), units: String(toUnits(counted)), currency: counted.currency };
}

function refuseOverCap(set: WorkingSet, wanted: Wanted): Refusal | undefined {
  const { known, request } = wanted;
  const counted = count(wanted, set.now);
  const { dayCap: cap } = wanted.attempt;
  if (cap === undefined || counted === undefined || cap.currency !== counted.currency) return undefined;
  const { day, currency } = counted;
  // A request that is sent again counts already.
  const own = known?.state === 'unknown' && known.counted?.day === day ? BigInt(known.counted.units) : 0n;
  const before = set.spent(request, currency) - own;
  if (before + BigInt(counted.units) <= toUnits(cap)) return undefined;
  const counts = fromUnits(BigInt(counted.units), currency);
  return { why: 'over-cap', spent: fromUnits(before, currency), cap, counts, day };
}

/** A refused payment is corrected in its own row; what it is found by stays. */
function correct(known: Request, request: NewRequest | undefined): Request {
  if (request === undefined) return known;
  const found = request.kind === 'payment' ? 'clientOrderId' : 'orderId';
  const isSame = (['kind', 'base', 'login', found] as const).every((name) => known[name] === request[name]);
  if (!isSame) throw new Error(`request ${known.id} cannot become another one`);
  return { ...known, ...pickContent(request) };
}
