import { exits, fail } from '../errors/index.js';
import type { Total as JournalTotal, Sum } from '../journal/port.js';
import { finalStates, type State, unresolvedStates } from '../journal/states.js';
import type { PlanHead, Total } from './plan.js';

/** Where the rows of a batch stand, as `Journal.total` gives it. */
export type Tally = readonly Omit<JournalTotal, 'reason'>[];

/** Where the rows stand that one run has seen. */
export class StateTally {
  readonly #totals = new Map<string, Tally[number]>();

  /** `from` is undefined for a row that was not counted before. */
  move(from: State | undefined, to: State, sum: Sum | undefined): void {
    this.#add(to, sum, 1);
    if (from !== undefined) this.#add(from, sum, -1);
  }

  #add(state: State, sum: Sum | undefined, count: 1 | -1): void {
    const key = `${state} ${sum?.currency ?? ''}`;
    const before = this.#totals.get(key);
    const minor = BigInt(before?.sum?.minor ?? 0) + BigInt(sum?.minor ?? 0) * BigInt(count);
    this.#totals.set(key, {
      ...{ state, count: (before?.count ?? 0) + count },
      sum: sum && { ...sum, minor: String(minor) },
    });
  }

  count(...states: readonly State[]): number {
    return countIn([...this.#totals.values()].filter(({ state }) => states.length === 0 || states.includes(state)));
  }

  money(wanted: State): readonly Total[] {
    return moneyIn([...this.#totals.values()].filter(({ state }) => state === wanted));
  }
}

function countIn(tally: Tally): number {
  return tally.reduce((sum, { count }) => sum + count, 0);
}

/** What rows that name an amount come to, by currency. */
function moneyIn(tally: Tally): Total[] {
  const totals = new Map<string, Total>();
  for (const { count, sum } of tally) {
    if (sum === undefined || count === 0) continue;
    const before = totals.get(sum.currency) ?? { count: 0, minor: '0' };
    const minor = String(BigInt(before.minor) + BigInt(sum.minor));
    totals.set(sum.currency, { ...sum, count: before.count + count, minor });
  }
  return [...totals.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

/** How many rows stand somewhere, and the money of those that name an amount. */
export interface StateSummary {
  readonly state: State;
  readonly count: number;
  readonly totals: readonly Total[];
}

const stateOrder: readonly State[] = [
  'done',
  'accepted',
  'sending',
  'unknown',
  'conflict',
  'declined',
  'refused',
  'not_sent',
  'cancelled',
  'planned',
];

/** By state, in the order in which they are shown. */
export function summarize(tally: Tally): StateSummary[] {
  return stateOrder.flatMap((state) => {
    const own = tally.filter((total) => total.state === state);
    return own.length === 0 ? [] : [{ state, count: countIn(own), totals: moneyIn(own) }];
  });
}

const overStates: readonly State[] = [...finalStates, 'cancelled'];

/** Whether every row has its final outcome or is cancelled, so that a run has nothing to send or to query. */
export function isFinished(tally: Tally): boolean {
  return tally.length > 0 && tally.every(({ state }) => overStates.includes(state));
}

/** Whether a run may send a row: one that is accepted is only queried, one that is unknown may have been approved. */
export function mayBeSent(tally: Tally): boolean {
  return tally.length === 0 || tally.some(({ state }) => state !== 'accepted' && !overStates.includes(state));
}

/** Of rows by state, those that were sent and do not have their end. */
export function openIn(summary: readonly Pick<StateSummary, 'state' | 'count'>[]): ReadonlyMap<State, number> {
  return new Map(summary.flatMap(({ state, count }) => (unresolvedStates.includes(state) ? [[state, count]] : [])));
}

/** `2 unknown, 1 accepted`. */
export function countsText(counts: Iterable<readonly [state: State, count: number]>): string {
  return [...counts].map(([state, count]) => `${count} ${state.replace('_', ' ')}`).join(', ');
}

/** Where the rows of a batch are at its end; every row is in exactly one of them. */
export const ends = {
  done: 'approved',
  declined: 'declined, final',
  refused: 'refused by the gateway; nothing took effect',
  not_sent: 'confirmed not sent',
  unknown: 'the outcome is unknown: money may have moved',
  accepted: 'accepted by the gateway; the outcome is still pending',
  left: 'not sent by this batch',
  cancelled: 'permanently cancelled before it was sent',
} as const;

export type End = keyof typeof ends;

export interface EndTotal {
  readonly end: End;
  readonly count: number;
  /** By currency, of the rows that name an amount. */
  readonly sums: readonly Sum[];
}

const endByState: Readonly<Record<State, End>> = {
  planned: 'left',
  // Its process is gone, or another one is at it: either way nobody here knows.
  sending: 'unknown',
  not_sent: 'not_sent',
  cancelled: 'cancelled',
  refused: 'refused',
  unknown: 'unknown',
  accepted: 'accepted',
  done: 'done',
  declined: 'declined',
  // Money may have moved; a person decides.
  conflict: 'unknown',
};

/** Every end with its count and money. Throws INTERNAL when they do not add up to the plan. */
export function endTotals(head: Pick<PlanHead, 'count' | 'totals'>, tally: Tally): EndTotal[] {
  const found = (Object.keys(ends) as End[]).map((end): EndTotal => {
    const own = tally.filter(({ state }) => endByState[state] === end);
    return { end, count: countIn(own), sums: moneyIn(own) };
  });
  const sums = new Map(moneyIn(tally).map(({ currency, minor }) => [currency, minor]));
  const isExact = head.totals.every(({ currency, minor }) => (sums.get(currency) ?? '0') === minor);
  if (countIn(tally) !== head.count || !isExact)
    throw fail('INTERNAL', {
      why: 'the row totals of the batch do not match its plan',
      how: 'see `paycli doctor`',
      sent: '`paycli journal` shows what was sent',
    });
  return found.filter((each) => each.end !== 'cancelled' || each.count > 0);
}

/** The exit code: the worst of what its rows came to. */
export function exitCodeOf(totals: readonly EndTotal[]): number {
  const has = (...wanted: readonly End[]) => totals.some(({ end, count }) => count > 0 && wanted.includes(end));
  if (has('unknown')) return exits.unknown;
  if (has('left', 'refused', 'not_sent')) return exits.batchLeft;
  if (has('accepted')) return exits.pending;
  return has('declined') ? exits.declined : exits.ok;
}
