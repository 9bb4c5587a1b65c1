import { isPaycliError } from '../errors/index.js';
import type { Store } from './store.js';
import { change, type Rule } from './working-set.js';

interface Waiting {
  readonly rule: Rule<unknown>;
  resolve(answer: never): void;
  reject(error: unknown): void;
}

const maxGroup = 64;

/**
 * Gathers the changes of one moment and makes them in one transaction; those that come meanwhile are the next ones. A
 * group that fails is repeated change by change, unless storage failed: one of them never fails the others.
 */
export class Gather {
  readonly #store: Store;
  #waiting: Waiting[] = [];
  /** Resolves once everything that was added is made, or has failed. */
  made: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  add<Answer>(rule: Rule<Answer>): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ rule, resolve, reject });
      this.made ??= this.#makeAll();
    });
  }

  async #makeAll(): Promise<void> {
    const { clock, tables } = this.#store;
    while (this.#waiting.length > 0) {
      // What comes in the same moment is of the group.
      await clock.sleep(tables.momentMs);
      await this.#makeGroup();
    }
    this.made = undefined;
  }

  /** What comes while the transaction waits for another process to end its own is of the group. */
  async #makeGroup(given?: readonly Waiting[]): Promise<void> {
    let group = given;
    const take = () => {
      group ??= this.#waiting.splice(0, maxGroup);
      return group;
    };
    try {
      const answers = await change(this.#store, (set) => set.make(take().map(({ rule }) => rule)));
      for (const [at, { resolve }] of take().entries()) resolve(answers[at] as never);
    } catch (error) {
      if (take().length > 1 && !isPaycliError(error)) for (const one of take()) await this.#makeGroup([one]);
      else for (const { reject } of take()) reject(error);
    }
  }
}
