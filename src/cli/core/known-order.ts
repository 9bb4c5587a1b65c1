import type { Known } from '../../callbacks/boundaries.js';
import { closeAfter, fail } from '../../errors/index.js';
import type { Intent, Journal } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { OrderIds } from './order-query.js';
import { journalPath, openUnverifiedJournal } from './user-stores.js';

/** An order as the user names it: the word may be either id. */
export interface NamedOrder {
  readonly order: string | undefined;
  readonly clientOrderId: string | undefined;
}

/** Reads in the journal, in whatever condition it is; `none` where there is no journal yet. */
export async function inJournal<T>(runtime: Runtime, none: T, read: (journal: Journal) => T): Promise<T> {
  if (!runtime.files.exists(journalPath(runtime))) return none;
  const journal = await openUnverifiedJournal(runtime);
  return closeAfter(
    () => read(journal),
    () => journal.close(),
  );
}

/** All requests on an order, oldest first. Throws USAGE when a client order id stands for several. */
export function requestsOn(
  journal: Journal,
  base: string,
  { order, clientOrderId }: NamedOrder,
  command: string,
): Intent[] {
  const name = order ?? clientOrderId ?? '';
  const all = journal.list({ base, order: name });
  const byOrderId = order === undefined ? [] : all.filter((intent) => intent.orderId === order);
  const named = byOrderId.length > 0 ? byOrderId : all.filter((intent) => intent.clientOrderId === name);
  const orderIds = [...new Set(named.map((intent) => intent.orderId).filter((id) => id !== undefined))];
  if (orderIds.length > 1) throw fail('severalOrdersOfThatId', { name, orders: orderIds.join(', '), command });
  const [orderId] = orderIds;
  const ids = new Set([...orderIds, ...named.map((intent) => intent.clientOrderId).filter((id) => id !== undefined)]);
  const related = [...ids].flatMap((id) => journal.list({ base, order: id }));
  const own = related.filter(
    (intent) => intent.orderId === orderId || intent.orderId === undefined || orderId === undefined,
  );
  return [...new Map(own.map((intent) => [intent.id, intent])).values()].toSorted((a, b) => a.id - b.id);
}

/** Both ids as far as the journal tells; what it does not know is an order id if it has digits only. */
export function idsOf(intents: readonly Intent[], { order, clientOrderId }: NamedOrder): OrderIds {
  const known: OrderIds = {
    orderId: intents.find((intent) => intent.orderId !== undefined)?.orderId,
    clientOrderId: clientOrderId ?? intents.find((intent) => intent.clientOrderId !== undefined)?.clientOrderId,
  };
  if (intents.length > 0 || order === undefined) return known;
  const isOwn = clientOrderId === undefined && !/^\d+$/.test(order);
  return isOwn ? { orderId: undefined, clientOrderId: order } : { orderId: order, clientOrderId };
}

/** How well the journal knows both ids of an order at this gateway. */
export function knownIn(journal: Journal | undefined, place: string): Known {
  return (orderId, clientOrderId) => {
    const entries = [orderId, clientOrderId].flatMap((order) => journal?.list({ base: place, order }) ?? []);
    const has = (one: string | undefined, other: string) => one === other;
    const maybe = (one: string | undefined, other: string) => one === undefined || one === other;
    if (entries.some((entry) => has(entry.orderId, orderId) && has(entry.clientOrderId, clientOrderId))) return 'yes';
    // A contradiction anywhere weighs more than an id that was not learned.
    const isPart =
      entries.length > 0 &&
      entries.every((entry) => maybe(entry.orderId, orderId) && maybe(entry.clientOrderId, clientOrderId));
    return isPart ? 'partly' : 'no';
  };
}
