import { fail } from '../errors/index.js';
import type { PlanHead } from './plan.js';
import type { RowState, RowTotal } from './tally.js';

/** Where the rows of a batch are at its end; every row is in exactly one of them. */
export const ends = {
  done: 'carried out',
  declined: 'a final no',
  refused: 'refused by the gateway, nothing was done',
  not_sent: 'proven not sent',
  unknown: 'the outcome is unknown: money may have moved',
  accepted: 'the gateway took it; its outcome is still open',
  left: 'not sent by this batch',
  unknown_here: 'known to the engine the plan runs on, which was not asked',
} as const;

export type End = keyof typeof ends;

export interface EndTotal {
  readonly end: End;
  readonly count: number;
  /** By currency, of the rows that move money. */
  readonly sums: readonly { readonly currency: string; readonly minor: string }[];
}

const endOf: Readonly<Record<RowState, End>> = {
  planned: 'left',
  // Its process is gone, or another one is at it: either way nobody here knows.
  sending: 'unknown',
  not_sent: 'not_sent',
  refused: 'refused',
  unknown: 'unknown',
  accepted: 'accepted',
  done: 'done',
  declined: 'declined',
  // Money may have moved; a person decides.
  conflict: 'unknown',
  unknown_here: 'unknown_here',
};

/** Every end with its count and money. Throws INTERNAL when they do not add up to the plan. */
export function endTotals(head: Pick<PlanHead, 'count' | 'totals'>, totals: readonly RowTotal[]): EndTotal[] {
  const found = (Object.keys(ends) as End[]).map((end): EndTotal => {
    const own = totals.filter(({ state }) => endOf[state] === end);
    const currencies = [...new Set(own.flatMap(({ currency }) => (currency === undefined ? [] : [currency])))].sort();
    const sums = currencies.map((currency) => ({ currency, minor: String(sumOf(own, currency)) }));
    return { end, count: own.reduce((count, each) => count + each.count, 0), sums };
  });
  const count = found.reduce((sum, each) => sum + each.count, 0);
  const isExact = head.totals.every(({ currency, minor }) => sumOf(totals, currency) === BigInt(minor));
  if (count !== head.count || !isExact)
    throw fail('INTERNAL', {
      why: 'the rows of the batch do not add up to its plan',
      how: 'look at `paycli journal verify`',
      sent: '`paycli journal list` shows what was sent',
    });
  // Only who could not ask has such rows.
  return found.filter((each) => each.end !== 'unknown_here' || each.count > 0);
}

function sumOf(totals: readonly RowTotal[], currency: string): bigint {
  return totals.filter((each) => each.currency === currency).reduce((sum, { minor }) => sum + BigInt(minor), 0n);
}

/** The exit code: the worst of what its rows came to. */
export function exitOf(totals: readonly EndTotal[]): 0 | 5 | 7 | 8 | 12 {
  const has = (...wanted: readonly End[]) => totals.some(({ end, count }) => count > 0 && wanted.includes(end));
  if (has('unknown')) return 8;
  if (has('left', 'refused', 'not_sent')) return 12;
  if (has('accepted')) return 7;
  return has('declined') ? 5 : 0;
}
