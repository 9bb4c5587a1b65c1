import type { TransactionKind } from '../../spec/lifecycle.js';
import type { Pair } from '../../wire/form.js';
import { gatewayPrefix } from '../checks/check-request.js';
import type { AcceptedRequest } from '../checks/request.js';
import { storeEchoedFields } from '../ledger/callback-outbox.js';
import { type CardInput, type StoredCard, storeCard } from '../ledger/cards.js';
import { addOrder, type Order } from '../ledger/orders.js';
import { outcomeOf, type Scenario, type ScenarioInput, scenarioFor, scenarioNamed } from '../ledger/outcomes.js';
import type { Store } from '../ledger/store.js';
import { addTransaction } from '../ledger/transactions.js';
import { addVisit, payerWaitMs } from '../ledger/visits.js';

/** What an accepted request does. */
export interface Effect {
  /** True when it makes a transaction, which a queued outcome may decide. */
  readonly addsTransaction: boolean;
  /** True when a payer may have to go through 3-D Secure first. */
  readonly authenticates: boolean;
  /** Changes the state and returns the fields of the reply. Throws a Refusal when the state does not allow it. */
  run(accepted: AcceptedRequest, store: Store): readonly Pair[];
}

export const transactionEffect = (run: Effect['run']): Effect => ({ addsTransaction: true, authenticates: false, run });
export const authenticatingEffect = (run: Effect['run']): Effect => ({
  addsTransaction: true,
  authenticates: true,
  run,
});
export const immediateEffect = (run: Effect['run']): Effect => ({ addsTransaction: false, authenticates: false, run });

interface NewPayment {
  readonly kind: TransactionKind;
  readonly scenario: Scenario;
  /** The amount, where it differs from the request's. */
  readonly amount?: bigint | undefined;
  readonly card?: StoredCard | undefined;
  readonly destination?: StoredCard | undefined;
  readonly pageToken?: string | undefined;
}

/** Makes an order with its first transaction. */
export function openOrder(accepted: AcceptedRequest, store: Store, opening: NewPayment): Order {
  const { values, merchant, route, serial } = accepted;
  const clientOrderId = values['clientOrderId'] ?? '';
  const order = addOrder(store, {
    login: merchant.login,
    endpointId: route.endpointId,
    clientOrderId,
    amount: accepted.amount,
    currency: values['currency'],
    digits: accepted.digits,
    redirectUrl: values['redirectUrl'],
    pageToken: opening.pageToken,
    operation: route.id,
    madeAt: accepted.now,
    callbackUrl: values['serverCallbackUrl'],
    notifyUrl: values['notifyUrl'],
    description: values['orderDesc'],
    merchantData: values['merchantData'],
    cardId: opening.card?.id,
    destinationId: opening.destination?.id,
  });
  const amount = opening.amount ?? accepted.amount;
  const dueAt = awaitsPayer(opening.scenario) ? undefined : completionTime(accepted, opening.scenario);
  const { step, outcome } = opening.scenario;
  const made = { step, outcome, kind: opening.kind, clientOrderId, amount, dueAt, serial, isOpening: true };
  const transaction = addTransaction(store, order, made);
  storeEchoedFields(store, order, transaction, values);
  createVisit(accepted, store, order, opening);
  return order;
}

/** A32: a form or 3-D Secure step waits for its payer for a limited time. */
function createVisit(
  { values, now }: AcceptedRequest,
  store: Store,
  { id }: Order,
  { pageToken, scenario }: NewPayment,
): void {
  if (pageToken === undefined) return;
  addVisit(store, id, {
    token: pageToken,
    expiresAt: awaitsPayer(scenario) ? now + payerWaitMs : undefined,
    stepAt: now,
    successUrl: values['redirectSuccessUrl'],
    failUrl: values['redirectFailUrl'],
  });
}

function awaitsPayer({ step }: Scenario): boolean {
  return step !== 'none' && step !== 'validating';
}

/** When a transaction with this scenario is final. */
export function completionTime(
  { now, settings }: Pick<AcceptedRequest, 'now' | 'settings'>,
  { outcome }: Scenario,
): number {
  return now + (outcomeOf(outcome).afterMs ?? settings.settleMs);
}

/** The outcome requested for the request, else that of the published tables. */
export function requestedScenario({ queued }: AcceptedRequest, facts: ScenarioInput): Scenario {
  return (queued === undefined ? undefined : scenarioNamed(queued)) ?? scenarioFor(facts);
}

/** Stores what may be stored of the card of a request; undefined when it has none. */
export function cardFromRequest({ values }: AcceptedRequest, store: Store, numberKey: string): StoredCard | undefined {
  const number = values[numberKey];
  if (number === undefined) return undefined;
  const card: CardInput = {
    number,
    month: values['expireMonth'],
    year: values['expireYear'],
    holder: values['cardHolder'],
  };
  return storeCard(store, card);
}

/** The address of a hosted page. */
export function pageUrl({ pagesOrigin }: AcceptedRequest, kind: 'form' | '3ds' | 'go', token: string): string {
  return `${pagesOrigin}${gatewayPrefix}/pages/${kind}/${token}`;
}
