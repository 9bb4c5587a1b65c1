import { isPaycliError } from '../errors/index.js';
import type { Clock } from '../runtime/ports.js';
import type { Store } from './store.js';
import { change, type Needs, type WorkingSet } from './working-set.js';

/** A change that works on what was read for it. */
export interface Work<Answer> {
  readonly needs: Needs;
  /** What else it needs, once that is known. */
  further?(set: WorkingSet): Needs;
  make(set: WorkingSet): Answer;
}

interface Waiting {
  readonly work: Work<unknown>;
  resolve(answer: never): void;
  reject(error: unknown): void;
}

const maxGroup = 64;
const longestPauseMs = 5;

/**
 * Gathers the changes of one moment and makes them in one transaction; those that come meanwhile are the next ones. A
 * group that fails is repeated change by change, unless storage failed: one of them never fails the others.
 */
export class Gather {
  readonly #store: Store;
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  #waiting: Waiting[] = [];
  /** On a slow disk more of them are worth a pause. */
  #pauseMs = 0;
  #made: Promise<void> | undefined;

  constructor(store: Store) {
    this.#store = store;
    this.#clock = store.clock;
  }

  add<Answer>(work: Work<Answer>): Promise<Answer> {
    return new Promise<Answer>((resolve, reject) => {
      this.#waiting.push({ work, resolve, reject });
      this.#made ??= this.#makeAll();
    });
  }

  /** Resolves once everything that was added is made, or has failed. */
  async finish(): Promise<void> {
    await this.#made;
  }

  async #makeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#clock.sleep(this.#pauseMs);
      const from = this.#clock.monotonic();
      await this.#makeGroup();
      this.#pauseMs = Math.min(longestPauseMs, Math.floor((this.#clock.monotonic() - from) / 2));
    }
    this.#made = undefined;
  }

  /** What comes while the transaction waits for another process to end its own is of the group. */
  async #makeGroup(given?: readonly Waiting[]): Promise<void> {
    let taken = given;
    const take = () => {
      taken ??= this.#waiting.splice(0, maxGroup);
      return taken;
    };
    try {
      const answers = await change(this.#store, function* (set) {
        const group = take();
        yield* set.read(group.map(({ work }) => work.needs));
        const further = group
          .map(({ work }) => work.further?.(set) ?? {})
          .filter((needs) => Object.keys(needs).length > 0);
        if (further.length > 0) yield* set.read(further);
        return group.map(({ work }) => work.make(set));
      });
      for (const [at, { resolve }] of take().entries()) resolve(answers[at] as never);
    } catch (error) {
      const group = take();
      if (group.length > 1 && !isPaycliError(error)) for (const one of group) await this.#makeGroup([one]);
      else for (const { reject } of group) reject(error);
    }
  }
}
