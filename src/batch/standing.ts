import type { Intent, Journal } from '../journal/index.js';
import { entryKind } from '../payments/journal-entry.js';
import { operationById } from '../spec/index.js';
import type { BatchRow, PlanHead, PlanStore, Total } from './plan.js';
import type { RowState } from './tally.js';

/** How many rows stand somewhere, and the money of those that name an amount. */
export interface Standing {
  readonly state: RowState;
  readonly count: number;
  readonly totals: readonly Total[];
}

const order: readonly RowState[] = [
  ...(['done', 'accepted', 'sending', 'unknown', 'conflict', 'declined', 'refused', 'not_sent', 'planned', 'unknown_here'] as const),
];
const pageOfRows = 1000;

/** Whoever knows where rows stand; of those it does not know `otherwise` is said. */
export interface Known {
  find(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>>;
  readonly otherwise: RowState;
}

/** Where the rows of a plan stand. */
export async function standings(store: Pick<PlanStore, 'head' | 'rows'>, known: Known): Promise<Standing[]> {
  const { head } = store;
  const digits = new Map(head.totals.map(({ currency, digits: each }) => [currency, each]));
  const found = new Map<RowState, { count: number; readonly sums: Map<string, { count: number; minor: bigint }> }>();
  for (let from = 1; from <= head.count; from += pageOfRows) {
    const rows = store.rows(from, pageOfRows);
    const intents = await known.find(rows);
    for (const row of rows) {
      const state = intents.get(row.number)?.state ?? known.otherwise;
      const standing = found.get(state) ?? { count: 0, sums: new Map() };
      found.set(state, standing);
      standing.count += 1;
      if (row.sum === undefined) continue;
      const sum = standing.sums.get(row.sum.currency) ?? { count: 0, minor: 0n };
      standing.sums.set(row.sum.currency, { count: sum.count + 1, minor: sum.minor + BigInt(row.sum.minor) });
    }
  }
  return order.flatMap((state) => {
    const standing = found.get(state);
    if (standing === undefined) return [];
    const totals = [...standing.sums].map(([currency, { count, minor }]) => ({
      ...{ currency, count, minor: String(minor), digits: digits.get(currency) ?? 0 },
    }));
    return [{ state, count: standing.count, totals: totals.sort((a, b) => (a.currency < b.currency ? -1 : 1)) }];
  });
}

/** What the journal has of a row since it was planned. */
export function intentOfRow(
  { values, endpointId, sum }: BatchRow,
  { operation, base, madeAt }: PlanHead,
  journal: Journal,
): Intent | undefined {
  const row = operationById(operation);
  const { clientOrderId, orderId } = values;
  if (row.effect === 'read') return undefined;
  const kind = entryKind(row, orderId);
  return journal.before({ kind, base, endpointId, operation, clientOrderId, orderId: row.opens ? undefined : orderId }).findLast(
    (intent) =>
      intent.operation === operation &&
      intent.clientOrderId === clientOrderId &&
      // A follow-up of the whole order has no sum of its own.
      (intent.sum === undefined || intent.sum.minor === sum?.minor) &&
      intent.changedAt >= madeAt,
  );
}
