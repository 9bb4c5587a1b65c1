import { countRows } from './begin.js';
import { readRequest } from './find.js';
import type { Evidence, Request, Result, Settled } from './port.js';
import { pendingSql } from './schema.js';
import { judge, type Mover, type State, wasMarked } from './states.js';
import type { Store } from './store.js';
import { findAlive } from './workers.js';

/** What is said of a request, by whoever says it. */
interface Saying extends Omit<Evidence, 'by' | 'to'> {
  readonly by: Mover;
  readonly to: State;
}

/** Within a change. */
export function endAttempt(store: Store, { attempt, ...result }: Result): Settled {
  const before = readRequest(store, result.id);
  if (attempt === before.attempt && before.worker === store.worker)
    return apply(store, before, { ...result, by: 'result', isOwn: true });
  const { id, state } = before;
  const facts = { attempt, to: result.to, why: result.reason };
  store.addEvent({ request: id, from: state, to: state, reason: 'late-result', facts });
  return { did: 'late', request: before };
}

/** Within a change. */
export function settleRequest(store: Store, evidence: Evidence): Settled {
  const before = readRequest(store, evidence.id);
  const { seen } = evidence;
  const isStale =
    seen !== undefined && ((seen.state ?? before.state) !== before.state || seen.attempt !== before.attempt);
  const settled: Settled = isStale ? { did: 'same', request: before } : apply(store, before, evidence);
  return evidence.by === 'person' && settled.did === 'same' ? { ...settled, did: 'changed' } : settled;
}

/** Within a change: what processes that are gone left in `sending` is in doubt. */
export function settleGone(store: Store): readonly Request[] {
  const rows = store.database.all(
    `SELECT id FROM request WHERE ${pendingSql} AND state = 'sending'
       AND worker NOT IN (SELECT value FROM json_each(?))`,
    JSON.stringify(findAlive(store, store.now())),
  );
  return rows.map(({ id }) => {
    const gone = { id: Number(id), by: 'gone', to: 'unknown', reason: 'process-gone' } as const;
    return apply(store, readRequest(store, gone.id), gone).request;
  });
}

function apply(store: Store, before: Request, saying: Saying): Settled {
  const next = judge(before, saying.by, saying.to, saying.isOwn ?? false);
  if (next === 'conflict') return contradict(store, before, saying);
  const isKept = next === 'unknown' && before.state === 'accepted' && isOrderInDoubt(store, before);
  if (next !== undefined && !isKept) return move(store, before, saying, next);
  if (isKept || before.state === 'conflict' || before.state === 'cancelled') remark(store, before, saying);
  if (before.state === saying.to) return refresh(store, before, saying);
  return { did: 'same', request: before };
}

/** Each kind of evidence raises a conflict once: one that a person has decided is not raised again. */
function contradict(store: Store, before: Request, saying: Saying): Settled {
  if (before.state !== 'sending' && wasRaised(store, before, saying.to)) return { did: 'same', request: before };
  const { state: was, reason: wasReason } = before;
  const facts = { ...saying.facts, raised: saying.to, was, wasReason };
  const hand = wasMarked(before) ? ' (marked by hand)' : '';
  const reason = saying.to === 'conflict' ? saying.reason : `${was}${hand}, but ${saying.reason}`;
  return move(store, before, { ...saying, reason, facts }, 'conflict');
}

/** Evidence that changes no state, once of each kind. */
function remark(store: Store, before: Request, { to, reason, facts }: Saying): void {
  const { id, state } = before;
  if (wasRaised(store, before, to)) return;
  store.addEvent({ request: id, from: state, to: state, reason, facts: { ...facts, raised: to } });
}

function wasRaised({ database }: Store, { id }: Request, to: State): boolean {
  const sql = "SELECT 1 FROM event WHERE request = ? AND facts ->> 'raised' = ?";
  return database.get(sql, id, to) !== undefined;
}

/** A second one in doubt on its order would be one too many to ever tell apart: this one stays pending. */
function isOrderInDoubt({ database }: Store, { base, orderId, kind, effect }: Request): boolean {
  const sql = `SELECT 1 FROM request WHERE base = ? AND order_id = ? AND kind = 'follow-up' AND effect = 'money'
    AND state IN ('sending', 'unknown')`;
  return kind === 'follow-up' && effect === 'money' && database.get(sql, base, orderId ?? null) !== undefined;
}

function move(store: Store, before: Request, saying: Saying, state: State): Settled {
  const { by, reason, orderId, outcome, facts } = saying;
  const isElsewhere = by === 'elsewhere' || before.isElsewhere;
  const request: Request = {
    ...learn(store, before, saying, state),
    ...{ state, changedAt: store.now(), reason, isElsewhere },
    mayHaveArrived: before.mayHaveArrived || (state !== 'not_sent' && state !== 'refused'),
    counted: isElsewhere ? undefined : before.counted,
  };
  if (state === 'not_sent' && request.batch !== undefined) countRows(store, request.batch, 1);
  store.move(before, request, { ...facts, orderId, outcome });
  return { did: 'moved', request };
}

/** The same state again, which may say more of the order, or that its payer has another step to take. */
function refresh(store: Store, before: Request, saying: Saying): Settled {
  const request = learn(store, before, saying, before.state);
  const { orderId, waitsFor } = request;
  if (orderId === before.orderId && waitsFor === before.waitsFor) return { did: 'same', request: before };
  const step = waitsFor === before.waitsFor ? {} : { waitsFor: waitsFor ?? 'nothing' };
  store.move(before, request, { ...saying.facts, orderId, ...step });
  return { did: 'same', request };
}

/** What a reply adds to what is known of its request. */
function learn(store: Store, before: Request, saying: Saying, state: State): Request {
  const said = saying.waitsFor === 'nothing' ? undefined : (saying.waitsFor ?? before.waitsFor);
  const waitsFor = state === 'accepted' ? said : undefined;
  return {
    ...before,
    orderId: before.orderId ?? saying.orderId,
    card4: before.card4 ?? saying.card4,
    outcome: { ...before.outcome, ...saying.outcome },
    ...{ waitsFor, waitsSince: state === 'accepted' ? waitsSince(store, before, waitsFor) : undefined },
  };
}

/**
 * A payer may have been asked for the first step as soon as it was sent; 3-D Secure as such, before its step is known, is
 * no step of its own.
 */
function waitsSince(store: Store, before: Request, waitsFor: string | undefined): number | undefined {
  if (waitsFor === before.waitsFor) return before.waitsSince;
  if (before.waitsFor === undefined && before.waitsSince === undefined) return before.begunAt ?? store.now();
  return before.waitsFor === 'three-d-secure' ? before.waitsSince : store.now();
}
