import { fail } from '../../errors/index.js';
import { durationForm, readDuration } from '../../wire/time.js';
import { callbackQueue, timeText } from '../ledger/callback-outbox.js';
import { recordEvent } from '../ledger/events.js';
import {
  abandonedPayers,
  type ClockEvent,
  type DueSource,
  holdExpiries,
  plannedOutcomes,
} from '../ledger/scheduled-changes.js';
import { offsetOf, optionalNumber, type Store, setOffset } from '../ledger/store.js';
import { recurringCharges } from './recurring.js';

/** Everything that happens by itself. At the same moment, the source listed first goes first. */
const dueSources: readonly DueSource[] = [
  abandonedPayers,
  plannedOutcomes,
  holdExpiries,
  recurringCharges,
  callbackQueue,
];

// One query for all: usually nothing is due.
const dueQuery = queryOf(dueSources.map((source) => source.due));
const finiteDueQuery = queryOf(dueSources.map((source) => source.finiteDue ?? source.due));

function queryOf(times: readonly string[]): string {
  return `SELECT ${times.map((time, at) => `(${time}) AS time${at}`).join(', ')}`;
}

function plannedTimes(
  { database }: Store,
  query: string,
): { readonly source: DueSource; readonly at: number | undefined }[] {
  const row = database.get(query) ?? {};
  return dueSources.map((source, at) => ({ source, at: optionalNumber(row, `time${at}`) }));
}

/**
 * Brings the state to the current sandbox time, or to `until`, each change at its own time and in that order. Called in
 * a transaction before anything is read, so that no timer is needed.
 */
export function advance(store: Store, until = store.clock.now()): ClockEvent[] {
  const happened: ClockEvent[] = [];
  for (;;) {
    const planned = plannedTimes(store, dueQuery);
    const next = earliest(planned);
    // Sorted, since a source may run over several moments and create changes for others, which run later.
    if (next === undefined || next.at > until) return happened.toSorted((a, b) => a.at - b.at);
    const { source, at } = next;
    const other = earliest(planned.filter((each) => each.source !== source))?.at ?? Number.POSITIVE_INFINITY;
    happened.push(...source.run(withClockAt(store, at), at, Math.max(at, Math.min(until, other - 1))));
  }
}

/** When something happens next; undefined when nothing is planned. */
export function nextDueTime(store: Store): number | undefined {
  return earliest(plannedTimes(store, dueQuery))?.at;
}

/** The same without schedules that never end. */
export function nextFiniteDueTime(store: Store): number | undefined {
  return earliest(plannedTimes(store, finiteDueQuery))?.at;
}

function withClockAt(store: Store, at: number): Store {
  return { ...store, clock: { ...store.clock, now: () => at } };
}

type Timed<T> = T & { readonly at: number };

function earliest<T>(all: readonly (T & { readonly at: number | undefined })[]): Timed<T> | undefined {
  let first: Timed<T> | undefined;
  for (const each of all) {
    const { at } = each;
    if (at !== undefined && (first === undefined || at < first.at)) first = { ...each, at };
  }
  return first;
}

const command = 'sandbox clock';
// A daily schedule is charged for each of these days.
const maxMoveMs = 3660 * 86_400_000;
const maxSteps = 1000;

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
    throw fail('USAGE', { why: 'the sandbox clock takes a time such as 2030-01-31T12:00:00Z (RFC 3339)', command });
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
    setOffset(store.database, offsetOf(store.database) + (to - from));
    recordEvent(store, { kind: 'clock', title: `the clock was moved from ${timeText(from)} to ${timeText(to)}` });
    return [...before, ...advance(store, to)];
  });
}

/** Moves the clock to the next thing that is due; undefined when there is none. */
export function stepClock(store: Store): ClockEvent[] | undefined {
  return stepTo(store, nextDueTime);
}

/** Steps until only endless schedules are due. Calls `afterStep` each time, so that callbacks can be delivered. */
export async function runUntilIdle(
  store: Store,
  afterStep: (happened: readonly ClockEvent[]) => Promise<void>,
): Promise<void> {
  for (let steps = 0; steps < maxSteps; steps += 1) {
    const happened = stepTo(store, nextFiniteDueTime);
    if (happened === undefined) return;
    await afterStep(happened);
  }
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
  const next = nextEventTime(store, now);
  return {
    now: timeText(now),
    machine: timeText(store.machine.now()),
    next: next === undefined ? undefined : timeText(next),
  };
}

function nextEventTime(store: Store, now: number): number | undefined {
  const times = [nextDueTime(store), nextCallbackTime(store, now)].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

function stepTo(store: Store, nextIn: (store: Store) => number | undefined): ClockEvent[] | undefined {
  const now = store.clock.now();
  const waiting = store.database.transaction(() => advance(store, now));
  if (waiting.length > 0) return waiting;
  const callback = nextCallbackTime(store, now);
  const at = Math.min(nextIn(store) ?? Number.POSITIVE_INFINITY, callback ?? Number.POSITIVE_INFINITY);
  if (at === Number.POSITIVE_INFINITY) return undefined;
  const happened = moveTo(store, (from) => Math.max(at, from));
  return at === callback ? [...happened, { at, what: 'a callback is due' }] : happened;
}

/** Attempts already due wait for a listening sandbox, not for the clock. */
function nextCallbackTime({ database }: Store, now: number): number | undefined {
  return optionalNumber(database.get('SELECT min(due_at) AS due FROM callbacks WHERE due_at > ?', now) ?? {}, 'due');
}
