import { isPaycliError } from '../errors/index.js';
import type { Clock } from '../runtime/ports.js';

interface Waiting<Item, Answer> {
  readonly item: Item;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

const maxItems = 64;

/**
 * Gathers what is asked for at one moment and writes it as one group, in one transaction. A group that fails is repeated
 * item by item, unless storage failed: one item never fails its group.
 */
export class Gather<Item, Answer> {
  readonly #clock: Pick<Clock, 'sleep'>;
  readonly #write: (items: readonly Item[]) => readonly Answer[];
  #waiting: Waiting<Item, Answer>[] = [];
  #written: Promise<void> = Promise.resolve();

  constructor(clock: Pick<Clock, 'sleep'>, write: (items: readonly Item[]) => readonly Answer[]) {
    this.#clock = clock;
    this.#write = write;
  }

  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (this.#waiting.length === 1) this.#written = this.#clock.sleep(0).then(() => this.#writeAll());
    });
  }

  /** Resolves once everything that was added is written, or has failed. */
  async finish(): Promise<void> {
    await this.#written;
  }

  #writeAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (let at = 0; at < waiting.length; at += maxItems) this.#writeGroup(waiting.slice(at, at + maxItems));
  }

  #writeGroup(group: readonly Waiting<Item, Answer>[]): void {
    try {
      const answers = this.#write(group.map(({ item }) => item));
      for (const [at, answer] of answers.entries()) group[at]?.resolve(answer);
    } catch (error) {
      if (group.length > 1 && !isPaycliError(error)) for (const one of group) this.#writeGroup([one]);
      else for (const { reject } of group) reject(error);
    }
  }
}
