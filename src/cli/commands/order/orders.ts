import {
  amountText,
  type Filter,
  type Intent,
  isState,
  type Journal,
  payerParts,
  sumText,
} from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand, type FlagsFor, list, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkFilter, filteredBy } from '../../core/options.js';
import { inWholeJournal } from '../../core/order-requests.js';
import { filterWords, wordOf } from '../../core/order-words.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { type Column, mapped, oneLine } from '../../format/document.js';
import { nothingSent, stateText } from '../../format/journal-entries.js';
import { commandOf } from '../../format/meaning.js';
import { type OrdersDocument, ordersResult } from '../../results.js';
import { type ListedOrder, listedOrder, statusTextOf, statusWordOf } from './listed-order.js';
import { filterText, maxLimit, type OrdersFilterFlags, readOrdersFilter, statusMeant } from './orders-filter.js';

type OrdersFlags = CommonOptions & OrdersFilterFlags;

export const orders = defineCommand({
  summary: 'Find orders: by status, time, card, amount or text',
  help: 'Orders on which something was sent from here, newest last, according to the journal: what became of each request. Nothing is sent; what was done elsewhere, and what is left of an order, `paycli order ORDER` asks the gateway. "declined" includes orders whose status at the gateway is error or filtered; gatewayStatus, in json and csv, is the gateway\'s own word. A checked payout is pending until it is paid.',
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
    email: word('<address>', 'only of the payer with this e-mail address, in full (case-insensitive)'),
    operation: word('<name>', 'only orders created by this operation, such as sale, or that have one, such as return'),
    limit: word('<number>', 'show only the newest, at most this many (50; all with json, ndjson, yaml and csv)'),
    profile: { ...connectionFlags.profile, text: 'only orders of this profile' },
    ...outputFlags,
  } satisfies FlagsFor<OrdersFlags>,
  examples: [
    'orders --status declined --since today',
    'orders --card 1111 --amount "25.00 EUR"',
    'orders --email jane@example.com',
    'orders order-1',
  ],
  effect: 'local',
  result: [ordersResult],
  run: async ({ args: { text }, flags, runtime }) => runOrders(text?.trim(), await filteredBy(flags, runtime), runtime),
});

async function runOrders(text: string | undefined, options: OrdersFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter<OrdersDocument>(options, undefined, runtime);
  // What other tools call `orders list`.
  if (text === 'list') report.notes(['`orders list` is `paycli orders`']);
  const meant = statusMeant(text, options);
  if (meant !== undefined) report.notes([`note: to filter by status, use \`${meant}\``]);
  const { filter: chosen, limit = defaultLimit(report.form) } = readOrdersFilter(text, options, runtime.clock.now());
  const isShown = await inWholeJournal(runtime, false, async (journal) => {
    const { email, profile } = options;
    const filter = email === undefined ? chosen : { ...chosen, payer: journal.hash(payerParts(email)) };
    await checkFilter(profile, runtime, (name) => journal.count({ profile: name }) > 0);
    const none = `no orders match ${filterText(text, options)}; without filters and PAYCLI_PROFILE, \`paycli orders\` lists all that were sent from this machine`;
    await print(journal, filter, { limit, none, report });
    return true;
  });
  if (isShown) return 0;
  await checkFilter(options.profile, runtime, () => false);
  await report.showList({ ...noOrders, empty: nothingSent });
  return 0;
}

const columns: readonly Column[] = [
  { head: 'created' },
  { head: 'operation', optional: true },
  { head: 'order' },
  { head: 'your id', below: 'last' },
  { head: 'amount', right: true },
  { head: 'status' },
  { head: 'card', optional: true },
  { head: 'profile', optional: true },
  { head: 'gateway status', optional: true },
  { head: 'gateway', below: true },
  { head: 'reason', below: true },
];

const noOrders = {
  head: { schema: 'paycli.orders/1', total: 0, statuses: {} },
  ...{ list: 'orders', entries: () => [], columns, rows: () => [] },
};

interface Listing {
  readonly limit: number | undefined;
  /** Said where the filters leave none. */
  readonly none: string;
  readonly report: Reporter<OrdersDocument>;
}

async function print(journal: Journal, filter: Filter, { limit, none, report }: Listing): Promise<void> {
  const counts = countsByStatus(journal, filter);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  if (limit !== undefined && total > limit)
    report.notes([
      `${limit} of ${total} orders shown, only the newest; --limit ${total > maxLimit ? `${maxLimit} shows more` : `${total} shows all`}`,
    ]);
  // Read again for each pass, since all of them may not fit in memory.
  const newest = limit === undefined ? undefined : journal.newest(filter, limit);
  const found = () => mapped(newest ?? journal.each(filter), (opening) => listedOrder(journal, opening));
  await report.showList({
    head: { schema: 'paycli.orders/1', total, statuses: Object.fromEntries(counts) },
    list: 'orders',
    entries: () => mapped(found(), documentOf),
    columns,
    rows: () => {
      const all = [...found()];
      return all.map((order) => rowOf(order, placeText(order, all), report));
    },
    empty: total === 0 && journal.count({ isOrder: true }) === 0 ? nothingSent : none,
  });
  if (total > 0 && defaultLimit(report.form) !== undefined)
    report.notes([`${total} in all: ${[...counts].map(([status, count]) => `${count} ${status}`).join(', ')}`]);
}

/** Of all that match: how many have each status. */
function countsByStatus(journal: Journal, filter: Filter): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [state, count] of journal.countOrderStates(filter)) {
    const status = isState(state) ? wordOf(state) : state === '' ? 'made elsewhere' : state;
    counts.set(status, (counts.get(status) ?? 0) + count);
  }
  return counts;
}

/** How many orders are shown without --limit: people get the newest, programs every one (undefined: no limit). */
function defaultLimit(form: Reporter['form']): number | undefined {
  return form === 'text' || form === 'table' ? 50 : undefined;
}

/** Where an order was made, if another one with the same client order id was made elsewhere. */
function placeText({ opening }: ListedOrder, all: readonly ListedOrder[]): string {
  const { base, endpointId, clientOrderId } = opening;
  const sameId = all.map((each) => each.opening).filter((each) => each.clientOrderId === clientOrderId);
  if (clientOrderId === undefined || sameId.every((each) => each.base === base && each.endpointId === endpointId))
    return '';
  return sameId.every((each) => each.base === base) ? `${base}, endpoint ${endpointId}` : base;
}

function rowOf(order: ListedOrder, place: string, report: Pick<Reporter, 'paint' | 'time'>): readonly string[] {
  const { opening, state, sum, why, isElsewhere, card = '' } = order;
  const painted = state === undefined ? '' : stateText(state, report.paint).replace(state, statusTextOf(order));
  return [
    ...[report.time(opening.madeAt), isElsewhere ? '' : commandOf(opening)],
    ...[opening.orderId ?? '', opening.clientOrderId ?? ''].map(oneLine),
    ...[sum === undefined ? '' : sumText(sum), painted, card],
    ...[opening.profile, gatewayStatusOf(order) ?? '', place, why].map(oneLine),
  ];
}

/** The last status from the gateway. */
function gatewayStatusOf({ opening, isElsewhere }: ListedOrder): string | undefined {
  return isElsewhere ? undefined : opening.outcome['status'];
}

function documentOf(order: ListedOrder): Record<keyof (typeof ordersResult)['entry'], unknown> {
  const { opening, sum, why, isElsewhere, followUps } = order;
  return {
    orderId: opening.orderId ?? null,
    clientOrderId: opening.clientOrderId ?? null,
    operation: isElsewhere ? null : commandOf(opening),
    status: statusWordOf(order) ?? null,
    gatewayStatus: gatewayStatusOf(order) ?? null,
    errorCode: isElsewhere ? null : (opening.outcome['error-code'] ?? null),
    state: isElsewhere ? null : opening.state,
    amount: sum === undefined ? null : amountText(sum),
    currency: sum?.currency ?? null,
    card: order.card ?? null,
    reason: why,
    followUps: followUps.map(followUpDocument),
    profile: opening.profile,
    gateway: opening.base,
    endpointId: opening.endpointId,
    madeAt: new Date(opening.madeAt).toISOString(),
  };
}

function followUpDocument(intent: Intent) {
  const { sum, state, madeAt } = intent;
  return {
    operation: commandOf(intent),
    amount: sum === undefined ? null : amountText(sum),
    currency: sum?.currency ?? null,
    state,
    madeAt: new Date(madeAt).toISOString(),
  };
}
