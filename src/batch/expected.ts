import { decimalText } from '../wire/amount.js';
import type { Total } from './plan.js';

/** What the user says a file holds, known from somewhere else. */
export interface Expected {
  readonly count: number | undefined;
  /** Decimal text by currency; undefined when none was given. */
  readonly totals: Readonly<Record<string, string>> | undefined;
}

/** How a file differs from what was expected; empty when it does not. */
export function differences(expected: Expected, count: number, totals: readonly Total[], flag = '--expect-total'): string[] {
  const found: string[] = [];
  if (expected.count !== undefined && expected.count !== count)
    found.push(`--expect-count is ${expected.count}, and there ${count === 1 ? 'is 1 row' : `are ${count} rows`}`);
  if (expected.totals === undefined) return found;
  for (const total of totals) {
    const { currency } = total;
    const text = expected.totals[currency];
    if (text === undefined) found.push(`no ${flag} names ${currency}, and the rows come to ${totalText(total)}`);
    else if (minorIn(text, total.digits) !== BigInt(total.minor))
      found.push(`${flag} is ${text} ${currency}, and the rows come to ${totalText(total)}`);
  }
  for (const currency of Object.keys(expected.totals))
    if (totals.every((total) => total.currency !== currency)) found.push(`${flag} names ${currency}, and no row does`);
  return found;
}

/** Undefined where a text is no amount, or has more digits than count. */
function minorIn(text: string, digits: number): bigint | undefined {
  if (!/^\d+(?:\.\d+)?$/.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.split('.');
  return fraction.length > digits ? undefined : BigInt(whole + fraction.padEnd(digits, '0'));
}

/** Money in the digits in force where the rows go. */
export function totalText({ minor, digits, currency }: Pick<Total, 'minor' | 'digits' | 'currency'>): string {
  return `${decimalText(BigInt(minor), digits)} ${currency}`;
}
