import { fail } from '../errors/index.js';
import { stageOf } from '../spec/lifecycle.js';
import { decimalText } from '../wire/amount.js';
import { durationForm, readDuration } from '../wire/time.js';
import { balanceOf, holdLifetimeMs } from './balance.js';
import { queueCallbacks } from './callbacks/outbox.js';
import { recordEvent } from './log.js';
import {
  changeStep,
  isHosted,
  orders,
  requireOrder,
  type Transaction,
  transactions,
  transactionsOf,
  waitsForPayer,
} from './orders.js';
import { outcomeOf } from './outcomes.js';
import { chargeDue } from './recurring.js';
import { clockOffset, type Store, setMeta, timeText } from './store.js';
import { visits } from './visits.js';

/** Something that happens by itself once the sandbox clock reaches its time. */
interface DueSource {
  /** Query for the time of the next such change; NULL when none is planned. */
  readonly due: string;
  /** Applies what is due at `at`, the time of the store's clock. Returns a line per change. */
  readonly run: (store: Store, at: number) => readonly string[];
}

export interface ClockEvent {
  readonly at: number;
  readonly what: string;
}

const never = Number.POSITIVE_INFINITY;

/** Everything that happens by itself. At the same moment, the source listed first goes first. */
const dueSources: readonly DueSource[] = [
  { due: 'SELECT min(expires_at) FROM visits WHERE expires_at IS NOT NULL', run: abandonPayers },
  { due: 'SELECT min(due_at) FROM transactions WHERE due_at IS NOT NULL', run: finishTransactions },
  { due: 'SELECT min(lapses_at) FROM transactions WHERE lapses_at IS NOT NULL', run: expireHolds },
  { due: 'SELECT min(next_at) FROM recurring WHERE next_at IS NOT NULL', run: chargeDue },
];

const nextQuery = `SELECT ${dueSources.map(({ due }, source) => `(${due}) AS s${source}`).join(', ')}`;

/** What happens next; undefined when nothing is planned. */
function nextDue({ database }: Store): { readonly source: DueSource; readonly at: number } | undefined {
  const row = database.get(nextQuery) ?? {};
  const planned = dueSources.map((source, number) => ({ source, at: Number(row[`s${number}`] ?? never) }));
  const next = planned.reduce((first, other) => (other.at < first.at ? other : first));
  return next.at === never ? undefined : next;
}

/** When something happens next; undefined when nothing is planned. */
export function nextDueTime(store: Store): number | undefined {
  return nextDue(store)?.at;
}

/**
 * Brings the state to the current sandbox time, or to `until`, each change at its own time and in that order. Called in
 * a transaction before anything is read, so that no timer is needed.
 */
export function advance(store: Store, until = store.clock.now()): ClockEvent[] {
  const happened: ClockEvent[] = [];
  for (;;) {
    const next = nextDue(store);
    if (next === undefined || next.at > until) return happened;
    const { source, at } = next;
    const then = { ...store, clock: { ...store.clock, now: () => at } };
    happened.push(...source.run(then, at).map((what) => ({ at, what })));
  }
}

/** Transactions that reach their planned outcome. */
function finishTransactions(store: Store, at: number): string[] {
  return transactions.all(store, 'WHERE due_at <= ? ORDER BY due_at, id', at).flatMap((transaction) => {
    const { id, orderId, login, kind } = transaction;
    const change = finished(transaction, at);
    transactions.update(store, id, change);
    const title = stageOf(kind, change.status, change.step);
    recordEvent(store, { kind: 'stage', at, login, orderId, title });
    const line = `order ${orderId}: ${title}`;
    if (change.step === 'validated') return [line];
    const told = orders.get(store, 'WHERE id = ? AND coalesce(callback_url, notify_url) IS NOT NULL', orderId);
    return [line, ...(told === undefined ? [] : queueCallbacks(store, told, { ...transaction, ...change }, at))];
  });
}

/** What the planned outcome makes of a transaction. */
function finished({ kind, outcome }: Transaction, at: number) {
  const { status } = outcomeOf(outcome);
  // A29: a check that succeeds is not the end of a payout.
  if (kind === 'payout-check' && status === 'approved')
    return { status: 'processing', step: 'validated', dueAt: undefined } as const;
  const isHeld = kind === 'preauth' && status === 'approved';
  const lapsesAt = isHeld ? at + holdLifetimeMs + 1 : undefined;
  return { status, step: 'none', doneAt: at, dueAt: undefined, lapsesAt } as const;
}

/** Holds that expire before they were fully captured. The balance counts them already; this says so at its time. */
function expireHolds(store: Store, at: number): string[] {
  return transactions
    .all(store, 'WHERE lapses_at <= ? ORDER BY lapses_at, id', at)
    .flatMap(({ id, orderId, login }) => {
      transactions.update(store, id, { lapsesAt: undefined });
      const order = requireOrder(store, orderId);
      const all = transactionsOf(store, orderId);
      const { capturable } = balanceOf(order, all);
      if (capturable <= 0n || all.some(({ kind, status }) => kind === 'void' && status === 'approved')) return [];
      const left = `${decimalText(capturable, order.digits)} ${order.currency ?? ''}`.trim();
      const title = `the hold expired with ${left} left uncaptured`;
      recordEvent(store, { kind: 'stage', login, orderId, title });
      return [`order ${orderId}: ${title}`];
    });
}

/** A32: hosted forms that were not finished, and payments whose 3-D Secure step was not. */
function abandonPayers(store: Store, at: number): string[] {
  return visits.all(store, 'WHERE expires_at <= ? ORDER BY expires_at', at).flatMap(({ token, orderId }) => {
    visits.update(store, token, { expiresAt: undefined });
    const [opening] = transactionsOf(store, orderId);
    if (opening === undefined || !waitsForPayer(opening)) return [];
    const isForm = isHosted(requireOrder(store, orderId));
    // UNKNOWN: the authentication was not completed.
    if (isForm) changeStep(store, opening, { step: 'none', outcome: 'form-expired', dueAt: at });
    else changeStep(store, opening, { step: 'none', outcome: 'unauthenticated', tdsResult: 'UNKNOWN', dueAt: at });
    const title = isForm ? 'hosted form expired' : '3-D Secure was not completed in time';
    recordEvent(store, { kind: 'page', orderId, title });
    return [`order ${orderId}: ${title}`];
  });
}

const command = 'sandbox clock';
// A daily schedule is charged for each of these days.
const maxMoveMs = 3660 * 86_400_000;

/** Reads 7d, 12h, 30m or 10s. Throws USAGE. */
export function parseDuration(text: string): number {
  const ms = readDuration(text);
  if (ms === undefined) throw fail('USAGE', { why: `the sandbox clock takes ${durationForm}`, command });
  return ms;
}

/** Reads a moment such as 2030-01-31T12:00:00Z, or with another offset from UTC. Throws USAGE. */
export function parseTimestamp(text: string): number {
  const date = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/.exec(text)?.[1];
  const time = date === undefined ? Number.NaN : Date.parse(text.toUpperCase().replace(' ', 'T'));
  // 30 February would be read as a day in March.
  const isDay = date !== undefined && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true;
  if (Number.isNaN(time) || !isDay)
    throw fail('USAGE', {
      why: 'the sandbox clock takes a time such as 2030-01-31T12:00:00Z (RFC 3339), or +7d',
      command,
    });
  return time;
}

/** Sets the sandbox clock to a later moment; everything in between happens at its own time. Throws USAGE. */
export function moveClock(store: Store, to: number): ClockEvent[] {
  return moveTo(store, () => to);
}

/** The same by a duration in milliseconds, from the moment at which it is moved. */
export function moveClockBy(store: Store, ms: number): ClockEvent[] {
  return moveTo(store, (now) => now + ms);
}

/** The target is computed where the clock is read: computed before, it would be past on a busy machine. */
function moveTo(store: Store, target: (now: number) => number): ClockEvent[] {
  return store.database.transaction(() => {
    const from = store.clock.now();
    const to = target(from);
    if (to < from)
      throw fail('USAGE', {
        why: `the sandbox clock is at ${timeText(from)} and cannot go back; \`paycli sandbox reset\` deletes its orders and resets its clock`,
        command,
      });
    if (to - from > maxMoveMs) throw fail('USAGE', { why: 'the clock moves at most ten years at a time', command });
    const before = advance(store, from);
    setMeta(store, 'clock-offset', String(clockOffset(store) + (to - from)));
    recordEvent(store, { kind: 'clock', title: `the clock was moved from ${timeText(from)} to ${timeText(to)}` });
    return [...before, ...advance(store, to)];
  });
}

/** Moves the clock to the next thing that is due; undefined when there is none. */
export function stepClock(store: Store): ClockEvent[] | undefined {
  const now = store.clock.now();
  const waiting = store.database.transaction(() => advance(store, now));
  if (waiting.length > 0) return waiting;
  const callback = nextCallbackTime(store, now);
  const at = Math.min(nextDueTime(store) ?? never, callback);
  if (at === never) return undefined;
  const happened = moveTo(store, (from) => Math.max(at, from));
  return at === callback ? [...happened, { at, what: 'a callback is due' }] : happened;
}

/** Attempts already due wait for a listening sandbox, not for the clock. */
function nextCallbackTime({ database }: Store, now: number): number {
  const at = database.get('SELECT min(due_at) AS at FROM callbacks WHERE due_at > ?', now)?.['at'] ?? null;
  return at === null ? never : Number(at);
}

export interface ClockFacts {
  readonly now: string;
  readonly machine: string;
  /** When something happens next; undefined when nothing is planned. */
  readonly next: string | undefined;
}

export function readClock(store: Store): ClockFacts {
  store.database.transaction(() => advance(store));
  const now = store.clock.now();
  const next = Math.min(nextDueTime(store) ?? never, nextCallbackTime(store, now));
  return {
    now: timeText(now),
    machine: timeText(store.machine.now()),
    next: next === never ? undefined : timeText(next),
  };
}
