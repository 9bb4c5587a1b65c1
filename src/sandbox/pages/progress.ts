import type { TransactionKind } from '../../spec/lifecycle.js';
import { completion, methodLimitMs } from '../acs/completion.js';
import { dueTime } from '../effects/opening.js';
import { record } from '../events.js';
import { isHosted, type Order } from '../ledger/orders.js';
import { changeStep, type Transaction, transactionsOf } from '../ledger/transactions.js';
import { beginAuthentication, changeVisit, closeVisit, mostAttempts, type Visit } from '../ledger/visits.js';
import { type Course, isOutcomeName, type OutcomeName, outcomeOf } from '../outcomes.js';
import type { Terms } from '../request.js';
import type { Store } from '../store.js';

/** An order with its page, as it stands when a browser asks. */
export interface Stay {
  readonly store: Store;
  readonly terms: Terms;
  readonly now: number;
  readonly visit: Visit;
  readonly order: Order;
  readonly opening: Transaction;
}

/** True while the gateway itself leads the customer: on a hosted form, or in the simplified flow. */
export function isLed({ order, opening }: Stay): boolean {
  return isHosted(order) || opening.step === 'simplified';
}

export function note({ store, order }: Stay, title: string, detail?: Readonly<Record<string, string>>): void {
  record(store, { kind: 'page', login: order.login, orderId: order.id, title, detail });
}

/** What the customer sent in leads here: to 3-D Secure, back to the form, or to the outcome. */
export function follow(stay: Stay, course: Course): void {
  if (course.step === 'none') {
    conclude(stay, course.outcome);
    return;
  }
  beginAuthentication(stay.store, stay.visit, stay.opening);
  changeStep(stay.store, stay.opening, { step: course.step, outcome: course.outcome });
}

const byCard: readonly TransactionKind[] = ['sale', 'preauth', 'account-verification'];

/** A32: a card that is turned down may be followed by another one, three in all. */
function conclude(stay: Stay, outcome: OutcomeName, tdsResult?: string): void {
  const { store, visit, order, opening } = stay;
  const attempts = visit.attempts + 1;
  const isNo = outcomeOf(outcome).status === 'declined' && outcome !== 'cancelled';
  if (isHosted(order) && isNo && byCard.includes(opening.kind)) {
    changeVisit(store, visit, { attempts, lastOutcome: outcome });
    if (attempts < mostAttempts) {
      note(stay, `card turned down, attempt ${attempts} of ${mostAttempts}`, { outcome });
      changeStep(store, opening, { step: 'form', outcome });
      return;
    }
  }
  closeVisit(store, visit);
  const dueAt = dueTime(stay, { step: 'none', outcome });
  changeStep(store, opening, { step: 'none', outcome, dueAt, ...(tdsResult === undefined ? {} : { tdsResult }) });
}

/** The end of 3-D Secure where the gateway waits for it. */
export function authenticated(stay: Stay, isAuthenticated: boolean): void {
  const planned = stay.opening.outcome;
  const outcome = isAuthenticated && isOutcomeName(planned) ? planned : 'unauthenticated';
  conclude(stay, outcome, isAuthenticated ? 'AUTHENTICATED' : 'NOT_AUTHENTICATED');
}

/** The button of the form. A card that was turned down before is the reason then. */
export function cancel(stay: Stay): void {
  const { lastOutcome } = stay.visit;
  note(stay, 'customer cancelled');
  closeVisit(stay.store, stay.visit);
  const outcome = lastOutcome !== undefined && isOutcomeName(lastOutcome) ? lastOutcome : 'cancelled';
  changeStep(stay.store, stay.opening, { step: 'none', outcome, dueAt: stay.now });
}

/** The method step of a led order: over once its frame was loaded, or ten seconds have passed. True when it moved on. */
export function passMethod(stay: Stay): boolean {
  const { visit, opening, now } = stay;
  const { framedAt, stepAt = now } = visit;
  if (framedAt === undefined && now - stepAt <= methodLimitMs) return false;
  const { word, why } = completion(visit, now);
  note(stay, `3-D Secure method step: ${word}`, { why });
  if (opening.step === 'frictionless') authenticated(stay, true);
  else changeStep(stay.store, opening, { step: 'challenge' });
  return true;
}

/** The same order after something was changed. */
export function refreshed(stay: Stay): Stay {
  const [opening = stay.opening] = transactionsOf(stay.store, stay.order.id);
  return { ...stay, opening };
}
