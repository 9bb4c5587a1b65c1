import type { State, Sum } from '../journal/index.js';
import type { StateTotal } from './engine.js';

/** Where a row stands, as far as it is known: the engine of another machine may not have been asked. */
export type RowState = State | 'unknown_here';

/** Count and money of rows in a state. */
export type RowTotal = Omit<StateTotal, 'state'> & { readonly state: RowState };

interface Total<S> {
  readonly state: S;
  readonly currency: string | undefined;
  count: number;
  minor: bigint;
}

/** Count and money by state and currency, in whole minor units. */
export class Tally<S extends RowState = State> {
  readonly #totals = new Map<string, Total<S>>();

  add(state: S, sum: Sum | undefined): void {
    const total = this.#of(state, sum?.currency);
    total.count += 1;
    total.minor += BigInt(sum?.minor ?? 0);
  }

  remove(state: S, sum: Sum | undefined): void {
    const total = this.#of(state, sum?.currency);
    total.count -= 1;
    total.minor -= BigInt(sum?.minor ?? 0);
  }

  #of(state: S, currency: string | undefined): Total<S> {
    const key = `${state} ${currency ?? ''}`;
    const total = this.#totals.get(key) ?? { state, currency, count: 0, minor: 0n };
    this.#totals.set(key, total);
    return total;
  }

  totals(): (Omit<StateTotal, 'state'> & { readonly state: S })[] {
    return [...this.#totals.values()].filter(({ count }) => count > 0).map(({ minor, ...rest }) => ({ ...rest, minor: String(minor) }));
  }
}
