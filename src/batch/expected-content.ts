import { sumText } from '../payments/words.js';
import { readAmount } from '../wire/amount.js';
import type { Total } from './plan.js';

/** The content of a file that the user expects, known from another source. */
export interface Expected {
  readonly count: number | undefined;
  /** Decimal text by currency; undefined when none was given. */
  readonly totals: Readonly<Record<string, string>> | undefined;
}

/** How a file differs from what was expected; empty when it does not. `said` are names of what gave count and totals. */
export function differences(
  expected: Expected,
  count: number,
  totals: readonly Total[],
  said = { count: '--expect-count', total: '--expect-total' },
): string[] {
  const found: string[] = [];
  if (expected.count !== undefined && expected.count !== count)
    found.push(`${said.count} is ${expected.count}, but there ${count === 1 ? 'is 1 row' : `are ${count} rows`}`);
  if (expected.totals === undefined) return found;
  for (const total of totals) {
    const { currency } = total;
    const text = expected.totals[currency];
    const wanted = readAmount(text ?? '', currency, total.digits);
    if (text === undefined)
      found.push(`${said.total} does not cover ${currency}, but the rows total ${sumText(total)}`);
    else if (!wanted.ok || wanted.minor !== BigInt(total.minor))
      found.push(`${said.total} is ${text} ${currency}, but the rows total ${sumText(total)}`);
  }
  for (const currency of Object.keys(expected.totals))
    if (totals.every((total) => total.currency !== currency))
      found.push(`${said.total} includes ${currency}, but no row does`);
  return found;
}
