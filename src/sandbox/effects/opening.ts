import type { TransactionKind } from '../../spec/lifecycle.js';
import { cardById, type GivenCard, keepCard, type StoredCard } from '../cards.js';
import { prefix } from '../checks/route.js';
import { addOrder, type Order } from '../ledger/orders.js';
import { addTransaction, noteSerial } from '../ledger/transactions.js';
import { type Course, type CourseFacts, courseOf, isOutcomeName, outcomeOf } from '../outcomes.js';
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
  const transaction = addTransaction(store, order, { ...opening.course, kind: opening.kind, clientOrderId, amount, dueAt });
  noteSerial(store, serial, transaction);
  return order;
}

function waitsForSomebody({ step }: Course): boolean {
  return step !== 'none' && step !== 'validating';
}

/** When a transaction with this course is final. */
export function dueTime({ now, terms }: Accepted, { outcome }: Course): number {
  return now + (outcomeOf(outcome).afterMs ?? terms.settleMs);
}

/** A queued outcome if there is one, else what the tables say. */
export function courseFor({ queued }: Accepted, facts: CourseFacts): Course {
  return queued !== undefined && isOutcomeName(queued) ? { step: 'none', outcome: queued } : courseOf(facts);
}

/** Keeps what may be kept of the card of a request; undefined when it has none. */
export function cardIn({ values }: Accepted, store: Store, numberKey: string): StoredCard | undefined {
  const number = values[numberKey];
  if (number === undefined) return undefined;
  const card: GivenCard = { number, month: values['expireMonth'], year: values['expireYear'], holder: values['cardHolder'] };
  return cardById(store, keepCard(store, card));
}

/** The address of a hosted page. */
export function pageUrl({ pagesOrigin }: Accepted, kind: 'form' | '3ds', token: string): string {
  return `${pagesOrigin}${prefix}/pages/${kind}/${token}`;
}
