import {
  type Authentication,
  encodeChallengeRequest,
  encodePayerRequest,
  readChallengeResponse,
  readPayerResponse,
  xidOf,
} from '../../threeds/index.js';
import type { Pair } from '../../wire/form.js';
import type { AcceptedRequest } from '../checks/request.js';
import { recordEvent } from '../ledger/events.js';
import { isHosted, type Order } from '../ledger/orders.js';
import { isOutcomeName, type OutcomeName } from '../ledger/outcomes.js';
import { Refusal } from '../ledger/refusal.js';
import type { Store } from '../ledger/store.js';
import { changeStep, linkSerial, type Transaction } from '../ledger/transactions.js';
import { closeVisit, methodCompletion, oneTimeTokenOf, visitOf } from '../ledger/visits.js';
import { checkCurrency, type FollowUpTarget, followUpTarget } from './follow-ups.js';
import { completionTime, immediateEffect, pageUrl } from './open-order.js';
import { type Own, recordOf } from './reply.js';

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
  const acsUrl = pageUrl(accepted, '3ds', order.pageToken ?? '');
  switch (step) {
    case 'method':
    case 'frictionless':
      return { threeDSecureStep: 'MethodUrlFrame', methodUrl: acsUrl, tdsId };
    case 'challenge':
      return { threeDSecureStep: 'CReqForm', creqUrl: acsUrl, creq: encodeChallengeRequest({ tdsId, acsId }) };
    case 'pareq':
      return {
        threeDSecureStep: 'PaReqForm',
        pareqUrl: acsUrl,
        pareq: encodePayerRequest({
          orderId: order.id,
          amountMinor: String(order.amount ?? 0n),
          digits: order.digits,
        }),
        pareqMd: tdsId,
        termUrl: order.redirectUrl,
      };
    case 'simplified':
      return simplifiedFields(accepted, oneTimeTokenOf(store, order));
    default:
      return {};
  }
}

/** The page or the address; either brings the payer to the issuer, once. */
function simplifiedFields(accepted: AcceptedRequest, once: string | undefined): StepFields {
  if (once === undefined) return {};
  const address = pageUrl(accepted, 'go', once);
  return { html: sendingPage(address), redirectTo: address };
}

/** The method step is followed by a challenge, or by the outcome where the issuer asks for none. */
export const uploadMethod = immediateEffect((accepted, store) => {
  const target = uploadTarget(accepted, store);
  const { order, opening } = target;
  if (accepted.values['tdsServerTransId']?.toLowerCase() !== opening.tdsId)
    throw new Refusal(
      'three-d-secure',
      `threeDSServerTransID does not match order ${order.id}; the status reply has the right one`,
    );
  const submitted = accepted.values['tdsCompInd'] ?? '';
  const seen = methodCompletion(visitOf(store, order), accepted.now);
  const doubt = submitted === seen.compInd ? '' : `, although ${seen.why}`;
  const title = `3-D Secure method result ${submitted} submitted${doubt}`;
  recordEvent(store, {
    kind: 'stage',
    login: order.login,
    orderId: order.id,
    title,
    detail: { said: submitted, seen: seen.compInd },
  });
  if (opening.step === 'frictionless') return completeAuthentication(accepted, store, target, 'AUTHENTICATED');
  changeStep(store, opening, { step: 'challenge' });
  return uploadReply(accepted, store, target);
});

export const uploadCres = immediateEffect((accepted, store) => {
  const target = uploadTarget(accepted, store);
  const reading = readChallengeResponse(accepted.values['cRes'] ?? '');
  if (!reading.ok) throw new Refusal('three-d-secure', reading.why);
  const { tdsId, acsId } = target.opening;
  if (reading.tdsId.toLowerCase() !== tdsId || (reading.acsId ?? acsId)?.toLowerCase() !== acsId)
    throw new Refusal(
      'three-d-secure',
      `cRes belongs to a different 3-D Secure transaction than that of order ${target.order.id}`,
    );
  return completeAuthentication(accepted, store, target, reading.authentication);
});

export const uploadPares = immediateEffect((accepted, store) => {
  const target = uploadTarget(accepted, store);
  const reading = readPayerResponse(accepted.values['paRes'] ?? '');
  if (!reading.ok) throw new Refusal('three-d-secure', reading.why);
  const { id } = target.order;
  if ((reading.xid ?? xidOf(id)) !== xidOf(id))
    throw new Refusal('three-d-secure', `paRes belongs to a different order than ${id}: its xid differs`);
  return completeAuthentication(accepted, store, target, reading.authentication);
});

function uploadTarget(accepted: AcceptedRequest, store: Store): FollowUpTarget {
  const target = followUpTarget(accepted, store);
  checkCurrency(accepted, target.order);
  if (isHosted(target.order))
    throw new Refusal('three-d-secure', `order ${target.order.id} is on a hosted page, which runs 3-D Secure itself`);
  return target;
}

/**
 * Only an authenticated payer's payment comes to what was planned; a bank that could not tell has authenticated nobody.
 */
function completeAuthentication(
  accepted: AcceptedRequest,
  store: Store,
  target: FollowUpTarget,
  tdsResult: Authentication,
): readonly Pair[] {
  const { outcome: planned } = target.opening;
  const visit = visitOf(store, target.order);
  if (visit !== undefined) closeVisit(store, visit);
  const outcome: OutcomeName = tdsResult === 'AUTHENTICATED' && isOutcomeName(planned) ? planned : 'unauthenticated';
  changeStep(store, target.opening, {
    step: 'none',
    outcome,
    tdsResult,
    dueAt: completionTime(accepted, { step: 'none', outcome }),
  });
  return uploadReply(accepted, store, target);
}

function uploadReply(accepted: AcceptedRequest, store: Store, { order, opening }: FollowUpTarget): readonly Pair[] {
  linkSerial(store, accepted.serial, opening);
  return recordOf('AsyncResponse', accepted, order, {});
}

/** The page of the simplified flow, for the merchant to show: it sends the payer's browser on by itself. */
export function sendingPage(address: string): string {
  // By hand: with the renderer of the pages this would be all that a payment loads of them.
  const action = address.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width, initial-scale=1"/><title>To your bank</title></head><body onload="document.forms[0].submit()"><main><form method="post" action="${action}"><button type="submit">Continue to your bank</button></form></main></body></html>`;
}
