import type { State, Sum } from '../journal/index.js';
import type { StateTotal } from './engine.js';

interface Total {
  readonly state: State;
  readonly currency: string | undefined;
  count: number;
  minor: bigint;
}

/** Count and money by state and currency, in whole minor units. */
export class Tally {
  readonly #totals = new Map<string, Total>();

  add(state: State, sum: Sum | undefined): void {
    const total = this.#of(state, sum?.currency);
    total.count += 1;
    total.minor += BigInt(sum?.minor ?? 0);
  }

  remove(state: State, sum: Sum | undefined): void {
    const total = this.#of(state, sum?.currency);
    total.count -= 1;
    total.minor -= BigInt(sum?.minor ?? 0);
  }

  #of(state: State, currency: string | undefined): Total {
    const key = `${state} ${currency ?? ''}`;
    const total = this.#totals.get(key) ?? { state, currency, count: 0, minor: 0n };
    this.#totals.set(key, total);
    return total;
  }

  totals(): StateTotal[] {
    return [...this.#totals.values()].filter(({ count }) => count > 0).map(({ minor, ...rest }) => ({ ...rest, minor: String(minor) }));
  }
}
