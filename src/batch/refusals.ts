/**
 * The reasons not to plan a valid file, each with what to do about it and, where it is about rows, the heading above
 * them. `totals`: it differs from what the user expects; `equal`: rows equal others that were planned or sent.
 */
const reasons = {
  planned: {
    title: 'it would be planned a second time',
    how: '`paycli batch run {plan}` sends the rows of the existing plan, `paycli batch cancel {plan} --reason TEXT` cancels them',
  },
  totals: { title: undefined, how: 'compare the file with what it should contain' },
  caps: { title: 'it exceeds a cap', how: "remove rows, or raise the profile's caps" },
  sent: {
    title: 'it would be sent a second time',
    how: 'remove the rows that were sent before; under new ids they would be new payments, paid a second time',
  },
  equal: {
    title: undefined,
    how: 'if these are new payments, such as the next monthly payouts, plan the file with --again',
  },
} as const;

type Reason = keyof typeof reasons;

/** Of each reason; the others are counted. */
const maxShown = 100;

interface Found {
  readonly lines: string[];
  /** Of rows beyond `maxShown`. */
  more: number;
  /** The first plan that they are about. */
  readonly plan: string | undefined;
}

/** Collects why a plan is refused. */
export class Refusals {
  readonly #found = new Map<Reason, Found>();

  /** `line` is about one row, or the whole file. */
  add(reason: Reason, line: string, plan?: string): void {
    const found = this.#found.get(reason) ?? { lines: [], more: 0, plan };
    this.#found.set(reason, found);
    if (found.lines.length < maxShown) found.lines.push(line);
    else found.more += 1;
  }

  /** The reasons and what to do; undefined when there is no reason. */
  result(): { readonly reasons: readonly string[]; readonly how: string } | undefined {
    if (this.#found.size === 0) return undefined;
    const how = [...this.#found].map(([reason, { plan = 'PLAN' }]) => reasons[reason].how.replaceAll('{plan}', plan));
    return {
      reasons: [...this.#found].flatMap(([reason, found]) => linesAbout(reasons[reason].title, found)),
      how: ['nothing was planned', ...how].join('; '),
    };
  }
}

function linesAbout(title: string | undefined, { lines, more }: Found): readonly string[] {
  if (title === undefined) return lines;
  const count = lines.length + more;
  const rest = more > 0 ? [`  and ${more} more`] : [];
  return [`${title}: ${count} ${count === 1 ? 'row' : 'rows'}`, ...lines.map((line) => `  ${line}`), ...rest];
}
