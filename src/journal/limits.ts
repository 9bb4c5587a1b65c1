import { fail } from '../errors/index.js';
import type { Sum } from './intent.js';
import { sumOfUnits, sumText, unitsOf } from './money.js';

const dayMs = 86_400_000;

/** What a profile may send from 00:00 to 24:00 UTC. */
export interface DayLimit {
  readonly profile: string;
  readonly most: Sum;
}

/** 00:00 UTC of a day. */
export function dayOf(now: number): number {
  return now - (now % dayMs);
}

/** Throws CAP_EXCEEDED when this sum does not fit into the day any more, of which so many units (see `unitsOf`) are spent. */
export function checkDay({ profile, most }: DayLimit, asked: Sum, since: number, spent: bigint): void {
  const left = unitsOf(most) - spent;
  if (unitsOf(asked) <= left) return;
  const frees = new Date(since + dayMs).toISOString();
  const text = (units: bigint) => sumText(sumOfUnits(units, most.currency));
  const rest = left > 0n ? `at most ${text(left)} more today` : 'nothing more today';
  throw fail('CAP_EXCEEDED', {
    profile,
    cap: 'max-total-per-day',
    limit: sumText(most),
    spent: text(spent),
    asked: sumText(asked),
    frees,
    why: `max-total-per-day is ${sumText(most)}, ${text(spent)} of it are sent since 00:00 UTC, and this asks for ${sumText(asked)}`,
    how: `nothing was sent; ${rest}, and the count starts anew at ${frees}`,
  });
}
