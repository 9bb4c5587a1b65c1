import { digitsOf } from '../wire/amount.js';
import type { Counted, NewRequest, Request, Sum } from './port.js';
import { spentStates } from './states.js';

export const dayMs = 86_400_000;
// No currency has more fraction digits, in ISO 4217 and by assumption (A04).
const maxDigits = 4;

/** 00:00 UTC of a day. */
export function startOfDay(time: number): number {
  return time - (time % dayMs);
}

/** A sum in ten-thousandths of its currency, so that sums of different digits compare. */
export function toUnits({ minor, digits }: Sum): bigint {
  return BigInt(minor) * 10n ** BigInt(maxDigits - digits);
}

/** The reverse of `toUnits`, with the digits of ISO 4217 unless the amount needs more. */
export function fromUnits(units: bigint, currency: string): Sum {
  const usual = digitsOf(currency, 'iso4217', '') ?? 0;
  let [minor, digits] = [units, maxDigits];
  for (; digits > usual && minor % 10n === 0n; digits -= 1) minor /= 10n;
  return { minor: String(minor), currency, digits };
}

/** What an attempt counts; undefined where it moves no money, or its amount is not known. */
export function count({ effect, sum }: NewRequest, counts: Sum | undefined, now: number): Counted | undefined {
  const counted = counts ?? sum;
  if (effect !== 'money' || counted === undefined) return undefined;
  return { day: startOfDay(now), units: String(toUnits(counted)), currency: counted.currency };
}

/** What has to be added to what was sent, and of which day, so that a request counts as it is now, and no more as it was. */
export function recount(before: Request, after: Request): readonly Counted[] {
  const [was, is] = [before, after].map(({ state, counted }) => (spentStates.includes(state) ? counted : undefined));
  if (was?.day === is?.day && was?.units === is?.units && was?.currency === is?.currency) return [];
  return [...(was === undefined ? [] : [{ ...was, units: `-${was.units}` }]), ...(is === undefined ? [] : [is])];
}
