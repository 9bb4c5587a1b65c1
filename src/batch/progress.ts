import { exits, fail } from '../errors/index.js';
import type { Total as JournalTotal, Sum } from '../journal/port.js';
import { finalStates, inDoubtStates, type State, sendableStates, states, unresolvedStates } from '../journal/states.js';
import { moneyDocument } from '../payments/words.js';
import type { PlanHead, Total } from './plan.js';

/** Where the rows of a batch stand, as `Journal.total` gives it. */
export type Tally = readonly JournalTotal[];

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
export function moneyIn(tally: Tally): Total[] {
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

/** By state, in the order in which they are shown. */
export function summarize(tally: Tally): readonly StateSummary[] {
  return (Object.keys(states) as State[]).flatMap((state) => {
    const own = tally.filter((total) => total.state === state);
    return own.length === 0 ? [] : [{ state, count: countIn(own), totals: moneyIn(own) }];
  });
}

/** The same for programs. */
export function stateDocuments(found: readonly StateSummary[]) {
  return found.map(({ state, count, totals }) => ({ state, count, totals: totals.map(moneyDocument) }));
}

/** `2 unknown, 1 accepted`. */
export function countsText(found: readonly StateSummary[], between = ', '): string {
  return found.map(({ state, count }) => `${count} ${state.replace('_', ' ')}`).join(between);
}

type Standing = readonly Pick<StateSummary, 'state'>[];

const overStates: readonly State[] = [...finalStates, 'cancelled'];

/** Whether every row has its final outcome or is cancelled, so that a run has nothing to send or to query. */
export function isFinished(found: Standing): boolean {
  return found.length > 0 && found.every(({ state }) => overStates.includes(state));
}

/** Whether a run may send a row: one that is accepted is only queried, one that is unknown may have been approved. */
export function mayBeSent(found: Standing): boolean {
  return found.length === 0 || found.some(({ state }) => state !== 'accepted' && !overStates.includes(state));
}

/** Those that were sent and do not have their end. */
export function openIn(found: readonly StateSummary[]): readonly StateSummary[] {
  return found.filter(({ state }) => unresolvedStates.includes(state));
}

/** Every row is in exactly one state, with its money. Throws INTERNAL when they do not add up to the plan. */
export function assertWhole({ count, totals }: Pick<PlanHead, 'count' | 'totals'>, tally: Tally): void {
  const sums = new Map(moneyIn(tally).map(({ currency, minor }) => [currency, minor]));
  const isExact = totals.every(({ currency, minor }) => (sums.get(currency) ?? '0') === minor);
  if (countIn(tally) === count && isExact) return;
  throw fail('INTERNAL', {
    why: 'the row totals of the batch do not match its plan',
    how: 'see `paycli doctor`',
    sent: '`paycli journal` shows what was sent',
  });
}

/** The exit code: the worst of what its rows came to. */
export function exitCodeOf(found: Standing): number {
  const has = (wanted: readonly State[]) => found.some(({ state }) => wanted.includes(state));
  if (has(inDoubtStates)) return exits.unknown;
  if (has(sendableStates)) return exits.batchLeft;
  if (has(['accepted'])) return exits.pending;
  return has(['declined']) ? exits.declined : exits.ok;
}
