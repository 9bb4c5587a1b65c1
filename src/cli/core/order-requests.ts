import { fail } from '../../errors/index.js';
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

/** What is read of it may lack something. */
export function warnIfRestored({ restored }: Journal, report: Pick<Reporter, 'warnOnce'>): void {
  const text = 'the journal was lost or restored, so orders may be missing; see `paycli journal --accept-restored`';
  if (restored !== undefined) report.warnOnce('restored', text);
}

/** The journal that lists read: that of the profile they are filtered by, else of the default profile. */
export async function journalInUse(profile: string | undefined, runtime: Runtime): Promise<WhichJournal> {
  const { builtInSandbox, readProfiles } = await import('../../config/index.js');
  const { usual, journals } = await readProfiles(runtime);
  const name = profile ?? usual ?? '';
  return journalOf({ builtin: name === builtInSandbox, journal: journals.get(name) });
}

/**
 * All requests of this login on an order, oldest first; none where the journal does not know it. Money moves by these
 * ids: throws USAGE where an id is that of several orders, or two ids are not those of one.
 */
export async function requestsOn(
  journal: Journal,
  { gatewayBase: base, login }: Pick<Session, 'gatewayBase' | 'login'>,
  typed: NamedOrder,
): Promise<readonly Request[]> {
  const { order, orderId = order, clientOrderId = order } = placeArgument(typed);
  const find = async (orderIds: readonly string[], clientOrderIds: readonly string[]) => [
    ...(orderIds.length === 0 ? [] : await onOrder(journal, { base, login, orderIds })),
    ...(clientOrderIds.length === 0 ? [] : await onOrder(journal, { base, login, clientOrderIds })),
  ];
  const named = await find([orderId ?? []].flat(), [clientOrderId ?? []].flat());
  const proven = named.filter(hasProvenIds);
  const meant = proven.length > 0 ? proven : named;
  const names = orderNames(meant);
  const isPair = order === undefined && orderId !== undefined && clientOrderId !== undefined;
  const pairs = meant.filter((each) => each.orderId !== undefined && each.clientOrderId !== undefined);
  const isTyped = (each: Request) => each.orderId === orderId && each.clientOrderId === clientOrderId;
  const name = orderId ?? clientOrderId ?? '';
  if (names.length > 1 || (isPair && pairs.length > 0 && !pairs.some(isTyped)))
    throw fail('USAGE', {
      why: isPair
        ? `${orderId} and ${clientOrderId} belong to different orders: leave one of them out`
        : `${name} is an id of several orders (${names.join(', ')}); use --order-id ${name} or --client-order-id ${name}, or another id`,
    });
  const known = meant.find((each) => each.orderId !== undefined)?.orderId;
  const related = await find(
    [known ?? []].flat(),
    meant.flatMap((each) => each.clientOrderId ?? []),
  );
  const own = related.filter((each) => known === undefined || (each.orderId ?? known) === known);
  return [...new Map(own.map((request) => [request.id, request])).values()].toSorted((a, b) => a.id - b.id);
}

/** Whether the gateway accepted both ids as one order's; a follow-up it did not accept only holds what was typed. */
function hasProvenIds({ kind, state }: Request): boolean {
  return kind !== 'follow-up' || ['accepted', 'done', 'declined', 'conflict'].includes(state);
}

/** The orders that requests are on, each by one id. One without a gateway order id may be known by its client order id. */
function orderNames(requests: readonly Request[]): readonly string[] {
  const placed = requests.filter((each) => each.orderId !== undefined);
  const isPlaced = (id: string | undefined) => placed.some(({ clientOrderId }) => clientOrderId === id);
  const others = requests.filter(({ orderId, clientOrderId }) => orderId === undefined && !isPlaced(clientOrderId));
  return [...new Set([...placed, ...others].map(({ orderId, clientOrderId = '' }) => orderId ?? clientOrderId))];
}

/** The same where the session's journal has to be opened. */
export function requestsOnOrder(named: NamedOrder, session: Session, runtime: Runtime): Promise<readonly Request[]> {
  return inJournal<readonly Request[]>(runtime, journalOf(session), [], (journal) =>
    requestsOn(journal, session, named),
  );
}

/** States in which nothing took effect, so that the payment may be sent, perhaps with another content. */
const withoutEffect: ReadonlySet<Request['state']> = new Set([...sendableStates, 'cancelled']);

/** The currency of an order by its requests, but those that the gateway refused: they may have had another one. */
export function currencyIn(requests: readonly Request[]): string | undefined {
  const taken = requests.filter((request) => hasProvenIds(request) && !withoutEffect.has(request.state));
  return taken.find(({ sum }) => sum !== undefined)?.sum?.currency;
}

/** Beside a flag for one id the argument is the other one. Throws USAGE beside flags for both. */
function placeArgument({ order, orderId, clientOrderId }: NamedOrder): NamedOrder {
  if (order === undefined || (orderId ?? clientOrderId) === undefined) return { order, orderId, clientOrderId };
  if (orderId !== undefined && clientOrderId !== undefined)
    throw fail('USAGE', {
      why: 'the order argument, --order-id and --client-order-id name one order three times; omit the argument',
    });
  return { order: undefined, orderId: orderId ?? order, clientOrderId: clientOrderId ?? order };
}

/** Both ids as far as they were typed or the journal knows them. An id alone that it does not know is the gateway's if it has digits only. */
export function idsOf(requests: readonly Request[], typed: NamedOrder): OrderIds {
  const { order, orderId, clientOrderId } = placeArgument(typed);
  if (requests.length === 0 && order !== undefined)
    return /^\d+$/.test(order)
      ? { orderId: order, clientOrderId: undefined }
      : { orderId: undefined, clientOrderId: order };
  return {
    orderId: orderId ?? requests.find((request) => request.orderId !== undefined)?.orderId,
    clientOrderId: clientOrderId ?? requests.find((request) => request.clientOrderId !== undefined)?.clientOrderId,
  };
}

/** The follow-up with an unknown outcome, which blocks any other. */
export function inDoubtOf(requests: readonly Request[]): Request | undefined {
  return requests.find(({ kind, state }) => kind === 'follow-up' && inDoubtStates.includes(state));
}
