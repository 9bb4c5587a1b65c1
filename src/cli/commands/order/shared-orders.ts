import {
  type Filter,
  type Intent,
  isWithin,
  type Journal,
  paymentsOf,
  type State,
  withoutEffectStates,
} from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { wasVoided } from '../../core/order-offline.js';
import type { Reporter } from '../../core/reporter.js';
import { isSameRequest, readShared } from '../batch/shared-databases.js';
import type { EngineFlags } from '../batch/shared-engine.js';

interface OrdersRequest {
  /** What the journal has by the same filter. For copies of rows in a shared database the state there is newer. */
  readonly own: readonly Intent[];
  readonly filter: Filter;
  /** At most so many orders of each database, the newest; all of them where undefined. */
  readonly limit: number | undefined;
  readonly flags: EngineFlags;
}

interface SharedOrders {
  /** Rows that make an order and match. */
  readonly matching: readonly Intent[];
  /** All rows read: the matching ones, those behind copies in the journal, and the follow-ups on all their orders. */
  readonly known: readonly Intent[];
}

/**
 * Orders that several machines made as rows of batches, from each of their databases. These hold no
 * payer, so a filter by that finds none, and of a card only what a reply named.
 */
export async function readSharedOrders(
  journal: Journal,
  { own, filter, limit, flags }: OrdersRequest,
  tools: { readonly report: Pick<Reporter, 'warn'>; readonly runtime: Runtime },
): Promise<SharedOrders> {
  if (filter.payer !== undefined) return { matching: [], known: [] };
  // The order of a follow-up without the request that made it may be there.
  const copies = own.filter(({ id, kind }) => kind === 'follow-up' || journal.copyOf(id) !== undefined);
  const found = await readShared(journal, { flags, command: 'orders' }, tools, async (view) => {
    const { orderStates, onOrder: operation, sum, isVoided, isRegistered: _, ...rest } = filter;
    // The void of a row is a request of a journal.
    const states = isVoided === true ? [...(orderStates ?? []), 'done' as const] : orderStates;
    const isCompared = sum !== undefined || isVoided === true;
    const isChosen = (intent: Intent) =>
      isVoided !== true || orderStates?.includes(intent.state) === true || wasVoided(followUpsOn(intent, journal));
    const pageSize = isCompared || limit === undefined ? maxPage : limit;
    const all: Intent[] = [];
    let page: readonly Intent[] = [];
    do {
      page = await view.newestOpenings({ ...rest, operation, states }, pageSize, page.at(-1)?.id);
      all.push(...page.filter((intent) => isWithin(intent, sum) && isChosen(intent)));
    } while (page.length === pageSize && (limit === undefined || all.length < limit));
    const matching = all.slice(0, limit);
    const bases = new Set([...matching, ...copies].map(({ base }) => base));
    const known: Intent[] = [];
    for (const base of bases) known.push(...(await view.intentsNamed(base, namesOf([...matching, ...copies], base))));
    return { matching, known };
  });
  return {
    matching: found.flatMap(({ matching }) => matching),
    known: found.flatMap(({ known }) => known),
  };
}

/** Those of this journal, by the gateway's id of the order. */
function followUpsOn({ base, orderId: order }: Intent, journal: Journal): readonly Intent[] {
  const requests = order === undefined ? [] : journal.list({ base, order, kind: 'follow-up' });
  return requests.filter(({ orderId }) => orderId === order);
}

// How many rows are read at once where the limit does not say it: without one, and where amounts and voids are compared
// here, because the database cannot compare them.
const maxPage = 10_000;

function namesOf(intents: readonly Intent[], base: string): string[] {
  const own = intents.filter((intent) => intent.base === base);
  return own.flatMap(({ orderId, clientOrderId }) => [orderId, clientOrderId]).filter((name) => name !== undefined);
}

/** Both lists together; of a request in both, only the row of the database. */
export function withShared(own: readonly Intent[], shared: readonly Intent[]): Intent[] {
  return [...own.filter((each) => !shared.some((row) => isSameRequest(row, each))), ...shared];
}

/** A payout that was only checked is pending until its payment is made. */
export function sharedOrderState({ operation, state }: Intent, followUps: readonly Intent[]): State {
  const payments = paymentsOf(operation);
  if (state !== 'done' || payments === undefined) return state;
  const payment = followUps.findLast((each) => payments.some((id) => id === each.operation));
  return payment === undefined || withoutEffectStates.includes(payment.state) ? 'accepted' : payment.state;
}
