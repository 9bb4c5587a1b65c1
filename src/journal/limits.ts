import { fail } from '../errors/index.js';
import type { Database } from '../runtime/ports.js';
import { decimalText, digitsOf } from '../wire/amount.js';
import type { Sum } from './intent.js';
import { spentSince } from './query.js';

const dayMs = 86_400_000;

/** What a profile may send from 00:00 to 24:00 UTC. */
export interface DayLimit {
  readonly profile: string;
  readonly most: Sum;
}

/** Throws CAP_EXCEEDED when this sum does not fit into the day any more. `except` is the intent the sum is for, should it count already. */
export function checkDay(database: Database, { profile, most }: DayLimit, asked: Sum, now: number, except: number | undefined): void {
  const since = now - (now % dayMs);
  const spent = spentSince(database, profile, since, most.currency, except);
  const left = BigInt(most.minor) - spent;
  if (BigInt(asked.minor) <= left) return;
  const frees = new Date(since + dayMs).toISOString();
  const text = (minor: bigint) => sumText({ minor: String(minor), currency: most.currency });
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

/** Money with all digits of ISO 4217. */
export function sumText({ minor, currency }: Sum): string {
  return `${decimalText(BigInt(minor), digitsOf(currency, 'iso4217', '') ?? 0)} ${currency}`;
}
