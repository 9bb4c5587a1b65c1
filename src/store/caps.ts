import { digitsOf } from '../wire/amount.js';
import type { NewRequest, Sum } from './port.js';
import { type State, spentStates } from './states.js';

const dayMs = 86_400_000;
// No currency has more fraction digits, in ISO 4217 and by assumption (A04).
const maxDigits = 4;

/** What a request counts against the cap of a day while money has moved for it, or may have. */
export interface Counted {
  /** 00:00 UTC of the day. */
  readonly day: number;
  readonly units: string;
  readonly currency: string;
}

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

interface Countable {
  readonly base: string;
  readonly login: string;
  readonly state: State;
  readonly counted?: Counted | undefined;
}

/** Totals of days by merchant and currency, each under the key of its row in the table. */
export class DayTotals {
  readonly #totals = new Map<string, bigint>();

  add(
    { base, login }: Pick<Countable, 'base' | 'login'>,
    { day, units, currency }: Counted,
    sign: 1n | -1n = 1n,
  ): void {
    const key = JSON.stringify([base, login, currency, day]);
    this.#totals.set(key, (this.#totals.get(key) ?? 0n) + sign * BigInt(units));
  }

  get({ base, login }: Pick<Countable, 'base' | 'login'>, { day, currency }: Omit<Counted, 'units'>): bigint {
    return this.#totals.get(JSON.stringify([base, login, currency, day])) ?? 0n;
  }

  /** Counts a request as it is after a change instead of as it was before. */
  replace(before: Countable, after: Countable): void {
    if (before.counted !== undefined && spentStates.includes(before.state)) this.add(before, before.counted, -1n);
    if (after.counted !== undefined && spentStates.includes(after.state)) this.add(after, after.counted);
  }

  /** As rows of the table. */
  *rows(): Generator<readonly [base: string, login: string, currency: string, day: number, units: bigint]> {
    for (const [key, units] of this.#totals) {
      const [base, login, currency, day] = JSON.parse(key) as [string, string, string, number];
      if (units !== 0n) yield [base, login, currency, day, units];
    }
  }
}
