import { createHash, type Hash } from 'node:crypto';
import type { Sum } from '../journal/port.js';
import type { PlanHead, Total } from './plan.js';

/** A row as the summary shows it. */
export interface LargeRow {
  readonly number: number;
  readonly line: number;
  readonly sum: Sum;
  readonly destination: string;
}

const maxLargest = 5;

interface CurrencySum {
  count: number;
  minor: bigint;
  readonly digits: number;
  readonly largest: LargeRow[];
}

/**
 * Adds up rows by currency and remembers the largest of each. A plan sends one currency to one endpoint, so its digits
 * are the same.
 */
export class CurrencyTotals {
  readonly #sums = new Map<string, CurrencySum>();

  add(row: LargeRow): void {
    const { currency, digits } = row.sum;
    const minor = BigInt(row.sum.minor);
    const sums = this.#sums.get(currency) ?? { count: 0, minor: 0n, digits, largest: [] };
    sums.count += 1;
    sums.minor += minor;
    this.#sums.set(currency, sums);
    const { largest } = sums;
    if (largest.length === maxLargest && minor <= BigInt(largest.at(-1)?.sum.minor ?? 0)) return;
    const at = largest.findIndex((other) => BigInt(other.sum.minor) < minor);
    largest.splice(at === -1 ? largest.length : at, 0, row);
    largest.splice(maxLargest);
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

/**
 * SHA-256 over every row, in order, and then over the head: over all that decides what is paid, by whom it was planned,
 * and when.
 */
export class PlanDigest {
  readonly #hash: Hash = createHash('sha256');

  /** All of a row that decides what is paid. */
  add(facts: readonly unknown[]): void {
    this.#hash.update(`${JSON.stringify(facts)}\n`, 'utf8');
  }

  /** Hex. */
  ofHead(head: Omit<PlanHead, 'digest'>): string {
    return this.#hash.update(`${JSON.stringify(head)}\n`, 'utf8').digest('hex');
  }
}
