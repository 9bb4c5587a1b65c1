import {
  amountText,
  digitsOfSum,
  type Filter,
  type Intent,
  isCaptureUnknown,
  type Journal,
  payerParts,
  sumText,
} from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { decimalText } from '../../../wire/amount.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { checkFilter, filteredBy, profileFilter } from '../../core/options.js';
import { filterWords } from '../../core/order-offline.js';
import { inWholeJournal } from '../../core/order-requests.js';
import { Reporter } from '../../core/reporter.js';
import type { Column } from '../../format/document.js';
import { mapped, oneLine } from '../../format/document.js';
import { nothingSent, stateText } from '../../format/journal-entries.js';
import { commandOf } from '../../format/meaning.js';
import { countLeftOut, leftOutTexts, nothingLeftOut } from './left-out.js';
import {
  isUncaptured,
  type ListedOrder,
  leftOf,
  leftToCaptureOf,
  listedOrder,
  statusTextOf,
  statusWordOf,
} from './listed-order.js';
import { filterText, maxLimit, type OrdersFilterFlags, readOrdersFilter, statusMeant } from './orders-filter.js';

type OrdersOptions = CommonOptions & OrdersFilterFlags;

export const orders = defineCommand<OrdersOptions>({
  name: 'orders',
  summary: 'Find orders: by status, time, card, amount or text',
  help: `Orders sent from this machine, newest first: what was paid, declined and returned, according to the journal. Orders created elsewhere are listed once a request for them has been sent from here. "declined" includes orders whose status at the gateway is error or filtered; gatewayStatus, in --json and -o csv, is the gateway's own status. A checked payout is pending until it is paid. Nothing is sent, and refunds made from other machines are not counted: \`paycli order ORDER\` queries the gateway`,
  heading: 'Money safety:',
  args: [['[text]', 'part of an id or of the reason; for a status see --status']],
  options: [
    [
      '--status <status>',
      `only these: ${filterWords.join(', ')}; approved ones include those that have since been voided, declined ones those that were settled manually as not paid`,
      { repeated: true },
    ],
    [
      '--since <time>',
      'created at or after this time: today or yesterday (UTC), 2h, 7d, 2030-01-31 or 2030-01-31T12:00:00Z',
    ],
    ['--until <time>', 'created before this time'],
    ['--card <digits>', 'only orders paid with a card ending in these digits (up to four)'],
    ['--amount <amount>', 'only of this amount, such as "25.00 EUR"; 25.00 is that amount in any currency'],
    [
      '--email <address>',
      'only of the payer with this e-mail address, in full (case-insensitive); orders created before paycli stored its hash are not found',
    ],
    ['--operation <name>', 'only orders created by this operation, such as sale, or that have one, such as return'],
    ['--limit <number>', 'show only the newest, at most this many (50; all with json, ndjson, yaml and csv)'],
    profileFilter('only orders of this profile'),
  ],
  examples: [
    'orders --status declined --since today',
    'orders --card 1111 --amount "25.00 EUR"',
    'orders --email jane@example.com',
    'orders order-1',
  ],
  effect: 'none',
  network: false,
  exits: profileExits,
  prints: ['orders'],
  run: async ({ args: [text], options, runtime }) => runOrders(text, await filteredBy(options, runtime), runtime),
});

async function runOrders(text: string | undefined, options: OrdersOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  // What other tools call `orders list`.
  if (text === 'list') report.notes(['`orders list` is `paycli orders`']);
  const meant = statusMeant(text, options);
  if (meant !== undefined) report.notes([`note: to filter by status, use \`${meant}\``]);
  const { filter, limit: chosenLimit } = readOrdersFilter(text, options, runtime.clock.now());
  const limit = chosenLimit ?? defaultLimit(report.form);
  const print = async ({ total, found, leftOut, isKept, isEmpty }: FoundOrders) => {
    await checkFilter(options.profile, runtime, () => isKept);
    if (limit !== undefined && total > limit)
      report.notes([
        `${limit} of ${total} orders shown, only the newest; --limit ${total > maxLimit ? `${maxLimit} shows more` : `${total} shows all`}`,
      ]);
    report.notes(leftOutTexts(leftOut, options));
    if (defaultLimit(report.form) !== undefined && total > 0)
      report.notes([
        'amounts, including what is left, are according to the journal of this machine; `paycli order ORDER` queries the gateway',
      ]);
    const { openStates: _, ...leftOutCounts } = leftOut;
    await report.showList({
      head: { schema: 'paycli.orders/1', total, ...leftOutCounts },
      list: 'orders',
      entries: () => mapped(found(), documentOf),
      columns,
      rows: () => {
        const all = [...found()];
        return all.map((order) => rowOf(order, placeText(order, all), report));
      },
      empty: isEmpty
        ? nothingSent
        : `no orders match ${filterText(text, options)}; without filters and PAYCLI_PROFILE, \`paycli orders\` lists all that were sent from this machine`,
    });
    return true;
  };
  const read = async (journal: Journal) =>
    print({
      ...ordersIn(journal, filter, limit, options),
      leftOut: countLeftOut(journal, filter),
      isKept: options.profile !== undefined && journal.count({ profile: options.profile }) > 0,
      isEmpty: journal.count({ isOrder: true }) === 0,
    });
  const isShown = await inWholeJournal(runtime, false, read);
  if (!isShown) await print({ total: 0, found: () => [], leftOut: nothingLeftOut, isKept: false, isEmpty: true });
  return 0;
}

interface FoundOrders {
  readonly total: number;
  /** Read again for each pass, since all of them may not fit in memory. */
  readonly found: () => Iterable<ListedOrder>;
  readonly leftOut: ReturnType<typeof countLeftOut>;
  readonly isKept: boolean;
  readonly isEmpty: boolean;
}

/** How many orders are shown without --limit: people get the newest, programs every one (undefined: no limit). */
function defaultLimit(form: Reporter['form']): number | undefined {
  return form === 'text' || form === 'table' ? 50 : undefined;
}

/**
 * The newest orders that match, at most `limit` of them, or all where that is undefined; `total` is without a limit.
 */
function ordersIn(journal: Journal, chosen: Filter, limit: number | undefined, { email }: OrdersOptions) {
  const filter = email === undefined ? chosen : { ...chosen, payer: journal.hash(payerParts(email)) };
  const openings = (): Iterable<Intent> =>
    limit === undefined ? journal.eachFromNewest(filter) : journal.newest(filter, limit).toReversed();
  return {
    total: journal.count(filter),
    found: () => mapped(openings(), (opening) => listedOrder(journal, opening)),
  };
}

const columns: readonly Column[] = [
  { head: 'created' },
  { head: 'operation', optional: true },
  { head: 'order' },
  { head: 'your id', below: 'last' },
  { head: 'amount', right: true },
  { head: 'left', right: true, optional: 'last' },
  { head: 'status' },
  { head: 'card', optional: true },
  { head: 'profile', optional: true },
  { head: 'gateway status', optional: true },
  { head: 'gateway', below: true },
  { head: 'amounts', below: true },
  { head: 'reason', below: true },
];

/** Where an order was made, if another one with the same client order id was made elsewhere. */
function placeText({ opening }: ListedOrder, all: readonly ListedOrder[]): string {
  const { base, endpointId, clientOrderId } = opening;
  const sameId = all.map((each) => each.opening).filter((each) => each.clientOrderId === clientOrderId);
  if (clientOrderId === undefined || sameId.every((each) => each.base === base && each.endpointId === endpointId))
    return '';
  return sameId.every((each) => each.base === base) ? `${base}, endpoint ${endpointId}` : base;
}

function rowOf(order: ListedOrder, place: string, report: Pick<Reporter, 'paint' | 'time'>): readonly string[] {
  const { opening, state, sum, why, isElsewhere } = order;
  const word = statusTextOf(order) ?? '';
  const painted = state === undefined ? '' : stateText(state, report.paint).replace(state, word);
  return [
    ...[report.time(opening.madeAt), isElsewhere ? '' : commandOf(opening)],
    ...[opening.orderId ?? '', opening.clientOrderId ?? ''].map(oneLine),
    ...[sum === undefined ? '' : sumText(sum), textOf(order, leftOf(order)) ?? '', painted, order.card ?? ''],
    ...[opening.profile, gatewayStatusOf(order) ?? '', place, movedText(order), why].map(oneLine),
  ];
}

/** What became of the amount, where that is more than its capture as a whole. */
function movedText(order: ListedOrder): string {
  const { moved, unit, isElsewhere } = order;
  if (moved === undefined || unit === undefined) return '';
  const { captured, returned, released } = moved;
  const isPart = captured > 0n && (isElsewhere || captured !== BigInt(unit.minor));
  const parts = [
    ...(isPart ? [`captured ${textOf(order, captured)}`] : []),
    ...(returned > 0n ? [`returned ${textOf(order, returned)}`] : []),
    ...(released > 0n ? [`released ${textOf(order, released)}`] : []),
  ];
  const left = leftOf(order);
  const isOpen = moved.capturing + moved.pending + moved.voiding > 0n;
  const word = isUncaptured(order) && !isOpen && left !== 0n ? 'held' : 'left';
  if (left === undefined || (parts.length === 0 && !isUncaptured(order))) return parts.join(', ');
  return [...parts, `${word} ${textOf(order, left)}`].join(', ');
}

/** The last status from the gateway. */
function gatewayStatusOf({ opening, isElsewhere }: ListedOrder): string | undefined {
  return isElsewhere ? undefined : opening.outcome['status'];
}

function textOf({ unit }: ListedOrder, minor: bigint | undefined): string | undefined {
  return unit === undefined || minor === undefined ? undefined : decimalText(minor, digitsOfSum(unit));
}

function documentOf(order: ListedOrder): Record<string, unknown> {
  const { opening, sum, unit, moved, why, isElsewhere } = order;
  // Whatever another machine captured is not known.
  const isUnknown = moved?.captured === 0n && (isElsewhere || isCaptureUnknown(moved));
  const captured = isUnknown ? undefined : moved?.captured;
  return {
    orderId: opening.orderId ?? null,
    clientOrderId: opening.clientOrderId ?? null,
    operation: isElsewhere ? null : commandOf(opening),
    status: statusWordOf(order) ?? null,
    gatewayStatus: gatewayStatusOf(order) ?? null,
    errorCode: isElsewhere ? null : (opening.outcome['error-code'] ?? null),
    state: isElsewhere ? null : opening.state,
    amount: sum === undefined ? null : amountText(sum),
    currency: (sum ?? unit)?.currency ?? null,
    captured: textOf(order, captured) ?? null,
    capturePending: textOf(order, moved?.capturing) ?? null,
    released: textOf(order, moved?.released) ?? null,
    leftToCapture: textOf(order, leftToCaptureOf(order)) ?? null,
    returned: textOf(order, moved?.returned) ?? null,
    returnedElsewhere: textOf(order, order.elsewhere) ?? null,
    pending: textOf(order, moved?.pending) ?? null,
    voidPending: textOf(order, moved?.voiding) ?? null,
    left: textOf(order, leftOf(order)) ?? null,
    card: order.card ?? null,
    reason: why,
    profile: opening.profile,
    gateway: opening.base,
    endpointId: opening.endpointId,
    madeAt: new Date(opening.madeAt).toISOString(),
  };
}
