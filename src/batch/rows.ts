import type { Engine } from './engine.js';
import type { BatchRow, PlanStore } from './plan.js';

const ahead = 64;

/** The rows that may be begun, one after another; a few are read ahead. */
export class Rows {
  readonly #engine: Pick<Engine, 'next'>;
  readonly #plan: Pick<PlanStore, 'rows' | 'row'>;
  #waiting: number[] = [];
  #page = new Map<number, BatchRow>();
  #filling: Promise<void> | undefined;
  #isEmpty = false;

  constructor(engine: Pick<Engine, 'next'>, plan: Pick<PlanStore, 'rows' | 'row'>) {
    this.#engine = engine;
    this.#plan = plan;
  }

  /** True once the last one was given out. */
  get isEmpty(): boolean {
    return this.#isEmpty && this.#waiting.length === 0;
  }

  async next(): Promise<BatchRow | undefined> {
    // Many may wait for the same few: who gets none of them looks for more.
    while (this.#waiting.length === 0 && !this.#isEmpty) {
      this.#filling ??= this.#fill().finally(() => {
        this.#filling = undefined;
      });
      await this.#filling;
    }
    const number = this.#waiting.shift();
    if (number === undefined) return undefined;
    const row = this.#page.get(number) ?? this.#plan.row(number);
    this.#page.delete(number);
    return row;
  }

  async #fill(): Promise<void> {
    const numbers = await this.#engine.next(ahead);
    this.#isEmpty = numbers.length === 0;
    const [first, last] = [numbers[0], numbers.at(-1)];
    // In one go where they stand together, as they mostly do.
    const page = first === undefined || last === undefined || last - first >= 2 * ahead ? [] : this.#plan.rows(first, last - first + 1);
    this.#page = new Map(page.map((row) => [row.number, row]));
    this.#waiting = [...numbers];
  }
}
