import { countAll, listAll, walkPages } from '../../../journal/find.js';
import type { Filter, Journal, Page, Request, SeenOrder, Sum } from '../../../journal/port.js';
import { triedStates } from '../../../journal/states.js';
import { stateClause } from '../../../payments/words.js';
import { movesOf, operations, statusOf } from '../../../spec/index.js';
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
  /** For pages. */
  readonly id: number;
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

/** Orders of one kind, and how many there are by the words of their status. */
export interface OrderSource {
  readonly counts: Readonly<Record<string, number>>;
  find(page: Page): Promise<readonly ListedOrder[]>;
}

/** The newest of all sources, oldest first. */
export async function findNewest(sources: readonly OrderSource[], limit: number): Promise<readonly ListedOrder[]> {
  const newest = await Promise.all(sources.map((source) => source.find({ limit })));
  return newest
    .flat()
    .sort((one, other) => one.at - other.at || one.id - other.id)
    .slice(-limit);
}

/** All orders of all sources, oldest first, a page of each in memory. */
export async function* walkOrders(sources: readonly OrderSource[]): AsyncGenerator<ListedOrder> {
  const walks = sources.map(walkSource);
  const next = await Promise.all(walks.map((walk) => walk.next()));
  for (;;) {
    const times = next.map(({ value }) => value?.at ?? Number.POSITIVE_INFINITY);
    const oldest = times.indexOf(Math.min(...times));
    const [walk, order] = [walks[oldest], next[oldest]?.value];
    if (walk === undefined || order === undefined) return;
    yield order;
    next[oldest] = await walk.next();
  }
}

/** How many there are, by the words of their status. */
export function countOrders(sources: readonly OrderSource[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const source of sources)
    for (const [word, count] of Object.entries(source.counts))
      if (count > 0) counts.set(word, (counts.get(word) ?? 0) + count);
  return counts;
}

async function* walkSource({ find }: OrderSource): AsyncGenerator<ListedOrder, undefined> {
  for await (const page of walkPages(find, ({ id }) => id)) yield* page;
}

/** Orders that were sent from here, have requests from here, or were seen; without sources of which there is none. */
export async function sourcesOf(journal: Journal, { filter, words }: WantedOrders): Promise<readonly OrderSource[]> {
  const distinct = new Set<FilterWord | undefined>(words ?? [undefined]);
  if (distinct.has('approved')) distinct.delete('voided');
  const seen = await journal.countSeen(filter);
  const sources: OrderSource[] = [];
  for (const word of distinct)
    sources.push(
      await sentFromHere(journal, filter, word),
      await madeElsewhere(journal, filter, word),
      seenOnly(journal, filter, word, seen),
    );
  return sources.filter(({ counts }) => Object.values(counts).some((count) => count > 0));
}

const allIds = operations.map(({ id }) => id);
/** A void leaves nothing of an approved order. */
const voidingIds = allIds.filter((id) => movesOf(id) === 'releases');

async function sentFromHere(journal: Journal, filter: Filter, word: FilterWord | undefined): Promise<OrderSource> {
  // Rows of a batch that wait for their turn are no orders yet, and may be many.
  const states = word === undefined ? (filter.text === undefined ? triedStates : undefined) : statesOf(word);
  const followedBy = word === 'voided' ? voidingIds : undefined;
  const wanted: Filter = { ...filter, kinds: ['payment'], states, followedBy };
  const counts: Record<string, number> = {};
  for (const [state, count] of await journal.count(wanted))
    counts[wordOf(state)] = (counts[wordOf(state)] ?? 0) + count;
  const { approved = 0 } = counts;
  const voided = approved && (await countAll(journal, { ...wanted, states: ['done'], followedBy: voidingIds }));
  return {
    counts: { ...counts, approved: approved - voided, voided },
    find: listing(journal, wanted, listedPayment),
  };
}

/** Those with requests from here. Their amounts are not known; a follow-up is carried out only on an approved order. */
async function madeElsewhere(journal: Journal, filter: Filter, word: FilterWord | undefined): Promise<OrderSource> {
  const isNone = filter.amount !== undefined || !(word === undefined || word === 'approved' || word === 'voided');
  const all: Filter = { ...filter, isFirst: true };
  const wanted = { ...all, followedBy: word === 'voided' ? voidingIds : word === 'approved' ? allIds : undefined };
  const total = isNone ? 0 : await countAll(journal, wanted);
  const voided = total && (await countAll(journal, { ...all, followedBy: voidingIds }));
  const approved = total && (await countAll(journal, { ...all, followedBy: allIds })) - voided;
  return {
    counts: word === 'voided' ? { voided } : { approved, voided, 'made elsewhere': total - approved - voided },
    find: listing(journal, wanted, listedElsewhere),
  };
}

/** Those on which nothing was sent from here; `seen` are all their statuses. */
function seenOnly(
  journal: Journal,
  filter: Filter,
  word: FilterWord | undefined,
  seen: ReadonlyMap<string, number>,
): OrderSource {
  const counts = Object.fromEntries([...seen].filter(([status]) => word === undefined || seenAs(status) === word));
  const statuses = Object.keys(counts);
  return {
    counts,
    find: async (page) => (await journal.findSeen({ ...filter, statuses }, page)).map(listedSeen),
  };
}

/** Finds requests that stand for orders, each with the follow-ups on its order. */
function listing(
  journal: Journal,
  wanted: Filter,
  listed: (request: Request, followUps: readonly Request[]) => ListedOrder,
): OrderSource['find'] {
  return async (page) => {
    const requests = await journal.find(wanted, page);
    const orderIds = requests.flatMap(({ orderId }) => orderId ?? []);
    const byOrder = new Map<string, Request[]>();
    for (const request of await listAll(journal, { orderIds, kinds: ['follow-up'] }))
      byOrder.set(keyOf(request), [...(byOrder.get(keyOf(request)) ?? []), request]);
    return requests.map((request) => listed(request, byOrder.get(keyOf(request)) ?? []));
  };
}

function keyOf({ base, orderId }: Request): string {
  return `${base} ${orderId}`;
}

function listedPayment(payment: Request, followUps: readonly Request[]): ListedOrder {
  return {
    ...placeOf(payment, [payment, ...followUps]),
    payment,
    status: payment.state === 'done' ? approvedWord(followUps) : wordOf(payment.state),
    gatewayStatus: payment.outcome['status'],
    sum: payment.sum,
    why: [whyOf(payment), ...followUps.map(followUpText)].filter((text) => text !== '').join('; '),
    followUps,
  };
}

function listedElsewhere(first: Request, followUps: readonly Request[]): ListedOrder {
  const status = followUps.some(({ state }) => state === 'done') ? approvedWord(followUps) : undefined;
  const why = ['made elsewhere', ...followUps.map(followUpText)].join('; ');
  return { ...placeOf(first, followUps), status, why, followUps };
}

function listedSeen(order: SeenOrder): ListedOrder {
  const { id = 0, at, orderId, clientOrderId, base, profile, status, sum, card4: card, type, outcome } = order;
  const isOfLater = type !== undefined && isOfFollowUp(new Map(Object.entries(outcome)));
  return {
    ...{ id, at, orderId, clientOrderId, base, profile, status, gatewayStatus: status, sum, card, followUps: [] },
    why: `seen, made elsewhere${isOfLater ? `; its newest transaction is a ${type}` : ''}`,
  };
}

function placeOf(request: Request, all: readonly Request[]) {
  const { id, createdAt: at, orderId, clientOrderId, base, profile, endpoint } = request;
  const card = all.find(({ card4 }) => card4 !== undefined)?.card4;
  return { id, at, orderId, clientOrderId, base, profile, endpoint, card };
}

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

/** The word under which an order with this status of the gateway is found. */
function seenAs(status: string): FilterWord {
  const facts = statusOf(status);
  if (facts === undefined) return 'unknown';
  return facts.final ? (facts.success ? 'approved' : 'declined') : 'pending';
}
