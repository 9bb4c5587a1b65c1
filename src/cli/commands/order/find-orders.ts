import { findAll } from '../../../journal/pages.js';
import type { Filter, Journal, Page, Request } from '../../../journal/port.js';
import { triedStates } from '../../../journal/states.js';
import { statusOf } from '../../../spec/index.js';
import { type FilterWord, statesOf } from '../../core/order-words.js';
import { type ListedOrder, listedElsewhere, listedPayment, listedSeen } from './listed-order.js';

/** Which orders are wanted. */
export interface WantedOrders {
  /** What holds for each of them. */
  readonly filter: Filter;
  /** One of these; all when left out. */
  readonly words?: readonly FilterWord[] | undefined;
  /** It made them, or is one of their follow-ups. */
  readonly operation?: string | undefined;
}

/** The newest of those that were found, and how many there are. */
export interface FoundOrders {
  /** Oldest first. */
  readonly orders: readonly ListedOrder[];
  /** Of all that were found, by the words of their status. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Finds orders that were sent from here, have requests from here, or were seen: all of them, or the newest `limit`. */
export async function findOrders(
  journal: Journal,
  wanted: WantedOrders,
  limit = Number.POSITIVE_INFINITY,
): Promise<FoundOrders> {
  const followUps = await followUpsByOrder(journal);
  const counts = new Map<string, number>();
  const newest: ListedOrder[] = [];
  const streams = [
    madeElsewhere(journal, wanted, followUps),
    seen(journal, wanted),
    sentFromHere(journal, wanted, followUps),
  ];
  for (const stream of streams) {
    let found = 0;
    for await (const order of stream) {
      if (!fits(order, wanted)) continue;
      const word = order.status ?? 'made elsewhere';
      counts.set(word, (counts.get(word) ?? 0) + 1);
      if (found < limit) newest.push(order);
      found += 1;
    }
  }
  const orders = newest.toSorted((one, other) => other.at - one.at).slice(0, limit);
  return { orders: orders.toReversed(), counts };
}

/** By the gateway and id of their order, oldest first. */
type FollowUps = ReadonlyMap<string, readonly Request[]>;

async function followUpsByOrder(journal: Journal): Promise<FollowUps> {
  const byOrder = new Map<string, Request[]>();
  for await (const request of findAll(journal, { kinds: ['follow-up'] })) {
    const key = keyOf(request);
    byOrder.set(key, [...(byOrder.get(key) ?? []), request]);
  }
  return byOrder;
}

function keyOf({ base, orderId }: Request): string {
  return `${base} ${orderId}`;
}

/** The orders of each stream, newest first. */
type Stream = AsyncGenerator<ListedOrder>;

async function* sentFromHere(journal: Journal, { filter, words }: WantedOrders, followUps: FollowUps): Stream {
  // Rows of a batch that wait for their turn are no orders yet, and may be many.
  const states = words?.flatMap(statesOf) ?? (filter.text === undefined ? triedStates : undefined);
  const payments: Filter = { ...filter, kinds: ['payment'], states };
  for await (const payment of newestFirst((page) => journal.find(payments, page)))
    yield listedPayment(payment, payment.orderId === undefined ? [] : (followUps.get(keyOf(payment)) ?? []));
}

async function* madeElsewhere(journal: Journal, { filter }: WantedOrders, followUps: FollowUps): Stream {
  // Its amount is not known.
  if (filter.amount !== undefined) return;
  const followed: Filter = { ...filter, isOrder: true, kinds: ['follow-up'] };
  for await (const first of newestFirst((page) => journal.find(followed, page)))
    yield listedElsewhere(first, followUps.get(keyOf(first)) ?? []);
}

async function* seen(journal: Journal, { filter }: WantedOrders): Stream {
  for await (const order of newestFirst((page) => journal.findSeen(filter, page))) yield listedSeen(order);
}

const pageSize = 500;

async function* newestFirst<T extends { readonly id?: number }>(
  find: (page: Page) => Promise<readonly T[]>,
): AsyncGenerator<T> {
  for (let before: number | undefined; ; ) {
    const page = await find({ before, limit: pageSize });
    yield* page;
    if (page.length < pageSize) return;
    before = page.at(-1)?.id;
  }
}

function fits({ status, payment, followUps }: ListedOrder, { words, operation }: WantedOrders): boolean {
  const operations = [payment, ...followUps].map((request) => request?.operation);
  if (operation !== undefined && !operations.includes(operation)) return false;
  const isOnlySeen = payment === undefined && followUps.length === 0;
  const word = isOnlySeen ? seenAs(status ?? '') : status;
  const isApproved = word === 'voided' || word === 'registered';
  return words?.some((each) => each === word || (each === 'approved' && isApproved)) ?? true;
}

/** The word under which an order with this status of the gateway is found. */
function seenAs(status: string): FilterWord {
  const facts = statusOf(status);
  if (facts === undefined) return 'unknown';
  return facts.final ? (facts.success ? 'approved' : 'declined') : 'pending';
}
