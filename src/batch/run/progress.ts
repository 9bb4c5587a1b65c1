import { exits, fail } from '../../errors/index.js';
import { finalStates, type Intent, type Journal, type State, type Sum, unresolvedStates } from '../../journal/index.js';
import { operationById } from '../../spec/index.js';
import { orderPlaceOf } from '../connection.js';
import { journalPrefilter } from '../plan/duplicates.js';
import {
  type BatchRow,
  digitsIn,
  notedCancelled,
  type PlanHead,
  type PlanStore,
  planPages,
  type Total,
} from '../plan.js';

/** How many rows are in a state, and what they come to in one currency. */
export interface StateTotal {
  readonly state: State;
  /** Undefined where a row moves no money. */
  readonly currency: string | undefined;
  readonly count: number;
  /** Their sum in minor units, as decimal digits. */
  readonly minor: string;
}

interface RunningTotal {
  readonly state: State;
  readonly currency: string | undefined;
  count: number;
  minor: bigint;
}

/** Count and money by state and currency, in whole minor units. */
export class StateTally {
  readonly #totals = new Map<string, RunningTotal>();

  add(state: State, sum: Sum | undefined): void {
    const total = this.#of(state, sum?.currency);
    total.count += 1;
    total.minor += BigInt(sum?.minor ?? 0);
  }

  /** `from` is undefined for a row that was not counted before. */
  move(from: State | undefined, to: State, sum: Sum | undefined): void {
    this.add(to, sum);
    if (from === undefined) return;
    const total = this.#of(from, sum?.currency);
    total.count -= 1;
    total.minor -= BigInt(sum?.minor ?? 0);
  }

  count(...states: readonly State[]): number {
    return this.totals()
      .filter(({ state }) => states.length === 0 || states.includes(state))
      .reduce((total, { count }) => total + count, 0);
  }

  #of(state: State, currency: string | undefined): RunningTotal {
    const key = `${state} ${currency ?? ''}`;
    const total = this.#totals.get(key) ?? { state, currency, count: 0, minor: 0n };
    this.#totals.set(key, total);
    return total;
  }

  totals(): StateTotal[] {
    return [...this.#totals.values()]
      .filter(({ count }) => count > 0)
      .map(({ minor, ...rest }) => ({ ...rest, minor: String(minor) }));
  }
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

/** What the journal knows of the rows of a plan; those that are not found are planned. */
export interface JournalLookup {
  find(rows: readonly BatchRow[]): ReadonlyMap<number, Intent>;
  /** Rows that nothing sends any more, by their numbers; their orders may be other plans' since. */
  readonly cancelled: ReadonlySet<number>;
  /** Rows in conflict among those that were found so far. */
  readonly conflicts: readonly Intent[];
}

export function journalLookup(plan: Pick<PlanStore, 'head' | 'noted'>, journal: Journal): JournalLookup {
  const { head } = plan;
  const conflicts: Intent[] = [];
  return {
    cancelled: notedCancelled(plan),
    conflicts,
    find(rows) {
      const found = new Map<number, Intent>();
      for (const row of rows.filter(journalPrefilter(operationById(head.operation), rows, journal))) {
        const intent = journaledIntentOf(row, head, journal);
        if (intent !== undefined) found.set(row.number, intent);
        if (intent?.state === 'conflict') conflicts.push(intent);
      }
      return found;
    },
  };
}

/** Where a row stands; `intent` is what was found of it. */
export function rowState(number: number, intent: Intent | undefined, known: JournalLookup): State {
  return known.cancelled.has(number) ? 'cancelled' : (intent?.state ?? 'planned');
}

/** Where the rows of a plan stand, as they were counted. */
export function summarizeTally(head: PlanHead, tally: readonly StateTotal[]): StateSummary[] {
  const digitsOf = digitsIn(head);
  return stateOrder.flatMap((state) => {
    const own = tally.filter((total) => total.state === state);
    if (own.length === 0) return [];
    const totals = own.flatMap(({ currency, count, minor }) =>
      currency === undefined ? [] : [{ currency, count, minor, digits: digitsOf(currency) }],
    );
    totals.sort((one, other) => (one.currency < other.currency ? -1 : 1));
    return [{ state, count: own.reduce((sum, { count }) => sum + count, 0), totals }];
  });
}

/** Rows that are looked up, counted by where they stand. */
export function tallyRows(plan: Pick<PlanStore, 'head' | 'rows'>, known: JournalLookup): StateTally {
  const tally = new StateTally();
  for (const rows of planPages(plan)) {
    const intents = known.find(rows);
    for (const { number, sum } of rows) tally.add(rowState(number, intents.get(number), known), sum);
  }
  return tally;
}

/** The same as `summarizeTally`, of rows that are looked up. */
export function summarizeProgress(plan: Pick<PlanStore, 'head' | 'rows'>, known: JournalLookup): StateSummary[] {
  return summarizeTally(plan.head, tallyRows(plan, known).totals());
}

/** Whether every row has its final outcome or is cancelled, so that a run has nothing to send or to query. */
export function isFinished(tally: readonly StateTotal[]): boolean {
  return tally.length > 0 && tally.every(({ state }) => isOver(state));
}

const finalRows: readonly State[] = finalStates;

/** Whether a run may send a row: one that is accepted is only queried, one that is unknown may have been approved. */
export function mayBeSent(tally: readonly StateTotal[]): boolean {
  return tally.length === 0 || !tally.every(({ state }) => [...finalRows, 'accepted', 'cancelled'].includes(state));
}

/** Whether no run of a batch leads out of a state. */
export function isOver(state: State): boolean {
  return state === 'cancelled' || finalStates.includes(state);
}

/** Of rows by state, those that were sent and do not have their end. */
export function openIn<Name extends State>(counts: Iterable<readonly [Name, number]>): ReadonlyMap<Name, number> {
  return new Map([...counts].filter(([state, count]) => count > 0 && openStates.includes(state)));
}

const openStates: readonly State[] = unresolvedStates;

/** `2 unknown, 1 accepted`. */
export function countsText(counts: Iterable<readonly [state: State, count: number]>): string {
  return [...counts].map(([state, count]) => `${count} ${state.replace('_', ' ')}`).join(', ');
}

/** What the journal has of a row since it was planned. */
export function journaledIntentOf(
  row: BatchRow,
  { operation, base, madeAt }: PlanHead,
  journal: Journal,
): Intent | undefined {
  const { values, sum } = row;
  const known = operationById(operation);
  if (known.effect === 'read') return undefined;
  return journal.before(orderPlaceOf(known, row, base)).findLast(
    (intent) =>
      intent.operation === operation &&
      intent.clientOrderId === values['clientOrderId'] &&
      // A follow-up of the whole order has no sum of its own.
      (intent.sum === undefined || intent.sum.minor === sum?.minor) &&
      intent.changedAt >= madeAt,
  );
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
  /** By currency, of the rows that move money. */
  readonly sums: readonly { readonly currency: string; readonly minor: string }[];
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
export function endTotals(head: Pick<PlanHead, 'count' | 'totals'>, totals: readonly StateTotal[]): EndTotal[] {
  const found = (Object.keys(ends) as End[]).map((end): EndTotal => {
    const own = totals.filter(({ state }) => endByState[state] === end);
    const currencies = [...new Set(own.flatMap(({ currency }) => (currency === undefined ? [] : [currency])))].sort();
    const sums = currencies.map((currency) => ({ currency, minor: String(sumOf(own, currency)) }));
    return { end, count: own.reduce((count, each) => count + each.count, 0), sums };
  });
  const count = found.reduce((sum, each) => sum + each.count, 0);
  const isExact = head.totals.every(({ currency, minor }) => sumOf(totals, currency) === BigInt(minor));
  if (count !== head.count || !isExact)
    throw fail('INTERNAL', {
      why: 'the row totals of the batch do not match its plan',
      how: 'see `paycli journal --verify`',
      sent: '`paycli journal` shows what was sent',
    });
  return found.filter((each) => each.end !== 'cancelled' || each.count > 0);
}

function sumOf(totals: readonly StateTotal[], currency: string): bigint {
  return totals.filter((each) => each.currency === currency).reduce((sum, { minor }) => sum + BigInt(minor), 0n);
}

/** The exit code: the worst of what its rows came to. */
export function exitCodeOf(totals: readonly EndTotal[]): number {
  const has = (...wanted: readonly End[]) => totals.some(({ end, count }) => count > 0 && wanted.includes(end));
  if (has('unknown')) return exits.unknown;
  if (has('left', 'refused', 'not_sent')) return exits.batchLeft;
  if (has('accepted')) return exits.pending;
  return has('declined') ? exits.declined : exits.ok;
}
