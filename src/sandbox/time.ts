import { fail } from '../errors/index.js';
import { advance, nextDue, nextEnding } from './advance.js';
import { timeText } from './callbacks/list.js';
import { offsetOf, setOffset } from './clock.js';
import { optionalNumber } from './columns.js';
import type { Happened } from './due.js';
import { record } from './events.js';
import type { Store } from './store.js';

const command = 'sandbox clock';
const units: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000 };
// A daily schedule would have to be charged for each of these days.
const mostMs = 3660 * 86_400_000;
const mostSteps = 1000;

/** Reads 7d, 12h, 30m or 10s. Throws USAGE. */
export function parseDuration(text: string): number {
  const { amount = '', unit = '' } = /^(?<amount>[1-9]\d{0,8})(?<unit>[dhms])$/.exec(text)?.groups ?? {};
  if (amount === '') throw refused('a duration is written as 7d, 12h, 30m or 10s');
  return Number(amount) * (units[unit] ?? 0);
}

/** Reads a moment such as 2030-01-31T12:00:00Z, or with another offset from UTC. Throws USAGE. */
export function parseMoment(text: string): number {
  const date = /^(\d{4}-\d\d-\d\d)[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/.exec(text)?.[1];
  const time = date === undefined ? Number.NaN : Date.parse(text.toUpperCase().replace(' ', 'T'));
  // 30 February would be read as a day in March.
  const isDay = date !== undefined && new Date(`${date}T00:00:00Z`).toJSON()?.startsWith(date) === true;
  if (Number.isNaN(time) || !isDay) throw refused('a moment is written as 2030-01-31T12:00:00Z (RFC 3339)');
  return time;
}

/** Sets the sandbox clock to a later moment, and lets everything in between happen at its own time. Throws USAGE. */
export function moveClock(store: Store, to: number): Happened[] {
  return store.database.transaction(() => {
    const from = store.clock.now();
    if (to < from)
      throw refused(`the sandbox clock stands at ${timeText(from)} and never goes back; \`paycli sandbox reset\` forgets what happened`);
    if (to - from > mostMs) throw refused('the clock moves at most ten years at once');
    const before = advance(store, from);
    setOffset(store.database, offsetOf(store.database) + (to - from));
    record(store, { kind: 'clock', title: `the clock was moved from ${timeText(from)} to ${timeText(to)}` });
    return [...before, ...advance(store, to)];
  });
}

/** Moves the clock to the next thing that is due; undefined when there is none. */
export function stepClock(store: Store): Happened[] | undefined {
  return stepTo(store, nextDue);
}

/** Steps until nothing is due but schedules without an end. Calls `afterStep` each time, so that callbacks can be delivered. */
export async function runUntilIdle(store: Store, afterStep: (happened: readonly Happened[]) => Promise<void>): Promise<void> {
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const happened = stepTo(store, nextEnding);
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
  const next = nextOf(store, now);
  return { now: timeText(now), machine: timeText(store.machine.now()), next: next === undefined ? undefined : timeText(next) };
}

function nextOf(store: Store, now: number): number | undefined {
  const times = [nextDue(store), nextCallback(store, now)].filter((time) => time !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

function stepTo(store: Store, nextIn: (store: Store) => number | undefined): Happened[] | undefined {
  const now = store.clock.now();
  const waiting = store.database.transaction(() => advance(store, now));
  if (waiting.length > 0) return waiting;
  const callback = nextCallback(store, now);
  const at = Math.min(nextIn(store) ?? Number.POSITIVE_INFINITY, callback ?? Number.POSITIVE_INFINITY);
  if (at === Number.POSITIVE_INFINITY) return undefined;
  const happened = moveClock(store, Math.max(at, now));
  return at === callback ? [...happened, { at, what: 'a callback is due' }] : happened;
}

/** Attempts that are due already wait for a sandbox that listens, not for the clock. */
function nextCallback({ database }: Store, now: number): number | undefined {
  return optionalNumber(database.get('SELECT min(due_at) AS due FROM callbacks WHERE due_at > ?', now) ?? {}, 'due');
}

function refused(why: string): Error {
  return fail('USAGE', { why, command });
}
