import { fail, type PaycliError } from '../../errors/index.js';
import type { Journal, Request } from '../../journal/port.js';
import { inDoubtStates, sendableStates } from '../../journal/states.js';
import { onOrder } from '../../payments/settle.js';
import type { Runtime } from '../../runtime/ports.js';
import type { Session } from '../session.js';
import type { Reporter } from './reporter.js';
import { hasJournal, journalOf, type WhichJournal, withJournal } from './user-stores.js';

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

/** Runs work with the journal, or gives `otherwise` where there never was one. */
export async function inJournal<T>(
  runtime: Runtime,
  which: WhichJournal,
  otherwise: T,
  work: (journal: Journal) => T | Promise<T>,
): Promise<T> {
  return hasJournal(runtime, which) ? withJournal(runtime, which, work) : otherwise;
}

/** Reporters that have warned of a restored journal: a run does so once. */
const warned = new WeakSet<Pick<Reporter, 'warn'>>();

/** What is read of it may lack something. */
export function warnIfRestored({ restored }: Journal, report: Pick<Reporter, 'warn'>): void {
  if (restored === undefined || warned.has(report)) return;
  warned.add(report);
  report.warn(['the journal was lost or restored, so orders may be missing; see `paycli journal --accept-restored`']);
}

/** The journal that lists read: that of the profile they are filtered by, else of the default profile. */
export async function journalInUse(profile: string | undefined, runtime: Runtime): Promise<WhichJournal> {
  const { builtInSandbox, defaultProfileName, journalNamedBy } = await import('../../config/index.js');
  const builtin = (profile ?? (await defaultProfileName(runtime))) === builtInSandbox;
  return journalOf({ builtin, journal: await journalNamedBy(profile, runtime) });
}

type Place = Pick<Session, 'gatewayBase' | 'login'>;

/** Gives all requests of a login with this id, as either id of their order; oldest first. */
function finderOf(journal: Journal, { gatewayBase: base, login }: Place) {
  return (order: string): Promise<readonly Request[]> => onOrder(journal, { base, login, order });
}

/**
 * All requests of this login on an order, oldest first. Throws USAGE when the argument names two orders, or when a
 * client order id stands for several.
 */
export async function requestsOn(
  journal: Journal,
  session: Place,
  named: NamedOrder,
  command: string,
): Promise<readonly Request[]> {
  const find = finderOf(journal, session);
  const all = await namedRequests(find, named, command);
  const proven = all.filter(hasProvenIds);
  const found = proven.length > 0 ? proven : all;
  const orderIds = [...new Set(found.map((request) => request.orderId).filter((id) => id !== undefined))];
  const name = named.order ?? named.orderId ?? named.clientOrderId ?? '';
  if (orderIds.length > 1)
    throw fail('USAGE', {
      why: `several orders have the id ${name}: ${orderIds.join(', ')}; name one of these`,
      name,
      orders: orderIds.join(', '),
      command,
    });
  const [orderId] = orderIds;
  const clientIds = new Set(found.map((request) => request.clientOrderId).filter((id) => id !== undefined));
  const ids = [...(orderId === undefined ? [] : [orderId]), ...clientIds];
  const related = (await Promise.all(ids.map(find))).flat();
  const requests = related.filter((request) =>
    request.orderId === undefined || orderId === undefined
      ? request.clientOrderId !== undefined && clientIds.has(request.clientOrderId)
      : request.orderId === orderId,
  );
  return [...new Map(requests.map((request) => [request.id, request])).values()].toSorted((a, b) => a.id - b.id);
}

/** The same where the session's journal has to be opened. */
export function requestsOnOrder(
  named: NamedOrder,
  command: string,
  session: Session,
  runtime: Runtime,
): Promise<readonly Request[]> {
  return inJournal<readonly Request[]>(runtime, journalOf(session), [], (journal) =>
    requestsOn(journal, session, named, command),
  );
}

/** Whether the gateway accepted both ids as one order's; a follow-up it did not accept only holds what was typed. */
function hasProvenIds({ kind, state }: Request): boolean {
  return kind !== 'follow-up' || ['accepted', 'done', 'declined', 'conflict'].includes(state);
}

/** Throws USAGE where the journal knows that two ids belong to different orders. */
export async function assertOneOrder(
  journal: Journal,
  session: Place,
  orderId: string,
  clientOrderId: string,
  command: string,
): Promise<void> {
  const known = (await Promise.all([orderId, clientOrderId].map(finderOf(journal, session))))
    .flat()
    .filter(hasProvenIds)
    .filter((request) => request.orderId !== undefined && request.clientOrderId !== undefined);
  const isSame = (request: Request) => request.orderId === orderId && request.clientOrderId === clientOrderId;
  const other = known.find((request) => request.orderId === orderId || request.clientOrderId === clientOrderId);
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
  await inJournal(runtime, journalOf(session), undefined, (journal) =>
    assertOneOrder(journal, session, orderId, clientOrderId, command),
  );
}

/** Throws USAGE where the journal knows that an order was made in another currency. */
export async function assertCurrency(
  journal: Journal,
  session: Place,
  order: string,
  currency: string,
  command: string,
): Promise<void> {
  const requests = await finderOf(journal, session)(order);
  const payments = requests.filter(({ kind, sum }) => kind === 'payment' && sum !== undefined);
  const known = payments.length > 1 ? undefined : currencyIn(requests);
  if (known !== undefined && known !== currency)
    throw fail('USAGE', {
      why: `order ${order} is in ${known}, not in ${currency}: give the amount in ${known}`,
      order,
      currency: known,
      command,
    });
}

/** States in which nothing took effect, so that the payment may be sent, perhaps with another content. */
const withoutEffect: ReadonlySet<Request['state']> = new Set([...sendableStates, 'cancelled']);

/** The currency of an order by its requests, but those that the gateway refused: they may have had another one. */
export function currencyIn(requests: readonly Request[]): string | undefined {
  const taken = requests.filter((request) => hasProvenIds(request) && !withoutEffect.has(request.state));
  return taken.find(({ sum }) => sum !== undefined)?.sum?.currency;
}

async function namedRequests(
  find: (name: string) => Promise<readonly Request[]>,
  { order, orderId, clientOrderId }: NamedOrder,
  command: string,
): Promise<readonly Request[]> {
  const withOrderId = async (id: string) => (await find(id)).filter((request) => request.orderId === id);
  const withClientId = async (id: string) => (await find(id)).filter((request) => request.clientOrderId === id);
  const gatewayId = orderId ?? (clientOrderId === undefined ? undefined : order);
  if (gatewayId !== undefined) {
    const byOrderId = await withOrderId(gatewayId);
    const couldMatch = ({ orderId: known }: Request) => known === undefined || known === gatewayId;
    return byOrderId.length > 0 ? byOrderId : (await withClientId(clientOrderId ?? '')).filter(couldMatch);
  }
  if (order === undefined) return withClientId(clientOrderId ?? '');
  const [byOrderId, byClientId] = await Promise.all([withOrderId(order), withClientId(order)]);
  const another = byClientId.find((request) => request.orderId !== order && hasProvenIds(request));
  // Money moves by these ids, so never guess which order was meant.
  if (another !== undefined && byOrderId.length > 0)
    throw idOfTwoOrders(order, another.orderId ?? 'one that has no gateway order id', command);
  return byOrderId.length > 0 ? byOrderId : byClientId;
}

/**
 * Both ids as far as the journal knows them; two that were typed stay as they are, however it pairs them. An id unknown
 * to it is a gateway order id if it has digits only.
 */
export function idsOf(requests: readonly Request[], { order, orderId, clientOrderId }: NamedOrder): OrderIds {
  const typed = orderId ?? order;
  if (typed !== undefined && clientOrderId !== undefined) return { orderId: typed, clientOrderId };
  const known: OrderIds = {
    orderId: orderId ?? requests.find((request) => request.orderId !== undefined)?.orderId,
    clientOrderId: clientOrderId ?? requests.find((request) => request.clientOrderId !== undefined)?.clientOrderId,
  };
  if (requests.length > 0 || order === undefined) return known;
  return /^\d+$/.test(order) ? { orderId: order, clientOrderId } : { orderId: undefined, clientOrderId: order };
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
export function inDoubtOf(requests: readonly Request[]): Request | undefined {
  return requests.find(({ kind, state }) => kind === 'follow-up' && inDoubtStates.includes(state));
}
