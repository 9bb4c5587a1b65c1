import type { State, Sum } from '../journal/index.js';
import type { StateTotal } from './engine.js';
import { Tally } from './tally.js';

/** What a run has seen so far, for those who watch it. The totals at its end come from the gate. */
export class Figures {
  readonly #tally = new Tally();

  move(from: State | undefined, to: State, sum: Sum | undefined): void {
    if (from !== undefined) this.#tally.remove(from, sum);
    this.#tally.add(to, sum);
  }

  count(...states: readonly State[]): number {
    return this.totals()
      .filter(({ state }) => states.length === 0 || states.includes(state))
      .reduce((total, { count }) => total + count, 0);
  }

  totals(): StateTotal[] {
    return this.#tally.totals();
  }
}
