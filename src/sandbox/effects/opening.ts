import type { TransactionKind } from '../../spec/lifecycle.js';
import { keepEcho } from '../callbacks/echo.js';
import { type GivenCard, keepCard, type StoredCard } from '../cards.js';
import { prefix } from '../checks/route.js';
import { addOrder, type Order } from '../ledger/orders.js';
import { addTransaction } from '../ledger/transactions.js';
import { addVisit, payerWaitMs } from '../ledger/visits.js';
import { type Course, type CourseFacts, courseNamed, courseOf, outcomeOf } from '../outcomes.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';

export interface Opening {
  readonly kind: TransactionKind;
  readonly course: Course;
  /** What was asked for, where it differs from the request's amount. */
  readonly amount?: bigint | undefined;
  readonly card?: StoredCard | undefined;
  readonly destination?: StoredCard | undefined;
  readonly pageToken?: string | undefined;
}

/** Makes an order with its first transaction. */
export function openOrder(accepted: Accepted, store: Store, opening: Opening): Order {
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
  const dueAt = waitsForSomebody(opening.course) ? undefined : dueTime(accepted, opening.course);
  const { step, outcome } = opening.course;
  const made = { step, outcome, kind: opening.kind, clientOrderId, amount, dueAt, serial, isOpening: true };
  const transaction = addTransaction(store, order, made);
  keepEcho(store, order, transaction, values);
  openVisit(accepted, store, order, opening);
  return order;
}

/** A32: what waits for a payer, in a form or in 3-D Secure, does so for a while only. */
function openVisit({ values, now }: Accepted, store: Store, { id }: Order, { pageToken, course }: Opening): void {
  if (pageToken === undefined) return;
  addVisit(store, id, {
    token: pageToken,
    expiresAt: waitsForSomebody(course) ? now + payerWaitMs : undefined,
    stepAt: now,
    successUrl: values['redirectSuccessUrl'],
    failUrl: values['redirectFailUrl'],
  });
}

function waitsForSomebody({ step }: Course): boolean {
  return step !== 'none' && step !== 'validating';
}

/** When a transaction with this course is final. */
export function dueTime({ now, terms }: Pick<Accepted, 'now' | 'terms'>, { outcome }: Course): number {
  return now + (outcomeOf(outcome).afterMs ?? terms.settleMs);
}

/** What it was told to come to if it was, else what the tables say. */
export function courseFor({ queued }: Accepted, facts: CourseFacts): Course {
  return (queued === undefined ? undefined : courseNamed(queued)) ?? courseOf(facts);
}

/** Keeps what may be kept of the card of a request; undefined when it has none. */
export function cardIn({ values }: Accepted, store: Store, numberKey: string): StoredCard | undefined {
  const number = values[numberKey];
  if (number === undefined) return undefined;
  const card: GivenCard = { number, month: values['expireMonth'], year: values['expireYear'], holder: values['cardHolder'] };
  return keepCard(store, card);
}

/** The address of a hosted page. */
export function pageUrl({ pagesOrigin }: Accepted, kind: 'form' | '3ds' | 'go', token: string): string {
  return `${pagesOrigin}${prefix}/pages/${kind}/${token}`;
}
