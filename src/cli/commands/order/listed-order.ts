import {
  cardOfOrder,
  type Intent,
  type Journal,
  type State,
  type Sum,
  settledWord,
  stateClause,
  wasSettledManually,
} from '../../../journal/index.js';
import { payoutCheck } from '../../../spec/index.js';
import { unknownToGateway } from '../../../spec/transaction-words.js';
import { isRegistered, wasVoided, wordOf } from '../../core/order-words.js';
import { sumOf } from '../../format/journal-entries.js';
import { commandOf, waitingText } from '../../format/meaning.js';

/** An order in the journal: the request that made it, and what followed from here. */
export interface ListedOrder {
  /** The request that made it; of an order that was made elsewhere the first request on it from here. */
  readonly opening: Intent;
  readonly isElsewhere: boolean;
  /** Undefined where the journal does not know. */
  readonly state: State | undefined;
  /** Of an order made elsewhere the first request on it is among them. */
  readonly followUps: readonly Intent[];
  /** Of the request that made it. */
  readonly sum: Sum | undefined;
  /** Last four digits. */
  readonly card: string | undefined;
  readonly why: string;
}

/** The word of its status; a void leaves nothing of an approved order, and a registration charges nothing. */
export function statusWordOf({ opening, state, followUps }: ListedOrder): string | undefined {
  if (wasVoided(followUps)) return 'voided';
  if (state === 'done' && isRegistered(opening)) return 'registered';
  return state === undefined ? undefined : wordOf(state);
}

/** The same for people: an order that a person settled as not paid may never have reached a bank. */
export function statusTextOf(order: ListedOrder): string {
  const { state, reason } = order.opening;
  const isDeclined = order.state === 'declined' && state === 'declined';
  return (isDeclined && wasSettledManually(reason) ? settledWord(order.opening) : statusWordOf(order)) ?? '';
}

export function listedOrder(journal: Journal, opening: Intent): ListedOrder {
  const { base, orderId } = opening;
  const followUps =
    orderId === undefined
      ? []
      : journal.list({ base, order: orderId, kind: 'follow-up' }).filter((each) => each.orderId === orderId);
  const followed = followUps.map(followUpText);
  if (opening.kind !== 'opening') {
    // A follow-up is allowed only on an approved order.
    const state = followUps.some((each) => each.state === 'done') ? 'done' : undefined;
    const why = ['made elsewhere', ...followed].join('; ');
    return { opening, isElsewhere: true, state, followUps, sum: undefined, card: cardOfOrder(followUps), why };
  }
  const own = whyOf(opening, journal);
  return {
    ...{ opening, isElsewhere: false, state: journal.orderState(opening), followUps, sum: opening.sum },
    card: cardOfOrder([opening, ...followUps]),
    why: [...(own === '' ? [] : [own]), ...followed].join('; '),
  };
}

function whyOf(opening: Intent, journal: Journal): string {
  const waiting = journal.waiting(opening);
  if (waiting !== undefined) return waitingText(waiting);
  const { state, operation } = opening;
  if (state === 'accepted') return 'accepted, no final status seen yet';
  if (state === 'done' && isRegistered(opening)) return 'it charges nothing itself';
  return state === 'done' && operation === payoutCheck.id ? 'checked' : declineOf(opening);
}

/** What was sent, and what is known of it. */
function followUpText(intent: Intent): string {
  const why = declineOf(intent);
  const what = [commandOf(intent), sumOf(intent), stateClause(intent.state)].filter((word) => word !== '').join(' ');
  return intent.state === 'declined' && why !== '' ? `${what}: ${why}` : what;
}

/** The bank's reason where it gave one, unless a person decided otherwise. */
function declineOf({ state, outcome, reason }: Intent): string {
  if (state !== 'conflict' && wasSettledManually(reason)) return reason;
  if (state === 'done' || state === 'accepted') return '';
  return (
    outcome['error-message'] ?? (state === 'unknown' && outcome['status'] === 'unknown' ? unknownToGateway : reason)
  );
}
