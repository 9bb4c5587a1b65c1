import type { TransactionKind } from '../../../spec/lifecycle.js';
import type { SandboxSettings } from '../../checks/request.js';
import { completionTime } from '../../effects/open-order.js';
import { recordEvent } from '../../ledger/events.js';
import { isHosted, type Order } from '../../ledger/orders.js';
import { isOutcomeName, type OutcomeName, outcomeOf, type Scenario } from '../../ledger/outcomes.js';
import type { Store } from '../../ledger/store.js';
import { changeStep, type Transaction, transactionsOf } from '../../ledger/transactions.js';
import {
  beginAuthentication,
  changeVisit,
  closeVisit,
  maxCardAttempts,
  methodCompletion,
  methodLimitMs,
  type Visit,
} from '../../ledger/visits.js';

/** An order with its page, as it stands when a browser asks. */
export interface PageSession {
  readonly store: Store;
  readonly settings: SandboxSettings;
  readonly now: number;
  readonly visit: Visit;
  readonly order: Order;
  readonly opening: Transaction;
}

/** True while the gateway itself runs the steps with the customer: on a hosted form, or in the simplified flow. */
export function isGatewayLed({ order, opening }: PageSession): boolean {
  return isHosted(order) || opening.step === 'simplified';
}

export function recordPageEvent(
  { store, order }: PageSession,
  title: string,
  detail?: Readonly<Record<string, string>>,
): void {
  recordEvent(store, { kind: 'page', login: order.login, orderId: order.id, title, detail });
}

/** Carries on after the form was sent: to 3-D Secure, back to the form, or to the outcome. */
export function applyScenario(session: PageSession, scenario: Scenario): void {
  if (scenario.step === 'none') {
    completePayment(session, scenario.outcome);
    return;
  }
  beginAuthentication(session.store, session.visit, session.opening);
  changeStep(session.store, session.opening, { step: scenario.step, outcome: scenario.outcome });
}

const cardKinds: readonly TransactionKind[] = ['sale', 'preauth', 'account-verification'];

/** A32: a declined card may be followed by another one, three in all. */
function completePayment(session: PageSession, outcome: OutcomeName, tdsResult?: string): void {
  const { store, visit, order, opening } = session;
  const attempts = visit.attempts + 1;
  const isNo = outcomeOf(outcome).status === 'declined' && outcome !== 'cancelled';
  if (isHosted(order) && isNo && cardKinds.includes(opening.kind)) {
    changeVisit(store, visit, { attempts, lastOutcome: outcome });
    if (attempts < maxCardAttempts) {
      recordPageEvent(session, `card declined, attempt ${attempts} of ${maxCardAttempts}`, { outcome });
      changeStep(store, opening, { step: 'form', outcome });
      return;
    }
  }
  closeVisit(store, visit);
  const dueAt = completionTime(session, { step: 'none', outcome });
  changeStep(store, opening, { step: 'none', outcome, dueAt, ...(tdsResult === undefined ? {} : { tdsResult }) });
}

/** The end of 3-D Secure where the gateway waits for it. */
export function finishAuthentication(session: PageSession, isAuthenticated: boolean): void {
  const planned = session.opening.outcome;
  const outcome = isAuthenticated && isOutcomeName(planned) ? planned : 'unauthenticated';
  completePayment(session, outcome, isAuthenticated ? 'AUTHENTICATED' : 'NOT_AUTHENTICATED');
}

/** The button of the form. An earlier decline is the reason then. */
export function cancelPayment(session: PageSession): void {
  const { lastOutcome } = session.visit;
  recordPageEvent(session, 'payer cancelled');
  closeVisit(session.store, session.visit);
  const outcome = lastOutcome !== undefined && isOutcomeName(lastOutcome) ? lastOutcome : 'cancelled';
  changeStep(session.store, session.opening, { step: 'none', outcome, dueAt: session.now });
}

/**
 * The method step of an order whose steps the gateway runs: over once its frame was loaded, or ten seconds have passed.
 * True when it moved on.
 */
export function completeMethodStep(session: PageSession): boolean {
  const { visit, opening, now } = session;
  const { framedAt, stepAt = now } = visit;
  if (framedAt === undefined && now - stepAt <= methodLimitMs) return false;
  const { compInd, why } = methodCompletion(visit, now);
  recordPageEvent(session, `3-D Secure method step: ${compInd}`, { why });
  if (opening.step === 'frictionless') finishAuthentication(session, true);
  else changeStep(session.store, opening, { step: 'challenge' });
  return true;
}

/** The same order after something was changed. */
export function reloadSession(session: PageSession): PageSession {
  const [opening = session.opening] = transactionsOf(session.store, session.order.id);
  return { ...session, opening };
}
