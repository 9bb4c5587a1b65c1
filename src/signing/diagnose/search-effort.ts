import { deepSeconds, type SearchReport, usualSeconds } from './diagnosis.js';

/** How long a search may take. */
export interface SearchOptions {
  /** Also looks for pairs of which both mistakes are rare. */
  readonly deep?: boolean | undefined;
  /** Milliseconds that only grow: with it a search ends after its limit, without it when all is tried. */
  readonly clock?: (() => number) | undefined;
}

// What `deep` multiplies: how many tries each bounded search has, and how many mistakes of a step are paired.
const deepFactor = 40;
const triesBetweenLooks = 1000;

class SearchTimeUp extends Error {}

/** Counts what one search tries, and ends it in time. */
export class SearchEffort {
  readonly factor: number;
  readonly #isTimeUp: () => boolean;
  #tried = 0;

  constructor({ deep, clock }: SearchOptions) {
    const isDeep = deep === true;
    this.factor = isDeep ? deepFactor : 1;
    const end = clock === undefined ? undefined : clock() + (isDeep ? deepSeconds : usualSeconds) * 1000;
    this.#isTimeUp = () => end !== undefined && clock !== undefined && clock() >= end;
  }

  /** Once for each try, out of a search that `within` runs. */
  count(): void {
    this.#tried += 1;
    if (this.#tried % triesBetweenLooks === 0 && this.#isTimeUp()) throw new SearchTimeUp();
  }

  /** Runs a search to its end or to the limit; a report is there when a deep one found nothing, or time was up. */
  within<Found>(search: () => readonly Found[]): {
    readonly found: readonly Found[];
    readonly report?: SearchReport | undefined;
  } {
    try {
      const found = search();
      return found.length > 0 || this.factor === 1 ? { found } : { found, report: this.#report(false) };
    } catch (error) {
      if (!(error instanceof SearchTimeUp)) throw error;
      return { found: [], report: this.#report(true) };
    }
  }

  #report(isTimeUp: boolean): SearchReport {
    return { tried: this.#tried, isTimeUp };
  }
}
