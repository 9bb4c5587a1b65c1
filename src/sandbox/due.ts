import type { Store } from './store.js';

/** Something that happens by itself once the sandbox clock reaches its time. */
export interface DueSource {
  /** The query for the time of the next such thing; NULL when none is planned. */
  readonly due: string;
  /** The same without what never ends, such as a schedule with no last day; `due` when left out. */
  readonly ending?: string;
  /**
   * Lets everything happen that is due by `at`, where the clock of the given store stands. May go on up to `until`, each thing at
   * its own time, since nothing of another source is due before that. Says what it was, a line each.
   */
  run(store: Store, at: number, until: number): readonly Happened[];
}

export interface Happened {
  readonly at: number;
  readonly what: string;
}
