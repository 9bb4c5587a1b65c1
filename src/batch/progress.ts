import { exits, fail } from '../errors/index.js';
import type { Journal, Sum } from '../journal/port.js';
import { finalStates, type State, unresolvedStates } from '../journal/states.js';
import type { PlanHead, Total } from './plan.js';

/** How many rows are in a state, and what they come to in one currency. */
export interface StateTotal {
  readonly state: State;
  /** Undefined for rows that name no amount. */
  readonly currency: string | undefined;
  readonly count: number;
  /** Their sum in minor units, as decimal digits. */
  readonly minor: string;
  readonly digits: number;
}

interface RunningTotal {
  readonly state: State;
  readonly currency: string | undefined;
  readonly digits: number;
  count: number;
  minor: bigint;
}

/** Count and money by state and currency, in whole minor units. */
export class StateTally {
  readonly #totals = new Map<string, RunningTotal>();

  add(state: State, sum: Sum | undefined, count = 1): void {
    const total = this.#of(state, sum);
    total.count += count;
    total.minor += BigInt(sum?.minor ?? 0);
  }

  /** `from` is undefined for a row that was not counted before. */
  move(from: State | undefined, to: State, sum: Sum | undefined): void {
    this.add(to, sum);
    if (from === undefined) return;
    const total = this.#of(from, sum);
    total.count -= 1;
    total.minor -= BigInt(sum?.minor ?? 0);
  }

  count(...states: readonly State[]): number {
    return this.totals()
      .filter(({ state }) => states.length === 0 || states.includes(state))
      .reduce((total, { count }) => total + count, 0);
  }

  #of(state: State, sum: Sum | undefined): RunningTotal {
    const { currency, digits = 0 } = sum ?? {};
    const key = `${state} ${currency ?? ''}`;
    const total = this.#totals.get(key) ?? { state, currency, digits, count: 0, minor: 0n };
    this.#totals.set(key, total);
    return total;
  }

  totals(): StateTotal[] {
    return [...this.#totals.values()]
      .filter(({ count }) => count > 0)
      .map(({ minor, ...rest }) => ({ ...rest, minor: String(minor) }));
  }
}

/** Where the rows of a batch stand. */
export async function tallyOf(journal: Pick<Journal, 'total'>, batch: string): Promise<readonly StateTotal[]> {
  const tally = new StateTally();
  for (const { state, sum, count } of await journal.total({ batch })) tally.add(state, sum, count);
  return tally.totals();
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
export function summarize(tally: readonly StateTotal[]): StateSummary[] {
  return stateOrder.flatMap((state) => {
    const own = tally.filter((total) => total.state === state);
    if (own.length === 0) return [];
    const totals = own.flatMap(({ currency, count, minor, digits }) =>
      currency === undefined ? [] : [{ currency, count, minor, digits }],
    );
    totals.sort((one, other) => (one.currency < other.currency ? -1 : 1));
    return [{ state, count: countIn(own), totals }];
  });
}

function countIn(totals: readonly Pick<StateTotal, 'count'>[]): number {
  return totals.reduce((sum, { count }) => sum + count, 0);
}

const overStates: readonly State[] = [...finalStates, 'cancelled'];

/** Whether every row has its final outcome or is cancelled, so that a run has nothing to send or to query. */
export function isFinished(tally: readonly Pick<StateTotal, 'state'>[]): boolean {
  return tally.length > 0 && tally.every(({ state }) => overStates.includes(state));
}

/** Whether a run may send a row: one that is accepted is only queried, one that is unknown may have been approved. */
export function mayBeSent(tally: readonly StateTotal[]): boolean {
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
export function endTotals(head: Pick<PlanHead, 'count' | 'totals'>, tally: readonly StateTotal[]): EndTotal[] {
  const found = (Object.keys(ends) as End[]).map((end): EndTotal => {
    const own = tally.filter(({ state }) => endByState[state] === end);
    return { end, count: countIn(own), sums: sumsOf(own) };
  });
  const sums = new Map(sumsOf(tally).map(({ currency, minor }) => [currency, minor]));
  const isExact = head.totals.every(({ currency, minor }) => (sums.get(currency) ?? '0') === minor);
  if (countIn(found) !== head.count || !isExact)
    throw fail('INTERNAL', {
      why: 'the row totals of the batch do not match its plan',
      how: 'see `paycli doctor`',
      sent: '`paycli journal` shows what was sent',
    });
  return found.filter((each) => each.end !== 'cancelled' || each.count > 0);
}

/** By currency. */
function sumsOf(totals: readonly StateTotal[]): Sum[] {
  const sums = new Map<string, Sum>();
  for (const { currency, minor, digits } of totals) {
    if (currency === undefined) continue;
    const before = BigInt(sums.get(currency)?.minor ?? 0);
    sums.set(currency, { minor: String(before + BigInt(minor)), currency, digits });
  }
  return [...sums.values()].sort((one, other) => (one.currency < other.currency ? -1 : 1));
}

/** The exit code: the worst of what its rows came to. */
export function exitCodeOf(totals: readonly EndTotal[]): number {
  const has = (...wanted: readonly End[]) => totals.some(({ end, count }) => count > 0 && wanted.includes(end));
  if (has('unknown')) return exits.unknown;
  if (has('left', 'refused', 'not_sent')) return exits.batchLeft;
  if (has('accepted')) return exits.pending;
  return has('declined') ? exits.declined : exits.ok;
}
