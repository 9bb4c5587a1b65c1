import type { Total } from './plan.js';

/** A row as the summary shows it. */
export interface LargeRow {
  readonly number: number;
  readonly line: number;
  readonly minor: bigint;
  readonly currency: string;
  readonly digits: number;
  readonly destination: string;
}

const mostShown = 5;

interface Sums {
  count: number;
  minor: bigint;
  readonly digits: number;
  readonly largest: LargeRow[];
}

/** Adds up rows by currency and remembers the largest of each. A plan sends one currency to one endpoint, so its digits are the same. */
export class Totals {
  readonly #sums = new Map<string, Sums>();

  add(row: LargeRow): void {
    const { currency, minor, digits } = row;
    const sums = this.#sums.get(currency) ?? { count: 0, minor: 0n, digits, largest: [] };
    sums.count += 1;
    sums.minor += minor;
    this.#sums.set(currency, sums);
    const { largest } = sums;
    if (largest.length === mostShown && minor <= (largest.at(-1)?.minor ?? 0n)) return;
    const at = largest.findIndex((other) => other.minor < minor);
    largest.splice(at === -1 ? largest.length : at, 0, row);
    largest.splice(mostShown);
  }

  /** By currency. */
  totals(): Total[] {
    return [...this.#sums]
      .map(([currency, { count, minor, digits }]) => ({ currency, count, minor: String(minor), digits }))
      .sort((a, b) => (a.currency < b.currency ? -1 : 1));
  }

  /** The largest rows of each currency, largest first. */
  largest(): LargeRow[] {
    return [...this.#sums.keys()].sort().flatMap((currency) => this.#sums.get(currency)?.largest ?? []);
  }
}
