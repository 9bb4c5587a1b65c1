/** What kept a file that is right by itself from being planned, and the way out. */
const ways = {
  totals: 'nothing was planned; compare the file with what was meant to be in it',
  caps: 'nothing was planned; take these rows out, or have the caps of the profile raised',
  sent: 'nothing was planned; take these rows out, or give them ids of their own if they are meant as further payments',
  begun: 'nothing was planned; go on with the plan that is there with `paycli batch resume`, and keep it: it knows what was sent',
  planned: 'nothing was planned; run the plan that is there, or delete it if nothing of it is meant any more',
} as const;

type Reason = keyof typeof ways;

const titles: Readonly<Partial<Record<Reason, string>>> = { caps: 'caps stand in the way', sent: 'it would be sent a second time' };
const mostShown = 100;

/** Collects why a plan is refused; of rows, the first hundred. */
export class Refusals {
  readonly #texts = new Map<Reason, string[]>();
  readonly #rows = new Map<Reason, { count: number; readonly lines: string[] }>();

  add(reason: Reason, texts: readonly string[]): void {
    if (texts.length > 0) this.#texts.set(reason, [...(this.#texts.get(reason) ?? []), ...texts]);
  }

  addRow(reason: Reason, line: number, why: string): void {
    const rows = this.#rows.get(reason) ?? { count: 0, lines: [] };
    rows.count += 1;
    if (rows.lines.length < mostShown) rows.lines.push(`line ${line}: ${why}`);
    this.#rows.set(reason, rows);
  }

  /** Undefined when there is no reason. */
  result(): { readonly reasons: readonly string[]; readonly how: string } | undefined {
    const found = [...this.#rows.keys(), ...this.#texts.keys()];
    const [first] = found;
    if (first === undefined) return undefined;
    const ofRows = [...this.#rows].flatMap(([reason, { count, lines }]) => [
      `${titles[reason] ?? ''}: ${count} ${count === 1 ? 'row' : 'rows'}`,
      ...lines.map((line) => `  ${line}`),
      ...(count > lines.length ? [`  and ${count - lines.length} more`] : []),
    ]);
    return { reasons: [...ofRows, ...[...this.#texts.values()].flat()], how: [...new Set(found)].map((reason) => ways[reason]).join('; ') };
  }
}
