import { fail, ifKnown, isPaycliError, type PaycliError, shellWord } from '../../errors/index.js';
import { doubtfulStates, type Journal, orderBusy, reachedStates } from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, operations, statusQuery } from '../../spec/index.js';
import { legality } from '../../spec/lifecycle.js';
import { fieldsInForce } from '../../wire/check.js';
import { flagOf } from '../command.js';
import { type CollectedFields, hasMistake } from '../fields/collect.js';

import type { Session } from '../session.js';
import { isRegistered, orderInJournal } from './order-offline.js';
import { assertNoOtherOrder, fetchStatus, fetchStatusOf, idsInStatus, unknownAtGateway } from './order-query.js';
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

/**
 * Where order data that was not typed may come from; `status` sends a request, so --dry-run and `sign` do without it.
 */
export type OrderSource = 'journal' | 'status';

interface FoundOrder extends OrderIds {
  readonly currency: string | undefined;
  readonly from: OrderSource;
}

/**
 * Completes the order that a follow-up is about. One of its ids is enough, and the argument may be either: the other
 * one, and the currency of an amount, come from the journal, else from status. Throws USAGE where digits could mean two
 * orders, REFUSED or READ_FAILED where the status query failed. `repeated` are the flags that a command for another
 * profile keeps.
 */
export async function completeOrder(
  row: Operation,
  collected: CollectedFields,
  sources: readonly OrderSource[],
  session: Session,
  runtime: Runtime,
  repeated: readonly string[] = [],
): Promise<void> {
  const byDigits = sources.includes('journal')
    ? await readDigits(row, collected, sources, session, runtime)
    : undefined;
  const hasOwnId = await readClientIdArgument(row, collected, session, runtime);
  const { orderId: order, clientOrderId } = collected.values;
  // An argument may be either id; a flag, a field or a prompt says which.
  const isArgument = collected.origins['orderId'] === 'argument';
  const named = {
    ...{ order: isArgument ? order : undefined, orderId: isArgument ? undefined : order },
    clientOrderId: hasOwnId ? undefined : clientOrderId,
  };
  const lacking = lackingIn(row, collected, session, hasOwnId);
  const isSent = row.effect !== 'read';
  const mayQuery = sources.includes('status');
  if (!row.opens && sources.includes('journal') && (isSent || mayQuery))
    await inJournal(runtime, undefined, (journal) => {
      if (isSent) assertFits(row, collected, journal, session, repeated);
      if (isSent && mayQuery) assertOpeningIsKnown(row, named, journal, session);
      if (mayQuery) refuseRegistration(row, named, journal, session);
    }).catch(unlessUnreadable);
  if (lacking.length === 0) return;
  const isWrong = hasMistake(row, session, collected);
  const ownDigits =
    byDigits ?? (hasOwnId && isNumber(order ?? '') ? { orderId: undefined, clientOrderId: order } : undefined);
  if (ownDigits !== undefined && isSent && mayQuery && !isWrong)
    await assertNoOtherOrder(ownDigits.clientOrderId ?? '', 'orderId', ownDigits, row.command, { session, runtime });
  const mayAsk = mayQuery && row.id !== statusQuery.id && !isWrong;
  const known = sources.includes('journal') ? await findInJournal(row, named, session, runtime) : undefined;
  const isWhole = known !== undefined && (known.currency !== undefined || !lacking.includes('currency'));
  const found = (!isWhole && mayAsk ? await findAtGateway(row, named, repeated, session, runtime) : undefined) ?? known;
  // Digits that only the gateway knows, as its own id.
  if (isArgument && isNumber(order ?? '') && known === undefined && found !== undefined && found.orderId === order)
    await assertNoOtherOrder(order ?? '', 'clientOrderId', found, row.command, { session, runtime });
  if (found !== undefined) {
    const isTyped = found.clientOrderId === order;
    if (lacking.includes('orderId') || (isArgument && isTyped)) collected.replace('orderId', found.orderId, found.from);
    if (lacking.includes('clientOrderId'))
      collected.add('clientOrderId', found.clientOrderId, isTyped ? 'argument' : found.from);
    if (lacking.includes('currency')) collected.add('currency', found.currency, found.from);
  } else if (row.id === statusQuery.id) {
    collected.replace('orderId', undefined, '');
    collected.add('clientOrderId', order, 'argument');
  } else if (isWrong) for (const key of lacking) collected.excused.add(key);
  else if (sources.length > 0 && !mayAsk) {
    // An argument that is not all digits is the client order id.
    const needed = lacking.filter((key) => key !== 'clientOrderId' || !lacking.includes('orderId'));
    collected.faults.push(notInJournal(order ?? clientOrderId ?? '', needed.map(flagOf).join(', '), row));
    for (const key of lacking) collected.excused.add(key);
  }
}

function notInJournal(name: string, flags: string, { command }: Operation): PaycliError {
  return fail('USAGE', {
    why: `order ${name} is not in the journal, and the gateway is not queried here, so the other values this request needs are not known; add ${flags}`,
    ...{ name, flags, command },
  });
}

/**
 * Reads an argument of digits that the journal has only as a client order id as that, and returns the ids of its order.
 * Where something is sent on it, the gateway has to say before that no other order has this id. Throws USAGE where the
 * journal has another.
 */
async function readDigits(
  { command }: Operation,
  collected: CollectedFields,
  sources: readonly OrderSource[],
  session: Session,
  runtime: Runtime,
): Promise<OrderIds | undefined> {
  const { orderId: order, clientOrderId } = collected.values;
  if (collected.origins['orderId'] !== 'argument' || order === undefined || !isNumber(order)) return undefined;
  if (clientOrderId !== undefined) return undefined;
  const named = { order, clientOrderId };
  const requests = await inJournal(runtime, [], (journal) => requestsOn(journal, session, named, command)).catch(
    unlessUnreadable,
  );
  if (requests === undefined || requests.length === 0) {
    if (!sources.includes('status'))
      collected.remarks.push(`${order} is taken as a gateway order id; for a client order id use --client-order-id`);
    return undefined;
  }
  if (requests.some(({ orderId }) => orderId === order)) return undefined;
  collected.replace('orderId', undefined, '');
  collected.add('clientOrderId', order, 'argument');
  return idsOf(requests, named);
}

/**
 * An argument that the journal knows as a client order id, beside another client order id: two orders, which throws
 * USAGE, or the follow-up's own id beside its order, where it has one (A41): then this is true. An argument that the
 * journal does not know may be the gateway's id.
 */
async function readClientIdArgument(
  row: Operation,
  collected: CollectedFields,
  session: Session,
  runtime: Runtime,
): Promise<boolean> {
  const { orderId: order, clientOrderId } = collected.values;
  const isArgument = collected.origins['orderId'] === 'argument';
  if (!isArgument || order === undefined || row.opens || clientOrderId === undefined) return false;
  const asClientOrderId = () => {
    collected.replace('orderId', undefined, '');
    return false;
  };
  const isSame = order === clientOrderId;
  if (isSame && !isNumber(order)) return asClientOrderId();
  const { gatewayBase: base, login } = session;
  const known = await inJournal(runtime, [], (journal) =>
    journal.list({ base, order }).filter((intent) => intent.login === login),
  ).catch(unlessUnreadable);
  if (known === undefined || known.length === 0 || known.some(({ orderId }) => orderId === order)) return false;
  if (isSame) return asClientOrderId();
  if (row.effect !== 'read' && session.assume['follow-up-order-id'] === 'own') return true;
  const again = row.effect === 'read' ? undefined : '--again';
  throw fail('USAGE', {
    why: `${order} and --client-order-id ${clientOrderId} name two different orders: leave one of them out${ifKnown(again, (again) => `; a follow-up has the client order id of its order, and ${again} sends an equal second one`)}`,
    order,
    clientOrderId,
    command: row.command,
  });
}

/**
 * The currency of the order that a follow-up is about, as the journal has it: endpoints are chosen by it, also where
 * the request itself names none, so that all requests on an order go to one endpoint.
 */
export async function currencyOfOrder(
  row: Operation,
  { values }: CollectedFields,
  session: Session,
  runtime: Runtime,
): Promise<string | undefined> {
  const { orderId, clientOrderId, currency } = values;
  if (currency !== undefined || (orderId === undefined && clientOrderId === undefined)) return currency;
  const named = { order: undefined, orderId, clientOrderId };
  const requests = await inJournal(runtime, [], (journal) => requestsOn(journal, session, named, row.command)).catch(
    unlessUnreadable,
  );
  return requests?.find(({ kind }) => kind === 'opening')?.sum?.currency;
}

/**
 * Throws, before any money moves, USAGE when the journal knows that two ids belong to different orders or that the
 * currency is not the order's, and OTHER_PROFILE when only another profile sent the order.
 */
function assertFits(
  { command }: Operation,
  { values }: CollectedFields,
  journal: Journal,
  session: Session,
  repeated: readonly string[],
): void {
  const { orderId, clientOrderId, amount, currency } = values;
  const order = orderId ?? clientOrderId;
  if (!session.isNamed) assertOfThisProfile(journal, session, { orderId, clientOrderId }, command, repeated);
  if (order !== undefined && amount !== undefined && currency !== undefined)
    assertCurrency(journal, session, order, currency, command);
  // A follow-up with its own id names two ids that need not belong to one order.
  const namesOneOrder = session.assume['follow-up-order-id'] === 'original';
  if (orderId !== undefined && clientOrderId !== undefined && namesOneOrder)
    assertOneOrder(journal, session, orderId, clientOrderId, command, '--again');
}

/**
 * Nothing is sent, not even a question, about an order while it is in doubt whether it was made at all. Throws
 * ORDER_BUSY. A follow-up that was sent before is left to the journal's plan.
 */
function assertOpeningIsKnown({ command }: Operation, named: NamedOrder, journal: Journal, session: Session): void {
  const requests = requestsOn(journal, session, named, command);
  const opening = requests.find(({ kind, state }) => kind === 'opening' && doubtfulStates.includes(state));
  const wasFollowed = requests.some(({ kind, state }) => kind === 'follow-up' && reachedStates.includes(state));
  if (opening !== undefined && !wasFollowed)
    throw fail('ORDER_BUSY', { ...orderBusy(opening).facts, flags: session.flags });
}

/**
 * Throws USAGE for a registration of a recurring payment: the gateway does not know it as an order. It has no gateway
 * order id, which digits may be.
 */
function refuseRegistration({ id, command }: Operation, named: NamedOrder, journal: Journal, session: Session) {
  const name = named.order ?? named.clientOrderId;
  const row = operations.find((each) => each.id === id);
  if (row === undefined || name === undefined || named.orderId !== undefined || isNumber(named.order ?? '')) return;
  const { gatewayBase: base, login, assume, flags } = session;
  const requests = journal.list({ base, order: name }).filter((intent) => intent.login === login);
  const order = requests.every(isRegistered) ? orderInJournal(named, requests, assume) : undefined;
  const reason = order === undefined ? undefined : legality(row.id, order.known.facts, assume);
  if (reason !== undefined)
    throw fail('USAGE', {
      why: `order ${name} is the registration of a recurring payment: ${reason}; each charge is an order of its own at the gateway, so give the id of that one; \`paycli order ${shellWord(name, 'NAME')}${flags}\` shows what the journal has; nothing was sent`,
      name,
      command,
    });
}

/** The order fields that a request still needs. */
function lackingIn(
  row: Operation,
  { values }: CollectedFields,
  { assume }: Session,
  hasOwnId: boolean,
): readonly string[] {
  const { orderId: order, clientOrderId, amount, currency } = values;
  const fields = new Map(fieldsInForce(row, assume));
  if (row.opens || !fields.has('orderId') || (order === undefined && clientOrderId === undefined)) return [];
  const isClientId = order !== undefined && (hasOwnId || (clientOrderId === undefined && !isNumber(order)));
  if (row.id === statusQuery.id) return isClientId ? ['orderId', 'clientOrderId'] : [];
  return [
    ...(order === undefined || isClientId ? ['orderId'] : []),
    ...(clientOrderId === undefined && fields.has('clientOrderId') ? ['clientOrderId'] : []),
    ...(amount !== undefined && currency === undefined && fields.has('currency') ? ['currency'] : []),
  ];
}

/** Status and signatures do not need a readable journal; a request that changes something opens it again. */
function unlessUnreadable(error: unknown): undefined {
  if (isPaycliError(error) && error.code === 'STORAGE') return undefined;
  throw error;
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

async function findInJournal(
  { command }: Operation,
  named: NamedOrder,
  session: Session,
  runtime: Runtime,
): Promise<FoundOrder | undefined> {
  const requests = await inJournal(runtime, [], (journal) => requestsOn(journal, session, named, command));
  const { orderId, clientOrderId } = idsOf(requests, named);
  if (requests.length === 0 || orderId === undefined) return undefined;
  const currency = currencyIn(requests);
  return { orderId, clientOrderId, currency, from: 'journal' };
}

async function findAtGateway(
  { command }: Operation,
  named: NamedOrder,
  given: readonly string[],
  session: Session,
  runtime: Runtime,
): Promise<FoundOrder | undefined> {
  if (!session.canAskStatus) return undefined;
  const ids = idsOf([], named);
  const fields = await (named.order === undefined ? fetchStatus : fetchStatusOf)(ids, session, runtime).catch(
    async (error: unknown) => {
      const requests = await inJournal(runtime, [], (journal) => requestsOn(journal, session, named, 'status'));
      throw await unknownAtGateway(error, { ids, requests, command, given }, { session, runtime });
    },
  );
  return { ...idsInStatus(fields, ids), currency: fields.get('currency'), from: 'status' };
}
