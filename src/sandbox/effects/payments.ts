import type { TransactionKind } from '../../spec/lifecycle.js';
import { parseAmount } from '../../wire/amount.js';
import type { Pair } from '../../wire/form.js';
import { goodCardByReference } from '../cards.js';
import { courseOf } from '../outcomes.js';
import { recordOf } from '../reply.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';
import { authenticating, type Effect, settling } from './effect.js';
import { cardIn, courseFor, openOrder, pageUrl } from './opening.js';

export const sale = cardPayment('sale');
export const preauth = cardPayment('preauth');
export const accountVerification = cardPayment('account-verification');

function cardPayment(kind: TransactionKind): Effect {
  return authenticating((accepted, store) => {
    const { values, amount, digits } = accepted;
    const course = courseFor(accepted, { cardNumber: values['cardNumber'], cvv: values['cvv'], amount, digits });
    const pageToken = course.step === 'none' ? undefined : store.random.letters(32);
    const order = openOrder(accepted, store, { kind, course, card: cardIn(accepted, store, 'cardNumber'), pageToken });
    return recordOf(accepted, order, pageToken === undefined ? [] : [['redirect_url', pageUrl(accepted, '3ds', pageToken)]]);
  });
}

/** A charge of a stored card. With `enumerate_amounts` the first amount that is approved is charged (A46). */
export const rebill = settling((accepted: Accepted, store: Store): readonly Pair[] => {
  const { values, merchant, amount, digits } = accepted;
  const card = goodCardByReference(store, merchant.login, values['cardRefId'] ?? '', 'cardrefid');
  const listed = (values['enumerateAmounts'] ?? '').split(',').filter((text) => text !== '');
  const amounts = [amount, ...listed.map((text) => parseAmount(text, values['currency'] ?? '', digits))];
  const taken = amounts.find((each) => courseOf({ amount: each }).outcome === 'approved') ?? amount;
  const course = courseFor(accepted, { cvv: values['cvv'], amount: taken, digits });
  return recordOf(accepted, openOrder(accepted, store, { kind: 'rebill', course, card, amount: taken }));
});
