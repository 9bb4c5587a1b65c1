import type { Request, SeenOrder, Sum } from '../../../journal/port.js';
import { type State, wasMarked } from '../../../journal/states.js';
import { stateClause } from '../../../payments/words.js';
import { payoutCheck } from '../../../spec/index.js';
import { isOfFollowUp, unknownToGateway } from '../../../spec/transaction-words.js';
import { isRegistered, wasVoided, wordOf } from '../../core/order-words.js';
import { markWords, settledWord } from '../../format/journal-entries.js';
import { amountText, commandOf, sumOf, waitingIn, waitingText } from '../../format/meaning.js';

/** An order of the journal: what made it, and what followed from here. */
export interface ListedOrder {
  /** When it was recorded, or seen. */
  readonly at: number;
  readonly orderId: string | undefined;
  readonly clientOrderId: string | undefined;
  readonly base: string;
  readonly profile: string;
  /** Undefined where it was only seen. */
  readonly endpoint: string | undefined;
  /** The request that made it; undefined for one made elsewhere. */
  readonly payment: Request | undefined;
  /** The word of its status; undefined where the journal does not know. */
  readonly status: string | undefined;
  /** The last status from the gateway. */
  readonly gatewayStatus: string | undefined;
  readonly sum: Sum | undefined;
  /** Last four digits. */
  readonly card: string | undefined;
  readonly why: string;
  /** Requests on it, oldest first. */
  readonly followUps: readonly Request[];
}

/** One that was sent from here. */
export function listedPayment(payment: Request, followUps: readonly Request[]): ListedOrder {
  const own = whyOf(payment);
  return {
    ...placeOf(payment, [payment, ...followUps]),
    payment,
    status: paymentStatus(payment, followUps),
    gatewayStatus: payment.outcome['status'],
    sum: payment.sum,
    why: [...(own === '' ? [] : [own]), ...followUps.map(followUpText)].join('; '),
    followUps,
  };
}

/** One that was made elsewhere, by the requests on it from here. */
export function listedElsewhere(first: Request, followUps: readonly Request[]): ListedOrder {
  return {
    ...placeOf(first, followUps),
    payment: undefined,
    // A follow-up is allowed only on an approved order.
    status: followUps.some(({ state }) => state === 'done') ? statusOfApproved(followUps) : undefined,
    gatewayStatus: undefined,
    sum: undefined,
    why: ['made elsewhere', ...followUps.map(followUpText)].join('; '),
    followUps,
  };
}

/** One on which nothing was sent from here. */
export function listedSeen(seen: SeenOrder): ListedOrder {
  const { at, orderId, clientOrderId, base, profile, status, sum, card4: card, type, outcome } = seen;
  const isOfLater = type !== undefined && isOfFollowUp(new Map(Object.entries(outcome)));
  return {
    ...{ at, orderId, clientOrderId, base, profile, endpoint: undefined, payment: undefined },
    ...{ status, gatewayStatus: status, sum, card, followUps: [] },
    why: `seen, made elsewhere${isOfLater ? `; its newest transaction is a ${type}` : ''}`,
  };
}

function placeOf(request: Request, all: readonly Request[]) {
  const { createdAt: at, orderId, clientOrderId, base, profile, endpoint } = request;
  const card = all.find(({ card4 }) => card4 !== undefined)?.card4;
  return { at, orderId, clientOrderId, base, profile, endpoint, card };
}

/** A void leaves nothing of an approved order, and a registration charges nothing. */
function paymentStatus(payment: Request, followUps: readonly Request[]): string {
  if (payment.state !== 'done') return wordOf(payment.state);
  return isRegistered(payment) ? 'registered' : statusOfApproved(followUps);
}

function statusOfApproved(followUps: readonly Request[]): string {
  return wasVoided(followUps) ? 'voided' : wordOf('done');
}

/** The status for people: an order that a person marked as not paid may never have reached a bank. */
export function statusText({ payment, status = '' }: ListedOrder): string {
  return payment?.state === 'declined' && wasMarked(payment) ? settledWord(payment) : status;
}

function whyOf(payment: Request): string {
  const { state, operation } = payment;
  const waiting = state === 'accepted' ? waitingIn([payment]) : undefined;
  if (waiting !== undefined) return waitingText(waiting);
  if (state === 'accepted') return 'accepted, no final status seen yet';
  if (state === 'done' && isRegistered(payment)) return 'it charges nothing itself';
  return state === 'done' && operation === payoutCheck.id ? 'checked' : declineOf(payment);
}

/** What was sent, and what is known of it. */
function followUpText(request: Request): string {
  const why = declineOf(request);
  const words = [commandOf(request), sumOf(request), stateClause(request.state)];
  const what = words.filter((word) => word !== '').join(' ');
  return request.state === 'declined' && why !== '' ? `${what}: ${why}` : what;
}

const quiet: ReadonlySet<State> = new Set(['done', 'accepted']);

/** The bank's reason where it gave one, unless a person decided otherwise. */
function declineOf(request: Request): string {
  const { state, outcome, reason } = request;
  if (state !== 'conflict' && wasMarked(request)) return markWords(request);
  if (quiet.has(state)) return '';
  return (
    outcome['error-message'] ?? (state === 'unknown' && outcome['status'] === 'unknown' ? unknownToGateway : reason)
  );
}

/** One request on an order, for programs. */
export function sentDocument(request: Request) {
  const { sum, state, createdAt } = request;
  return {
    operation: commandOf(request),
    amount: sum === undefined ? null : amountText(sum),
    currency: sum?.currency ?? null,
    state,
    madeAt: new Date(createdAt).toISOString(),
  };
}
