import { closeAfter, fail, type PaycliError } from '../../errors/index.js';
import { doubtfulStates, type Intent, type Journal, withoutEffectStates } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Session } from '../session.js';
import { hasJournal, journalPath, openUnverifiedJournal, withJournal } from './user-stores.js';

/** An order as the user names it. */
export interface NamedOrder {
  /** An argument, which may be either id. */
  readonly order: string | undefined;
  readonly clientOrderId: string | undefined;
  /** The gateway's id, by a flag of its own. */
  readonly orderId?: string | undefined;
}

/** One order, by either id or both. */
export interface OrderIds {
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
}

/**
 * Reads the journal where it is the whole answer; `none` where there never was one. Throws STORAGE where it is missing,
 * shortened or damaged.
 */
export async function inWholeJournal<T>(
  runtime: Runtime,
  none: T,
  read: (journal: Journal) => T | Promise<T>,
): Promise<T> {
  return hasJournal(runtime) ? withJournal(runtime, read) : none;
}

/** Reads the journal without verifying it, beside what the gateway answers; `none` where there is no journal. */
export async function inJournal<T>(runtime: Runtime, none: T, read: (journal: Journal) => T): Promise<T> {
  if (!runtime.files.exists(journalPath(runtime))) return none;
  const journal = await openUnverifiedJournal(runtime);
  return closeAfter(
    () => read(journal),
    () => journal.close(),
  );
}

/**
 * All requests of this login on an order, oldest first. Throws USAGE when the argument names two orders, or when a
 * client order id stands for several.
 */
export function requestsOn(
  journal: Journal,
  { gatewayBase, login }: Pick<Session, 'gatewayBase' | 'login'>,
  named: NamedOrder,
  command: string,
): Intent[] {
  const list = (name: string) =>
    journal.list({ base: gatewayBase, order: name }).filter((intent) => intent.login === login);
  const all = namedRequests(list, named, command);
  const proven = all.filter(hasProvenIds);
  const found = proven.length > 0 ? proven : all;
  const orderIds = [...new Set(found.map((intent) => intent.orderId).filter((id) => id !== undefined))];
  const name = named.order ?? named.orderId ?? named.clientOrderId ?? '';
  if (orderIds.length > 1)
    throw fail('USAGE', {
      why: `several orders have the id ${name}: ${orderIds.join(', ')}; name one of these`,
      name,
      orders: orderIds.join(', '),
      command,
    });
  const [orderId] = orderIds;
  const clientIds = new Set(found.map((intent) => intent.clientOrderId).filter((id) => id !== undefined));
  const related = [...(orderId === undefined ? [] : [orderId]), ...clientIds].flatMap(list);
  const requests = related.filter((intent) =>
    intent.orderId === undefined || orderId === undefined
      ? intent.clientOrderId !== undefined && clientIds.has(intent.clientOrderId)
      : intent.orderId === orderId,
  );
  return [...new Map(requests.map((intent) => [intent.id, intent])).values()].toSorted((a, b) => a.id - b.id);
}

/** All requests in the journal on the order that a follow-up names. Throws as `requestsOn` does. */
export function requestsOnOrder(
  { orderId, clientOrderId }: OrderIds,
  command: string,
  { session, runtime }: { readonly session: Session; readonly runtime: Runtime },
): Promise<readonly Intent[]> {
  const named = { order: orderId, clientOrderId };
  return inJournal(runtime, [], (journal) => requestsOn(journal, session, named, command));
}

/** Whether the gateway accepted both ids as one order's; a follow-up it did not accept only holds what was typed. */
function hasProvenIds({ kind, state }: Intent): boolean {
  return kind !== 'follow-up' || ['accepted', 'done', 'declined', 'conflict'].includes(state);
}

/** Throws USAGE where the journal knows that two ids belong to different orders. */
export function assertOneOrder(
  journal: Journal,
  { gatewayBase, login }: Pick<Session, 'gatewayBase' | 'login'>,
  orderId: string,
  clientOrderId: string,
  command: string,
): void {
  const known = [orderId, clientOrderId]
    .flatMap((name) => journal.list({ base: gatewayBase, order: name }))
    .filter((intent) => intent.login === login && hasProvenIds(intent))
    .filter((intent) => intent.orderId !== undefined && intent.clientOrderId !== undefined);
  const isSame = (intent: Intent) => intent.orderId === orderId && intent.clientOrderId === clientOrderId;
  const other = known.find((intent) => intent.orderId === orderId || intent.clientOrderId === clientOrderId);
  if (other === undefined || known.some(isSame)) return;
  throw fail('USAGE', {
    why: `${orderId} and ${clientOrderId} belong to different orders; the journal has gateway order id ${other.orderId}, client order id ${other.clientOrderId}: leave one of them out`,
    orderId,
    clientOrderId,
    command,
  });
}

/** The same where the journal can be read, for an order that may be named by both. */
export async function assertIdsOfOneOrder(
  { order, orderId = order, clientOrderId }: NamedOrder,
  command: string,
  session: Session,
  runtime: Runtime,
): Promise<void> {
  if (orderId === undefined || clientOrderId === undefined) return;
  await inJournal(runtime, undefined, (journal) => assertOneOrder(journal, session, orderId, clientOrderId, command));
}

/** Throws USAGE where the journal knows that an order was made in another currency. */
export function assertCurrency(
  journal: Journal,
  { gatewayBase, login }: Pick<Session, 'gatewayBase' | 'login'>,
  order: string,
  currency: string,
  command: string,
): void {
  const requests = journal.list({ base: gatewayBase, order }).filter((intent) => intent.login === login);
  const openings = requests.filter(({ kind, sum }) => kind === 'opening' && sum !== undefined);
  const known = openings.length > 1 ? undefined : currencyIn(requests);
  if (known !== undefined && known !== currency)
    throw fail('USAGE', {
      why: `order ${order} is in ${known}, not in ${currency}: give the amount in ${known}`,
      order,
      currency: known,
      command,
    });
}

/** The currency of an order by its requests, but those that the gateway refused: they may have had another one. */
export function currencyIn(requests: readonly Intent[]): string | undefined {
  const taken = requests.filter((intent) => hasProvenIds(intent) && !withoutEffectStates.includes(intent.state));
  return taken.find(({ sum }) => sum !== undefined)?.sum?.currency;
}

function namedRequests(
  list: (name: string) => readonly Intent[],
  { order, orderId, clientOrderId }: NamedOrder,
  command: string,
): readonly Intent[] {
  const withOrderId = (id: string) => list(id).filter((intent) => intent.orderId === id);
  const withClientId = (id: string) => list(id).filter((intent) => intent.clientOrderId === id);
  const gatewayId = orderId ?? (clientOrderId === undefined ? undefined : order);
  if (gatewayId !== undefined) {
    const byOrderId = withOrderId(gatewayId);
    const couldMatch = ({ orderId: known }: Intent) => known === undefined || known === gatewayId;
    return byOrderId.length > 0 ? byOrderId : withClientId(clientOrderId ?? '').filter(couldMatch);
  }
  if (order === undefined) return withClientId(clientOrderId ?? '');
  const [byOrderId, byClientId] = [withOrderId(order), withClientId(order)];
  const another = byClientId.find((intent) => intent.orderId !== order && hasProvenIds(intent));
  // Money moves by these ids, so never guess which order was meant.
  if (another !== undefined && byOrderId.length > 0)
    throw idOfTwoOrders(order, another.orderId ?? 'one that has no gateway order id', command);
  return byOrderId.length > 0 ? byOrderId : byClientId;
}

/** Both ids as far as the journal knows them. An id unknown to it is a gateway order id if it has digits only. */
export function idsOf(intents: readonly Intent[], { order, orderId, clientOrderId }: NamedOrder): OrderIds {
  const known: OrderIds = {
    orderId: orderId ?? intents.find((intent) => intent.orderId !== undefined)?.orderId,
    clientOrderId: clientOrderId ?? intents.find((intent) => intent.clientOrderId !== undefined)?.clientOrderId,
  };
  if (intents.length > 0 || order === undefined) return known;
  const isClientId = clientOrderId === undefined && !/^\d+$/.test(order);
  return isClientId ? { orderId: undefined, clientOrderId: order } : { orderId: order, clientOrderId };
}

/** A bare id that two orders have, one at the gateway and one of the client. */
function idOfTwoOrders(name: string, other: string, command: string): PaycliError {
  return fail('USAGE', {
    why: `${name} is the gateway order id of one order and the client order id of another (${other}); use --order-id ${name} or --client-order-id ${name}`,
    name,
    command,
  });
}

/** The follow-up with an unknown outcome, which blocks any other. */
export function inDoubtOf(requests: readonly Intent[]): Intent | undefined {
  return requests.find(({ kind, state }) => kind === 'follow-up' && doubtfulStates.includes(state));
}
