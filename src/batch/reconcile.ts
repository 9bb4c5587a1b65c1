import { findAll } from '../journal/find.js';
import type { Journal, Request } from '../journal/port.js';
import { spentStates } from '../journal/states.js';
import { onOrder } from '../payments/settle.js';
import { statusOf } from '../spec/index.js';
import { toUnits } from '../wire/amount.js';
import type { ExactMoney, StatementLine } from './input/statement.js';

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
  readonly request: Request | undefined;
  /** The amount of the request; undefined where it names none. */
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
}

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
  async add(lines: readonly StatementLine[]): Promise<void> {
    for (const line of lines) {
      this.#lines += 1;
      const equal = (await this.#candidates(line)).find((request) => isEqual(request, line));
      if (equal === undefined) this.#unmatchedLines.push(line);
      else this.#match(line, equal, 'equal');
    }
  }

  async finish({ from, until }: Period): Promise<Reconciliation> {
    for (const line of this.#unmatchedLines) await this.#compareUnmatched(line);
    const { journal, base } = this.#context;
    for await (const request of findAll(journal, { base, states: spentStates, until })) {
      // The row of a batch may be sent long after it was recorded.
      const at = request.begunAt ?? request.createdAt;
      const isInPeriod = at >= (from ?? 0) && at < (until ?? Number.POSITIVE_INFINITY);
      if (isInPeriod && isPayment(request) && !this.#matched.has(request.id)) this.#reportJournalOnly(request);
    }
    const totals = [...this.#totals.values()].map(({ total, count, units }) => ({ ...total, count, units }));
    return { lines: this.#lines, totals, disagreements: this.#disagreements };
  }

  /** Requests on the same order that no line has been found for. */
  async #candidates({ orderId, clientOrderId }: StatementLine): Promise<readonly Request[]> {
    const { journal, base } = this.#context;
    const orders = [orderId, clientOrderId].filter((order) => order !== undefined);
    const found = (await Promise.all(orders.map((order) => onOrder(journal, { base, order })))).flat();
    return found.filter(({ id, effect }) => effect === 'money' && !this.#matched.has(id));
  }

  #match(line: StatementLine, request: Request, is: MatchKind): void {
    this.#matched.add(request.id);
    // Agreed that no money moved: there is nothing to add up.
    if (is === 'equal' && !isPaid(line.status)) return;
    this.#count(is, 'statement', line.money);
    this.#count(is, 'journal', moneyOf(request) ?? line.money);
  }

  /** A line without an equal request: another one on the same order differs, first one that may have moved money. */
  async #compareUnmatched(line: StatementLine): Promise<void> {
    const candidates = await this.#candidates(line);
    const request = candidates.find(({ state }) => spentStates.includes(state)) ?? candidates[0];
    if (request === undefined) {
      this.#count('statementOnly', 'statement', line.money);
      const why = 'the journal has no such order, or no other request on it';
      this.#disagreements.push({ is: 'statementOnly', line, request, journalMoney: undefined, why });
      return;
    }
    this.#match(line, request, 'differs');
    const journalMoney = moneyOf(request);
    this.#disagreements.push({ is: 'differs', line, request, journalMoney, why: differenceOf(line, request) });
  }

  #reportJournalOnly(request: Request): void {
    const journalMoney = moneyOf(request);
    if (journalMoney !== undefined) this.#count('journalOnly', 'journal', journalMoney);
    const why = 'the statement has no line for it';
    this.#disagreements.push({ is: 'journalOnly', line: undefined, request, journalMoney, why });
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

/** Both agree whether money moved, and on the amount where the journal has it. */
function isEqual(request: Request, { money, status }: StatementLine): boolean {
  if (spentStates.includes(request.state) !== isPaid(status)) return false;
  const requested = moneyOf(request);
  return requested === undefined || (requested.units === money.units && requested.currency === money.currency);
}

/** Undefined, and then equal to any amount, where the request named none: a capture or return of the whole order. */
function moneyOf({ sum }: Request): ExactMoney | undefined {
  return sum && { units: toUnits(sum), currency: sum.currency };
}

function differenceOf({ money, status }: StatementLine, request: Request): string {
  const requested = moneyOf(request);
  if (requested !== undefined && requested.currency !== money.currency) return 'the currencies differ';
  if (requested !== undefined && requested.units !== money.units) return 'the amounts differ';
  return isPaid(status)
    ? `the journal says ${request.state}`
    : `the statement says declined, the journal says ${request.state}`;
}

/** False for a hosted form that nobody filled in. */
function isPayment({ effect, waitsFor }: Request): boolean {
  return effect === 'money' && waitsFor !== 'form';
}
