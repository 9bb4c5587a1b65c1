import { findAll } from '../../../journal/find.js';
import type { Filter, Journal, Request, SeenOrder, Sum } from '../../../journal/port.js';
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
export interface ListedOrder extends Pick<Request, 'base' | 'profile'> {
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
  /** Undefined where it was only seen. */
  readonly endpoint?: string;
  readonly sum?: Sum | undefined;
  /** When it was recorded, or seen. */
  readonly at: number;
  /** The request that made it; undefined for one made elsewhere. */
  readonly payment?: Request;
  /** The word of its status; undefined where the journal does not know. */
  readonly status: string | undefined;
  /** The last status from the gateway. */
  readonly gatewayStatus?: string | undefined;
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
  const followUps = new Map<string, Request[]>();
  for await (const request of findAll(journal, { kinds: ['follow-up'] }))
    followUps.set(keyOf(request), [...(followUps.get(keyOf(request)) ?? []), request]);
  const counts = new Map<string, number>();
  let found: ListedOrder[] = [];
  for (const stream of [sentFromHere, seenOnly, madeElsewhere]) {
    const newest: ListedOrder[] = [];
    for await (const order of stream(journal, wanted, followUps)) {
      if (!fits(order, wanted)) continue;
      const word = order.status ?? 'made elsewhere';
      counts.set(word, (counts.get(word) ?? 0) + 1);
      newest.push(order);
      if (newest.length > limit) newest.shift();
    }
    // Not as arguments of a call: there may be hundreds of thousands.
    found = found.concat(newest);
  }
  return { orders: found.toSorted((one, other) => one.at - other.at).slice(-limit), counts };
}

/** By the gateway and id of their order, oldest first. */
type FollowUps = ReadonlyMap<string, readonly Request[]>;

function keyOf({ base, orderId }: Request): string {
  return `${base} ${orderId}`;
}

/** The orders of each stream, oldest first. */
type Stream = AsyncGenerator<ListedOrder>;

async function* sentFromHere(journal: Journal, { filter, words }: WantedOrders, followUps: FollowUps): Stream {
  // Rows of a batch that wait for their turn are no orders yet, and may be many.
  const states = words?.flatMap(statesOf) ?? (filter.text === undefined ? triedStates : undefined);
  for await (const payment of findAll(journal, { ...filter, kinds: ['payment'], states })) {
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
  for await (const first of findAll(journal, { ...filter, isOrder: true, kinds: ['follow-up'] })) {
    const all = followUps.get(keyOf(first)) ?? [];
    // A follow-up is allowed only on an approved order.
    const status = all.some(({ state }) => state === 'done') ? approvedWord(all) : undefined;
    const why = ['made elsewhere', ...all.map(followUpText)].join('; ');
    yield { ...placeOf(first, all), status, why, followUps: all };
  }
}

const pageSize = 500;

async function* seenOnly(journal: Journal, { filter }: WantedOrders): Stream {
  for (let after = 0, isOver = false; !isOver; ) {
    const page = await journal.findSeen(filter, { after, limit: pageSize });
    yield* page.map(listedSeen);
    after = page.at(-1)?.id ?? after;
    isOver = page.length < pageSize;
  }
}

/** One on which nothing was sent from here. */
function listedSeen({ at, orderId, clientOrderId, base, profile, status, sum, card4, type, outcome }: SeenOrder) {
  const isOfLater = type !== undefined && isOfFollowUp(new Map(Object.entries(outcome)));
  return {
    ...{ at, orderId, clientOrderId, base, profile, status, gatewayStatus: status, sum, card: card4, followUps: [] },
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
