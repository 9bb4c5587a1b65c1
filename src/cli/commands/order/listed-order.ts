import {
  cardOfOrder,
  digitsOfSum,
  type Intent,
  isCaptureUnknown,
  isHold,
  type Journal,
  lastReturnOfAll,
  leftToCapture,
  leftToReturn,
  type Moved,
  movedByFollowUps,
  movedIn,
  type State,
  type Sum,
  settledWord,
  stateClause,
  sumOfWhole,
  type Waiting,
  wasSettledManually,
} from '../../../journal/index.js';
import { payoutCheck, payoutPay } from '../../../spec/index.js';
import { unknownToGateway } from '../../../spec/transaction-words.js';
import { decimalText, fractionOf, isDecimal, readAmount } from '../../../wire/amount.js';
import { lastTotalReturned, returnedElsewhere } from '../../core/order-amounts.js';
import { inDoubtOf } from '../../core/order-facts.js';
import { isRegistered, statuses, wasVoided, wordOf } from '../../core/order-offline.js';
import { sumOf } from '../../format/journal-entries.js';
import { commandOf, waitingText } from '../../format/meaning.js';

/** An order in the journal: the request that made it, and the outcome of its follow-ups. */
export interface ListedOrder {
  /** The request that made it; of an order that was made elsewhere the first request on it from here. */
  readonly opening: Intent;
  readonly isElsewhere: boolean;
  /** Undefined where the journal does not know. */
  readonly state: State | undefined;
  /** The amount of the order. */
  readonly sum: Sum | undefined;
  /** An amount in its currency and digits. */
  readonly unit: Sum | undefined;
  /** In the digits of `unit`; undefined where the journal does not know. */
  readonly moved: Moved | undefined;
  /** Of that, what no request of the journal returned; undefined where it does not know. */
  readonly elsewhere: bigint | undefined;
  readonly isVoided: boolean;
  /** The last request was a return of all that was left of what was captured. */
  readonly isReturnedWhole: boolean;
  /** Last four digits. */
  readonly card: string | undefined;
  readonly why: string;
}

/** The word of its status; a void leaves nothing of an approved order, and a registration charges nothing. */
export function statusWordOf({ opening, state, isVoided }: ListedOrder): string | undefined {
  if (isVoided) return 'voided';
  if (state === 'done' && isRegistered(opening)) return 'registered';
  return state === undefined ? undefined : wordOf(state);
}

/** The same for people: an order that a person settled as not paid may never have reached a bank. */
export function statusTextOf(order: ListedOrder): string | undefined {
  const { state, reason } = order.opening;
  const isDeclined = order.state === 'declined' && state === 'declined';
  return isDeclined && wasSettledManually(reason) ? settledWord(order.opening) : statusWordOf(order);
}

export function listedOrder(journal: Journal, opening: Intent): ListedOrder {
  const { base, orderId, state, sum } = opening;
  const followUps =
    orderId === undefined
      ? []
      : journal.list({ base, order: orderId, kind: 'follow-up' }).filter((each) => each.orderId === orderId);
  if (opening.kind !== 'opening') return madeElsewhere(opening, followUps);
  const isUnknown = statuses.unknown.some((each) => each === state);
  const { moved, elsewhere } = isUnknown ? { moved: undefined } : movedOf(opening, followUps);
  const waiting = journal.waiting(opening);
  return {
    ...{ opening, isElsewhere: false, sum, unit: sum, moved, elsewhere, isVoided: wasVoided(followUps) },
    isReturnedWhole: lastReturnOfAll(followUps) !== undefined,
    card: cardOfOrder([opening, ...followUps]),
    state: journal.orderState(opening),
    why: followUpText(opening, followUps) ?? whyOf(opening, waiting, moved),
  };
}

/** An order of another machine, of which only the requests sent from here are known. */
function madeElsewhere(opening: Intent, followUps: readonly Intent[]): ListedOrder {
  const unit = followUps.map((each) => each.sum ?? sumOfWhole(each)).find((each) => each !== undefined);
  const moved = movedByFollowUps(followUps);
  const pending = moved === undefined || unit === undefined ? [] : pendingTexts(moved, digitsOfSum(unit));
  const failed = followUps.findLast(({ state }) => state === 'declined');
  const what =
    followUpText(opening, followUps) ??
    (pending.length > 0 || failed === undefined
      ? pending.join(', ')
      : `${commandOf(failed)} declined: ${declineOf(failed)}`);
  return {
    ...{ opening, isElsewhere: true, unit, moved, elsewhere: undefined, isVoided: wasVoided(followUps) },
    isReturnedWhole: lastReturnOfAll(followUps) !== undefined,
    card: cardOfOrder(followUps),
    // A follow-up is allowed only on an approved order.
    state: followUps.some(({ state }) => state === 'done') ? 'done' : undefined,
    sum: initialAmount(followUps),
    why: ['made elsewhere', what].filter((text) => text !== '').join('; '),
  };
}

/** The amount of the order in the newest reply that shows it. */
function initialAmount(followUps: readonly Intent[]): Sum | undefined {
  const reply = followUps.findLast(({ outcome }) => isDecimal(outcome['initial-amount'] ?? ''))?.outcome;
  const text = reply?.['initial-amount'];
  const currency = reply?.['currency'];
  if (text === undefined || currency === undefined) return undefined;
  return { minor: String(BigInt(text.replace('.', ''))), currency, digits: fractionOf(text) };
}

/** What the journal moved, and what the last status reply it kept shows beyond that. */
function movedOf(opening: Intent, followUps: readonly Intent[]): Pick<ListedOrder, 'moved' | 'elsewhere'> {
  const requests = [opening, ...followUps];
  const moved = movedIn(requests);
  const total = lastTotalReturned(requests);
  const text = total === undefined ? undefined : returnedElsewhere(total, requests);
  if (moved === undefined || opening.sum === undefined || text === undefined) return { moved, elsewhere: undefined };
  const reading = readAmount(text, opening.sum.currency, digitsOfSum(opening.sum));
  const elsewhere = reading.ok ? reading.minor : 0n;
  const { captured, returned, released, isCapturedElsewhere } = moved;
  if (isReleaseOrReturn({ opening, moved, elsewhere })) return { moved, elsewhere };
  const more =
    captured > 0n || isCapturedElsewhere ? { returned: returned + elsewhere } : { released: released + elsewhere };
  return { moved: { ...moved, ...more }, elsewhere };
}

/** Whether what moved elsewhere may have been released before a capture, or returned after it. */
function isReleaseOrReturn({ opening, moved, elsewhere = 0n }: Pick<ListedOrder, 'opening' | 'moved' | 'elsewhere'>) {
  return isHold(opening) && (moved?.captured ?? 0n) > 0n && elsewhere > 0n;
}

function whyOf(opening: Intent, waiting: Waiting | undefined, moved: Moved | undefined): string {
  if (waiting !== undefined) return waitingText(waiting);
  if (opening.state === 'accepted') return 'accepted, no final status seen yet';
  if (opening.state === 'done' && isRegistered(opening)) return 'it charges nothing itself';
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
  const inDoubt = inDoubtOf(followUps);
  if (inDoubt !== undefined)
    return [commandOf(inDoubt), sumOf(inDoubt), stateClause(inDoubt.state)].filter((word) => word !== '').join(' ');
  if (wasVoided(followUps)) return 'voided';
  if (operation !== payoutCheck.id) return undefined;
  const payment = followUps.findLast((each) => each.operation === payoutPay.id);
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

/** An approved hold of this journal of which nothing was captured. */
export function isUncaptured({ opening, state, moved }: ListedOrder): boolean {
  return isHold(opening) && state === 'done' && moved?.captured === 0n && !moved.isCapturedElsewhere;
}

/** What may still be given back; undefined for orders of which nothing could be returned, such as declined ones. */
export function leftOf(order: ListedOrder): bigint | undefined {
  const { moved, isElsewhere, state, isReturnedWhole } = order;
  if (moved === undefined || isElsewhere || state !== 'done') return undefined;
  if (isReturnedWhole) return 0n;
  if (isCaptureUnknown(moved)) return undefined;
  if (isReleaseOrReturn(order)) return moved.returned < moved.captured ? undefined : 0n;
  return moved.captured > 0n || isUncaptured(order) ? leftToReturn(moved) : 0n;
}

/** Undefined where nothing can be captured, and once a part was: the rest may be released (A34). */
export function leftToCaptureOf(order: ListedOrder): bigint | undefined {
  return order.moved !== undefined && isUncaptured(order) ? leftToCapture(order.moved) : undefined;
}
