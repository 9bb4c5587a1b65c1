import type { TransactionKind } from '../spec/lifecycle.js';
import {
  type Authentication,
  encodeChallengeRequest,
  encodePayerRequest,
  readChallengeResponse,
  readPayerResponse,
  xidOf,
} from '../threeds/messages.js';
import type { Pair } from '../wire/form.js';
import { recordEvent } from './log.js';
import { checkCurrency, type Effect, type FollowUpTarget, followUpTarget, immediate, pageUrl } from './operations.js';
import { changeStep, isHosted, linkSerial, type Order, type Transaction } from './orders.js';
import { finalTime, isOutcomeName, type OutcomeName, outcomeOf } from './outcomes.js';
import { Refusal } from './refusal.js';
import { type Own, recordOf } from './replies.js';
import type { AcceptedRequest } from './request.js';
import type { Store } from './store.js';
import { maxCardAttempts, methodCompletion, visitOf, visits } from './visits.js';

type StepFields = Partial<Own<'StatusResponse'>>;

/**
 * A18: what a status reply says about an open 3-D Secure step. A hosted form goes through it by itself, so there it
 * says nothing.
 */
export function stepFields(
  accepted: AcceptedRequest,
  order: Order,
  { step, tdsId = '', acsId = '' }: Transaction,
  store: Store,
): StepFields {
  if (isHosted(order)) return {};
  const visit = visitOf(store, order);
  const acsUrl = pageUrl(accepted, '3ds', visit?.token ?? '');
  switch (step) {
    case 'method':
    case 'frictionless':
      return { threeDSecureStep: 'MethodUrlFrame', methodUrl: acsUrl, tdsId };
    case 'challenge':
      return { threeDSecureStep: 'CReqForm', creqUrl: acsUrl, creq: encodeChallengeRequest({ tdsId, acsId }) };
    case 'pareq': {
      const purchase = { orderId: order.id, amountMinor: String(order.amount ?? 0n), digits: order.digits };
      const form = { pareqUrl: acsUrl, pareq: encodePayerRequest(purchase), pareqMd: tdsId };
      return { threeDSecureStep: 'PaReqForm', ...form, termUrl: order.redirectUrl };
    }
    case 'simplified': {
      if (visit?.once === undefined) return {};
      // The page or the address; either brings the payer to the issuer, once.
      const redirectTo = pageUrl(accepted, 'go', visit.once);
      return { html: sendingPage(redirectTo), redirectTo };
    }
    default:
      return {};
  }
}

/** The method step is followed by a challenge, or by the outcome where the issuer asks for none. */
const uploadMethod = upload((accepted, store, { order, opening }) => {
  if (accepted.values['tdsServerTransId']?.toLowerCase() !== opening.tdsId)
    throw new Refusal(
      'three-d-secure',
      `threeDSServerTransID does not match order ${order.id}; the status reply has the right one`,
    );
  const said = accepted.values['tdsCompInd'] ?? '';
  const { compInd: seen, why } = methodCompletion(visitOf(store, order), accepted.now);
  const title = `3-D Secure method result ${said} submitted${said === seen ? '' : `, although ${why}`}`;
  recordEvent(store, { kind: 'stage', login: order.login, orderId: order.id, title, detail: { said, seen } });
  if (opening.step === 'frictionless') return 'AUTHENTICATED';
  changeStep(store, opening, { step: 'challenge' });
  return undefined;
});

const uploadCres = upload((accepted, _store, { order, opening }) => {
  const reading = readChallengeResponse(accepted.values['cRes'] ?? '');
  if (!reading.ok) throw new Refusal('three-d-secure', reading.why);
  const { tdsId, acsId } = opening;
  if (reading.tdsId.toLowerCase() !== tdsId || (reading.acsId ?? acsId)?.toLowerCase() !== acsId)
    throw new Refusal(
      'three-d-secure',
      `cRes belongs to a different 3-D Secure transaction than that of order ${order.id}`,
    );
  return reading.authentication;
});

const uploadPares = upload((accepted, _store, { order: { id } }) => {
  const reading = readPayerResponse(accepted.values['paRes'] ?? '');
  if (!reading.ok) throw new Refusal('three-d-secure', reading.why);
  if ((reading.xid ?? xidOf(id)) !== xidOf(id))
    throw new Refusal('three-d-secure', `paRes belongs to a different order than ${id}: its xid differs`);
  return reading.authentication;
});

export const uploadEffects = {
  TDS_UPLOAD_CRES_RESULT: uploadCres,
  TDS_UPLOAD_METHOD_URL_RESULT: uploadMethod,
  TDS_UPLOAD_PARES_RESULT: uploadPares,
} as const;

type Step = (accepted: AcceptedRequest, store: Store, target: FollowUpTarget) => Authentication | undefined;

/** `step` returns the result of the authentication, where that is over. */
function upload(step: Step): Effect {
  return immediate((accepted, store): readonly Pair[] => {
    const target = followUpTarget(accepted, store);
    const { order, opening } = target;
    checkCurrency(accepted, order);
    if (isHosted(order))
      throw new Refusal('three-d-secure', `order ${order.id} is on a hosted page, which runs 3-D Secure itself`);
    const tdsResult = step(accepted, store, target);
    if (tdsResult !== undefined) completeAuthentication({ ...accepted, store, order, opening }, tdsResult);
    linkSerial(store, accepted.serial, opening.id);
    return recordOf('AsyncResponse', accepted, order, {});
  });
}

/** A payment that a payer's step may end. */
interface OpenPayment extends Pick<AcceptedRequest, 'now' | 'settings'>, Pick<FollowUpTarget, 'order' | 'opening'> {
  readonly store: Store;
}

/**
 * Only an authenticated payer's payment comes to what was planned; a bank that could not tell has authenticated nobody.
 */
export function completeAuthentication(payment: OpenPayment, tdsResult: Authentication): void {
  const planned = payment.opening.outcome;
  const outcome: OutcomeName = tdsResult === 'AUTHENTICATED' && isOutcomeName(planned) ? planned : 'unauthenticated';
  completePayment(payment, outcome, tdsResult);
}

const cardKinds: readonly TransactionKind[] = ['sale', 'preauth', 'account-verification'];

/** A32: on a hosted form a declined card may be followed by another one, three in all. */
export function completePayment(payment: OpenPayment, outcome: OutcomeName, tdsResult?: Authentication): void {
  const { store, order, opening, now, settings } = payment;
  const visit = visitOf(store, order);
  const isDeclined = outcomeOf(outcome).status === 'declined' && outcome !== 'cancelled';
  if (visit !== undefined && isHosted(order) && isDeclined && cardKinds.includes(opening.kind)) {
    const attempts = visit.attempts + 1;
    visits.update(store, visit.token, { attempts, lastOutcome: outcome });
    if (attempts < maxCardAttempts) {
      const title = `card declined, attempt ${attempts} of ${maxCardAttempts}`;
      recordEvent(store, { kind: 'page', login: order.login, orderId: order.id, title, detail: { outcome } });
      changeStep(store, opening, { step: 'form', outcome });
      return;
    }
  }
  // The customer is done, so the wait no longer expires.
  if (visit !== undefined) visits.update(store, visit.token, { expiresAt: undefined });
  const dueAt = finalTime(now, outcome, settings.settleMs);
  changeStep(store, opening, { step: 'none', outcome, dueAt, tdsResult });
}

/** The page of the simplified flow, for the merchant to show: it sends the payer's browser on by itself. */
function sendingPage(address: string): string {
  // By hand: with the renderer of the pages this would be all that a payment loads of them.
  const action = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/><title>To your bank</title></head><body onload="document.forms[0].submit()"><main><form method="post" action="${action}"><button type="submit">Continue to your bank</button></form></main></body></html>`;
}
