import { readRequests } from './find.js';
import type { Evidence, Result, Settled } from './port.js';
import type { StoredRequest } from './rows.js';
import { judge, type Mover, type State } from './states.js';
import type { Move, NewEvent, Store } from './store.js';
import { findAlive } from './workers.js';

/** What is said of a request, by whoever says it. */
interface Saying extends Omit<Evidence, 'by' | 'to'> {
  readonly by: Mover;
  readonly to: State;
  /** Of a result: the attempt it is of. */
  readonly attempt?: number;
}

/** What a saying leads to: a move, an event without one, or nothing. */
interface Judged {
  readonly settled: Settled;
  readonly move?: Move;
  readonly event?: NewEvent;
}

/** Within a change. */
export function endGroup(store: Store, results: readonly Result[]): readonly Settled[] {
  return sayAll(
    store,
    results.map((result) => ({ ...result, by: 'result', isOwn: true })),
  );
}

/** Within a change. */
export function settleGroup(store: Store, evidence: readonly Evidence[]): readonly Settled[] {
  return sayAll(store, evidence);
}

/** Within a change: what processes that are gone left in `sending` is in doubt. */
export function settleGone(store: Store): readonly StoredRequest[] {
  const alive = findAlive(store, store.now());
  const ids = store.database.all(
    "SELECT id FROM request WHERE state = 'sending' AND worker NOT IN (SELECT value FROM json_each(?))",
    JSON.stringify(alive),
  );
  const sayings = ids.map(({ id }) => ({ id: Number(id), by: 'gone', to: 'unknown', reason: 'process-gone' }) as const);
  return sayAll(store, sayings).map(({ request }) => request as StoredRequest);
}

function sayAll(store: Store, sayings: readonly Saying[]): readonly Settled[] {
  const settled = new Map<Saying, Settled>();
  // Each request once in a round: what is said of it second meets what became of it first.
  for (let left = sayings; left.length > 0; ) {
    const round = left.filter(({ id }, at) => left.findIndex((other) => other.id === id) === at);
    const known = new Map(
      readRequests(
        store,
        round.map(({ id }) => id),
      ).map((each) => [each.id, each]),
    );
    const judged = round.map((saying) => {
      const before = known.get(saying.id);
      if (before === undefined) throw new Error(`the journal has no request ${saying.id}`);
      const one = judgeSaying(store, before, saying);
      settled.set(saying, one.settled);
      return one;
    });
    store.saveMoves(judged.flatMap(({ move }) => move ?? []));
    store.addEvents(judged.flatMap(({ event }) => event ?? []));
    giveRowsBack(
      store,
      judged.flatMap(({ move }) => move ?? []),
    );
    left = left.filter((each) => !round.includes(each));
  }
  return sayings.flatMap((saying) => settled.get(saying) ?? []);
}

function judgeSaying(store: Store, before: StoredRequest, saying: Saying): Judged {
  const { by, to, reason, isOwn = false, seen, attempt } = saying;
  if (attempt !== undefined && (attempt !== before.attempt || before.worker !== store.worker))
    return remark(before, 'late', { reason: 'late-result', facts: { attempt, to, why: reason } });
  const isStale = seen !== undefined && (seen.state !== before.state || seen.attempt !== before.attempt);
  const next = isStale ? undefined : judge(before, by, to, isOwn);
  if (by === 'person' && next === undefined) return { settled: { did: 'changed', request: before } };
  if (next === 'conflict') return contradict(store, before, saying);
  if (next !== undefined) return move(store, before, saying, next);
  if (before.state === 'conflict') return noteInConflict(store, before, saying);
  return before.state === to ? refresh(store, before, saying) : { settled: { did: 'same', request: before } };
}

function remark(request: StoredRequest, did: Settled['did'], event: NewEvent): Judged {
  return {
    settled: { did, request },
    event: { request: request.id, from: request.state, to: request.state, ...event },
  };
}

/** Each kind of evidence raises a conflict once: one that a person has decided is not raised again. */
function contradict(store: Store, before: StoredRequest, saying: Saying): Judged {
  if (wasRaised(store, before, saying.to)) return { settled: { did: 'same', request: before } };
  const facts = { ...saying.facts, evidence: saying.to, was: before.state, wasReason: before.reason };
  return move(store, before, { ...saying, facts }, 'conflict');
}

function noteInConflict(store: Store, before: StoredRequest, { to, reason, facts }: Saying): Judged {
  if (!['done', 'declined', 'refused'].includes(to) || wasRaised(store, before, to))
    return { settled: { did: 'same', request: before } };
  return remark(before, 'same', { reason, facts: { ...facts, evidence: to } });
}

function wasRaised({ database }: Store, { id }: StoredRequest, evidence: State): boolean {
  const sql = "SELECT 1 FROM event WHERE request = ? AND to_state = 'conflict' AND facts ->> 'evidence' = ?";
  return database.get(sql, id, evidence) !== undefined;
}

function move(store: Store, before: StoredRequest, saying: Saying, state: State): Judged {
  const isElsewhere = saying.by === 'elsewhere' || before.isElsewhere;
  const after: StoredRequest = {
    ...learn(before, saying, state, store.now()),
    ...{ state, changedAt: store.now(), reason: saying.reason, isElsewhere },
    mayHaveArrived: before.mayHaveArrived || (state !== 'not_sent' && state !== 'refused' && state !== 'cancelled'),
    counted: isElsewhere ? undefined : before.counted,
  };
  const { orderId, outcome, facts } = saying;
  const move = { before, after, facts: { ...facts, ...(orderId && { orderId }), ...(outcome && { outcome }) } };
  return { settled: { did: 'moved', request: after }, move };
}

/** The same state again, which may say more of the order, or that its payer has another step to take. */
function refresh(store: Store, before: StoredRequest, saying: Saying): Judged {
  const after = learn(before, saying, before.state, store.now());
  const isNew = after.orderId !== before.orderId || after.waitsFor !== before.waitsFor;
  if (!isNew) return { settled: { did: 'same', request: before } };
  const { orderId, waitsFor } = after;
  return {
    settled: { did: 'same', request: after },
    move: { before, after, facts: { ...saying.facts, orderId, waitsFor } },
  };
}

/** What a reply adds to what is known of its request. */
function learn(before: StoredRequest, saying: Saying, state: State, now: number): StoredRequest {
  const said = saying.waitsFor === 'nothing' ? undefined : (saying.waitsFor ?? before.waitsFor);
  const waitsFor = state === 'accepted' ? said : undefined;
  return {
    ...before,
    orderId: before.orderId ?? saying.orderId,
    card4: before.card4 ?? saying.card4,
    outcome: { ...before.outcome, ...saying.outcome },
    waitsFor,
    waitsSince: waitsFor === undefined ? undefined : waitsFor === before.waitsFor ? before.waitsSince : now,
  };
}

/** A row of a batch that was not sent after all may be sent in its place. */
function giveRowsBack({ database }: Store, moves: readonly Move[]): void {
  const unsent = moves.filter(({ before, after }) => before.state === 'sending' && after.state === 'not_sent');
  for (const batch of new Set(unsent.flatMap(({ after }) => after.batch ?? [])))
    database.run(
      'UPDATE batch SET rows_left = rows_left + ? WHERE id = ?',
      ...[unsent.filter(({ after }) => after.batch === batch).length, batch],
    );
}
