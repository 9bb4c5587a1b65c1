import { recordEvent } from '../log.js';
import { changeStep, isHosted, type Order, orders, type Transaction, transactionsOf } from '../orders.js';
import { isOutcomeName, type Scenario } from '../outcomes.js';
import type { SandboxSettings } from '../request.js';
import type { Store } from '../store.js';
import { completeAuthentication, completePayment } from '../threeds.js';
import { beginAuthentication, methodCompletion, methodLimitMs, type Visit, visits } from '../visits.js';

/** An order with its page, as it stands when a browser asks. */
export interface PageSession {
  readonly store: Store;
  readonly settings: SandboxSettings;
  readonly now: number;
  readonly visit: Visit;
  readonly order: Order;
  readonly opening: Transaction;
}

/** The order whose page has this token; undefined when there is none. */
export function openSession(store: Store, settings: SandboxSettings, token: string): PageSession | undefined {
  const visit = visits.get(store, 'WHERE token = ?', token);
  const order = visit && orders.get(store, 'WHERE id = ?', visit.orderId);
  const [opening] = order === undefined ? [] : transactionsOf(store, order.id);
  if (visit === undefined || order === undefined || opening === undefined) return undefined;
  return { store, settings, now: store.clock.now(), visit, order, opening };
}

/** True while the gateway itself runs the steps with the customer: on a hosted form, or in the simplified flow. */
export function isGatewayLed({ order, opening }: PageSession): boolean {
  return isHosted(order) || opening.step === 'simplified';
}

export function recordPageEvent(
  { store, order }: PageSession,
  title: string,
  detail: Readonly<Record<string, string>> = {},
): void {
  recordEvent(store, { kind: 'page', login: order.login, orderId: order.id, title, detail });
}

/** Carries on after the form was sent: to 3-D Secure, back to the form, or to the outcome. */
export function applyScenario(session: PageSession, { step, outcome }: Scenario): void {
  const { store, visit, opening } = session;
  if (step !== 'none') {
    beginAuthentication(store, visit, opening);
    changeStep(store, opening, { step, outcome });
  } else completePayment(session, outcome);
}

/** The button of the form. An earlier decline is the reason then. */
export function cancelPayment(session: PageSession): void {
  const { store, visit, opening, now } = session;
  const { lastOutcome = 'cancelled' } = visit;
  recordPageEvent(session, 'payer cancelled');
  visits.update(store, visit.token, { expiresAt: undefined });
  changeStep(store, opening, {
    step: 'none',
    outcome: isOutcomeName(lastOutcome) ? lastOutcome : 'cancelled',
    dueAt: now,
  });
}

/**
 * The method step of an order whose steps the gateway runs: over once its frame was loaded, or ten seconds have passed.
 * True when it moved on.
 */
export function completeMethodStep(session: PageSession): boolean {
  const { store, visit, opening, now } = session;
  const { framedAt, stepAt = now } = visit;
  if (framedAt === undefined && now - stepAt <= methodLimitMs) return false;
  const { compInd, why } = methodCompletion(visit, now);
  recordPageEvent(session, `3-D Secure method step: ${compInd}`, { why });
  if (opening.step === 'frictionless') completeAuthentication(session, 'AUTHENTICATED');
  else changeStep(store, opening, { step: 'challenge' });
  return true;
}
