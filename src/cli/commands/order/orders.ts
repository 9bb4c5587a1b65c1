import {
  amountText,
  digitsOfSum,
  type Filter,
  type Intent,
  isHold,
  type Journal,
  leftToCapture,
  leftToReturn,
  type Moved,
  movedIn,
  payerParts,
  type State,
  type Waiting,
  wasSettledManually,
} from '../../../journal/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { operations } from '../../../spec/index.js';
import { unknownToGateway } from '../../../spec/transaction-words.js';
import { decimalText, readAmount } from '../../../wire/amount.js';
import { defineCommand, profileExits } from '../../core/define-command.js';
import { statuses, statusWords, wordOf } from '../../core/journal-order.js';
import { inJournal } from '../../core/known-order.js';
import { type CommonOptions, checkFilter, profileFilter } from '../../core/options.js';
import { lastTotalReturned, returnedElsewhere } from '../../core/order-amounts.js';
import { inDoubtOf } from '../../core/order-facts.js';
import { Reporter } from '../../core/reporter.js';
import { withJournal } from '../../core/user-stores.js';
import type { Column } from '../../format/document.js';
import { commandOf, stateText, sumOf } from '../../format/journal-entries.js';
import { waitingText } from '../../format/meaning.js';
import { oneLine } from '../../format/table.js';
import { viewFlags } from '../batch/flags.js';
import { isSameRequest } from '../batch/shared-databases.js';
import type { EngineFlags } from '../batch/shared-engine.js';
import { filterText, maxLimit, type OrdersFilterFlags, readOrdersFilter } from './orders-filter.js';
import { readSharedOrders, sharedOrderState, withShared } from './shared-orders.js';

type OrdersOptions = CommonOptions & EngineFlags & OrdersFilterFlags;

export const orders = defineCommand<OrdersOptions>({
  name: 'orders',
  summary: 'Find orders: by status, time, card, amount or text',
  help: `Orders sent from this machine, newest first: what was paid, declined and returned, according to the journal. \
Rows of a batch that several machines send are read from its database: every one recorded on this machine, or the one \
given with --engine. "declined" includes orders whose status at the gateway is error or filtered; gatewayStatus, in \
--json and -o csv, is the gateway's own status. A checked payout is pending until it is paid. \
Nothing is sent, and refunds made from other machines are not counted: \`paycli order ORDER\` queries the gateway`,
  heading: 'Money safety:',
  args: [['[text]', 'part of an id or of the reason']],
  options: [
    ['--status <status>', `only these: ${statusWords.join(', ')}`, { repeated: true }],
    [
      '--since <time>',
      'created at or after this time: today or yesterday (UTC), 2h, 7d, 2030-01-31 or 2030-01-31T12:00:00Z',
    ],
    ['--until <time>', 'created before this time'],
    ['--card <digits>', 'only orders paid with a card ending in these digits (up to four)'],
    ['--amount <amount>', 'only of this amount, such as "25.00 EUR"; 25.00 is that amount in any currency'],
    [
      '--email <address>',
      'only of the payer with this e-mail address, in full (case-insensitive); orders made before paycli stored its \
hash are not found',
    ],
    ['--operation <name>', 'only orders of this operation, such as sale or payout'],
    ['--limit <number>', 'show only the newest, at most this many (50)'],
    profileFilter('only orders of this profile'),
    ...viewFlags,
  ],
  examples: [
    'orders --status declined --since today',
    'orders --card 1111 --amount "25.00 EUR"',
    'orders --email jane@example.com',
    'orders order-1',
  ],
  effect: 'none',
  network: true,
  exits: profileExits,
  prints: ['orders'],
  run: ({ args: [text], options, runtime }) => runOrders(text, options, runtime),
});

async function runOrders(text: string | undefined, options: OrdersOptions, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  // What other tools call `orders list`.
  if (text === 'list') report.notes(['`orders list` is `paycli orders`']);
  const { filter, limit } = readOrdersFilter(text, options, runtime.clock.now());
  const none = { total: 0, found: [] as readonly Order[], isKept: false, isEmpty: true };
  const read = async (journal: Journal) => ({
    ...(await ordersIn(journal, filter, limit, options, { report, runtime })),
    isKept: options.profile !== undefined && journal.count({ profile: options.profile }) > 0,
    isEmpty: journal.count({ kind: 'opening' }) === 0,
  });
  const { total, found, isKept, isEmpty } = await (options.engine === undefined
    ? inJournal(runtime, Promise.resolve(none), read)
    : withJournal(runtime, read));
  await checkFilter(options.profile, runtime, () => isKept);
  if (total > found.length)
    report.notes([
      `${found.length} of ${total} orders shown, only the newest; --limit ${Math.min(total, maxLimit)} shows more`,
    ]);
  await report.showList({
    head: { schema: 'paycli.orders/1', total },
    list: 'orders',
    entries: () => found.map(documentOf),
    columns,
    rows: () => found.map((order) => rowOf(order, placeText(order, found), report)),
    empty: emptyText(isEmpty ? '' : filterText(text, options)),
  });
  return 0;
}

function emptyText(filter: string): string {
  return filter === ''
    ? 'no orders yet; try `paycli sale --amount 10.42 --currency USD --test-card approved`'
    : `no orders match ${filter}; \`paycli orders\` lists all that were sent from this machine`;
}

async function ordersIn(
  journal: Journal,
  chosen: Filter,
  limit: number,
  { email, ...flags }: OrdersOptions,
  tools: { readonly report: Reporter; readonly runtime: Runtime },
) {
  const filter = email === undefined ? chosen : { ...chosen, payer: journal.hash(payerParts(email)) };
  const own = journal.newest(filter, limit).toReversed();
  const shared = await readSharedOrders(journal, { own, filter, limit, flags }, tools);
  const left = own.filter((opening) => !shared.known.some((row) => isSameRequest(row, opening)));
  const openings = [...shared.matching, ...left].toSorted((one, other) => other.madeAt - one.madeAt).slice(0, limit);
  return {
    total: journal.count(filter) - (own.length - left.length) + shared.matching.length,
    found: openings.map((opening) => orderOf(journal, opening, shared.known)),
  };
}

/** An order in the journal: its opening request, and the outcome of its follow-ups. */
interface Order {
  readonly opening: Intent;
  readonly state: State;
  /** In minor units of the opening request; undefined where the journal does not know. */
  readonly moved: Moved | undefined;
  /** Of that, what no request of the journal returned; undefined where it does not know. */
  readonly elsewhere: bigint | undefined;
  readonly why: string;
}

function orderOf(journal: Journal, opening: Intent, shared: readonly Intent[]): Order {
  const { base, orderId, clientOrderId, state, isShared } = opening;
  // A follow-up names both ids; the gateway refuses one of another order.
  const followUps =
    orderId === undefined || clientOrderId === undefined
      ? []
      : withShared(journal.list({ base, clientOrderId, kind: 'follow-up' }), shared).filter(
          (each) => each.kind === 'follow-up' && each.base === base && each.orderId === orderId,
        );
  const isUnknown = statuses.unknown.some((each) => each === state);
  const { moved, elsewhere } = isUnknown ? { moved: undefined } : movedOf(opening, followUps);
  const waiting = isShared === true ? undefined : journal.waiting(opening);
  return {
    opening,
    state: isShared === true ? sharedOrderState(opening, followUps) : journal.orderState(opening),
    moved,
    elsewhere,
    why: followUpText(opening, followUps) ?? whyOf(opening, waiting, moved),
  };
}

/** What the journal moved, and what the last status reply it kept shows beyond that. */
function movedOf(opening: Intent, followUps: readonly Intent[]): Pick<Order, 'moved' | 'elsewhere'> {
  const requests = [opening, ...followUps];
  const moved = movedIn(requests);
  const total = lastTotalReturned(requests);
  const text = total === undefined ? undefined : returnedElsewhere(total, requests);
  if (moved === undefined || opening.sum === undefined || text === undefined) return { moved, elsewhere: undefined };
  const reading = readAmount(text, opening.sum.currency, digitsOfSum(opening.sum));
  const elsewhere = reading.ok ? reading.minor : 0n;
  const { captured, returned, released } = moved;
  const more = captured > 0n ? { returned: returned + elsewhere } : { released: released + elsewhere };
  return { moved: { ...moved, ...more }, elsewhere };
}

function whyOf(opening: Intent, waiting: Waiting | undefined, moved: Moved | undefined): string {
  if (waiting !== undefined) return waitingText(waiting);
  if (opening.state === 'accepted') return 'accepted, no final status seen yet';
  const pending = moved === undefined || opening.sum === undefined ? [] : pendingTexts(moved, digitsOfSum(opening.sum));
  return pending.length === 0 ? declineOf(opening) : pending.join(', ');
}

function pendingTexts({ capturing, pending, voiding }: Moved, digits: number): readonly string[] {
  return [
    ...(capturing === 0n ? [] : [`capture of ${decimalText(capturing, digits)} pending`]),
    ...(pending === 0n ? [] : [`return of ${decimalText(pending, digits)} pending`]),
    ...(voiding === 0n ? [] : ['void pending']),
  ];
}

/** The text of the follow-up that matters most; undefined where none says more than the opening request. */
function followUpText({ operation }: Intent, followUps: readonly Intent[]): string | undefined {
  const unsettled = inDoubtOf(followUps);
  if (unsettled !== undefined)
    return [commandOf(unsettled), sumOf(unsettled), `is ${unsettled.state}`].filter((word) => word !== '').join(' ');
  if (followUps.some((each) => each.operation === 'VOID' && each.state === 'done')) return 'voided';
  if (operation !== 'PAYOUT_V4_CHECK') return undefined;
  const payment = followUps.findLast((each) => each.operation === 'PAYOUT_V4_PAY');
  return payment === undefined
    ? 'checked, not paid'
    : `payment ${payment.state === 'done' ? 'approved' : payment.state}`;
}

/** The bank's reason where it gave one, unless a person decided otherwise. */
function declineOf({ state, outcome, reason }: Intent): string {
  if (state !== 'conflict' && wasSettledManually(reason)) return reason;
  if (state === 'done' || state === 'accepted') return '';
  return (
    outcome['error-message'] ?? (state === 'unknown' && outcome['status'] === 'unknown' ? unknownToGateway : reason)
  );
}

const columns: readonly Column[] = [
  { head: 'created' },
  { head: 'operation', optional: true },
  { head: 'order', flexible: 'last' },
  { head: 'your id', flexible: 'last' },
  { head: 'amount', right: true },
  { head: 'left', right: true, optional: true },
  { head: 'status' },
  { head: 'card', optional: true },
  { head: 'profile', optional: true },
  { head: 'gateway status', optional: true },
  { head: 'gateway', below: true },
  { head: 'amounts', below: true },
  { head: 'reason', below: true },
];

/** Where an order was made, if another one with the same client order id was made elsewhere. */
function placeText({ opening }: Order, all: readonly Order[]): string {
  const { base, endpointId, clientOrderId } = opening;
  const twins = all.map((each) => each.opening).filter((each) => each.clientOrderId === clientOrderId);
  if (clientOrderId === undefined || twins.every((each) => each.base === base && each.endpointId === endpointId))
    return '';
  return twins.every((each) => each.base === base) ? `${base}, endpoint ${endpointId}` : base;
}

function rowOf(order: Order, place: string, report: Pick<Reporter, 'paint' | 'time'>): readonly string[] {
  const { opening, state, why } = order;
  const painted = stateText(state, report.paint).replace(state, wordOf(state));
  return [
    ...[report.time(opening.madeAt), commandOf(opening)],
    ...[opening.orderId ?? '', opening.clientOrderId ?? ''].map(oneLine),
    ...[sumOf(opening), textOf(order, leftOf(order)) ?? '', painted, opening.lastFour ?? ''],
    ...[opening.profile, gatewayStatusOf(opening) ?? '', place, movedText(order), why].map(oneLine),
  ];
}

/** An approved hold of which nothing was captured. */
function isUncaptured({ opening, state, moved }: Order): boolean {
  return isHold(opening) && state === 'done' && moved?.captured === 0n;
}

/** What became of the amount, where that is more than its capture as a whole. */
function movedText(order: Order): string {
  const { opening, moved } = order;
  if (moved === undefined || opening.sum === undefined) return '';
  const { captured, returned, released } = moved;
  const isPart = captured > 0n && captured !== BigInt(opening.sum.minor);
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
function gatewayStatusOf({ outcome }: Intent): string | undefined {
  return outcome['status'];
}

/** By transaction-type. */
const neverReturned: readonly string[] = ['payout', 'transfer'];

function mayBeReturned({ operation }: Intent): boolean {
  const row = operations.find(({ id }) => id === operation);
  return row?.namedByStatus?.types.some((type) => neverReturned.includes(type)) !== true;
}

/** What may be given back; undefined for orders that cannot be returned. */
function leftOf(order: Order): bigint | undefined {
  const { opening, moved } = order;
  if (moved === undefined || !mayBeReturned(opening)) return undefined;
  return moved.captured > 0n || isUncaptured(order) ? leftToReturn(moved) : 0n;
}

/** Undefined where nothing can be captured, and once a part was: the rest may be released (A34). */
function leftToCaptureOf(order: Order): bigint | undefined {
  return order.moved !== undefined && isUncaptured(order) ? leftToCapture(order.moved) : undefined;
}

function textOf({ opening: { sum } }: Order, minor: bigint | undefined): string | undefined {
  return sum === undefined || minor === undefined ? undefined : decimalText(minor, digitsOfSum(sum));
}

function documentOf(order: Order): Record<string, unknown> {
  const { opening, state, moved, why } = order;
  return {
    orderId: opening.orderId ?? null,
    clientOrderId: opening.clientOrderId ?? null,
    operation: commandOf(opening),
    status: wordOf(state),
    gatewayStatus: gatewayStatusOf(opening) ?? null,
    errorCode: opening.outcome['error-code'] ?? null,
    state: opening.state,
    amount: opening.sum === undefined ? null : amountText(opening.sum),
    currency: opening.sum?.currency ?? null,
    captured: textOf(order, moved?.captured) ?? null,
    capturePending: textOf(order, moved?.capturing) ?? null,
    released: textOf(order, moved?.released) ?? null,
    leftToCapture: textOf(order, leftToCaptureOf(order)) ?? null,
    returned: textOf(order, moved?.returned) ?? null,
    returnedElsewhere: textOf(order, order.elsewhere) ?? null,
    pending: textOf(order, moved?.pending) ?? null,
    voidPending: textOf(order, moved?.voiding) ?? null,
    left: textOf(order, leftOf(order)) ?? null,
    card: opening.lastFour ?? null,
    reason: why,
    profile: opening.profile,
    gateway: opening.base,
    endpointId: opening.endpointId,
    madeAt: new Date(opening.madeAt).toISOString(),
  };
}
