import { fail, isPaycliError } from '../../errors/index.js';
import type { Filter, Request } from '../../journal/port.js';
import { inDoubtStates, reachedStates } from '../../journal/states.js';
import { orderBusy, sumText } from '../../payments/words.js';
import type { Runtime } from '../../runtime/ports.js';
import { type Operation, statusQuery } from '../../spec/index.js';
import { fieldsInForce } from '../../wire/check.js';
import { isCardNumber, withoutCardNumbers } from '../../wire/mask.js';
import { flagOf, mayPrompt, parsed, word } from '../command.js';
import { type CollectedFields, hasMistake, lacksOrder } from '../fields/collect.js';
import { commandWith } from '../flags.js';
import { commandOf, type Fields } from '../format/meaning.js';
import { agoText } from '../format/time.js';
import type { Session } from '../session.js';
import { orderNotNamed } from '../usage.js';
import type { CommonOptions, Typed } from './common-options.js';
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
  requestsOnOrder,
} from './order-requests.js';
import { wordOf } from './order-words.js';
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
 * taken by its form where nothing can happen, and else has to be said. On a terminal, an order that was not named is
 * asked for. Throws USAGE, ORDER_BUSY, OTHER_PROFILE, and REFUSED or READ_FAILED where the status query failed.
 */
export async function addOrder(
  row: Operation,
  { options }: Typed,
  collected: CollectedFields,
  tools: OrderTools,
): Promise<CompletedOrder> {
  const { session, runtime } = tools;
  const canPrompt = mayPrompt(options, runtime);
  if (canPrompt && lacksOrder(row, collected) && !hasMistake(row, session, collected)) {
    const filter = { kinds: ['payment'], states: ['done', 'accepted'] } as const;
    const { order, orderId, clientOrderId } = await askOrder(session, row.command, options, runtime, filter);
    collected.add('orderId', order, 'argument');
    collected.add('orderId', orderId, 'prompt');
    collected.add('clientOrderId', clientOrderId, 'prompt');
  }
  const completed = await completeOrder(row, collected, canPrompt, tools);
  return row.effect === 'read' ? { ...completed, currency: undefined } : completed;
}

async function completeOrder(
  row: Operation,
  collected: CollectedFields,
  canPrompt: boolean,
  tools: OrderTools,
): Promise<CompletedOrder> {
  const { sources, session, runtime } = tools;
  const inForce = new Map(fieldsInForce(row, session.assume));
  const named = namedIn(row, collected, session);
  if (!inForce.has('orderId') || (named.order ?? named.orderId ?? named.clientOrderId) === undefined) return {};
  const requests = sources.includes('journal') ? await requestsAbout(row, named, collected, tools) : [];
  const isMistaken = hasMistake(row, session, collected);
  const isKnown = requests.length > 0 || isMistaken;
  const ids = isKnown ? idsOf(requests, named) : await idsOfUnknown(row, named, canPrompt, tools);
  const currency = requests.find(({ kind }) => kind === 'payment')?.sum?.currency;
  // A status query needs one id only.
  const isQuery = row.id === statusQuery.id;
  if (isQuery && (named.order === undefined || named.order === ids.orderId)) return { currency };
  fillIn(collected, { ...ids, currency: currencyIn(requests) }, named, requests.length > 0 ? 'journal' : 'argument');
  const { values } = collected;
  const needed = ['orderId', 'clientOrderId', ...(values['amount'] === undefined ? [] : ['currency'])];
  const lacking = needed.filter((key) => inForce.has(key) && values[key] === undefined);
  if (isQuery || lacking.length === 0) return { currency };
  if (!isMistaken && sources.includes('status') && session.canAskStatus) {
    const status = await fetchStatus(ids, session, runtime).catch(async (error: unknown) => {
      throw await unknownAtGateway(error, { ids, requests }, { session, runtime });
    });
    fillIn(collected, { ...idsInStatus(status, ids), currency: status.get('currency') }, named, 'status');
    return { currency, status };
  }
  if (!isMistaken && sources.length === 0) return { currency };
  const name = ids.orderId ?? ids.clientOrderId ?? '';
  const flags = lacking.map(flagOf).join(', ');
  if (!isMistaken)
    collected.faults.push(
      fail('USAGE', {
        why: `order ${name} is not in the journal, and the gateway is not queried here, so the other values this request needs are not known; add ${flags}`,
        ...{ name, flags },
      }),
    );
  for (const key of lacking) collected.excused.add(key);
  return { currency };
}

/** The ids as they were given. Beside an order, a follow-up may have a client order id of its own (A41). */
function namedIn(row: Operation, { values, origins }: CollectedFields, { assume }: Session): NamedOrder {
  const { orderId, clientOrderId } = values;
  const isArgument = origins['orderId'] === 'argument';
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
  { values: { amount, currency } }: CollectedFields,
  { sources, session, runtime }: OrderTools,
): Promise<readonly Request[]> {
  const isSent = effect !== 'read' && sources.includes('status');
  const { order, orderId = order, clientOrderId } = named;
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
  if (effect !== 'read' && !session.isNamed && found.length === 0)
    await assertOfThisProfile({ orderId, clientOrderId }, session, runtime);
  return found;
}

/** Which id an argument is that the journal does not know: digits could mean two orders, and money moves on one. */
async function idsOfUnknown(
  row: Operation,
  named: NamedOrder,
  canPrompt: boolean,
  { sources, runtime }: OrderTools,
): Promise<OrderIds> {
  const { order, clientOrderId } = named;
  const isPlain = order !== undefined && clientOrderId === undefined;
  if (!isPlain || row.effect !== 'money' || !sources.includes('status')) return idsOf([], named);
  if (!canPrompt)
    throw fail('USAGE', {
      why: `order ${order} is not in the journal, so it is not known which of its ids this is; use --order-id ${order} if the gateway assigned it, or --client-order-id ${order}`,
      order,
    });
  const prompter = await runtime.prompter();
  const choices = ['the gateway order id', 'your client order id'];
  const chosen = await prompter.ask({ name: 'which-id', message: `${order} is not in the journal; it is`, choices });
  const isOfGateway = chosen === choices[0];
  return { orderId: isOfGateway ? order : undefined, clientOrderId: isOfGateway ? undefined : order };
}

/** An argument may turn out to be the other id than the one in whose place it stands. */
function fillIn(
  collected: CollectedFields,
  { orderId, clientOrderId, currency }: OrderIds & { readonly currency: string | undefined },
  { order }: NamedOrder,
  origin: OrderSource | 'argument',
): void {
  if (collected.origins['orderId'] === 'argument' && collected.values['orderId'] !== orderId)
    collected.replace('orderId', undefined, '');
  collected.add('orderId', orderId, orderId === order ? 'argument' : origin);
  collected.add('clientOrderId', clientOrderId, clientOrderId === order ? 'argument' : origin);
  if (collected.values['amount'] !== undefined) collected.add('currency', currency, origin);
}

const maxOffered = 9;
/** Search at most this many of the newest requests for orders to offer. */
const maxRead = 200;
const otherOrder = 'another order';

/** Throws USAGE for a command without an order where it cannot ask which one is meant. */
export function assertMayAskOrder(options: CommonOptions, runtime: Runtime): void {
  if (!mayPrompt(options, runtime)) throw orderNotNamed();
}

/**
 * Asks which order a command without one is about: offers the newest in the journal, by the requests of this filter, or
 * takes a typed id, which may be either. The caller has checked with `assertMayAskOrder` that it may ask.
 */
export async function askOrder(
  session: Pick<Session, 'gatewayBase' | 'login' | 'flags' | 'builtin' | 'journal'>,
  command: string,
  { color }: Pick<CommonOptions, 'color'>,
  runtime: Runtime,
  filter: Filter = { isOrder: true },
): Promise<NamedOrder> {
  const { gatewayBase: base, login, flags } = session;
  const requests = await inJournal<readonly Request[]>(runtime, journalOf(session), [], (journal) =>
    journal.find({ ...filter, base, login }, { limit: maxRead }),
  );
  // Of requests with the same id the newest.
  const newest = new Map(requests.toReversed().map((request) => [idOf(request), request]));
  newest.delete('');
  const offered = [...newest.values()].toSorted((one, other) => other.id - one.id).slice(0, maxOffered);
  const prompter = await runtime.prompter(color);
  if (offered.length > 0) {
    const chosen = await prompter.ask({
      name: 'order',
      message: `which order${command === 'order' ? '' : ` for ${command}`}`,
      choices: [...offered.map(idOf), otherOrder],
      meanings: Object.fromEntries(offered.map((each) => [idOf(each), meaningOf(each, runtime.clock.now())])),
      // A part of an id chooses none: money moves on the one that is chosen.
      ids: Object.fromEntries(offered.map((each) => [idOf(each), [each.clientOrderId ?? '', each.orderId ?? '']])),
    });
    const found = offered.find((each) => idOf(each) === chosen);
    if (found !== undefined) return { order: undefined, orderId: found.orderId, clientOrderId: found.clientOrderId };
  }
  const none = offered.length > 0 ? '' : `the journal has none (\`${commandWith('orders', flags)}\` lists all); `;
  const typed = await prompter.ask({
    name: 'order-id',
    message: `${none}the order: its gateway order id or your client order id (idempotency key)`,
    check: (text) => {
      if (text.trim() === '') return 'is empty; type the id of the order';
      return isCardNumber(text.trim()) ? 'looks like a card number; type the id of the order' : undefined;
    },
    shown: withoutCardNumbers,
  });
  return { order: typed.trim(), clientOrderId: undefined };
}

/** The id that people know an order by; '' where it has none. */
function idOf({ clientOrderId, orderId }: Request): string {
  return clientOrderId ?? orderId ?? '';
}

function meaningOf(request: Request, now: number): string {
  const { sum, state, createdAt, clientOrderId, orderId = 'unknown' } = request;
  return [
    ...(sum === undefined ? [] : [sumText(sum)]),
    ...[`${commandOf(request)} ${wordOf(state)}`, agoText(createdAt, now)],
    ...(clientOrderId === undefined ? [] : [`gateway order id ${orderId}`]),
  ].join(', ');
}

/** The order of a command that is no operation. The argument and --order may be either id. */
interface TypedOrder {
  /** The argument. */
  readonly name: string | undefined;
  /** The value of --order. */
  readonly order: string | undefined;
  readonly clientOrderId: string | undefined;
}

/** Without the blanks that come with an id from a spreadsheet. */
const trimmed = (text: string): string => text.trim();

/** The flags of a command whose argument may be either id. */
export const idFlags = {
  orderId: parsed('<id>', 'the gateway order id', trimmed),
  clientOrderId: parsed('<id>', 'your client order id', trimmed),
};

/** The flags that name such an order. */
export const orderFlags = {
  order: parsed('<id>', 'the order, in place of the argument (either id)', trimmed),
  clientOrderId: word('<id>', 'or your client order id'),
};

/** The argument that names such an order. */
export const orderArgument = {
  text: 'the gateway order id or your client order id (idempotency key)',
  isOptional: true,
} as const;

/** Throws USAGE where no order is named and none can be asked for, or where the argument and --order differ. */
export function assertOrderNamed(typed: TypedOrder, options: CommonOptions, runtime: Runtime): void {
  const { name, order, clientOrderId } = typed;
  if ((name ?? order ?? clientOrderId) === undefined) assertMayAskOrder(options, runtime);
  if (name !== undefined && order !== undefined && name !== order)
    throw fail('USAGE', { why: 'the argument and --order name different orders; give one of them' });
}

/**
 * Both ids, as far as the journal tells, of the order that was named, or is asked for on a terminal. Throws USAGE where
 * an id is that of two orders.
 */
export async function idsOfTyped(
  { name, order = name, clientOrderId }: TypedOrder,
  command: string,
  session: Session,
  options: CommonOptions,
  runtime: Runtime,
): Promise<OrderIds> {
  const isNamed = (order ?? clientOrderId) !== undefined;
  const named = isNamed ? { order, clientOrderId } : await askOrder(session, command, options, runtime);
  return idsOf(await requestsOnOrder(named, command, session, runtime), named);
}
