/** A list with the first of each kind in front, then the second of each, and so on: not more than `max` in all. */
export class Ranked<Item> {
  readonly #max: number;
  readonly #ranks: Item[][] = [];
  readonly #counts = new Map<string, number>();
  #size = 0;
  #maxRank = Number.POSITIVE_INFINITY;

  constructor(max: number) {
    this.#max = max;
  }

  add(item: Item, kind: string): void {
    const rank = this.#counts.get(kind) ?? 0;
    this.#counts.set(kind, rank + 1);
    if (rank > this.#maxRank) return;
    const same = this.#ranks[rank];
    if (same === undefined) this.#ranks[rank] = [item];
    else same.push(item);
    this.#size += 1;
    this.#forgetLast();
  }

  list(): Item[] {
    return this.#ranks.flat().slice(0, this.#max);
  }

  /** Those of the last rank, once there are enough without them: they are large and many. */
  #forgetLast(): void {
    const last = this.#ranks.at(-1) ?? [];
    if (this.#size - last.length < this.#max) return;
    this.#ranks.pop();
    this.#size -= last.length;
    this.#maxRank = this.#ranks.length - 1;
  }
}

/** The first of each kind first, then the second of each. */
export function byRank<Item>(list: readonly Item[], kindOf: (item: Item) => string): Item[] {
  const ranked = new Ranked<Item>(Number.POSITIVE_INFINITY);
  for (const item of list) ranked.add(item, kindOf(item));
  return ranked.list();
}
