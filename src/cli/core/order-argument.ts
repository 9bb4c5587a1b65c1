import { fail, isPaycliError, type PaycliError } from '../../errors/index.js';
import type { Request } from '../../journal/port.js';
import { inDoubtStates, reachedStates } from '../../journal/states.js';
import { orderBusy } from '../../payments/words.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, statusQuery } from '../../spec/index.js';
import { fieldsInForce } from '../../wire/check.js';
import { flagOf, mayPrompt } from '../command.js';
import { type CollectedFields, hasMistake, lacksOrder } from '../fields/collect.js';
import type { Fields } from '../format/meaning.js';
import type { Session } from '../session.js';
import type { Typed } from './common-options.js';
import { fetchStatus, idsInStatus, unknownAtGateway } from './order-query.js';
import {
  assertCurrency,
  assertOneOrder,
  currencyIn,
  idsOf,
  inJournal,
  type NamedOrder,
  type OrderIds,
  requestsOn,
} from './order-requests.js';
import { assertOfThisProfile } from './other-profiles.js';
import { journalOf } from './user-stores.js';

/**
 * Where order data that was not typed may come from; `status` sends a request, so --dry-run and `sign` do without it.
 */
export type OrderSource = 'journal' | 'status';

interface OrderTools {
  readonly sources: readonly OrderSource[];
  readonly session: Session;
  readonly runtime: Runtime;
}

/** Completes the order of a follow-up; on a terminal, one that was not named is asked for. */
export async function addOrder(
  row: Operation,
  typed: Typed,
  collected: CollectedFields,
  { sources, session, runtime }: OrderTools,
): Promise<CompletedOrder> {
  const canPrompt = mayPrompt(typed.options, runtime);
  if (canPrompt && lacksOrder(row, collected) && !hasMistake(row, session, collected)) {
    const { askOrder } = await import('./ask-order.js');
    const filter = { kinds: ['payment'], states: ['done', 'accepted'] } as const;
    const { order, orderId, clientOrderId } = await askOrder(session, row.command, typed.options, runtime, filter);
    collected.add('orderId', order, 'argument');
    collected.add('orderId', orderId, 'prompt');
    collected.add('clientOrderId', clientOrderId, 'prompt');
  }
  const completed = await completeOrder(row, collected, { sources, session, runtime, mayPrompt: canPrompt });
  return row.effect === 'read' ? { ...completed, currency: undefined } : completed;
}

interface Asking extends OrderTools {
  /** Whether the user may be asked. */
  readonly mayPrompt: boolean;
}

/** What was learned about an order beside the fields of the request. */
interface CompletedOrder {
  /** In which it was made, where the journal knows: it chooses the endpoint. */
  readonly currency?: string | undefined;
  /** The status reply, where the gateway had to be asked. */
  readonly status?: Fields | undefined;
}

/**
 * Completes the order that a request is about. One of its ids is enough, and the argument may be either: the other one,
 * and the currency of an amount, come from the journal, else from status. An argument that the journal does not know is
 * taken by its form where nothing can happen, and else has to be said. Throws USAGE, ORDER_BUSY, OTHER_PROFILE, and
 * REFUSED or READ_FAILED where the status query failed.
 */
async function completeOrder(row: Operation, collected: CollectedFields, asking: Asking): Promise<CompletedOrder> {
  const { sources, session } = asking;
  const inForce = new Map(fieldsInForce(row, session.assume));
  if (row.opens || !inForce.has('orderId')) return {};
  const named = namedIn(row, collected, session);
  if ((named.order ?? named.orderId ?? named.clientOrderId) === undefined) return {};
  const requests = sources.includes('journal') ? await requestsAbout(row, named, collected, asking) : [];
  const isMistaken = hasMistake(row, session, collected);
  const ids = requests.length > 0 || isMistaken ? idsOf(requests, named) : await idsOfUnknown(row, named, asking);
  const currency = requests.find(({ kind }) => kind === 'payment')?.sum?.currency;
  // A status query needs one id only.
  const isComplete = row.id === statusQuery.id && (named.order === undefined || named.order === ids.orderId);
  if (isComplete) return { currency };
  fillIn(collected, { ...ids, currency: currencyIn(requests) }, named, requests.length > 0 ? 'journal' : 'argument');
  const { values } = collected;
  const needsCurrency = values['amount'] !== undefined && inForce.has('currency') && values['currency'] === undefined;
  const lacking = [
    ...['orderId', 'clientOrderId'].filter((key) => inForce.has(key) && values[key] === undefined),
    ...(needsCurrency ? ['currency'] : []),
  ];
  if (row.id === statusQuery.id || lacking.length === 0) return { currency };
  if (isMistaken) for (const key of lacking) collected.excused.add(key);
  else if (sources.includes('status') && session.canAskStatus) {
    const status = await askStatus(ids, requests, asking);
    fillIn(collected, { ...idsInStatus(status, ids), currency: status.get('currency') }, named, 'status');
    return { currency, status };
  } else if (sources.length > 0) {
    collected.faults.push(notInJournal(ids.orderId ?? ids.clientOrderId ?? '', lacking.map(flagOf).join(', '), row));
    for (const key of lacking) collected.excused.add(key);
  }
  return { currency };
}

/** The ids as they were given. Beside an order, a follow-up may have a client order id of its own (A41). */
function namedIn(row: Operation, collected: CollectedFields, { assume }: Session): NamedOrder {
  const { orderId, clientOrderId } = collected.values;
  const isArgument = collected.origins['orderId'] === 'argument';
  const isOwn = row.effect !== 'read' && assume['follow-up-order-id'] === 'own' && orderId !== undefined;
  // Text is the client order id then; digits would be both ids.
  if (isArgument && orderId === clientOrderId && !isOwn && !/^\d+$/.test(orderId ?? ''))
    return { order: undefined, clientOrderId };
  return {
    ...{ order: isArgument ? orderId : undefined, orderId: isArgument ? undefined : orderId },
    clientOrderId: isOwn ? undefined : clientOrderId,
  };
}

/**
 * What the journal has of the order, checked before a follow-up. Nothing is sent, not even a question, about an order
 * while it is in doubt whether it was made at all. Status and signatures do not need a readable journal.
 */
async function requestsAbout(
  { effect, command }: Operation,
  named: NamedOrder,
  { values }: CollectedFields,
  { sources, session, runtime }: Asking,
): Promise<readonly Request[]> {
  const isSent = effect !== 'read' && sources.includes('status');
  const { amount, currency } = values;
  const { order, orderId = order, clientOrderId } = named;
  const ids = { orderId, clientOrderId };
  const found = await inJournal<readonly Request[]>(runtime, journalOf(session), [], async (journal) => {
    const requests = await requestsOn(journal, session, named, command);
    if (effect === 'read') return requests;
    const one = orderId ?? clientOrderId;
    if (one !== undefined && amount !== undefined && currency !== undefined)
      await assertCurrency(journal, session, one, currency, command);
    if (orderId !== undefined && clientOrderId !== undefined)
      await assertOneOrder(journal, session, orderId, clientOrderId, command);
    const payment = requests.find(({ kind, state }) => kind === 'payment' && inDoubtStates.includes(state));
    const wasFollowed = requests.some(({ kind, state }) => kind === 'follow-up' && reachedStates.includes(state));
    if (isSent && payment !== undefined && !wasFollowed)
      throw fail('ORDER_BUSY', { ...orderBusy(payment).facts, flags: session.flags });
    return requests;
  }).catch((error: unknown) => {
    if (!isSent && isPaycliError(error) && error.code === 'STORAGE') return [];
    throw error;
  });
  if (effect !== 'read' && !session.isNamed && found.length === 0) await assertOfThisProfile(ids, session, runtime);
  return found;
}

/** Which id an argument is that the journal does not know: digits could mean two orders, and money moves on one. */
async function idsOfUnknown(row: Operation, named: NamedOrder, asking: Asking): Promise<OrderIds> {
  const { order, clientOrderId } = named;
  const isPlain = order !== undefined && clientOrderId === undefined;
  if (!isPlain || row.effect !== 'money' || !asking.sources.includes('status')) return idsOf([], named);
  if (!asking.mayPrompt)
    throw fail('USAGE', {
      why: `order ${order} is not in the journal, so it is not known which of its ids this is; use --order-id ${order} if the gateway assigned it, or --client-order-id ${order}`,
      order,
      command: row.command,
    });
  const prompter = await asking.runtime.prompter();
  const [ofGateway, ofClient] = ['the gateway order id', 'your client order id'];
  const choices = [ofGateway, ofClient];
  const chosen = await prompter.ask({ name: 'which-id', message: `${order} is not in the journal; it is`, choices });
  return chosen === ofGateway
    ? { orderId: order, clientOrderId: undefined }
    : { orderId: undefined, clientOrderId: order };
}

/** An argument may turn out to be the other id than the one in whose place it stands. */
function fillIn(
  collected: CollectedFields,
  { orderId, clientOrderId, currency }: OrderIds & { readonly currency: string | undefined },
  { order }: NamedOrder,
  origin: 'journal' | 'status' | 'argument',
): void {
  if (collected.origins['orderId'] === 'argument' && collected.values['orderId'] !== orderId)
    collected.replace('orderId', undefined, '');
  collected.add('orderId', orderId, orderId === order ? 'argument' : origin);
  collected.add('clientOrderId', clientOrderId, clientOrderId === order ? 'argument' : origin);
  if (collected.values['amount'] !== undefined) collected.add('currency', currency, origin);
}

async function askStatus(ids: OrderIds, requests: readonly Request[], { session, runtime }: Asking): Promise<Fields> {
  return fetchStatus(ids, session, runtime).catch(async (error: unknown) => {
    throw await unknownAtGateway(error, { ids, requests }, { session, runtime });
  });
}

function notInJournal(name: string, flags: string, { command }: Operation): PaycliError {
  return fail('USAGE', {
    why: `order ${name} is not in the journal, and the gateway is not queried here, so the other values this request needs are not known; add ${flags}`,
    ...{ name, flags, command },
  });
}
