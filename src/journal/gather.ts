import { isPaycliError } from '../errors/index.js';
import type { Clock } from '../runtime/ports.js';

interface Waiting {
  /** Makes the change; gives how to answer once it is on disk. */
  make(): () => void;
  reject(error: unknown): void;
}

const maxGroup = 64;
const longestPauseMs = 5;

/**
 * Gathers the changes of one moment and makes them in one transaction. A group that fails is repeated change by change,
 * unless storage failed: one of them never fails the others.
 */
export class Gather {
  readonly #clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly #change: (work: () => void) => void;
  #waiting: Waiting[] = [];
  /** On a slow disk more of them are worth a pause. */
  #pauseMs = 0;
  #made: Promise<void> = Promise.resolve();

  constructor(clock: Pick<Clock, 'monotonic' | 'sleep'>, change: (work: () => void) => void) {
    this.#clock = clock;
    this.#change = change;
  }

  add<Answer>(work: () => Answer): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const make = () => {
        const answer = work();
        return () => resolve(answer);
      };
      this.#waiting.push({ make, reject });
      if (this.#waiting.length === 1) this.#made = this.#clock.sleep(this.#pauseMs).then(() => this.#makeAll());
    });
  }

  /** Resolves once everything that was added is made, or has failed. */
  async finish(): Promise<void> {
    await this.#made;
  }

  #makeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const from = this.#clock.monotonic();
    for (let at = 0; at < waiting.length; at += maxGroup) this.#makeGroup(waiting.slice(at, at + maxGroup));
    this.#pauseMs = Math.min(longestPauseMs, Math.floor((this.#clock.monotonic() - from) / 2));
  }

  #makeGroup(group: readonly Waiting[]): void {
    let answers: readonly (() => void)[] = [];
    try {
      this.#change(() => {
        answers = group.map(({ make }) => make());
      });
      for (const answer of answers) answer();
    } catch (error) {
      if (group.length > 1 && !isPaycliError(error)) for (const one of group) this.#makeGroup([one]);
      else for (const { reject } of group) reject(error);
    }
  }
}
