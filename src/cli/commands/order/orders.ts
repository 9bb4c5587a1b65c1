import { suggest } from '../../../errors/index.js';
import type { Journal } from '../../../journal/port.js';
import { sumText } from '../../../payments/words.js';
import type { Runtime } from '../../../runtime/ports.js';
import { statusOf } from '../../../spec/index.js';
import { defineCommand, type Flag, parsed, type Values, word } from '../../command.js';
import type { CommonOptions } from '../../core/common-options.js';
import { checkFilter, filteredBy, readEqualAmount, readTimes } from '../../core/options.js';
import { inJournal, journalInUse, warnIfRestored } from '../../core/order-requests.js';
import { type FilterWord, filterWords } from '../../core/order-words.js';
import { Reporter } from '../../core/reporter.js';
import { connectionFlags, outputFlags } from '../../flags.js';
import { type Column, oneLine } from '../../format/document.js';
import { sentDocument } from '../../format/journal-entries.js';
import { amountText, commandOf } from '../../format/meaning.js';
import { documentsOf } from '../../format/stream.js';
import type { DocumentOf, EntryOf } from '../../results.js';
import { wholeNumber, wrongValue } from '../../usage.js';
import { countOrders, findNewest, type ListedOrder, sourcesOf, type WantedOrders, walkOrders } from './find-orders.js';

const flags = {
  status: {
    ...word('<status>', `only these: ${filterWords.join(', ')}; approved ones include those voided since`),
    repeats: true,
    parse: (text: string, before: readonly FilterWord[] = []) => [...before, readStatus(text)],
  } as Flag<readonly FilterWord[]>,
  since: word(
    '<time>',
    'created at or after this time: today or yesterday (UTC), 2h, 7d, 2030-01-31 or 2030-01-31T12:00:00Z',
  ),
  until: word('<time>', 'created before this time'),
  card: parsed('<digits>', 'only orders paid with a card ending in these digits (up to four)', readCardEnd),
  amount: parsed(
    '<amount>',
    'only of this amount, such as "25.00 EUR"; 25.00 is that amount in any currency',
    readEqualAmount,
  ),
  limit: parsed(
    '<number>',
    'show only the newest, at most this many (50; all with json, ndjson, yaml and csv)',
    wholeNumber,
  ),
  profile: { ...connectionFlags.profile, text: 'only orders of this profile' },
  ...outputFlags,
};

type OrdersFlags = CommonOptions & Values<typeof flags>;

export const orders = defineCommand({
  summary: 'Find orders: by status, time, card, amount or text',
  help: 'Orders on which something was sent from here, and orders made elsewhere that were queried or named by a callback, newest last, according to the journal: what became of each request. Nothing is sent; what is left of an order, `paycli order ORDER` asks the gateway. "declined" includes orders whose status at the gateway is error or filtered; gatewayStatus, in json and csv, is the gateway\'s own word. A checked payout is pending until it is paid.',
  heading: 'Money safety:',
  args: { text: { text: 'part of an id or of the reason; for a status see --status', isOptional: true } },
  flags,
  examples: ['orders --status declined --since today', 'orders --card 1111 --amount "25.00 EUR"', 'orders order-1'],
  effect: 'local',
  result: ['orders'],
  run: async ({ args: { text }, flags, runtime }) => {
    const options: OrdersFlags = await filteredBy(flags, runtime);
    const { profile, status: words, amount, card } = options;
    const times = readTimes(options, runtime.clock.now());
    const filter = { profile, amount, card, text: text?.trim(), ...times };
    return listOrders({ filter, words }, options, runtime);
  },
});

/** The words of the gateway are understood too, as the status under which they are listed. */
function readStatus(text: string): FilterWord {
  const facts = statusOf(text);
  const ofGateway = facts && (facts.final ? 'declined' : 'pending');
  const status = filterWords.find((each) => each === text) ?? ofGateway;
  if (status !== undefined) return status;
  throw wrongValue(`use one of ${filterWords.join(', ')}${suggest(text, filterWords)}`);
}

function readCardEnd(text: string): string {
  if (/^\d{1,4}$/.test(text)) return text;
  throw wrongValue('use the last digits of the card, four at most');
}

/** Of an empty journal: an operator must not read it as "no declines". */
const noneKnown =
  'nothing was sent from this machine, and no order seen; those of your shop appear here when they are queried (`paycli order ID`), or when a callback listener writes to the same journal';

async function listOrders(wanted: WantedOrders, options: OrdersFlags, runtime: Runtime): Promise<number> {
  const report = new Reporter<DocumentOf<'orders'>>(options, undefined, runtime);
  const { profile } = options;
  const isShown = await inJournal(runtime, await journalInUse(profile, runtime), false, async (journal) => {
    await checkFilter(profile, runtime, (name) => hasOrders(journal, name));
    warnIfRestored(journal, report);
    await print(journal, wanted, options.limit, report);
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

async function hasOrders(journal: Journal, profile?: string): Promise<boolean> {
  const requests = await journal.find({ profile }, { limit: 1 });
  return requests.length > 0 || (await journal.findSeen({ profile }, { limit: 1 })).length > 0;
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

/** People get the newest, programs every one. */
const shownToPeople = 50;

async function print(
  journal: Journal,
  wanted: WantedOrders,
  given: number | undefined,
  report: Reporter<DocumentOf<'orders'>>,
): Promise<void> {
  const isForPeople = report.form === 'text';
  const limit = given ?? (isForPeople ? shownToPeople : undefined);
  const sources = await sourcesOf(journal, wanted);
  const counts = countOrders(sources);
  const total = [...counts.values()].reduce((sum, count) => sum + count, 0);
  const found = limit === undefined ? [] : await findNewest(sources, limit);
  const isOneGateway = new Set(found.map(({ base }) => base)).size === 1;
  if (limit !== undefined && found.length < total)
    report.notes([`${found.length} of ${total} orders shown, only the newest; --limit ${total} shows all`]);
  await report.show({
    document: {
      ...{ schema: 'paycli.orders/1', total, statuses: Object.fromEntries(counts) },
      orders: found.map(documentOf),
    },
    list: 'orders',
    entries: limit === undefined ? () => documentsOf(walkOrders(sources), documentOf) : undefined,
    sheet: () => ({ columns, rows: found.map((order) => rowOf(order, isOneGateway, report)) }),
    empty:
      total > 0 || (await hasOrders(journal))
        ? 'no matching orders; without filters and PAYCLI_PROFILE, `paycli orders` lists all'
        : noneKnown,
  });
  if (total > 0 && isForPeople)
    report.notes([`${total} in all: ${[...counts].map(([status, count]) => `${count} ${status}`).join(', ')}`]);
}

function rowOf(order: ListedOrder, isOneGateway: boolean, report: Pick<Reporter, 'paint' | 'time'>): readonly string[] {
  const { at, payment, orderId, clientOrderId, sum, card = '', profile, gatewayStatus = '', why } = order;
  return [
    ...[report.time(at), payment === undefined ? '' : commandOf(payment)],
    ...[orderId ?? '', clientOrderId ?? ''].map(oneLine),
    ...[sum === undefined ? '' : sumText(sum), painted(order, report.paint), card],
    ...[profile, gatewayStatus, isOneGateway ? '' : order.base, why].map(oneLine),
  ];
}

function painted({ status = '' }: ListedOrder, paint: Reporter['paint']): string {
  if (status === 'approved') return paint.good(status);
  if (status === 'declined' || status === 'refused') return paint.bad(status);
  return status === 'unknown' ? paint.warn(status) : oneLine(status);
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
