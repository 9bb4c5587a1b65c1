import { findPages } from '../journal/find.js';
import type { Journal, Request } from '../journal/port.js';
import { inDoubtStates, type State } from '../journal/states.js';
import { decimalText } from '../wire/amount.js';
import type { PlanHead } from './plan.js';
import type { BatchRow, RowReader } from './rows.js';

/** What became of a row, as it is handed over: texts as they came. */
export interface RowOutcome {
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

/** The columns of CSV, and what stands in each. */
export const reportColumns = {
  row: 'row',
  client_orderid: 'clientOrderId',
  orderid: 'orderId',
  destination: 'destination',
  amount: 'amount',
  currency: 'currency',
  state: 'state',
  reason: 'reason',
  attempts: 'attempts',
  first_time: 'first',
  last_time: 'last',
} as const satisfies Readonly<Record<string, keyof RowOutcome>>;

/** Every row with what is known of it, in order, many at a time. */
export async function* readOutcomes(
  { id }: PlanHead,
  journal: Pick<Journal, 'find'>,
  rows: RowReader,
): AsyncGenerator<readonly RowOutcome[]> {
  for await (const requests of findPages(journal, { batch: id })) {
    const kept = new Map((await rows.describe(requests)).map((row) => [row.request.id, row]));
    yield requests.map((request) => outcomeFrom(request, kept.get(request.id)));
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

/** Rows a person has to look at. */
export function needsReview({ state }: RowOutcome): boolean {
  return inDoubtStates.includes(state);
}
