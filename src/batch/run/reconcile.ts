import type { Intent, Journal, State } from '../../journal/index.js';
import { type Assume, statusOf } from '../../spec/index.js';
import { digitsOf } from '../../wire/amount.js';
import { type ExactMoney, type StatementLine, unitDigits } from '../input/statement.js';

/** How a line of the statement and a request in the journal compare, in words. */
export const matchKinds = {
  equal: 'in both, equal',
  differs: 'in both, different',
  statementOnly: 'only in the statement',
  journalOnly: 'only in the journal',
} as const;
type MatchKind = keyof typeof matchKinds;

/** A line, a request, or a line and a request on the same order, on which statement and journal do not agree. */
export interface Disagreement {
  readonly is: Exclude<MatchKind, 'equal'>;
  readonly line: StatementLine | undefined;
  readonly intent: Intent | undefined;
  /** The amount of the intent; undefined where it names none. */
  readonly journalMoney: ExactMoney | undefined;
  /** A clause to be printed as it is. */
  readonly why: string;
}

/**
 * The sum of one side's amounts in one currency, apart for each result of the comparison. Lines that both sides call
 * declined and unknown amounts are left out.
 */
export interface SideTotal {
  readonly is: MatchKind;
  readonly side: 'statement' | 'journal';
  readonly currency: string;
  readonly count: number;
  /** See `ExactMoney`. */
  readonly units: bigint;
}

export interface Reconciliation {
  readonly lines: number;
  readonly totals: readonly SideTotal[];
  readonly disagreements: readonly Disagreement[];
}

/** The time of the requests that are expected in the statement, in milliseconds since 1970; `until` is not included. */
interface Period {
  readonly from: number | undefined;
  readonly until: number | undefined;
}

interface ReconciliationContext {
  readonly journal: Journal;
  /** The address of the gateway the statement is from; requests to others are not compared. */
  readonly base: string;
  readonly assume: Assume;
}

/** States in which the gateway may have moved the money. */
const movedStates: readonly State[] = ['done', 'accepted', 'unknown', 'sending', 'conflict'];
/** How many requests are read from the journal at once. */
const pageOfIntents = 1000;

/** Reconciles a statement with the journal, both ways, line by line. */
export class Reconciler {
  readonly #context: ReconciliationContext;
  /** Ids of the requests in the journal that a line was found for. */
  readonly #matched = new Set<number>();
  readonly #unmatchedLines: StatementLine[] = [];
  readonly #totals = new Map<
    string,
    { readonly total: Omit<SideTotal, 'count' | 'units'>; count: number; units: bigint }
  >();
  readonly #disagreements: Disagreement[] = [];
  #lines = 0;

  constructor(context: ReconciliationContext) {
    this.#context = context;
  }

  /** A line with an exact match is matched at once; the others wait until all exact matches are known. */
  add(lines: readonly StatementLine[]): void {
    for (const line of lines) {
      this.#lines += 1;
      const equal = this.#candidates(line).find((intent) => this.#isEqual(intent, line));
      if (equal === undefined) this.#unmatchedLines.push(line);
      else this.#match(line, equal, 'equal');
    }
  }

  finish({ from, until }: Period): Reconciliation {
    for (const line of this.#unmatchedLines) this.#compareUnmatched(line);
    for (let after = 0; ; ) {
      const page = this.#context.journal.list({
        base: this.#context.base,
        states: movedStates,
        from,
        until,
        after,
        max: pageOfIntents,
      });
      for (const intent of page)
        if (this.#isPayment(intent) && !this.#matched.has(intent.id)) this.#reportJournalOnly(intent);
      const last = page.at(-1);
      if (last === undefined || page.length < pageOfIntents) break;
      after = last.id;
    }
    const totals = [...this.#totals.values()].map(({ total, count, units }) => ({ ...total, count, units }));
    return { lines: this.#lines, totals, disagreements: this.#disagreements };
  }

  /** False for a hosted form that nobody filled in. */
  #isPayment(intent: Intent): boolean {
    return intent.effect === 'money' && this.#context.journal.waiting(intent)?.for !== 'form';
  }

  /** Requests on the same order that no line has been found for. */
  #candidates({ orderId, clientOrderId }: StatementLine): Intent[] {
    const { journal, base } = this.#context;
    const found = [orderId, clientOrderId].flatMap((order) =>
      order === undefined ? [] : journal.list({ base, order }),
    );
    return found.filter(({ id, effect }) => effect === 'money' && !this.#matched.has(id));
  }

  /** Both agree whether money moved, and on the amount where the journal has it. */
  #isEqual(intent: Intent, { money, status }: StatementLine): boolean {
    if (movedStates.includes(intent.state) !== isPaid(status)) return false;
    const requested = this.#moneyOf(intent);
    return requested === undefined || (requested.units === money.units && requested.currency === money.currency);
  }

  /**
   * The amount that was requested; undefined, and then equal to any amount, where the request named none (a capture or
   * return of the whole order) or the digits of its currency are unknown.
   */
  #moneyOf({ sum, endpointId }: Intent): ExactMoney | undefined {
    const digits =
      sum === undefined
        ? undefined
        : (sum.digits ?? digitsOf(sum.currency, this.#context.assume['minor-digits'], endpointId));
    if (sum === undefined || digits === undefined) return undefined;
    return { units: BigInt(sum.minor) * 10n ** BigInt(unitDigits - digits), currency: sum.currency };
  }

  #match(line: StatementLine, intent: Intent, is: MatchKind): void {
    this.#matched.add(intent.id);
    // Agreed that no money moved: there is nothing to add up.
    if (is === 'equal' && !isPaid(line.status)) return;
    this.#count(is, 'statement', line.money);
    this.#count(is, 'journal', this.#moneyOf(intent) ?? line.money);
  }

  /** A line without an equal request: another one on the same order differs, first one that may have moved money. */
  #compareUnmatched(line: StatementLine): void {
    const candidates = this.#candidates(line);
    const intent = candidates.find(({ state }) => movedStates.includes(state)) ?? candidates[0];
    if (intent === undefined) {
      this.#count('statementOnly', 'statement', line.money);
      const why = 'the journal has no such order, or no other request on it';
      this.#disagreements.push({ is: 'statementOnly', line, intent, journalMoney: undefined, why });
      return;
    }
    this.#match(line, intent, 'differs');
    this.#disagreements.push({
      is: 'differs',
      line,
      intent,
      journalMoney: this.#moneyOf(intent),
      why: this.#difference(line, intent),
    });
  }

  #difference({ money, status }: StatementLine, intent: Intent): string {
    const requested = this.#moneyOf(intent);
    if (requested !== undefined && requested.currency !== money.currency) return 'the currencies differ';
    if (requested !== undefined && requested.units !== money.units) return 'the amounts differ';
    return isPaid(status)
      ? `the journal says ${intent.state}`
      : `the statement says declined, the journal says ${intent.state}`;
  }

  #reportJournalOnly(intent: Intent): void {
    const journalMoney = this.#moneyOf(intent);
    if (journalMoney !== undefined) this.#count('journalOnly', 'journal', journalMoney);
    this.#disagreements.push({
      is: 'journalOnly',
      line: undefined,
      intent,
      journalMoney,
      why: 'the statement has no line for it',
    });
  }

  #count(is: MatchKind, side: SideTotal['side'], { units, currency }: ExactMoney): void {
    const key = `${is} ${side} ${currency}`;
    const sum = this.#totals.get(key) ?? { total: { is, side, currency }, count: 0, units: 0n };
    sum.count += 1;
    sum.units += units;
    this.#totals.set(key, sum);
  }
}

/** A statement lists what was booked, so a line whose status is missing or unknown counts as paid. */
function isPaid(status: string | undefined): boolean {
  const facts = status === undefined ? undefined : statusOf(status.toLowerCase());
  return facts === undefined || !facts.final || facts.success;
}
