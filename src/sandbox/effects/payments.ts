import { testCards } from '../../spec/index.js';
import type { TransactionKind } from '../../spec/lifecycle.js';
import { parseAmount } from '../../wire/amount.js';
import type { Pair } from '../../wire/form.js';
import type { AcceptedRequest } from '../checks/request.js';
import {
  cardById,
  cardByReference,
  cardReferenceFor,
  requireUnexpired,
  type StoredCard,
  storeCard,
  unexpiredCardByReference,
} from '../ledger/cards.js';
import { type Scenario, scenarioFor } from '../ledger/outcomes.js';
import { Refusal } from '../ledger/refusal.js';
import { number, type Store } from '../ledger/store.js';
import { followUpTarget } from './follow-ups.js';
import {
  authenticatingEffect,
  cardFromRequest,
  type Effect,
  immediateEffect,
  openOrder,
  pageUrl,
  requestedScenario,
  transactionEffect,
} from './open-order.js';
import { storeProfile } from './recurring.js';
import { type Own, recordOf } from './reply.js';

export const sale = cardPayment('sale');
export const preauth = cardPayment('preauth');
export const accountVerification = cardPayment('account-verification');

function cardPayment(kind: TransactionKind): Effect {
  return authenticatingEffect((accepted, store) => {
    const { values, amount, digits } = accepted;
    const scenario = requestedScenario(accepted, {
      cardNumber: values['cardNumber'],
      cvv: values['cvv'],
      amount,
      digits,
    });
    const pageToken = scenario.step === 'none' ? undefined : store.random.letters(32);
    const order = openOrder(accepted, store, {
      kind,
      scenario,
      card: cardFromRequest(accepted, store, 'cardNumber'),
      pageToken,
    });
    return recordOf('AsyncResponse', accepted, order, bankPage(accepted, pageToken));
  });
}

function bankPage(accepted: AcceptedRequest, pageToken: string | undefined): Own<'AsyncResponse'> {
  return pageToken === undefined ? {} : { redirect: pageUrl(accepted, '3ds', pageToken) };
}

/** A charge of a stored card. With `enumerate_amounts` the first amount that is approved is charged (A46). */
export const rebill = transactionEffect((accepted: AcceptedRequest, store: Store): readonly Pair[] => {
  const { values, merchant, amount, digits } = accepted;
  const card = unexpiredCardByReference(store, merchant.login, values['cardRefId'] ?? '', 'cardrefid');
  const listed = (values['enumerateAmounts'] ?? '').split(',').filter((text) => text !== '');
  const amounts = [amount, ...listed.map((text) => parseAmount(text, values['currency'] ?? '', digits))];
  const taken = amounts.find((each) => scenarioFor({ amount: each }).outcome === 'approved') ?? amount;
  const scenario = requestedScenario(accepted, { cvv: values['cvv'], amount: taken, digits });
  const order = openOrder(accepted, store, { kind: 'rebill', scenario, card, amount: taken });
  return recordOf('AsyncResponse', accepted, order, {});
});

export const saleForm = hostedForm('sale');
export const preauthForm = hostedForm('preauth');
export const payoutForm = hostedForm('payout');
export const accountVerificationForm = hostedForm('account-verification');

/** An order that waits for a customer; with a queued outcome, the customer counts as having used a test card. */
function hostedForm(kind: TransactionKind): Effect {
  return transactionEffect((accepted, store) => {
    const pageToken = store.random.letters(32);
    const isFilled = accepted.queued !== undefined;
    const scenario: Scenario = isFilled ? requestedScenario(accepted, {}) : { step: 'form', outcome: 'approved' };
    const typed = isFilled ? sampleCard(accepted, store) : undefined;
    const side = kind === 'payout' ? { destination: typed } : { card: typed };
    const order = openOrder(accepted, store, { kind, scenario, pageToken, ...side });
    return recordOf('AsyncCheckoutFormRedirect', accepted, order, { redirect: pageUrl(accepted, 'form', pageToken) });
  });
}

function sampleCard({ now }: AcceptedRequest, store: Store): StoredCard | undefined {
  const [card] = testCards;
  if (card === undefined) return undefined;
  const year = String(new Date(now).getUTCFullYear() + 3);
  return storeCard(store, { number: card.number, month: '12', year, holder: 'TEST CARD' });
}

export const payout = transactionEffect((accepted, store) => {
  const scenario = requestedScenario(accepted, { amount: accepted.amount });
  const order = openOrder(accepted, store, { kind: 'payout', scenario, destination: destinationCard(accepted, store) });
  return recordOf('AsyncResponse', accepted, order, {});
});

export const payoutCheck = transactionEffect((accepted, store) => {
  const { outcome } = requestedScenario(accepted, { amount: accepted.amount });
  const scenario = { step: 'validating', outcome } as const;
  const order = openOrder(accepted, store, {
    kind: 'payout-check',
    scenario,
    destination: destinationCard(accepted, store),
  });
  return recordOf('AsyncResponse', accepted, order, {});
});

function destinationCard(accepted: AcceptedRequest, store: Store): StoredCard | undefined {
  const ref = accepted.values['destinationCardRefId'];
  if (ref === undefined) return cardFromRequest(accepted, store, 'cardNumber');
  const card = cardByReference(store, accepted.merchant.login, ref);
  if (card === undefined)
    throw new Refusal('unknown-card', 'destination-card-ref-id is not a card reference of this merchant');
  return card;
}

export const transfer = authenticatingEffect((accepted, store) => {
  const { values, amount, digits } = accepted;
  const card = cardFromRequest(accepted, store, 'cardNumber') ?? sourceTokenCard(accepted, store);
  const destination = destinationCardGiven(accepted, store) ?? tokenCard(accepted, store, 'destinationRecurringId');
  const scenario = requestedScenario(accepted, {
    cardNumber: values['cardNumber'],
    cvv: values['cvv'],
    amount,
    digits,
  });
  const pageToken = scenario.step === 'none' ? undefined : store.random.letters(32);
  const order = openOrder(accepted, store, { kind: 'transfer', scenario, card, destination, pageToken });
  return recordOf('AsyncResponse', accepted, order, bankPage(accepted, pageToken));
});

// The expiry in a transfer belongs to the paying card.
function destinationCardGiven(accepted: AcceptedRequest, store: Store): StoredCard | undefined {
  const { destinationCardNumber } = accepted.values;
  if (destinationCardNumber === undefined) return undefined;
  return cardFromRequest({ ...accepted, values: { destinationCardNumber } }, store, 'destinationCardNumber');
}

/** A48: a token made as DST receives money and does nothing else. */
function sourceTokenCard(accepted: AcceptedRequest, store: Store): StoredCard | undefined {
  const card = tokenCard(accepted, store, 'cardRecurringId');
  if (card === undefined) return undefined;
  const wire = wireName(accepted, 'cardRecurringId');
  const token = accepted.values['cardRecurringId'] ?? '';
  if (store.database.get("SELECT id FROM recurring WHERE id = ? AND card_type = 'DST'", token) !== undefined)
    throw new Refusal(
      'unknown-card',
      `${wire} is a token that receives money (rp_card_type DST), so it cannot be charged (A31)`,
    );
  return requireUnexpired(card, store, wire);
}

function wireName({ route }: AcceptedRequest, key: string): string {
  return route.row.fields[key]?.wire ?? key;
}

/** A31: a token is a recurring payment id. */
function tokenCard(accepted: AcceptedRequest, store: Store, key: string): StoredCard | undefined {
  const { values, merchant } = accepted;
  const token = values[key];
  if (token === undefined) return undefined;
  const row = store.database.get('SELECT card_id FROM recurring WHERE id = ? AND login = ?', token, merchant.login);
  const card = row === undefined ? undefined : cardById(store, number(row, 'card_id'));
  if (card === undefined)
    throw new Refusal('unknown-card', `${wireName(accepted, key)} is not a recurring payment id of this merchant`);
  return card;
}

/** A11: the card of an approved order is kept; under `card-data` the one in the request. */
export const createCardRef = immediateEffect((accepted, store) => {
  const isGiven = accepted.settings.assume['card-ref-source'] === 'card-data';
  const order = isGiven ? undefined : followUpTarget(accepted, store).order;
  const cardId = isGiven ? cardFromRequest(accepted, store, 'cardNumber')?.id : order?.cardId;
  if (cardId === undefined) throw new Refusal('unknown-card', 'the order has no card to tokenize');
  const cardRef = cardReferenceFor(store, accepted.merchant.login, cardId);
  return recordOf('CardRefAsyncResponse', accepted, order, { cardRef });
});

export const cardInfo = immediateEffect((accepted, store) => {
  const ref = accepted.values['cardRefId'] ?? '';
  const card = cardByReference(store, accepted.merchant.login, ref);
  if (card === undefined) throw new Refusal('unknown-card', 'cardrefid is not a card reference of this merchant');
  return recordOf('CardInfoAsyncResponse', accepted, undefined, {
    cardRef: ref,
    bin: card.bin,
    cardType: card.brand,
    maskedNumber: `${card.bin}******${card.lastFour}`,
    lastFour: card.lastFour,
    expireMonth: card.month,
    expireYear: card.year,
    printedName: card.holder,
  });
});

export const createRecurring = immediateEffect((accepted, store) => {
  const card = cardFromRequest(accepted, store, 'cardNumber');
  if (card === undefined) throw new Refusal('unknown-card', 'the request names no card to charge');
  const recurring = storeProfile(store, accepted, card);
  return recordOf('CreateRecurringPaymentResponse', accepted, undefined, { recurring });
});

/** A30: the answer is the status; an eligible card is approved. */
export const panEligibilitySend = transactionEffect((accepted, store) => {
  const scenario = requestedScenario(accepted, {});
  const order = openOrder(accepted, store, { kind: 'pan-eligibility', scenario, card: sendingCard(accepted, store) });
  return recordOf('AsyncResponse', accepted, order, {});
});

function sendingCard(accepted: AcceptedRequest, store: Store): StoredCard | undefined {
  const ref = accepted.values['sendingCardRefId'];
  if (ref === undefined) return cardFromRequest(accepted, store, 'sendingCardNumber');
  return unexpiredCardByReference(store, accepted.merchant.login, ref, 'sending-card-ref-id');
}
