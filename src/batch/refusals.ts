/**
 * The reasons not to plan a valid file, each with what to do about it, in the order in which they are printed:
 * `planned`: rows are in a plan already; `totals`: it differs from what the user expects; `caps`: it exceeds a cap of the
 * profile; `sent`: rows were sent before; `equal`: rows equal others that were planned or sent.
 */
const remedies = {
  planned:
    '`paycli batch run {plan}` sends the rows of the existing plan, `paycli batch cancel {plan} --reason TEXT` cancels them',
  totals: 'compare the file with what it should contain',
  caps: "remove rows, or raise the profile's caps",
  sent: 'remove the rows that were sent before; under new ids they would be new payments, paid a second time',
  equal: 'if these are new payments, such as the next monthly payouts, plan the file with --again',
} as const;

/** Instead of a remedy, where every row was sent before: by one plan, or as single payments. */
const whenAllSent = {
  inPlan:
    'every row of this file was sent before, so nothing remains to be planned: `paycli batch show {plan}` shows them',
  single: 'every row of this file was sent before, so nothing remains to be planned: `paycli orders` shows them',
};

type Reason = keyof typeof remedies;

/** The headings above the rows that are refused for a reason. */
const titles: Readonly<Partial<Record<Reason, string>>> = {
  planned: 'it would be planned a second time',
  caps: 'it exceeds a cap',
  sent: 'it would be sent a second time',
};
/** Of each reason; the others are counted. */
const maxRowsShown = 100;

/** Collects why a plan is refused; of rows, the first hundred. */
export class Refusals {
  readonly #plans = new Map<string, string>();
  readonly #texts = new Map<Reason, string[]>();
  readonly #rows = new Map<Reason, { count: number; readonly lines: string[] }>();

  /** Adds texts about the whole file; `plan` is the id of the first plan that they are about. */
  add(reason: Reason, texts: readonly string[], plan?: string): void {
    if (plan !== undefined) this.#plans.set(reason, plan);
    if (texts.length > 0) this.#texts.set(reason, [...(this.#texts.get(reason) ?? []), ...texts]);
  }

  /** Names the plan that a refused row is about; the first one named is shown. */
  addPlan(reason: Reason, plan: string | undefined): void {
    if (plan !== undefined && !this.#plans.has(reason)) this.#plans.set(reason, plan);
  }

  /** `row` says which one: its line, and its order id where `why` does not name it. */
  addRow(reason: Reason, row: string, why: string): void {
    const rows = this.#rows.get(reason) ?? { count: 0, lines: [] };
    rows.count += 1;
    if (rows.lines.length < maxRowsShown) rows.lines.push(`${row}: ${why}`);
    this.#rows.set(reason, rows);
  }

  /** The reasons and what to do; undefined when there is no reason. `count` is how many rows the file has. */
  result(count: number): { readonly reasons: readonly string[]; readonly how: string } | undefined {
    const found = [...this.#rows.keys(), ...this.#texts.keys()];
    if (found.length === 0) return undefined;
    const ofRows = [...this.#rows].flatMap(([reason, { count, lines }]) => [
      `${titles[reason] ?? ''}: ${count} ${count === 1 ? 'row' : 'rows'}`,
      ...lines.map((line) => `  ${line}`),
      ...(count > lines.length ? [`  and ${count - lines.length} more`] : []),
    ]);
    return {
      reasons: [...ofRows, ...[...this.#texts.values()].flat()],
      how: ['nothing was planned', ...this.#remedies(found, count)].join('; '),
    };
  }

  #remedies(found: readonly string[], count: number): string[] {
    const plan = (reason: string) => this.#plans.get(reason);
    // Nothing of the file is left to be paid: advice to change or remove rows would be wrong.
    if (this.#rows.get('sent')?.count === count)
      return [
        plan('sent') === undefined ? whenAllSent.single : whenAllSent.inPlan.replace('{plan}', plan('sent') ?? ''),
      ];
    return Object.entries(remedies).flatMap(([reason, remedy]) =>
      found.includes(reason) ? [remedy.replaceAll('{plan}', plan(reason) ?? 'PLAN')] : [],
    );
  }
}
