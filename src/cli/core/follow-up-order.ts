import { fail, isPaycliError } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, replyField } from '../../spec/index.js';
import { fieldsInForce } from '../../wire/check-request.js';
import type { CollectedFields } from './field-flags.js';
import { flagOf } from './flags.js';
import {
  assertCurrency,
  assertOneOrder,
  idsOf,
  inJournal,
  type NamedOrder,
  requestsOn,
  unknownAtGateway,
} from './known-order.js';
import { fetchStatus, fetchStatusOf, type OrderIds } from './order-query.js';
import type { Session } from './session.js';

/** Where what nobody typed about an order may come from; `status` sends a request. */
export type OrderSource = 'journal' | 'status';

/** Of commands that send nothing. */
export const journalAlone: readonly OrderSource[] = ['journal'];

interface FoundOrder extends OrderIds {
  readonly currency: string | undefined;
  readonly from: OrderSource;
}

/**
 * Completes the order that a follow-up is about. One of its ids is enough, and the argument may be either: the other
 * one, and the currency of an amount, come from the journal, else from status. Throws USAGE where digits could mean two
 * orders, REFUSED or READ_FAILED where status was asked in vain.
 */
export async function completeOrder(
  row: Operation,
  collected: CollectedFields,
  sources: readonly OrderSource[],
  session: Session,
  runtime: Runtime,
): Promise<void> {
  const { orderId: order, clientOrderId } = collected.values;
  // An argument may be either id; a flag, a field or a prompt says which.
  const isArgument = collected.origins['orderId'] === 'argument';
  const named = { order: isArgument ? order : undefined, orderId: isArgument ? undefined : order, clientOrderId };
  const lacking = lackingIn(row, collected, session);
  // Status needs nothing beside digits; the journal still tells whether they mean two orders.
  if (row.id === 'STATUS' && named.order !== undefined && lacking.length === 0 && sources.includes('journal'))
    await inOwnJournal(row, named, session, runtime).catch(unlessUnreadable);
  await assertFits(row, collected, sources, session, runtime);
  if (lacking.length === 0) return;
  // Where something is wrong already, nothing is asked before the user hears of it.
  const mayAsk = sources.includes('status') && row.id !== 'STATUS' && collected.faults.length === 0;
  const found =
    (sources.includes('journal') ? await inOwnJournal(row, named, session, runtime) : undefined) ??
    (mayAsk ? await atTheGateway(named, session, runtime) : undefined);
  if (found !== undefined) {
    if (lacking.includes('orderId')) collected.replace('orderId', found.orderId, found.from);
    const isTyped = found.clientOrderId === order;
    if (lacking.includes('clientOrderId'))
      collected.add('clientOrderId', found.clientOrderId, isTyped ? 'argument' : found.from);
    if (lacking.includes('currency')) collected.add('currency', found.currency, found.from);
  } else if (row.id === 'STATUS') {
    collected.replace('orderId', undefined, '');
    collected.add('clientOrderId', order, 'argument');
  } else if (collected.faults.length > 0) for (const key of lacking) collected.excused.add(key);
  else if (sources.length > 0 && !mayAsk) {
    // An argument that is not all digits is the client order id.
    const needed = lacking.filter((key) => key !== 'clientOrderId' || !lacking.includes('orderId'));
    const facts = { name: order ?? clientOrderId ?? '', flags: needed.map(flagOf).join(', '), command: row.command };
    collected.faults.push(fail('orderNotInJournal', facts));
    for (const key of lacking) collected.excused.add(key);
  }
}

/**
 * Throws USAGE for two ids of which the journal knows that they are not of one order, before money moves on either, and
 * for a currency that is not the order's.
 */
async function assertFits(
  row: Operation,
  { values }: CollectedFields,
  sources: readonly OrderSource[],
  session: Session,
  runtime: Runtime,
): Promise<void> {
  const { orderId, clientOrderId, amount, currency } = values;
  if (row.opens || row.effect === 'read' || !sources.includes('journal')) return;
  const order = orderId ?? clientOrderId;
  if (order !== undefined && amount !== undefined && currency !== undefined)
    await inJournal(runtime, undefined, (journal) =>
      assertCurrency(journal, session, order, currency, row.command),
    ).catch(unlessUnreadable);
  if (orderId === undefined || clientOrderId === undefined) return;
  // A follow-up that has an id of its own names two ids that need not belong together.
  if (session.assume['follow-up-order-id'] !== 'original') return;
  await inJournal(runtime, undefined, (journal) =>
    assertOneOrder(journal, session, orderId, clientOrderId, row.command),
  ).catch(unlessUnreadable);
}

/** What a request needs to know of its order beside what was given. */
function lackingIn(row: Operation, { values }: CollectedFields, { assume }: Session): readonly string[] {
  const { orderId: order, clientOrderId, amount, currency } = values;
  const fields = new Map(fieldsInForce(row, assume));
  if (row.opens || !fields.has('orderId') || (order === undefined && clientOrderId === undefined)) return [];
  const isOwnId = order !== undefined && clientOrderId === undefined && !isNumber(order);
  if (row.id === 'STATUS') return isOwnId ? ['orderId', 'clientOrderId'] : [];
  return [
    ...(order === undefined || isOwnId ? ['orderId'] : []),
    ...(clientOrderId === undefined && fields.has('clientOrderId') ? ['clientOrderId'] : []),
    ...(amount !== undefined && currency === undefined && fields.has('currency') ? ['currency'] : []),
  ];
}

/** Status and signatures are shown whatever became of the journal; whatever is sent opens it again. */
function unlessUnreadable(error: unknown): undefined {
  if (isPaycliError(error) && error.code === 'STORAGE') return undefined;
  throw error;
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

async function inOwnJournal(
  { command }: Operation,
  named: NamedOrder,
  session: Session,
  runtime: Runtime,
): Promise<FoundOrder | undefined> {
  const own = await inJournal(runtime, [], (journal) => requestsOn(journal, session, named, command));
  const { orderId, clientOrderId } = idsOf(own, named);
  if (own.length === 0 || orderId === undefined) return undefined;
  const currency = own.map(({ sum }) => sum?.currency).find((code) => code !== undefined);
  return { orderId, clientOrderId, currency, from: 'journal' };
}

async function atTheGateway(named: NamedOrder, session: Session, runtime: Runtime): Promise<FoundOrder | undefined> {
  if (!session.canAskStatus) return undefined;
  const ids = idsOf([], named);
  const fields = await (named.order === undefined ? fetchStatus : fetchStatusOf)(ids, session, runtime).catch(
    async (error: unknown) => {
      const requests = await inJournal(runtime, [], (journal) => requestsOn(journal, session, named, 'status'));
      throw unknownAtGateway(error, requests, session);
    },
  );
  return {
    orderId: replyField(fields, 'orderId') ?? ids.orderId,
    clientOrderId: replyField(fields, 'clientOrderId') ?? ids.clientOrderId,
    currency: fields.get('currency'),
    from: 'status',
  };
}
