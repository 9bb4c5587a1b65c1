import { cardById, cardByReference, type StoredCard, stillGood } from '../cards.js';
import { number } from '../columns.js';
import { Refusal } from '../refusal.js';
import { recordOf } from '../reply.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';
import { authenticating, settling } from './effect.js';
import { cardIn, courseFor, openOrder, pageUrl } from './opening.js';

export const payout = settling((accepted, store) => {
  const course = courseFor(accepted, { amount: accepted.amount });
  return recordOf(accepted, openOrder(accepted, store, { kind: 'payout', course, destination: receiver(accepted, store) }));
});

export const payoutCheck = settling((accepted, store) => {
  const { outcome } = courseFor(accepted, { amount: accepted.amount });
  const course = { step: 'validating', outcome } as const;
  return recordOf(accepted, openOrder(accepted, store, { kind: 'payout-check', course, destination: receiver(accepted, store) }));
});

function receiver(accepted: Accepted, store: Store): StoredCard | undefined {
  const ref = accepted.values['destinationCardRefId'];
  if (ref === undefined) return cardIn(accepted, store, 'cardNumber');
  const card = cardByReference(store, accepted.merchant.login, ref);
  if (card === undefined) throw new Refusal('unknown-card', 'destination-card-ref-id is no card reference of this merchant');
  return card;
}

export const transfer = authenticating((accepted, store) => {
  const { values, amount, digits } = accepted;
  const card = cardIn(accepted, store, 'cardNumber') ?? payingToken(accepted, store);
  const destination = receivingCard(accepted, store) ?? tokenCard(accepted, store, 'destinationRecurringId');
  const course = courseFor(accepted, { cardNumber: values['cardNumber'], cvv: values['cvv'], amount, digits });
  const pageToken = course.step === 'none' ? undefined : store.random.letters(32);
  const order = openOrder(accepted, store, { kind: 'transfer', course, card, destination, pageToken });
  return recordOf(accepted, order, pageToken === undefined ? [] : [['redirect_url', pageUrl(accepted, '3ds', pageToken)]]);
});

// The expiry in a transfer is that of the card that pays.
function receivingCard(accepted: Accepted, store: Store): StoredCard | undefined {
  const { destinationCardNumber } = accepted.values;
  if (destinationCardNumber === undefined) return undefined;
  return cardIn({ ...accepted, values: { destinationCardNumber } }, store, 'destinationCardNumber');
}

/** A48: a token made as DST receives money and does nothing else. */
function payingToken(accepted: Accepted, store: Store): StoredCard | undefined {
  const card = tokenCard(accepted, store, 'cardRecurringId');
  if (card === undefined) return undefined;
  const wire = wireOf(accepted, 'cardRecurringId');
  const token = accepted.values['cardRecurringId'] ?? '';
  if (store.database.get("SELECT id FROM recurring WHERE id = ? AND card_type = 'DST'", token) !== undefined)
    throw new Refusal('unknown-card', `${wire} is a token that receives money (rp_card_type DST), so it cannot pay (A31)`);
  return stillGood(card, store, wire);
}

function wireOf({ route }: Accepted, key: string): string {
  return route.row.fields[key]?.wire ?? key;
}

/** A31: a token is a recurring payment id. */
function tokenCard(accepted: Accepted, store: Store, key: string): StoredCard | undefined {
  const { values, merchant } = accepted;
  const token = values[key];
  if (token === undefined) return undefined;
  const row = store.database.get('SELECT card_id FROM recurring WHERE id = ? AND login = ?', token, merchant.login);
  const card = row === undefined ? undefined : cardById(store, number(row, 'card_id'));
  if (card === undefined) throw new Refusal('unknown-card', `${wireOf(accepted, key)} is no recurring payment id of this merchant`);
  return card;
}
