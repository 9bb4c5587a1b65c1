import { ask, type Change } from './dialect.js';
import type { Evidence, Request } from './port.js';
import { judge, type Mover, type State, wasMarked } from './states.js';
import { findAlive } from './store.js';
import { pendingSql } from './tables.js';
import { byId, type Rule, type WorkingSet } from './working-set.js';

/** What is said of a request, by whoever says it. */
type Saying = Omit<Evidence, 'by' | 'to'> & { readonly by: Mover; readonly to: State };

/** Records what evidence says of a request. */
export function settling(evidence: Evidence): Rule<Request> {
  return {
    reads: () => [byId(evidence.id)],
    decide(set) {
      const before = set.request(evidence.id);
      return isStale(set, before, evidence) ? before : apply(set, before, evidence);
    },
  };
}

/** Whether it is about another attempt, or another state, than the request is in. The result of such an attempt is noted. */
function isStale(set: WorkingSet, before: Request, { id, by, to, reason, attempt, seen }: Evidence): boolean {
  const { state, worker } = before;
  const isResult = by === 'result';
  const isOther = attempt !== undefined && attempt !== before.attempt;
  if (!isOther && (seen ?? state) === state && (!isResult || worker === set.store.worker)) return false;
  const facts = { attempt, to, why: reason };
  if (isResult) set.events.push({ request: id, from: state, to: state, reason: 'late-result', facts });
  return true;
}

/** What processes that are gone left in `sending` is in doubt. */
export function* settleGone(set: WorkingSet): Change<readonly Request[]> {
  const { among } = set.store.tables.dialect;
  const rows = yield* ask(
    `SELECT id FROM request WHERE ${pendingSql} AND state = 'sending' AND NOT (${among('worker')})`,
    JSON.stringify(yield* findAlive(set.store, set.now)),
  );
  if (rows.length === 0) return [];
  const ids = rows.map(({ id }) => Number(id));
  yield* set.load(ids.map(byId));
  return ids.map((id) => apply(set, set.request(id), { id, by: 'gone', to: 'unknown', reason: 'process-gone' }));
}

function apply(set: WorkingSet, before: Request, saying: Saying): Request {
  const { by, to } = saying;
  const next = judge(before, by, to, by === 'result' || saying.isOwn === true);
  if (next === 'conflict' || (next === undefined && decidedStates.includes(before.state)))
    return contradict(set, before, saying, next);
  if (next !== undefined) return move(set, before, saying, next);
  const after = learn(before, saying, before.state);
  const isNews = after.orderId !== before.orderId || after.waitsFor !== before.waitsFor;
  if (before.state !== to || !isNews) return before;
  const step = after.waitsFor === before.waitsFor ? {} : { waitsFor: after.waitsFor ?? 'nothing' };
  return set.move(before, after, { ...saying.facts, orderId: after.orderId, ...step });
}

/** What is said of it then changes no state, and is noted. */
const decidedStates: readonly State[] = ['conflict', 'cancelled'];

/** Each kind of evidence raises a conflict once: one that a person has decided is not raised again. */
function contradict(set: WorkingSet, before: Request, saying: Saying, next: State | undefined): Request {
  const { state: was, reason: wasReason, raised = [] } = before;
  if (was !== 'sending' && raised.includes(saying.to)) return before;
  const known = { ...before, raised: [...raised, saying.to] };
  const facts = { ...saying.facts, raised: saying.to, was, wasReason };
  if (next === undefined) return set.move(before, known, facts, saying.reason);
  const hand = wasMarked(before) ? ' (marked by hand)' : '';
  const reason = saying.to === 'conflict' ? saying.reason : `${was}${hand}, but ${saying.reason}`;
  return move(set, known, { ...saying, reason, facts }, next);
}

function move(set: WorkingSet, before: Request, saying: Saying, state: State): Request {
  const { by, reason, orderId, outcome, facts } = saying;
  const isElsewhere = by === 'elsewhere' || before.isElsewhere;
  const request: Request = {
    ...learn(before, saying, state),
    ...{ state, changedAt: set.now, reason, isElsewhere },
    counted: isElsewhere ? undefined : before.counted,
  };
  if (state === 'not_sent' && request.batch !== undefined) set.countRow(request.batch, -1);
  return set.move(before, request, { ...facts, orderId, outcome });
}

/** What a reply adds to what is known of its request. */
function learn(before: Request, { orderId, outcome, waitsFor = before.waitsFor }: Saying, state: State): Request {
  return {
    ...before,
    orderId: before.orderId ?? orderId,
    outcome: { ...before.outcome, ...outcome },
    waitsFor: state === 'accepted' && waitsFor !== 'nothing' ? waitsFor : undefined,
  };
}
