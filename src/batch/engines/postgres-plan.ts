import type { State } from '../../journal/index.js';
import type { BatchEvent, BatchRow, PlanHead, PlanStore } from '../plan.js';
import type { Query } from './postgres-database.js';
import { clearColumns, clearIn } from './postgres-rows.js';
import type { RowSeal } from './postgres-seal.js';

/** The part of a plan that a worker without the file was given. Nothing of it is written down here. */
export class RemotePlan implements PlanStore {
  readonly head: PlanHead;
  readonly #seal: RowSeal;
  readonly #rows = new Map<number, BatchRow>();

  constructor(head: PlanHead, seal: RowSeal) {
    this.head = head;
    this.#seal = seal;
  }

  /** Throws STORAGE when a row was changed in the database. */
  async load(numbers: readonly number[], query: Query): Promise<void> {
    const missing = numbers.filter((number) => !this.#rows.has(number));
    if (missing.length === 0) return;
    const found = await query(`SELECT ${clearColumns}, sealed FROM paycli.gate WHERE batch = $1 AND number = ANY($2::int[])`, [
      this.head.id,
      missing,
    ]);
    for (const row of found) {
      const { sealed } = row;
      if (sealed instanceof Uint8Array) this.#rows.set(Number(row['number']), this.#seal.open(clearIn(row), sealed));
    }
  }

  rows(from: number, most: number): readonly BatchRow[] {
    return [...this.#rows.values()]
      .filter(({ number }) => number >= from)
      .sort((one, other) => one.number - other.number)
      .slice(0, most);
  }

  row(number: number): BatchRow | undefined {
    return this.#rows.get(number);
  }

  noted(): ReadonlyMap<number, State> {
    return new Map<number, State>();
  }

  note(): void {}

  /** A row that has its end needs no room any more. */
  forget(number: number): void {
    this.#rows.delete(number);
  }

  events(): readonly BatchEvent[] {
    return [];
  }

  addEvent(): void {}

  close(): void {
    this.#rows.clear();
  }
}
