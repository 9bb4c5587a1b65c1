import { movesMoney } from './begin.js';
import { ask, type Change } from './dialect.js';
import type { Evidence, Request, Result, Settled } from './port.js';
import { judge, type Mover, type State, wasMarked } from './states.js';
import { pendingSql } from './tables.js';
import { findAlive } from './workers.js';
import { order, type Steps, type WorkingSet } from './working-set.js';

/** What is said of a request, by whoever says it. */
interface Saying extends Omit<Evidence, 'by' | 'to'> {
  readonly by: Mover;
  readonly to: State;
}

/** Reads a request, and those that evidence about it depends on. */
function* read(set: WorkingSet, id: number): Steps<Request> {
  yield [{ table: 'request', key: { id } }];
  yield movesMoney(set.request(id)) ? [order(set.request(id))] : [];
  return set.request(id);
}

export function* endAttempt(set: WorkingSet, { attempt, ...result }: Result): Steps<Settled> {
  const before = yield* read(set, result.id);
  if (attempt === before.attempt && before.worker === set.store.worker)
    return apply(set, before, { ...result, by: 'result', isOwn: true });
  const { id, state } = before;
  const facts = { attempt, to: result.to, why: result.reason };
  set.events.push({ request: id, from: state, to: state, reason: 'late-result', facts });
  return { did: 'late', request: before };
}

export function* settleRequest(set: WorkingSet, evidence: Evidence): Steps<Settled> {
  const before = yield* read(set, evidence.id);
  const { seen } = evidence;
  const isStale =
    seen !== undefined && ((seen.state ?? before.state) !== before.state || seen.attempt !== before.attempt);
  const settled: Settled = isStale ? { did: 'same', request: before } : apply(set, before, evidence);
  return evidence.by === 'person' && settled.did === 'same' ? { ...settled, did: 'changed' } : settled;
}

/** What processes that are gone left in `sending` is in doubt. */
export function* settleGone(set: WorkingSet): Change<readonly Request[]> {
  const { among } = set.store.tables.dialect;
  const rows = yield* ask(
    `SELECT id FROM request WHERE ${pendingSql} AND state = 'sending' AND NOT (${among('worker')})`,
    JSON.stringify(yield* findAlive(set.store, set.now)),
  );
  const gone = { by: 'gone', to: 'unknown', reason: 'process-gone' } as const;
  const ids = rows.map(({ id }) => Number(id));
  yield* set.read(ids.map((id) => ({ table: 'request', key: { id } })));
  return ids.map((id) => apply(set, set.request(id), { id, ...gone }).request);
}

function apply(set: WorkingSet, before: Request, saying: Saying): Settled {
  const next = judge(before, saying.by, saying.to, saying.isOwn ?? false);
  if (next === 'conflict') return contradict(set, before, saying);
  // A second one in doubt on its order would be one too many to ever tell apart: this one stays pending.
  const isKept = next === 'unknown' && isOrderInDoubt(set, before);
  const state = isKept ? 'accepted' : next;
  if (state !== undefined && state !== before.state) return move(set, before, saying, state);
  const isNoted = isKept || before.state === 'conflict' || before.state === 'cancelled';
  const request = isNoted ? remark(set, before, saying) : before;
  return { did: 'same', request: before.state === saying.to ? refresh(set, request, saying) : request };
}

/** Each kind of evidence raises a conflict once: one that a person has decided is not raised again. */
function contradict(set: WorkingSet, before: Request, saying: Saying): Settled {
  if (before.state !== 'sending' && wasRaised(before, saying)) return { did: 'same', request: before };
  const { state: was, reason: wasReason } = before;
  const facts = { ...saying.facts, raised: saying.to, was, wasReason };
  const hand = wasMarked(before) ? ' (marked by hand)' : '';
  const reason = saying.to === 'conflict' ? saying.reason : `${was}${hand}, but ${saying.reason}`;
  return move(set, raise(before, saying), { ...saying, reason, facts }, 'conflict');
}

function wasRaised({ raised = [] }: Request, { to }: Saying): boolean {
  return raised.includes(to);
}

function raise(before: Request, { to }: Saying): Request {
  return { ...before, raised: [...(before.raised ?? []), to] };
}

/** Evidence that changes no state, once of each kind. */
function remark(set: WorkingSet, before: Request, saying: Saying): Request {
  if (wasRaised(before, saying)) return before;
  return set.move(before, raise(before, saying), { ...saying.facts, raised: saying.to }, saying.reason);
}

function isOrderInDoubt(set: WorkingSet, request: Request): boolean {
  const isInDoubt = (other: Request) =>
    other.id !== request.id && movesMoney(other) && ['sending', 'unknown'].includes(other.state);
  return movesMoney(request) && set.onOrder(request).some(isInDoubt);
}

function move(set: WorkingSet, before: Request, saying: Saying, state: State): Settled {
  const { by, reason, orderId, outcome, facts } = saying;
  const isElsewhere = by === 'elsewhere' || before.isElsewhere;
  const request: Request = {
    ...learn(set, before, saying, state),
    ...{ state, changedAt: set.now, reason, isElsewhere },
    counted: isElsewhere ? undefined : before.counted,
  };
  if (state === 'not_sent' && request.batch !== undefined) set.countRow(request.batch, -1);
  return { did: 'moved', request: set.move(before, request, { ...facts, orderId, outcome }) };
}

/** The same state again, which may say more of the order, or that its payer has another step to take. */
function refresh(set: WorkingSet, before: Request, saying: Saying): Request {
  const request = learn(set, before, saying, before.state);
  const { orderId, waitsFor } = request;
  if (orderId === before.orderId && waitsFor === before.waitsFor) return before;
  const step = waitsFor === before.waitsFor ? {} : { waitsFor: waitsFor ?? 'nothing' };
  return set.move(before, request, { ...saying.facts, orderId, ...step });
}

/** What a reply adds to what is known of its request. */
function learn(set: WorkingSet, before: Request, saying: Saying, state: State): Request {
  const said = saying.waitsFor === 'nothing' ? undefined : (saying.waitsFor ?? before.waitsFor);
  const waitsFor = state === 'accepted' ? said : undefined;
  return {
    ...before,
    orderId: before.orderId ?? saying.orderId,
    card4: before.card4 ?? saying.card4,
    outcome: { ...before.outcome, ...saying.outcome },
    ...{ waitsFor, waitsSince: state === 'accepted' ? waitsSince(set, before, waitsFor) : undefined },
  };
}

/**
 * A payer may have been asked for the first step as soon as it was sent; 3-D Secure as such, before its step is known, is
 * no step of its own.
 */
function waitsSince(set: WorkingSet, before: Request, waitsFor: string | undefined): number | undefined {
  if (waitsFor === before.waitsFor) return before.waitsSince;
  if (before.waitsFor === undefined && before.waitsSince === undefined) return before.begunAt ?? set.now;
  return before.waitsFor === 'three-d-secure' ? before.waitsSince : set.now;
}
