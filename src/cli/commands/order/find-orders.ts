import { findAll } from '../../../journal/find.js';
import type { Filter, Journal, Page, Request, SeenOrder, Sum } from '../../../journal/port.js';
import { triedStates } from '../../../journal/states.js';
import { stateClause } from '../../../payments/words.js';
import { statusOf } from '../../../spec/index.js';
import { isOfFollowUp, unknownToGateway } from '../../../spec/transaction-words.js';
import { type FilterWord, statesOf, wasVoided, wordOf } from '../../core/order-words.js';
import { reasonText } from '../../format/journal-entries.js';
import { commandOf, sumOf, waitingIn, waitingText } from '../../format/meaning.js';

/** Which orders are wanted. */
export interface WantedOrders {
  /** What holds for each of them. */
  readonly filter: Filter;
  /** One of these; all when left out. */
  readonly words?: readonly FilterWord[] | undefined;
}

/** An order of the journal: what made it, and what followed from here. */
export interface ListedOrder {
  /** When it was recorded, or seen. */
  readonly at: number;
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
  readonly base: string;
  readonly profile: string;
  /** Undefined where it was only seen. */
  readonly endpoint: string | undefined;
  /** The request that made it; undefined for one made elsewhere. */
  readonly payment: Request | undefined;
  /** The word of its status; undefined where the journal does not know. */
  readonly status: string | undefined;
  /** The last status from the gateway. */
  readonly gatewayStatus: string | undefined;
  readonly sum: Sum | undefined;
  /** Last four digits. */
  readonly card: string | undefined;
  readonly why: string;
  /** Requests on it, oldest first. */
  readonly followUps: readonly Request[];
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
  for (const stream of [madeElsewhere, seenOnly, sentFromHere]) {
    let found = 0;
    for await (const order of stream(journal, wanted, followUps)) {
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
  for await (const request of findAll(journal, { kinds: ['follow-up'] }))
    byOrder.set(keyOf(request), [...(byOrder.get(keyOf(request)) ?? []), request]);
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
  for await (const payment of newestFirst((page) => journal.find({ ...filter, kinds: ['payment'], states }, page))) {
    const later = payment.orderId === undefined ? [] : (followUps.get(keyOf(payment)) ?? []);
    yield {
      ...placeOf(payment, [payment, ...later]),
      payment,
      status: payment.state === 'done' ? approvedWord(later) : wordOf(payment.state),
      gatewayStatus: payment.outcome['status'],
      sum: payment.sum,
      why: [whyOf(payment), ...later.map(followUpText)].filter((text) => text !== '').join('; '),
      followUps: later,
    };
  }
}

/** Of those made elsewhere, by the requests on them from here. Their amounts are not known. */
async function* madeElsewhere(journal: Journal, { filter }: WantedOrders, followUps: FollowUps): Stream {
  if (filter.amount !== undefined) return;
  const followed: Filter = { ...filter, isOrder: true, kinds: ['follow-up'] };
  for await (const first of newestFirst((page) => journal.find(followed, page))) {
    const all = followUps.get(keyOf(first)) ?? [];
    yield {
      ...placeOf(first, all),
      // A follow-up is allowed only on an approved order.
      status: all.some(({ state }) => state === 'done') ? approvedWord(all) : undefined,
      ...{ payment: undefined, gatewayStatus: undefined, sum: undefined },
      why: ['made elsewhere', ...all.map(followUpText)].join('; '),
      followUps: all,
    };
  }
}

async function* seenOnly(journal: Journal, { filter }: WantedOrders): Stream {
  for await (const seen of newestFirst((page) => journal.findSeen(filter, page))) yield listedSeen(seen);
}

/** One on which nothing was sent from here. */
function listedSeen(seen: SeenOrder): ListedOrder {
  const { at, orderId, clientOrderId, base, profile, status, sum, card4: card, type, outcome } = seen;
  const isOfLater = type !== undefined && isOfFollowUp(new Map(Object.entries(outcome)));
  return {
    ...{ at, orderId, clientOrderId, base, profile, endpoint: undefined, payment: undefined },
    ...{ status, gatewayStatus: status, sum, card, followUps: [] },
    why: `seen, made elsewhere${isOfLater ? `; its newest transaction is a ${type}` : ''}`,
  };
}

function placeOf(request: Request, all: readonly Request[]) {
  const { createdAt: at, orderId, clientOrderId, base, profile, endpoint } = request;
  const card = all.find(({ card4 }) => card4 !== undefined)?.card4;
  return { at, orderId, clientOrderId, base, profile, endpoint, card };
}

/** A void leaves nothing of an approved order. */
function approvedWord(followUps: readonly Request[]): string {
  return wasVoided(followUps) ? 'voided' : wordOf('done');
}

function whyOf(payment: Request): string {
  const waiting = payment.state === 'accepted' ? waitingIn([payment]) : undefined;
  return waiting === undefined ? reasonOf(payment) : waitingText(waiting);
}

/** What was sent, and what is known of it. */
function followUpText(request: Request): string {
  const why = request.state === 'declined' ? reasonOf(request) : '';
  const words = [commandOf(request), sumOf(request), stateClause(request.state)].filter((word) => word !== '');
  return `${words.join(' ')}${why === '' ? '' : `: ${why}`}`;
}

function reasonOf(request: Request): string {
  const { state, outcome } = request;
  if (state === 'unknown' && outcome['status'] === 'unknown') return unknownToGateway;
  return state === 'done' || state === 'accepted' ? '' : reasonText(request);
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

function fits({ status, payment, followUps }: ListedOrder, { words }: WantedOrders): boolean {
  const isOnlySeen = payment === undefined && followUps.length === 0;
  const word = isOnlySeen ? seenAs(status ?? '') : status;
  return words?.some((each) => each === word || (each === 'approved' && word === 'voided')) ?? true;
}

/** The word under which an order with this status of the gateway is found. */
function seenAs(status: string): FilterWord {
  const facts = statusOf(status);
  if (facts === undefined) return 'unknown';
  return facts.final ? (facts.success ? 'approved' : 'declined') : 'pending';
}
