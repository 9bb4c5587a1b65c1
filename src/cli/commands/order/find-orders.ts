import type { Filter, Journal, Page, Request } from '../../../journal/port.js';
import { triedStates } from '../../../journal/states.js';
import { createRecurring, operations, statusOf, voidOperation } from '../../../spec/index.js';
import { type FilterWord, statuses, wordOf } from '../../core/order-words.js';
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

const pageSize = 500;

/** Finds orders that were sent from here, have requests from here, or were seen: all of them, or the newest `limit`. */
export async function findOrders(
  journal: Journal,
  wanted: WantedOrders,
  limit = Number.POSITIVE_INFINITY,
): Promise<FoundOrders> {
  const counts = new Map<string, number>();
  const add = (word: string, count = 1) => counts.set(word, (counts.get(word) ?? 0) + count);
  const voided = await orderIdsOf(journal, { operation: voidOperation.id, states: ['done'] });
  const payments: Request[] = [];
  for (const filter of await paymentFilters(journal, wanted, voided)) {
    await countPayments(journal, filter, voided, add);
    payments.push(...(await newest((page) => journal.find(filter, page), limit)));
  }
  const others: ListedOrder[] = [];
  for (const stream of [madeElsewhere(journal, wanted), seen(journal, wanted)]) {
    let kept = 0;
    for await (const order of stream) {
      if (!fits(order, wanted)) continue;
      add(order.status ?? 'made elsewhere');
      if (kept < limit) others.push(order);
      kept += 1;
    }
  }
  const all = [
    ...others.map((order) => ({ at: order.at, order })),
    ...payments.toSorted((one, other) => other.id - one.id).map((payment) => ({ at: payment.createdAt, payment })),
  ];
  const kept = all.toSorted((one, other) => other.at - one.at).slice(0, limit);
  const own = kept.flatMap((each) => ('payment' in each ? [each.payment] : []));
  const listed = new Map(
    (await withFollowUps(journal, own)).map(([request, followUps]) => [request, listedPayment(request, followUps)]),
  );
  const orders = kept.flatMap((each) => ('order' in each ? [each.order] : (listed.get(each.payment) ?? [])));
  return { orders: orders.toReversed(), counts };
}

type Finder<T> = (page: Page) => Promise<readonly T[]>;

/** Pages of what there is, newest first. */
async function* pagesOf<T extends { readonly id?: number }>(find: Finder<T>): AsyncGenerator<readonly T[]> {
  let before: number | undefined;
  for (;;) {
    const page = await find({ before, limit: pageSize });
    if (page.length > 0) yield page;
    before = page.at(-1)?.id;
    if (page.length < pageSize) return;
  }
}

async function newest<T extends { readonly id?: number }>(find: Finder<T>, limit: number): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const page of pagesOf(find)) {
    found.push(...page);
    if (found.length >= limit) break;
  }
  return found.slice(0, limit);
}

/** The orders on which such requests were sent. */
async function orderIdsOf(journal: Journal, filter: Filter): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  for await (const page of pagesOf((each) => journal.find(filter, each)))
    for (const { orderId } of page) if (orderId !== undefined) ids.add(orderId);
  return ids;
}

/** Filters of the payments that are wanted; each payment fits one of them at most. */
async function paymentFilters(
  journal: Journal,
  { filter, words, operation }: WantedOrders,
  voided: ReadonlySet<string>,
): Promise<readonly Filter[]> {
  const payments: Filter = { ...filter, isOrder: true, kinds: ['payment'] };
  const isOpening = operations.find(({ id }) => id === operation)?.opens !== false;
  const all = isOpening
    ? { ...payments, operation }
    : { ...payments, orderIds: [...(await orderIdsOf(journal, { operation }))] };
  // Rows of a batch that wait for their turn are no orders yet, and may be many.
  if (words === undefined) return [filter.text === undefined ? { ...all, states: triedStates } : all];
  const isApproved = words.includes('approved');
  return [...new Set(words)].flatMap((word) => {
    if (word === 'voided') return isApproved ? [] : [among(all, voided)];
    if (word === 'registered') return isApproved ? [] : registrations(all);
    return [{ ...all, states: statuses[word] }];
  });
}

/** Those of approved payments whose orders are among these. */
function among(filter: Filter, ids: ReadonlySet<string>): Filter {
  const orderIds = filter.orderIds === undefined ? [...ids] : filter.orderIds.filter((id) => ids.has(id));
  return { ...filter, states: ['done'], orderIds };
}

function registrations(filter: Filter): readonly Filter[] {
  const { operation = createRecurring.id } = filter;
  return operation === createRecurring.id ? [{ ...filter, states: ['done'], operation }] : [];
}

async function countPayments(
  journal: Journal,
  filter: Filter,
  voided: ReadonlySet<string>,
  add: (word: string, count: number) => void,
): Promise<void> {
  const countOf = async (each: Filter) => (await journal.total(each)).reduce((sum, { count }) => sum + count, 0);
  for (const { state, count } of await journal.total(filter)) add(wordOf(state), count);
  if (filter.states?.includes('done') === false) return;
  const special = [
    { word: 'voided', filter: among(filter, voided) },
    ...registrations(filter).map((each) => ({ word: 'registered', filter: each })),
  ];
  for (const each of special) {
    const count = await countOf(each.filter);
    if (count === 0) continue;
    add(each.word, count);
    add(wordOf('done'), -count);
  }
}

/** Those with requests from here, newest first. */
async function* madeElsewhere(journal: Journal, { filter }: WantedOrders): AsyncGenerator<ListedOrder> {
  // Its amount is not known.
  if (filter.amount !== undefined) return;
  const followed: Filter = { ...filter, isOrder: true, kinds: ['follow-up'] };
  for await (const page of pagesOf((each) => journal.find(followed, each)))
    for (const [first, followUps] of await withFollowUps(journal, page)) yield listedElsewhere(first, followUps);
}

/** Those that were only seen, newest first. */
async function* seen(journal: Journal, { filter, operation }: WantedOrders): AsyncGenerator<ListedOrder> {
  if (operation !== undefined) return;
  for await (const page of pagesOf((each) => journal.findSeen(filter, each))) yield* page.map(listedSeen);
}

function fits({ status, followUps }: ListedOrder, { words, operation }: WantedOrders): boolean {
  if (operation !== undefined && !followUps.some((each) => each.operation === operation)) return false;
  if (words === undefined) return true;
  const word = followUps.length > 0 ? status : seenAs(status ?? '');
  return words.some((each) => each === word || (each === 'approved' && word === 'voided'));
}

/** The word under which an order with this status of the gateway is found. */
function seenAs(status: string): FilterWord {
  const facts = statusOf(status);
  if (facts === undefined) return 'unknown';
  return facts.final ? (facts.success ? 'approved' : 'declined') : 'pending';
}

/** Each with the follow-ups on its order, oldest first. */
async function withFollowUps(
  journal: Journal,
  requests: readonly Request[],
): Promise<readonly (readonly [Request, readonly Request[]])[]> {
  const byOrder = new Map<string, Request[]>();
  for (let at = 0; at < requests.length; at += pageSize) {
    const orderIds = requests.slice(at, at + pageSize).flatMap(({ orderId }) => orderId ?? []);
    const filter: Filter = { orderIds, kinds: ['follow-up'] };
    for await (const page of pagesOf((each) => journal.find(filter, each)))
      for (const request of page) {
        const key = keyOf(request);
        byOrder.set(key, [request, ...(byOrder.get(key) ?? [])]);
      }
  }
  return requests.map((request) => [request, request.orderId === undefined ? [] : (byOrder.get(keyOf(request)) ?? [])]);
}

function keyOf({ base, orderId }: Request): string {
  return `${base} ${orderId}`;
}
