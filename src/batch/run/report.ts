import type { Intent, State } from '../../journal/index.js';
import type { Clock } from '../../runtime/ports.js';
import { decimalText } from '../../wire/amount.js';
import { type BatchRow, digitsIn, moneyDocument, type PlanStore, pageSize } from '../plan.js';
import { type EndTotal, endTotals, type JournalLookup, rowState, StateTally } from './progress.js';

/** What became of a row, as it is handed over: texts as they came. */
interface RowOutcome {
  readonly row: number;
  readonly line: number;
  readonly clientOrderId: string;
  readonly orderId: string;
  /** Masked. */
  readonly destination: string;
  readonly amount: string;
  readonly currency: string;
  readonly state: State;
  readonly reason: string;
  readonly attempts: number;
  /** RFC 3339; empty for a row nobody began. */
  readonly first: string;
  readonly last: string;
}

export const reportColumns = [
  'row',
  'client_orderid',
  'orderid',
  'destination',
  'amount',
  'currency',
  'state',
  'reason',
  'attempts',
  'first_time',
  'last_time',
];

export function cellsOf(outcome: RowOutcome): string[] {
  const { row, clientOrderId, orderId, destination, amount, currency, state, reason, attempts, first, last } = outcome;
  const order = [String(row), clientOrderId, orderId, destination, amount, currency];
  return [...order, state, reason, String(attempts), first, last];
}

/** Every row with what is known of it, in order; gives the totals at the end. */
export async function* outcomesOf(
  plan: Pick<PlanStore, 'head' | 'rows'>,
  known: JournalLookup,
  clock: Pick<Clock, 'sleep'>,
): AsyncGenerator<RowOutcome, readonly EndTotal[]> {
  const tally = new StateTally();
  const digitsOf = digitsIn(plan.head);
  for (let from = 1; from <= plan.head.count; from += pageSize) {
    const rows = plan.rows(from, pageSize);
    const intents = known.find(rows);
    for (const row of rows) {
      const state = rowState(row.number, intents.get(row.number), known);
      const intent = state === 'cancelled' ? undefined : intents.get(row.number);
      tally.add(state, row.sum);
      yield outcomeOf(row, intent, { digitsOf, state });
    }
    await clock.sleep(0);
  }
  return endTotals(plan.head, tally.totals());
}

function outcomeOf(
  { number, line, values, destination, sum }: BatchRow,
  intent: Intent | undefined,
  { digitsOf, state }: { readonly digitsOf: (currency: string) => number; readonly state: State },
): RowOutcome {
  const time = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString());
  const message = intent?.outcome['error-message'];
  return {
    ...{ row: number, line, destination, state },
    clientOrderId: values['clientOrderId'] ?? '',
    orderId: intent?.orderId ?? values['orderId'] ?? '',
    amount: sum === undefined ? '' : decimalText(BigInt(sum.minor), digitsOf(sum.currency)),
    currency: sum?.currency ?? '',
    reason: [intent?.reason ?? '', message ?? ''].filter((text) => text !== '').join(': '),
    attempts: intent?.attempts ?? 0,
    ...{ first: time(intent?.madeAt), last: time(intent?.changedAt) },
  };
}

/** All of it in one document. */
export function summaryOf(
  plan: Pick<PlanStore, 'head' | 'events'>,
  totals: readonly EndTotal[],
  at: number,
  version: string,
) {
  const { head } = plan;
  const { id, digest, operation, profile, base, login, planner, madeAt, file, count, hasCards } = head;
  const digitsOf = digitsIn(head);
  return {
    schema: 'paycli.batch-summary/1',
    ...{ plan: id, digest, operation, profile, class: head.class, login, gateway: base, planner },
    madeAt: new Date(madeAt).toISOString(),
    file: { path: file.path, bytes: file.bytes, sha256: hasCards ? null : file.sha256 },
    planned: { count, totals: head.totals.map((total) => ({ count: total.count, ...moneyDocument(total) })) },
    ends: totals.map(({ end, count: rows, sums }) => ({
      ...{ end, count: rows },
      totals: sums.map((sum) => moneyDocument({ ...sum, digits: digitsOf(sum.currency) })),
    })),
    approvals: plan
      .events()
      .filter(({ what }) => what === 'approved')
      .map((event) => ({ at: new Date(event.at).toISOString(), ...event.facts })),
    versions: { planned: head.version, reported: version },
    at: new Date(at).toISOString(),
  } satisfies Readonly<Record<string, unknown>>;
}

/** Rows a person has to look at. */
export function needsReview({ state }: RowOutcome): boolean {
  return state === 'unknown' || state === 'sending' || state === 'conflict';
}
