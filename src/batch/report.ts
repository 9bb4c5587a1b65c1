import { findPages } from '../journal/pages.js';
import type { Approval, Journal, Request } from '../journal/port.js';
import type { State } from '../journal/states.js';
import { decimalText } from '../wire/amount.js';
import { moneyDocument, type PlanHead } from './plan.js';
import type { EndTotal } from './progress.js';
import type { BatchRow, RowReader } from './rows.js';

/** What became of a row, as it is handed over: texts as they came. */
interface RowOutcome {
  readonly row: number;
  /** Null once only the outcome of the row is kept. */
  readonly line: number | null;
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

/** Every row with what is known of it, in order. */
export async function* readOutcomes(
  { id }: PlanHead,
  journal: Pick<Journal, 'find'>,
  rows: RowReader,
): AsyncGenerator<RowOutcome> {
  for await (const requests of findPages(journal, { batch: id })) {
    const kept = new Map((await rows.describe(requests)).map((row) => [row.request.id, row]));
    for (const request of requests) yield outcomeFrom(request, kept.get(request.id));
  }
}

/** Where it goes is kept only as long as a row may still be sent. */
function outcomeFrom(request: Request, row: Pick<BatchRow, 'line' | 'destination'> | undefined): RowOutcome {
  const { number = 0, clientOrderId, orderId, sum, card4, state, reason, outcome, attempt } = request;
  const time = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString());
  const isBegun = attempt > 0;
  return {
    ...{ row: number, line: row?.line ?? null, state },
    destination: row?.destination ?? (card4 === undefined ? '' : `card ••••${card4}`),
    clientOrderId: clientOrderId ?? '',
    orderId: orderId ?? '',
    amount: sum === undefined ? '' : decimalText(BigInt(sum.minor), sum.digits),
    currency: sum?.currency ?? '',
    reason: [reason, outcome['error-message'] ?? ''].filter((text) => text !== '').join(': '),
    attempts: attempt,
    ...{ first: time(request.begunAt), last: time(isBegun ? request.changedAt : undefined) },
  };
}

/** All of it in one document. */
export function summaryOf(
  head: PlanHead,
  { totals, approvals }: { readonly totals: readonly EndTotal[]; readonly approvals: readonly Approval[] },
  at: number,
  version: string,
) {
  const { id, digest, operation, profile, base, login, planner, madeAt, file, count, hasCards } = head;
  return {
    schema: 'paycli.batch-summary/1',
    ...{ plan: id, digest, operation, profile, class: head.class, login, gateway: base, planner },
    madeAt: new Date(madeAt).toISOString(),
    file: { path: file.path, bytes: file.bytes, sha256: hasCards ? null : file.sha256 },
    planned: { count, totals: head.totals.map((total) => ({ count: total.count, ...moneyDocument(total) })) },
    ends: totals.map(({ end, count: rows, sums }) => ({
      ...{ end, count: rows },
      totals: sums.map(moneyDocument),
    })),
    approvals: approvals.map((approval) => ({
      ...{ at: new Date(approval.at).toISOString(), by: approval.role },
      ...{ digest: approval.digest, total: approval.total },
    })),
    versions: { planned: head.version, reported: version },
    at: new Date(at).toISOString(),
  } satisfies Readonly<Record<string, unknown>>;
}

/** Rows a person has to look at. */
export function needsReview({ state }: RowOutcome): boolean {
  return state === 'unknown' || state === 'sending' || state === 'conflict';
}
