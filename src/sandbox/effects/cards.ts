import { cardByReference, goodCardByReference, referenceTo, type StoredCard } from '../cards.js';
import { keepProfile } from '../recurring/profiles.js';
import { Refusal } from '../refusal.js';
import { recordOf } from '../reply.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';
import { immediate, settling } from './effect.js';
import { cardIn, courseFor, openOrder } from './opening.js';
import { targetOf } from './target.js';

/** A11: the card of an approved order is kept; under `card-data` the one in the request. */
export const createCardRef = immediate((accepted, store) => {
  const isGiven = accepted.terms.assume['card-ref-source'] === 'card-data';
  const order = isGiven ? undefined : targetOf(accepted, store).order;
  const cardId = isGiven ? cardIn(accepted, store, 'cardNumber')?.id : order?.cardId;
  if (cardId === undefined) throw new Refusal('unknown-card', 'the order has no card to keep');
  return recordOf(accepted, order, [['card-ref-id', referenceTo(store, accepted.merchant.login, cardId)]]);
});

export const cardInfo = immediate((accepted, store) => {
  const ref = accepted.values['cardRefId'] ?? '';
  const card = cardByReference(store, accepted.merchant.login, ref);
  if (card === undefined) throw new Refusal('unknown-card', 'cardrefid is no card reference of this merchant');
  return recordOf(accepted, undefined, [
    ['card-ref-id', ref],
    ['bin', card.bin],
    ['card-type', card.brand],
    ['masked-card-number', `${card.bin}******${card.lastFour}`],
    ['last-four-digits', card.lastFour],
    ['expire-month', card.month],
    ['expire-year', card.year],
    ['card-printed-name', card.holder],
  ]);
});

export const createRecurring = immediate((accepted, store) => {
  const card = cardIn(accepted, store, 'cardNumber');
  if (card === undefined) throw new Refusal('unknown-card', 'there is no card to charge');
  return recordOf(accepted, undefined, [['recurring-payment-id', keepProfile(store, accepted, card)]]);
});

/** A30: the answer is the status; an eligible card is approved. */
export const panEligibilitySend = settling((accepted, store) => {
  const course = courseFor(accepted, {});
  return recordOf(accepted, openOrder(accepted, store, { kind: 'pan-eligibility', course, card: sendingCard(accepted, store) }));
});

function sendingCard(accepted: Accepted, store: Store): StoredCard | undefined {
  const ref = accepted.values['sendingCardRefId'];
  if (ref === undefined) return cardIn(accepted, store, 'sendingCardNumber');
  return goodCardByReference(store, accepted.merchant.login, ref, 'sending-card-ref-id');
}
