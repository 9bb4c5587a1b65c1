import { moneyText, type Total } from '../plan.js';

/** Why a valid file was not planned, each with what to do, in the order in which it is said. */
const remedies = {
  begun: 'continue the existing plan with `paycli batch resume {plan}`, and keep it: it records what was sent',
  planned: 'run the existing plan, or withdraw it with `paycli batch withdraw {plan} --reason TEXT`',
  totals: 'compare the file with what it should contain',
  caps: "remove rows, or raise the profile's caps",
  sent: 'remove the rows that were sent before; under new ids they would be new payments, paid a second time',
  equal: 'if these are new payments, such as the next monthly payouts, plan the file with --again',
} as const;

const whenAllSent = {
  inPlan:
    'every row of this file was sent before, so nothing remains to be planned: `paycli batch show {plan}` shows them',
  single: 'every row of this file was sent before, so nothing remains to be planned: `paycli orders` shows them',
};

type Reason = keyof typeof remedies;

const titles: Readonly<Partial<Record<Reason, string>>> = {
  caps: 'it exceeds a cap',
  sent: 'it would be sent a second time',
};
const maxShown = 100;

/** Collects why a plan is refused; of rows, the first hundred. */
export class Refusals {
  readonly #plans = new Map<string, string>();
  readonly #texts = new Map<Reason, string[]>();
  readonly #rows = new Map<Reason, { count: number; readonly lines: string[] }>();

  /** `plan` is the id of the first plan that they are about. */
  add(reason: Reason, texts: readonly string[], plan?: string): void {
    if (plan !== undefined) this.#plans.set(reason, plan);
    if (texts.length > 0) this.#texts.set(reason, [...(this.#texts.get(reason) ?? []), ...texts]);
  }

  /** The plan of a row that is refused; the first counts. */
  addPlan(reason: Reason, plan: string | undefined): void {
    if (plan !== undefined && !this.#plans.has(reason)) this.#plans.set(reason, plan);
  }

  /** `place` is the line of the row, and its order id where `why` does not name it. */
  addRow(reason: Reason, place: string, why: string): void {
    const rows = this.#rows.get(reason) ?? { count: 0, lines: [] };
    rows.count += 1;
    if (rows.lines.length < maxShown) rows.lines.push(`${place}: ${why}`);
    this.#rows.set(reason, rows);
  }

  /** Undefined when there is no reason; `count` is how many rows the file has. */
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
    // Nothing of the file is left to be paid, so no id is to be changed.
    if (this.#rows.get('sent')?.count === count)
      return [
        plan('sent') === undefined ? whenAllSent.single : whenAllSent.inPlan.replace('{plan}', plan('sent') ?? ''),
      ];
    return Object.entries(remedies).flatMap(([reason, remedy]) =>
      found.includes(reason) ? [remedy.replace('{plan}', plan(reason) ?? 'PLAN')] : [],
    );
  }
}

/** The content of a file that the user expects, known from another source. */
export interface Expected {
  readonly count: number | undefined;
  /** Decimal text by currency; undefined when none was given. */
  readonly totals: Readonly<Record<string, string>> | undefined;
  /** More has to be given before the file may be planned. */
  readonly isIncomplete: boolean;
}

/** How a file differs from what was expected; empty when it does not. */
export function differences(
  expected: Omit<Expected, 'isIncomplete'>,
  count: number,
  totals: readonly Total[],
  flag = '--expect-total',
): string[] {
  const found: string[] = [];
  if (expected.count !== undefined && expected.count !== count)
    found.push(`--expect-count is ${expected.count}, but there ${count === 1 ? 'is 1 row' : `are ${count} rows`}`);
  if (expected.totals === undefined) return found;
  for (const total of totals) {
    const { currency } = total;
    const text = expected.totals[currency];
    if (text === undefined) found.push(`${flag} does not cover ${currency}, but the rows total ${moneyText(total)}`);
    else if (minorIn(text, total.digits) !== BigInt(total.minor))
      found.push(`${flag} is ${text} ${currency}, but the rows total ${moneyText(total)}`);
  }
  for (const currency of Object.keys(expected.totals))
    if (totals.every((total) => total.currency !== currency))
      found.push(`${flag} includes ${currency}, but no row does`);
  return found;
}

/** Undefined where a text is no amount, or has more digits than count. */
function minorIn(text: string, digits: number): bigint | undefined {
  if (!/^\d+(?:\.\d+)?$/.test(text)) return undefined;
  const [whole = '', fraction = ''] = text.split('.');
  return fraction.length > digits ? undefined : BigInt(whole + fraction.padEnd(digits, '0'));
}
