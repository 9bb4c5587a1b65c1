import { fail, isPaycliError } from '../../errors/index.js';
import type { Journal, Request, SeenOrder } from '../../journal/port.js';
import { inDoubtStates, reachedStates } from '../../journal/states.js';
import { orderBusy } from '../../payments/words.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, statusQuery } from '../../spec/index.js';
import { fieldsInForce } from '../../wire/check.js';
import { isCardNumber, withoutCardNumbers } from '../../wire/mask.js';
import { flagOf, mayPrompt, parsed } from '../command.js';
import { type CollectedFields, hasMistake, unusedReason } from '../fields/collect.js';
import type { Fields } from '../format/meaning.js';
import type { Session } from '../session.js';
import { orderNotNamed } from '../usage.js';
import type { CommonOptions, Typed } from './common-options.js';
import { fetchStatus, idsInStatus, unknownAtGateway } from './order-query.js';
import { currencyIn, idsOf, inJournal, type NamedOrder, type OrderIds, requestsOn } from './order-requests.js';
import { journalOf } from './user-stores.js';

interface OrderTools {
  /** Whether the gateway may be asked about the order; --dry-run and `sign` do without it. */
  readonly mayAsk: boolean;
  readonly session: Session;
  readonly runtime: Runtime;
}

/**
 * Completes the order that a request is about. One of its ids is enough, and the argument may be either: the other one,
 * and the currency of an amount, come from the journal, else from status. On a terminal, an order that was not named is
 * asked for. Gives the currency in which it was made, where the journal knows, and the status reply, where the gateway had
 * to be asked. Throws USAGE, ORDER_BUSY, and REFUSED or READ_FAILED where the status query failed.
 */
export async function addOrder(
  row: Operation,
  typed: Typed,
  collected: CollectedFields,
  tools: OrderTools,
): Promise<{ readonly currency?: string | undefined; readonly status?: Fields | undefined }> {
  const { mayAsk, session, runtime } = tools;
  const { faults, values } = collected;
  const inForce = new Map(fieldsInForce(row, session.assume));
  const unused = typed.order === undefined ? undefined : unusedReason(row, 'orderId', session.assume);
  if (unused !== undefined) faults.push(fail('USAGE', { why: unused }));
  if (!inForce.has('orderId')) return {};
  const named = await nameOrder(row, typed, collected, tools);
  if (named === undefined) return {};
  const { requests, seen } = await recordsOf(row, named, tools);
  const isMistaken = hasMistake(row, session, collected);
  const isUnclear = row.effect === 'money' && mayAsk && requests.length === 0 && !isMistaken;
  const ids = seen ?? (isUnclear ? await idsOfUnknown(named, typed.options, runtime) : idsOf(requests, named));
  const known = { ...ids, currency: seen?.sum?.currency ?? currencyIn(requests) };
  fillIn(collected, row.id === statusQuery.id ? onlyNamed(ids, named) : known, named.order, 'the journal');
  if (
    row.effect === 'money' &&
    known.currency !== undefined &&
    (values['currency'] ?? known.currency) !== known.currency
  )
    faults.push(fail('USAGE', { why: `the order is in ${known.currency}: give the amount in ${known.currency}` }));
  const currency = row.effect === 'read' ? undefined : requests.find(({ kind }) => kind === 'payment')?.sum?.currency;
  const needed = ['orderId', 'clientOrderId', ...(values['amount'] === undefined ? [] : ['currency'])];
  const lacking = needed.filter((key) => inForce.has(key) && values[key] === undefined);
  // A status query needs one id only.
  if (row.id === statusQuery.id || lacking.length === 0 || isMistaken) return { currency };
  if (!mayAsk || !session.canAskStatus) {
    const flags = lacking.map(flagOf).join(', ');
    const why = `the journal does not know all of this order, and the gateway is not queried here; add ${flags}`;
    faults.push(fail('USAGE', { why, flags }));
    return { currency };
  }
  const status = await fetchStatus(ids, { options: typed.options, session, runtime }).catch((error: unknown) => {
    throw unknownAtGateway(error, requests, session);
  });
  const told = { ...idsInStatus(status, ids), currency: status.get('currency') };
  fillIn(collected, told, named.order, 'the status of the order');
  return { currency, status };
}

/** The order as it was given, or chosen on a terminal; undefined where that is a mistake, which is noted. */
async function nameOrder(
  row: Operation,
  { order, options }: Typed,
  collected: CollectedFields,
  { session, runtime }: OrderTools,
): Promise<NamedOrder | undefined> {
  const { orderId, clientOrderId } = collected.values;
  if ((order ?? orderId ?? clientOrderId) !== undefined) {
    // Beside an order, a follow-up may have a client order id of its own (A41).
    const isOwn = row.effect !== 'read' && session.assume['follow-up-order-id'] === 'own';
    const isBeside = isOwn && (order ?? orderId) !== undefined;
    return { order, orderId, clientOrderId: isBeside ? undefined : clientOrderId };
  }
  if (!mayPrompt(options, runtime)) collected.faults.push(orderNotNamed());
  if (hasMistake(row, session, collected)) return undefined;
  return askOrder(options, runtime);
}

/** What the journal has of an order. */
interface OrderRecords {
  readonly requests: readonly Request[];
  /** The one that an argument names, where it was made elsewhere and is here only as it was seen. */
  readonly seen?: (OrderIds & Pick<SeenOrder, 'sum'>) | undefined;
}

const noRecords: OrderRecords = { requests: [] };

/**
 * What the journal has of the order. Nothing is sent, not even a question, about an order while it is in doubt whether
 * it was made at all. Status and signatures do not need a readable journal.
 */
async function recordsOf(
  { effect }: Operation,
  named: NamedOrder,
  { mayAsk, session, runtime }: OrderTools,
): Promise<OrderRecords> {
  const isSent = effect !== 'read' && mayAsk;
  const read = async (journal: Journal): Promise<OrderRecords> => {
    const requests = await requestsOn(journal, session, named);
    const { gatewayBase: base, login } = session;
    const { order, orderId, clientOrderId } = named;
    const isAlone = order !== undefined && (orderId ?? clientOrderId) === undefined;
    if (requests.length > 0 || !isAlone) return { requests };
    const [seen, ...others] = await journal.findSeen({ base, login, order }, { limit: 2 });
    return { requests, seen: seen && others.length === 0 ? { clientOrderId: undefined, ...seen } : undefined };
  };
  const records = await inJournal(runtime, journalOf(session), noRecords, read).catch((error: unknown) => {
    if (!isSent && isPaycliError(error) && error.code === 'STORAGE') return noRecords;
    throw error;
  });
  const { requests } = records;
  const payment = requests.find(({ kind, state }) => kind === 'payment' && inDoubtStates.includes(state));
  const wasFollowed = requests.some(({ kind, state }) => kind === 'follow-up' && reachedStates.includes(state));
  if (isSent && payment !== undefined && !wasFollowed)
    throw fail('ORDER_BUSY', { ...orderBusy(payment).facts, flags: session.flags });
  return records;
}

/** Which id an argument is that the journal does not know: digits could mean two orders, and money moves on one. */
async function idsOfUnknown(named: NamedOrder, options: CommonOptions, runtime: Runtime): Promise<OrderIds> {
  const { order, orderId, clientOrderId } = named;
  if (order === undefined || (orderId ?? clientOrderId) !== undefined) return idsOf([], named);
  if (!mayPrompt(options, runtime))
    throw fail('USAGE', {
      why: `order ${order} is not in the journal, so it is not known which of its ids this is; use --order-id ${order} if the gateway assigned it, or --client-order-id ${order}`,
      order,
    });
  const prompter = await runtime.prompter(options.color);
  const choices = ['the gateway order id', 'your client order id'];
  const chosen = await prompter.ask({ name: 'which-id', message: `${order} is not in the journal; it is`, choices });
  return chosen === choices[0]
    ? { orderId: order, clientOrderId: undefined }
    : { orderId: undefined, clientOrderId: order };
}

function fillIn(
  collected: CollectedFields,
  known: OrderIds & { readonly currency?: string | undefined },
  argument: string | undefined,
  origin: string,
): void {
  for (const key of ['orderId', 'clientOrderId'] as const)
    collected.add(key, known[key], known[key] === argument ? 'argument' : origin);
  if (collected.values['amount'] !== undefined) collected.add('currency', known.currency, origin);
}

/** Of both ids the one that was named, where that is one. */
function onlyNamed({ orderId, clientOrderId }: OrderIds, { order }: NamedOrder): OrderIds {
  if (order === undefined) return { orderId: undefined, clientOrderId: undefined };
  return order === orderId ? { orderId, clientOrderId: undefined } : { orderId, clientOrderId };
}

/** Throws USAGE for a command without an order where it cannot ask which one is meant. */
export function assertMayAskOrder(options: CommonOptions, runtime: Runtime): void {
  if (!mayPrompt(options, runtime)) throw orderNotNamed();
}

/**
 * Asks which order a command without one is about, by either id. The caller has checked with `assertMayAskOrder` that
 * it may ask.
 */
export async function askOrder({ color }: Pick<CommonOptions, 'color'>, runtime: Runtime): Promise<NamedOrder> {
  const prompter = await runtime.prompter(color);
  const typed = await prompter.ask({
    name: 'order-id',
    message: `the order: its gateway order id or your client order id (idempotency key)`,
    check: (text) => {
      if (text.trim() === '') return 'is empty; type the id of the order';
      return isCardNumber(text.trim()) ? 'looks like a card number; type the id of the order' : undefined;
    },
    shown: withoutCardNumbers,
  });
  return { order: typed.trim(), clientOrderId: undefined };
}

/** Without the blanks that come with an id from a spreadsheet. */
const trimmed = (text: string): string => text.trim();

/** The flags of a command whose argument may be either id. */
export const idFlags = {
  orderId: parsed('<id>', 'the gateway order id', trimmed),
  clientOrderId: parsed('<id>', 'your client order id', trimmed),
};
