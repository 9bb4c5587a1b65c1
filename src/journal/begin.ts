import { fromUnits, toUnits } from '../wire/amount.js';
import { startOfDay } from '../wire/time.js';
import type { Change } from './dialect.js';
import { findRepeated } from './find.js';
import type { Begin, Begun, Counted, NewRequest, Refusal, Request } from './port.js';
import { inDoubtStates, mayMove, reachedStates } from './states.js';
import { requestFrom } from './tables.js';
import { byId, payments, pickContent, type Rule, type WorkingSet } from './working-set.js';

/** In a transaction of its own: only the store can tell which others it would repeat. */
export function* beginUnlessEqual(set: WorkingSet, attempt: Begin, since: number): Change<Begun | undefined> {
  const found = yield findRepeated(set.store.tables.dialect, [attempt.request], since, 1, attempt.id);
  const [begun] = yield* set.make([beginning(attempt, found.flat().map(requestFrom)[0])]);
  return begun;
}

/** Begins an attempt; `equal` is one that it would repeat. Undefined where the store has turned out to be a copy. */
export function beginning(attempt: Begin, equal?: Request): Rule<Begun | undefined> {
  const { id, request, batch, dayCap } = attempt;
  const { base, login, orderId } = request;
  const onOrder = movesMoney(request);
  return {
    reads: (now) => [
      byId(id),
      { table: 'batch', key: { id: batch } },
      ...(onOrder || id === undefined ? [payments(request)] : []),
      { table: 'request', key: { orderId: onOrder ? orderId : undefined, base } },
      { table: 'spent', key: { base, login, day: dayCap && startOfDay(now) } },
    ],
    decide: (set) => (set.store.mark?.restored === undefined ? begin(set, attempt, equal) : undefined),
  };
}

function begin(set: WorkingSet, attempt: Begin, equal: Request | undefined): Begun {
  const { id, request, batch } = attempt;
  const known = id === undefined ? undefined : set.request(id);
  const refused: Refusal | undefined =
    refuseTaken(set, attempt, known) ??
    refuseOnOrder(set, attempt) ??
    (equal && { why: 'equal', other: equal }) ??
    refuseInBatch(set, batch) ??
    refuseOverCap(set, attempt, known);
  if (refused !== undefined) return { refused };
  const { now } = set;
  const before = known === undefined ? set.insert(request) : correct(known, request);
  const begun: Request = {
    ...before,
    ...{ state: 'sending', attempt: before.attempt + 1, worker: set.store.worker, begunAt: now, changedAt: now },
    ...{ reason: '', waitsFor: undefined, isElsewhere: false, mayHaveArrived: before.state === 'unknown' },
    // What an earlier attempt was told, such as a serial number, says nothing of this one.
    outcome: {},
    counted: count(attempt, now),
  };
  if (batch !== undefined) set.countRow(batch, 1);
  set.isWorkerSeen = true;
  return { begun: set.move(before, begun, { ...attempt.facts, attempt: begun.attempt }) };
}

function refuseTaken(set: WorkingSet, attempt: Begin, known: Request | undefined): Refusal | undefined {
  if (known === undefined) {
    const other = attempt.request.kind === 'payment' ? set.payment(attempt.request) : undefined;
    return other && { why: 'used-id', other };
  }
  const isLegal = mayMove(attempt.isResend === true ? 'resend' : 'begin', known.state, 'sending');
  if (known.attempt !== attempt.attempt || !isLegal) return { why: 'taken', other: known };
  return known.batch === attempt.batch ? undefined : { why: 'in-batch', other: known };
}

/** A follow-up that does. */
function movesMoney({ kind, effect }: NewRequest): boolean {
  return kind === 'follow-up' && effect === 'money';
}

/** One follow-up that moves money in doubt on an order, and none while its payment is. */
function refuseOnOrder(set: WorkingSet, { id, request, attemptsOnOrder }: Begin): Refusal | undefined {
  const { orderId, operation, sum } = request;
  if (!movesMoney(request) || orderId === undefined) return undefined;
  const onOrder = set.onOrder(request);
  const payment = set.payment(request);
  const all = [...onOrder, ...(payment !== undefined && payment.orderId === undefined ? [payment] : [])];
  const others = all.filter((each) => each.id !== id && (each.kind === 'payment' || movesMoney(each)));
  const inDoubt = others.find(({ state }) => inDoubtStates.includes(state));
  if (inDoubt !== undefined) return { why: 'order-busy', other: inDoubt };
  const attempts = countAttempts(onOrder, id);
  const reached = others.filter(({ state }) => reachedStates.includes(state));
  const newest = reached.sort((one, other) => (other.begunAt ?? 0) - (one.begunAt ?? 0))[0];
  if (attempts > (attemptsOnOrder ?? attempts) && newest !== undefined) return { why: 'order-busy', other: newest };
  const like = others.filter((each) => each.state === 'accepted' && each.operation === operation);
  const pending = like.find((each) => each.sum === undefined || sum === undefined);
  return pending && { why: 'order-busy', other: pending };
}

/** Of requests on one order but this one; they only grow. */
export function countAttempts(onOrder: readonly Request[], exceptId: number | undefined): number {
  return onOrder.filter(({ id }) => id !== exceptId).reduce((sum, { attempt }) => sum + attempt, 0);
}

function refuseInBatch(set: WorkingSet, batch: string | undefined): Refusal | undefined {
  if (batch === undefined) return undefined;
  const { state, rowsLeft } = set.batch(batch);
  if (state !== 'running') return { why: 'batch-held', state };
  return rowsLeft <= 0 ? { why: 'no-rows-left' } : undefined;
}

/** What an attempt counts; undefined where it moves no money, or its amount is not known. */
function count({ request: { effect, sum }, counts = sum }: Begin, now: number): Counted | undefined {
  if (effect !== 'money' || counts === undefined) return undefined;
  return { day: startOfDay(now), units: String(toUnits(counts)), currency: counts.currency };
}

function refuseOverCap(set: WorkingSet, attempt: Begin, known: Request | undefined): Refusal | undefined {
  const counted = count(attempt, set.now);
  const { dayCap: cap, request } = attempt;
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
function correct(known: Request, request: NewRequest): Request {
  const found = request.kind === 'payment' ? 'clientOrderId' : 'orderId';
  const isSame = (['kind', 'base', 'login', found] as const).every((name) => known[name] === request[name]);
  if (!isSame) throw new Error(`request ${known.id} cannot become another one`);
  return { ...known, ...pickContent(request), orderId: known.orderId };
}
