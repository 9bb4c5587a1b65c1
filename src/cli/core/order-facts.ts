import { fail } from '../../errors/index.js';
import {
  amountText,
  cardOfOrder,
  digitsOfSum,
  doubtfulStates,
  type Intent,
  lastReturnOfAll,
  sumOfWhole,
} from '../../journal/index.js';
import type { Runtime } from '../../runtime/ports.js';
import type { KnownOrder } from '../../sandbox/index.js';
import type { Assume } from '../../spec/assumptions.js';
import {
  isFinal,
  isRegistration,
  isSuccess,
  isUnknownWord,
  movesOf,
  operations,
  payoutPay,
  replyField,
  threeDSecureStepIn,
} from '../../spec/index.js';
import {
  type OpeningKind,
  type OrderFacts,
  type Step,
  type TransactionKind,
  transactionKinds,
} from '../../spec/lifecycle.js';
import { transactionKindIn } from '../../spec/transaction-words.js';
import { difference, isDecimal, isZero } from '../../wire/amount.js';
import type { Fields } from '../format/meaning.js';
import { openLocalSandbox } from '../sandbox-session.js';
import type { Session } from '../session.js';
import { type HoldAmounts, readHold } from './hold-amounts.js';
import type { OrderIds } from './order-requests.js';
import { withSettlement } from './settled-status.js';

/**
 * The state of an order: exact for the built-in sandbox, elsewhere from this status reply and the journal's requests on
 * it, oldest first.
 */
export async function knownOrder(
  fields: Fields,
  ids: OrderIds,
  requests: readonly Intent[],
  { session, runtime }: { readonly session: Session; readonly runtime: Runtime },
): Promise<KnownOrder> {
  if (session.builtin) {
    const [known] = await ordersInSandbox([ids], session, runtime);
    if (known === undefined) throw fail('REFUSED', { why: 'order not found', how: 'check the order id' });
    const isBoth = ids.orderId !== undefined && ids.clientOrderId !== undefined;
    if (isBoth && ids.clientOrderId !== known.clientOrderId)
      throw fail('REFUSED', {
        why: 'order id and client order id belong to different orders',
        how: 'remove one of them',
      });
    const facts = sandboxFacts(known.facts, fields, requests, session);
    return { ...known, facts: inDoubtOf(requests) === undefined ? facts : { ...facts, following: 'processing' } };
  }
  return {
    orderId: replyField(fields, 'orderId') ?? ids.orderId ?? '',
    clientOrderId: replyField(fields, 'clientOrderId') ?? ids.clientOrderId ?? '',
    facts: factsFromStatus(fields, requests, session.assume),
    cardRef: cardRefIn(fields, requests),
  };
}

/** A sandbox does not know what a person recorded of an outcome that it does not know, such as that of a hold. */
function sandboxFacts(exact: OrderFacts, fields: Fields, requests: readonly Intent[], { assume }: Session): OrderFacts {
  if (withSettlement(fields, requests).settled === undefined) return exact;
  const { opened, status, hold, day, card } = exact;
  const derived = factsFromStatus(fields, requests, assume);
  return { ...derived, opened, hold: isUnknownWord(status) ? derived.hold : hold, day, card };
}

/** The state of each of these orders in the built-in sandbox; undefined for one that it does not have. */
export async function ordersInSandbox(
  orders: readonly OrderIds[],
  { login }: Session,
  runtime: Runtime,
): Promise<readonly (KnownOrder | undefined)[]> {
  const sandbox = await openLocalSandbox(runtime);
  try {
    const { orderFacts } = await import('../../sandbox/index.js');
    return orders.map((ids) => orderFacts(sandbox.store, login, ids));
  } finally {
    sandbox.close();
  }
}

/**
 * Status describes the newest transaction (A42). The rest comes from the requests in the journal, else from the
 * simplest history that fits.
 */
export function factsFromStatus(
  reply: Fields,
  requests: readonly Intent[],
  assume: Pick<Assume, 'captures-per-hold'>,
): OrderFacts {
  const { fields } = withSettlement(reply, requests);
  const newest = transactionKindIn(fields);
  const status = replyField(fields, 'status') ?? 'processing';
  const isFollowUp = newest in openedBy;
  // A transaction that is processing, or unknown to the gateway, counts as having moved nothing yet.
  const isDone = isSuccess(status);
  const opened = openingKind(requests) ?? openedBy[newest] ?? newest;
  const whole = amountOfOrder(fields, requests);
  const hold = opened === 'preauth' && whole !== undefined ? readHold(whole, fields, requests, assume) : undefined;
  return {
    opened,
    status: isFollowUp ? (newest === 'payout' ? status : 'approved') : status,
    step: stepOf(fields, newest),
    following: (isFollowUp && !isFinal(status)) || inDoubtOf(requests) !== undefined ? 'processing' : 'none',
    hold: opened === 'preauth' && (isFollowUp || status === 'approved') ? 'live' : 'none',
    captured: hold === undefined ? (newest === 'capture' && isDone ? 'all' : 'nothing') : capturedShare(hold, whole),
    returned: returnedShare(hold, whole, fields, requests),
    voided: newest === 'void' && isDone ? 'yes' : 'no',
    day: 'open',
    paid: paymentOf(requests),
    card:
      cardRefIn(fields, requests) !== undefined ? 'kept' : hasPayerCard(fields, opened, requests) ? 'given' : 'none',
  };
}

/** How much of an amount a part is; any part of an unknown amount counts as all of it. */
function shareOf(part: string | undefined, whole: string | undefined): 'nothing' | 'part' | 'all' {
  if (part === undefined || isZero(part)) return 'nothing';
  return whole === undefined || isZero(difference(whole, part)) ? 'all' : 'part';
}

/** A part that is not known is one. */
function capturedShare({ captured, isCaptured }: HoldAmounts, whole: string | undefined): OrderFacts['captured'] {
  return captured === undefined ? (isCaptured ? 'part' : 'nothing') : shareOf(captured, whole);
}

/** Of a hold as long as nothing was captured, then of what was captured. */
function returnedShare(
  hold: HoldAmounts | undefined,
  whole: string | undefined,
  fields: Fields,
  requests: readonly Intent[],
): OrderFacts['returned'] {
  if (hold === undefined)
    return isReturnedWhole(fields, requests) ? 'all' : shareOf(amountIn(fields, 'total-reversal-amount'), whole);
  const { isCaptured, left, returned, total } = hold;
  if (left !== undefined && isZero(left)) return isCaptured ? 'all' : 'hold';
  return isZero(isCaptured ? (returned ?? total) : total) ? 'nothing' : 'part';
}

/** The reference to the card of the order: of the status reply, else of the request from here that made one. */
function cardRefIn(fields: Fields, requests: readonly Intent[]): string | undefined {
  const replies = requests
    .filter(({ state }) => state === 'done')
    .map(({ outcome }) => new Map(Object.entries(outcome)));
  return [...replies, fields].map((reply) => replyField(reply, 'cardRef')).findLast((id) => id !== undefined);
}

/** The card of a payout is the receiver's; of a registered one only the gateway has the payer. */
function hasPayerCard(fields: Fields, opened: OpeningKind, requests: readonly Intent[]): boolean {
  if (opened === 'recurring-registration' || transactionKinds[opened].type === 'payout') return false;
  return replyField(fields, 'lastFour') !== undefined || cardOfOrder(requests) !== undefined;
}

/** The follow-up with an unknown outcome, which blocks any other. */
export function inDoubtOf(requests: readonly Intent[]): Intent | undefined {
  return requests.find(({ kind, state }) => kind === 'follow-up' && doubtfulStates.includes(state));
}

/** What became of the payment of a checked payout, as far as the journal knows. */
function paymentOf(requests: readonly Intent[]): OrderFacts['paid'] {
  const payment = requests.findLast(({ operation }) => operation === payoutPay.id);
  switch (payment?.state) {
    case undefined:
    case 'planned':
    case 'not_sent':
    case 'refused':
      return 'no';
    case 'done':
      return 'yes';
    case 'accepted':
      return 'processing';
    case 'declined':
      return 'failed';
    default:
      return 'unknown';
  }
}

/** For each kind of follow-up, the kind that most likely opened its order. */
const openedBy: Partial<Readonly<Record<TransactionKind, TransactionKind>>> = {
  capture: 'preauth',
  void: 'preauth',
  cancel: 'preauth',
  reversal: 'sale',
};

/** The words of the command that opens an order of this kind. */
export function commandOfKind(opened: OpeningKind): string | undefined {
  return opened === 'recurring-registration' ? operations.find(isRegistration)?.command : transactionKinds[opened].name;
}

/** Whether the newest transaction of a status is the return from here that `lastReturnOfAll` finds. */
export function isReturnedWhole(fields: Fields, requests: readonly Intent[]): boolean {
  const amount = lastReturnOfAll(requests)?.outcome['amount'];
  return transactionKindIn(fields) === 'reversal' && amount !== undefined && amount === replyField(fields, 'amount');
}

/** The kind of the opening request in the journal; undefined where it is missing or may be several. */
function openingKind(requests: readonly Intent[]): OpeningKind | undefined {
  const opening = requests.find(({ kind }) => kind === 'opening');
  if (opening === undefined) {
    // Only a hold is captured or voided.
    const isHold = requests.some(
      ({ operation, state }) =>
        state === 'done' && (movesOf(operation) === 'captures' || movesOf(operation) === 'releases'),
    );
    return isHold ? 'preauth' : undefined;
  }
  const row = operations.find(({ id }) => id === opening.operation);
  if (row !== undefined && isRegistration(row)) return 'recurring-registration';
  const named = row?.namedByStatus;
  if (named?.types.length !== 1) return undefined;
  const { types, stage } = named;
  const rows = Object.entries(transactionKinds);
  const found = rows.find(([, row]) => row.type === types[0] && (stage === undefined || row.stage === stage));
  return isKind(found?.[0]) ? found[0] : undefined;
}

/**
 * The amount of an order. `amount` is that of the newest transaction, so of a later one it may be a part, and what the
 * journal has counts. Undefined where neither says.
 */
export function amountOfOrder(fields: Fields, requests: readonly Intent[]): string | undefined {
  const initial = amountIn(fields, 'initial-amount');
  if (initial !== undefined || !(transactionKindIn(fields) in openedBy)) return initial ?? amountIn(fields, 'amount');
  const sum = requests.find(({ kind }) => kind === 'opening')?.sum;
  return sum === undefined ? undefined : amountText(sum);
}

/** Whether the operation that made the order is only guessed: a return is named alike after a sale and a capture. */
export function isOpeningGuessed(fields: Fields, requests: readonly Intent[]): boolean {
  return transactionKindIn(fields) === 'reversal' && openingKind(requests) === undefined;
}

function isKind(word: string | undefined): word is TransactionKind {
  return word !== undefined && Object.hasOwn(transactionKinds, word);
}

function stepOf(fields: Fields, kind: TransactionKind): Step {
  const steps: Readonly<Record<string, Step>> = { MethodUrlFrame: 'method', CReqForm: 'challenge', PaReqForm: 'pareq' };
  const open = steps[threeDSecureStepIn(fields) ?? ''];
  if (open !== undefined) return open;
  if (replyField(fields, 'html', 'redirectTo') !== undefined) return 'simplified';
  const stage = replyField(fields, 'stage')?.toLowerCase() ?? '';
  if (stage.endsWith('_starting')) return 'form';
  if (kind !== 'payout-check') return 'none';
  return stage.endsWith('_validated') ? 'validated' : stage.endsWith('_validating') ? 'validating' : 'none';
}

/** Of the amounts in the journal; the gateway may write them with fewer. */
export function digitsIn(requests: readonly Intent[]): number {
  const sum = requests.map((each) => each.sum ?? sumOfWhole(each)).find((each) => each !== undefined);
  return sum === undefined ? 0 : digitsOfSum(sum);
}

/** An amount in a status reply; undefined where the gateway sent none, or text that is not an amount. */
function amountIn(fields: Fields, name: string): string | undefined {
  const text = fields.get(name);
  return text !== undefined && isDecimal(text) ? text : undefined;
}
