import type { Journal } from '../../../journal/port.js';
import { sumText } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, list, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkFilter, filteredBy } from '../../core/options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { filterWords } from '../../core/order-words.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { type Column, oneLine } from '../../format/document.js';
import { amountText, commandOf } from '../../format/meaning.js';
import type { DocumentOf, EntryOf } from '../../results.js';
import { findOrders, type WantedOrders } from './find-orders.js';
import { type ListedOrder, sentDocument, statusText } from './listed-order.js';
import { maxLimit, type OrdersFilterFlags, readOrdersFilter, statusMeant } from './orders-filter.js';

type OrdersFlags = CommonOptions & OrdersFilterFlags;

export const orders = defineCommand({
  summary: 'Find orders: by status, time, card, amount or text',
  help: 'Orders on which something was sent from here, and orders made elsewhere that were queried or named by a callback, newest last, according to the journal: what became of each request. Nothing is sent; what is left of an order, `paycli order ORDER` asks the gateway. "declined" includes orders whose status at the gateway is error or filtered; gatewayStatus, in json and csv, is the gateway\'s own word. A checked payout is pending until it is paid.',
  heading: 'Money safety:',
  args: { text: { text: 'part of an id or of the reason; for a status see --status', isOptional: true } },
  flags: {
    status: list('<status>', `only these: ${filterWords.join(', ')}; approved ones include those voided since`),
    since: word(
      '<time>',
      'created at or after this time: today or yesterday (UTC), 2h, 7d, 2030-01-31 or 2030-01-31T12:00:00Z',
    ),
    until: word('<time>', 'created before this time'),
    card: word('<digits>', 'only orders paid with a card ending in these digits (up to four)'),
    amount: word('<amount>', 'only of this amount, such as "25.00 EUR"; 25.00 is that amount in any currency'),
    operation: word('<name>', 'only orders created by this operation, such as sale, or that have one, such as return'),
    limit: word('<number>', 'show only the newest, at most this many (50; all with json, ndjson, yaml and csv)'),
    profile: { ...connectionFlags.profile, text: 'only orders of this profile' },
    ...outputFlags,
  },
  examples: ['orders --status declined --since today', 'orders --card 1111 --amount "25.00 EUR"', 'orders order-1'],
  effect: 'local',
  result: ['orders'],
  run: async ({ args: { text }, flags, runtime }) => runOrders(text?.trim(), await filteredBy(flags, runtime), runtime),
});

/** Of an empty journal: an operator must not read it as "no declines". */
const noneKnown =
  'nothing was sent from this machine, and no order seen; those of your shop appear here when they are queried (`paycli order ID`), or when a callback listener writes to the same journal';

async function runOrders(text: string | undefined, options: OrdersFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter<DocumentOf<'orders'>>(options, undefined, runtime);
  // What other tools call `orders list`.
  if (text === 'list') report.notes(['`orders list` is `paycli orders`']);
  const meant = statusMeant(text, options);
  if (meant !== undefined) report.notes([`note: to filter by status, use \`${meant}\``]);
  const { wanted, limit = defaultLimit(report.form) } = readOrdersFilter(text, options, runtime.clock.now());
  const { profile } = options;
  const isShown = await inJournal(runtime, await journalInUse(profile, runtime), false, async (journal) => {
    const isEmpty = await hasNoOrders(journal);
    const isKept = isEmpty || profile === undefined || !(await hasNoOrders(journal, profile));
    await checkFilter(profile, runtime, () => isKept && !isEmpty);
    warnIfRestored(journal, report);
    const none = 'no matching orders; without filters and PAYCLI_PROFILE, `paycli orders` lists all';
    await print(journal, wanted, { limit, none: isEmpty ? noneKnown : none, report });
    return true;
  });
  if (isShown) return 0;
  await checkFilter(profile, runtime, () => false);
  await report.show({
    document: { schema: 'paycli.orders/1', total: 0, statuses: {}, orders: [] },
    ...{ list: 'orders', empty: noneKnown },
  });
  return 0;
}

async function hasNoOrders(journal: Journal, profile?: string): Promise<boolean> {
  const requests = await journal.find({ profile, kinds: ['payment', 'follow-up'] }, { limit: 1 });
  return requests.length === 0 && (await journal.findSeen({ profile }, { limit: 1 })).length === 0;
}

const columns: readonly Column[] = [
  { head: 'created' },
  { head: 'operation', optional: true },
  { head: 'order' },
  { head: 'your id', below: true },
  { head: 'amount', right: true },
  { head: 'status' },
  { head: 'card', optional: true },
  { head: 'profile', optional: true },
  { head: 'gateway status', optional: true },
  { head: 'gateway', below: true },
  { head: 'reason', below: true },
];

interface Listing {
  readonly limit: number | undefined;
  /** Said where there are none. */
  readonly none: string;
  readonly report: Reporter<DocumentOf<'orders'>>;
}

async function print(journal: Journal, wanted: WantedOrders, { limit, none, report }: Listing): Promise<void> {
  const { orders: found, counts } = await findOrders(journal, wanted, limit);
  const statuses = [...counts].filter(([, count]) => count > 0);
  const total = statuses.reduce((sum, [, count]) => sum + count, 0);
  if (limit !== undefined && total > limit)
    report.notes([
      `${limit} of ${total} orders shown, only the newest; --limit ${total > maxLimit ? `${maxLimit} shows more` : `${total} shows all`}`,
    ]);
  await report.show({
    document: {
      ...{ schema: 'paycli.orders/1', total, statuses: Object.fromEntries(statuses) },
      orders: found.map(documentOf),
    },
    list: 'orders',
    sheet: () => ({ columns, rows: found.map((order) => rowOf(order, placeText(order, found), report)) }),
    empty: none,
  });
  if (total > 0 && defaultLimit(report.form) !== undefined)
    report.notes([`${total} in all: ${statuses.map(([status, count]) => `${count} ${status}`).join(', ')}`]);
}

/** How many orders are shown without --limit: people get the newest, programs every one (undefined: no limit). */
function defaultLimit(form: Reporter['form']): number | undefined {
  return form === 'text' ? 50 : undefined;
}

/** Where an order was made, if another one with the same client order id was made elsewhere. */
function placeText({ base, endpoint = '', clientOrderId }: ListedOrder, all: readonly ListedOrder[]): string {
  const sameId = all.filter((each) => each.clientOrderId === clientOrderId);
  const isOnly = sameId.every((each) => each.base === base && (each.endpoint ?? '') === endpoint);
  if (clientOrderId === undefined || isOnly) return '';
  return sameId.every((each) => each.base === base) && endpoint !== '' ? `${base}, endpoint ${endpoint}` : base;
}

function rowOf(order: ListedOrder, place: string, report: Pick<Reporter, 'paint' | 'time'>): readonly string[] {
  const { at, payment, orderId, clientOrderId, sum, card = '', profile, gatewayStatus = '', why } = order;
  return [
    ...[report.time(at), payment === undefined ? '' : commandOf(payment)],
    ...[orderId ?? '', clientOrderId ?? ''].map(oneLine),
    ...[sum === undefined ? '' : sumText(sum), painted(order, report.paint), card],
    ...[profile, gatewayStatus, place, why].map(oneLine),
  ];
}

function painted(order: ListedOrder, paint: Reporter['paint']): string {
  const text = oneLine(statusText(order));
  if (order.status === 'approved' || order.status === 'registered') return paint.good(text);
  if (order.status === 'declined' || order.status === 'refused') return paint.bad(text);
  return order.status === 'unknown' ? paint.warn(text) : text;
}

function documentOf(order: ListedOrder): Required<EntryOf<'orders'>> {
  const { payment, sum } = order;
  return {
    orderId: order.orderId ?? null,
    clientOrderId: order.clientOrderId ?? null,
    operation: payment === undefined ? null : commandOf(payment),
    status: order.status ?? null,
    gatewayStatus: order.gatewayStatus ?? null,
    errorCode: payment?.outcome['error-code'] ?? null,
    state: payment?.state ?? null,
    amount: sum === undefined ? null : amountText(sum),
    currency: sum?.currency ?? null,
    card: order.card ?? null,
    reason: order.why,
    followUps: order.followUps.map(sentDocument),
    profile: order.profile,
    gateway: order.base,
    endpointId: order.endpoint ?? null,
    madeAt: new Date(order.at).toISOString(),
  };
}
