import { type OperationId, testCards } from '../spec/index.js';
import { legality, type TransactionKind } from '../spec/lifecycle.js';
import { decimalText, parseAmount } from '../wire/amount.js';
import type { Pair } from '../wire/form.js';
import { withoutCardNumbers } from '../wire/mask.js';
import { balanceOf, factsOf, type OrderBalance } from './balance.js';
import { cardById, cardByReference, cardReferenceFor, requireUnexpired, type StoredCard, storeCard } from './cards.js';
import { gatewayPrefix } from './checks.js';
import { addOrder, addTransaction, type Order, orderById, type Transaction, transactionsOf } from './orders.js';
import { finalTime, type Scenario, type ScenarioInput, scenarioFor, scenarioNamed } from './outcomes.js';
import { profiles, storeProfile } from './recurring.js';
import { Refusal } from './refusal.js';
import { type Own, recordOf } from './replies.js';
import type { AcceptedRequest } from './request.js';
import type { Store } from './store.js';
import { addVisit, payerWaitMs } from './visits.js';

type Run = (accepted: AcceptedRequest, store: Store) => readonly Pair[];

/** What an accepted request does. */
export interface Effect {
  /** True when it makes a transaction, which a queued outcome may decide. */
  readonly addsTransaction: boolean;
  /** True when a payer may have to go through 3-D Secure first. */
  readonly authenticates: boolean;
  /** Changes the state and returns the fields of the reply. Throws a Refusal when the state does not allow it. */
  readonly run: Run;
}

export function immediate(run: Run): Effect {
  return { addsTransaction: false, authenticates: false, run };
}

type CardReader = (accepted: AcceptedRequest, store: Store) => StoredCard | undefined;

interface Opening {
  readonly kind: TransactionKind;
  readonly authenticates?: true;
  /** The card that pays, and the one that receives. */
  readonly card?: CardReader;
  readonly destination?: CardReader;
  /** The amount, where it may differ from the request's. */
  readonly amount?: (accepted: AcceptedRequest) => bigint | undefined;
}

/** Makes an order with its first transaction, which may begin with 3-D Secure. */
function opening({ kind, authenticates = undefined, card, destination, amount: chooseAmount }: Opening): Effect {
  const run: Run = (accepted, store) => {
    const { cardNumber, cvv } = accepted.values;
    const amount = chooseAmount === undefined ? accepted.amount : chooseAmount(accepted);
    const cards = { card: card?.(accepted, store), destination: destination?.(accepted, store) };
    const found = requestedScenario(accepted, { cardNumber, cvv, amount, digits: accepted.digits });
    // A29
    const scenario: Scenario = kind === 'payout-check' ? { ...found, step: 'validating' } : found;
    const isAtBank = authenticates === true && scenario.step !== 'none';
    const pageToken = isAtBank ? store.random.letters(32) : undefined;
    const order = openOrder(accepted, store, { kind, scenario, amount, pageToken, ...cards });
    const redirect = pageToken === undefined ? {} : { redirect: pageUrl(accepted, '3ds', pageToken) };
    return recordOf('AsyncResponse', accepted, order, redirect);
  };
  return { addsTransaction: true, authenticates: authenticates === true, run };
}

/** An order that waits for a customer; with a queued outcome, the customer counts as having used a test card. */
function hostedForm(kind: TransactionKind): Effect {
  const run: Run = (accepted, store) => {
    const pageToken = store.random.letters(32);
    const isFilled = accepted.queued !== undefined;
    const scenario: Scenario = isFilled ? requestedScenario(accepted, {}) : { step: 'form', outcome: 'approved' };
    const typed = isFilled ? sampleCard(accepted, store) : undefined;
    const side = kind === 'payout' ? { destination: typed } : { card: typed };
    const order = openOrder(accepted, store, { kind, scenario, amount: accepted.amount, pageToken, ...side });
    return recordOf('AsyncCheckoutFormRedirect', accepted, order, { redirect: pageUrl(accepted, 'form', pageToken) });
  };
  return { addsTransaction: true, authenticates: false, run };
}

function sampleCard({ now }: AcceptedRequest, store: Store): StoredCard {
  const year = String(new Date(now).getUTCFullYear() + 3);
  return storeCard(store, { number: testCards[0]?.number ?? '', month: '12', year, holder: 'TEST CARD' });
}

interface NewPayment {
  readonly kind: TransactionKind;
  readonly scenario: Scenario;
  readonly amount: bigint | undefined;
  readonly card?: StoredCard | undefined;
  readonly destination?: StoredCard | undefined;
  readonly pageToken: string | undefined;
}

function openOrder(
  accepted: AcceptedRequest,
  store: Store,
  { kind, scenario, amount, card, destination, pageToken }: NewPayment,
): Order {
  const { values, merchant, route, serial, now, settings } = accepted;
  const { clientOrderId = '', currency, redirectUrl, serverCallbackUrl, notifyUrl, orderDesc, merchantData } = values;
  const order = addOrder(store, {
    ...{ clientOrderId, currency, redirectUrl, notifyUrl, merchantData },
    login: merchant.login,
    endpointId: route.endpointId,
    amount: accepted.amount,
    digits: accepted.digits,
    operation: route.id,
    madeAt: now,
    callbackUrl: serverCallbackUrl,
    description: orderDesc && withoutCardNumbers(orderDesc),
    cardId: card?.id,
    destinationId: destination?.id,
  });
  const awaitsPayer = scenario.step !== 'none' && scenario.step !== 'validating';
  const dueAt = awaitsPayer ? undefined : finalTime(now, scenario.outcome, settings.settleMs);
  addTransaction(store, order, { ...scenario, kind, clientOrderId, amount, dueAt, serial, values });
  if (pageToken !== undefined)
    addVisit(store, {
      token: pageToken,
      orderId: order.id,
      // A32: a form or 3-D Secure step waits for its payer for a limited time.
      expiresAt: awaitsPayer ? now + payerWaitMs : undefined,
      stepAt: now,
      successUrl: values['redirectSuccessUrl'],
      failUrl: values['redirectFailUrl'],
    });
  return order;
}

/** The outcome requested for the request, else that of the published tables. */
function requestedScenario({ queued }: AcceptedRequest, facts: ScenarioInput): Scenario {
  return scenarioNamed(queued) ?? scenarioFor(facts);
}

/** The address of a hosted page. */
export function pageUrl({ pagesOrigin }: AcceptedRequest, kind: 'form' | '3ds' | 'go', token: string): string {
  return `${pagesOrigin}${gatewayPrefix}/pages/${kind}/${token}`;
}

/** The order of a follow-up in its current state. */
export interface FollowUpTarget {
  readonly order: Order;
  readonly opening: Transaction;
  readonly account: OrderBalance;
}

/** Finds the order of a follow-up and checks that the follow-up is allowed. Throws a Refusal with the reason. */
export function followUpTarget(accepted: AcceptedRequest, store: Store): FollowUpTarget {
  const { values, merchant, route, settings } = accepted;
  const order = orderById(store, merchant.login, values['orderId'] ?? '');
  const transactions = order === undefined ? [] : transactionsOf(store, order.id);
  const [opening] = transactions;
  if (order === undefined || opening === undefined) throw orderNotFound();
  if (settings.assume['follow-up-order-id'] === 'original' && values['clientOrderId'] !== order.clientOrderId)
    throw new Refusal('unknown-order', `client_orderid is not the one order ${order.id} was created with (A41)`);
  const reason = legality(route.id, factsOf(store, order, transactions), settings.assume);
  if (reason !== undefined) {
    const detail = `${route.row.command} while the order was still processing`;
    const isEarly = transactions.some(({ status }) => status === 'processing');
    throw new Refusal('illegal-move', reason, isEarly ? [{ rule: 'acted-before-final', detail }] : []);
  }
  return { order, opening, account: balanceOf(order, transactions) };
}

export function orderNotFound(): Refusal {
  return new Refusal('unknown-order', 'order not found');
}

/** Throws a Refusal when the endpoint a follow-up came to does not take the currency of its order. */
export function checkCurrency({ merchant, route }: AcceptedRequest, { id, currency }: Order): void {
  const taken = merchant.endpoints.find((endpoint) => endpoint.id === route.endpointId)?.currency;
  if (taken !== undefined && currency !== undefined && currency !== taken)
    throw new Refusal('sum', `endpoint ${route.endpointId} accepts ${taken} only, but order ${id} is in ${currency}`);
}

interface Movement {
  readonly kind: TransactionKind;
  /** What it moves when no amount is given, and the most it may. */
  readonly left: bigint | undefined;
  /** What that is the rest of, in words. */
  readonly of?: string;
}

/** Adds a transaction to an order, whose money it moves. Only an amount given in the request can select an outcome. */
function followUp(movementOf: (target: FollowUpTarget) => Movement): Effect {
  const run: Run = (accepted, store) => {
    const target = followUpTarget(accepted, store);
    const { order } = target;
    checkCurrency(accepted, order);
    const { kind, left, of } = movementOf(target);
    const { values, serial, now, settings } = accepted;
    const scenario = requestedScenario(accepted, { amount: accepted.amount });
    const amount = of === undefined ? left : amountWithin(accepted, order, left ?? 0n, of);
    const clientOrderId = values['clientOrderId'] ?? order.clientOrderId;
    const dueAt = finalTime(now, scenario.outcome, settings.settleMs);
    addTransaction(store, order, { ...scenario, kind, clientOrderId, amount, dueAt, serial, values });
    return recordOf('AsyncResponse', accepted, order, {});
  };
  return { addsTransaction: true, authenticates: false, run };
}

/** The amount of a capture or return: the requested one, or all that is left. */
function amountWithin({ amount, values }: AcceptedRequest, order: Order, left: bigint, of: string): bigint {
  const { currency = '', digits } = order;
  if (values['currency'] !== undefined && values['currency'] !== currency)
    throw new Refusal('sum', `currency must be ${currency}, as in order ${order.id}`);
  if (amount === undefined) return left;
  if (amount > left) {
    const remaining = `${decimalText(left, digits)} ${currency}`;
    throw new Refusal('sum', `amount ${decimalText(amount, digits)} is more than the remaining ${remaining} of ${of}`);
  }
  return amount;
}

/** Stores what may be stored of the card of a request; undefined when it has none. */
function cardFromRequest({ values }: AcceptedRequest, store: Store, numberKey = 'cardNumber'): StoredCard | undefined {
  const number = values[numberKey];
  const { expireMonth: month, expireYear: year, cardHolder: holder } = values;
  return number === undefined ? undefined : storeCard(store, { number, month, year, holder });
}

/** The card of a reference in this field; undefined where there is none. */
function referredCard({ values, merchant, route }: AcceptedRequest, store: Store, field: string) {
  const ref = values[field];
  const wire = route.row.fields[field]?.wire ?? field;
  return ref === undefined ? undefined : { card: cardByReference(store, merchant.login, ref, wire), wire };
}

function chargedCard(accepted: AcceptedRequest, store: Store, field: string): StoredCard | undefined {
  const found = referredCard(accepted, store, field);
  return found === undefined ? undefined : requireUnexpired(found.card, store, found.wire);
}

/** A31: a token is a recurring payment id. */
function tokenCard({ values, merchant, route }: AcceptedRequest, store: Store, field: string): StoredCard | undefined {
  const token = values[field];
  if (token === undefined) return undefined;
  const wire = route.row.fields[field]?.wire ?? field;
  const profile = profiles.get(store, 'WHERE id = ? AND login = ?', token, merchant.login);
  const card = cardById(store, profile?.cardId);
  if (card === undefined) throw new Refusal('unknown-card', `${wire} is not a recurring payment id of this merchant`);
  if (field === 'destinationRecurringId') return card;
  // A48: a token made as DST receives money and does nothing else.
  if (profile?.cardType === 'DST')
    throw new Refusal(
      'unknown-card',
      `${wire} is a token that receives money (rp_card_type DST), so it cannot be charged (A31)`,
    );
  return requireUnexpired(card, store, wire);
}

/** The receiving card of a transfer. The expiry in a transfer belongs to the paying card. */
function transferDestination(accepted: AcceptedRequest, store: Store): StoredCard | undefined {
  const { destinationCardNumber: number } = accepted.values;
  return number === undefined ? tokenCard(accepted, store, 'destinationRecurringId') : storeCard(store, { number });
}

/** With `enumerate_amounts` the first amount that is approved is charged (A46). */
function rebillAmount({ values, amount, digits }: AcceptedRequest): bigint | undefined {
  const listed = (values['enumerateAmounts'] ?? '').split(',').filter((text) => text !== '');
  const amounts = [amount, ...listed.map((text) => parseAmount(text, values['currency'] ?? '', digits))];
  return amounts.find((each) => scenarioFor({ amount: each }).outcome === 'approved') ?? amount;
}

/** A11: the card of an approved order is kept; under `card-data` the one in the request. */
const createCardRef = immediate((accepted, store) => {
  const isGiven = accepted.settings.assume['card-ref-source'] === 'card-data';
  const order = isGiven ? undefined : followUpTarget(accepted, store).order;
  const cardId = isGiven ? cardFromRequest(accepted, store)?.id : order?.cardId;
  if (cardId === undefined) throw new Refusal('unknown-card', 'the order has no card to tokenize');
  const cardRef = cardReferenceFor(store, accepted.merchant.login, cardId);
  return recordOf('CardRefAsyncResponse', accepted, order, { cardRef });
});

const cardInfo = immediate((accepted, store) => {
  const { cardRefId = '' } = accepted.values;
  const { bin, lastFour, brand, month, year, holder } = cardByReference(
    store,
    accepted.merchant.login,
    cardRefId,
    'cardrefid',
  );
  const shown: Own<'CardInfoAsyncResponse'> = {
    ...{ cardRef: cardRefId, bin, cardType: brand, maskedNumber: `${bin}******${lastFour}`, lastFour },
    ...{ expireMonth: month, expireYear: year, printedName: holder },
  };
  return recordOf('CardInfoAsyncResponse', accepted, undefined, shown);
});

const createRecurring = immediate((accepted, store) => {
  const card = cardFromRequest(accepted, store);
  if (card === undefined) throw new Refusal('unknown-card', 'the request names no card to charge');
  const recurring = storeProfile(store, accepted, card);
  return recordOf('CreateRecurringPaymentResponse', accepted, undefined, { recurring });
});

const ofRequest: CardReader = (accepted, store) => cardFromRequest(accepted, store);
const paidCard: CardReader = (accepted, store) =>
  referredCard(accepted, store, 'destinationCardRefId')?.card ?? cardFromRequest(accepted, store);

/** What each operation does once it is accepted, but for the status and the uploads of 3-D Secure. */
export const paymentEffects = {
  SALE: opening({ kind: 'sale', authenticates: true, card: ofRequest }),
  PREAUTH: opening({ kind: 'preauth', authenticates: true, card: ofRequest }),
  ACCOUNT_VERIFICATION: opening({ kind: 'account-verification', authenticates: true, card: ofRequest }),
  CAPTURE: followUp(({ account }) => ({ kind: 'capture', left: account.capturable, of: 'the hold' })),
  VOID: followUp((target) => ({ kind: 'void', left: target.opening.amount })),
  // A17: from the settled amount, or from the hold while nothing is settled.
  RETURN: followUp(({ account: { settled, returnable: left } }) =>
    settled > 0n ? { kind: 'reversal', left, of: 'the captured amount' } : { kind: 'cancel', left, of: 'the hold' },
  ),
  PAYOUT: opening({ kind: 'payout', destination: paidCard }),
  PAYOUT_V4_CHECK: opening({ kind: 'payout-check', destination: paidCard }),
  PAYOUT_V4_PAY: followUp((target) => ({ kind: 'payout', left: target.opening.amount })),
  TRANSFER_V4: opening({
    kind: 'transfer',
    authenticates: true,
    card: (accepted, store) => cardFromRequest(accepted, store) ?? tokenCard(accepted, store, 'cardRecurringId'),
    destination: transferDestination,
  }),
  CARDREF: createCardRef,
  CARDREF_V4: createCardRef,
  CARDINFO: cardInfo,
  REBILL: opening({
    kind: 'rebill',
    card: (accepted, store) => chargedCard(accepted, store, 'cardRefId'),
    amount: rebillAmount,
  }),
  CREATE_RP_V4: createRecurring,
  // A30: the answer is the status; an eligible card is approved.
  PAN_ELIGIBILITY_SEND: opening({
    kind: 'pan-eligibility',
    card: (accepted, store) =>
      chargedCard(accepted, store, 'sendingCardRefId') ?? cardFromRequest(accepted, store, 'sendingCardNumber'),
  }),
  SALEFORM: hostedForm('sale'),
  PREAUTHFORM: hostedForm('preauth'),
  PAYMENTFORM: hostedForm('sale'),
  PAYOUTFORM: hostedForm('payout'),
  ACCOUNT_VERIFICATION_FORM: hostedForm('account-verification'),
} as const satisfies Partial<Record<OperationId, Effect>>;
