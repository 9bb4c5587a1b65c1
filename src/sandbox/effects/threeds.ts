import {
  type Authentication,
  encodeChallengeRequest,
  encodePayerRequest,
  readChallengeResponse,
  readPayerResponse,
  xidOf,
} from '../../threeds/index.js';
import type { Pair } from '../../wire/form.js';
import { completion } from '../acs/completion.js';
import { sendingPage } from '../acs/sending-page.js';
import { record } from '../events.js';
import { isHosted, type Order } from '../ledger/orders.js';
import { changeStep, noteSerial, type Transaction } from '../ledger/transactions.js';
import { closeVisit, onceOf, visitOf } from '../ledger/visits.js';
import { isOutcomeName, type OutcomeName } from '../outcomes.js';
import { Refusal } from '../refusal.js';
import { type ReplyFields, recordOf } from '../reply.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';
import { immediate } from './effect.js';
import { dueTime, pageUrl } from './opening.js';
import { checkCurrency, type Target, targetOf } from './target.js';

/** A18: what a status reply says about an open 3-D Secure step. A hosted form goes through it by itself, so there it says nothing. */
export function stepFields(accepted: Accepted, order: Order, { step, tdsId = '', acsId = '' }: Transaction, store: Store): ReplyFields {
  if (isHosted(order)) return [];
  const acsUrl = pageUrl(accepted, '3ds', order.pageToken ?? '');
  switch (step) {
    case 'method':
    case 'frictionless':
      return [
        ['tds_status', 'MethodUrlFrame'],
        ['tds-method-url-frame-3ds-method-url', acsUrl],
        ['tds-method-url-frame-3ds-server-trans-id', tdsId],
      ];
    case 'challenge':
      return [
        ['tds_status', 'CReqForm'],
        ['tds-creq-form-acs-url', acsUrl],
        ['tds-creq-form-creq', encodeChallengeRequest({ tdsId, acsId })],
      ];
    case 'pareq':
      return [
        ['tds_status', 'PaReqForm'],
        ['tds-pareq-form-acs-url', acsUrl],
        ['tds-pareq-form-pareq', encodePayerRequest({ orderId: order.id, amountMinor: String(order.amount ?? 0n), digits: order.digits })],
        ['tds-pareq-form-md', tdsId],
        ['tds-pareq-form-term-url', order.redirectUrl],
      ];
    case 'simplified':
      return simplifiedFields(accepted, onceOf(store, order));
    default:
      return [];
  }
}

/** The page or the address; either brings the payer to the issuer, once. */
function simplifiedFields(accepted: Accepted, once: string | undefined): ReplyFields {
  if (once === undefined) return [];
  const address = pageUrl(accepted, 'go', once);
  return [
    ['html', sendingPage(address)],
    ['redirect-to', address],
  ];
}

/** The method step is followed by a challenge, or by the outcome where the issuer asks for none. */
export const uploadMethod = immediate((accepted, store) => {
  const target = uploadTarget(accepted, store);
  const { order, opening } = target;
  if (accepted.values['tdsServerTransId']?.toLowerCase() !== opening.tdsId)
    throw new Refusal('three-d-secure', `threeDSServerTransID is not the one of order ${order.id}; the status reply names it`);
  const said = accepted.values['tdsCompInd'] ?? '';
  const seen = completion(visitOf(store, order), accepted.now);
  const title = `3-D Secure method result ${said} handed in${said === seen.word ? '' : `, although ${seen.why}`}`;
  record(store, { kind: 'stage', login: order.login, orderId: order.id, title, detail: { said, seen: seen.word } });
  if (opening.step === 'frictionless') return settle(accepted, store, target, 'AUTHENTICATED');
  changeStep(store, opening, { step: 'challenge' });
  return answer(accepted, store, target);
});

export const uploadCres = immediate((accepted, store) => {
  const target = uploadTarget(accepted, store);
  const reading = readChallengeResponse(accepted.values['cRes'] ?? '');
  if (!reading.ok) throw new Refusal('three-d-secure', reading.why);
  const { tdsId, acsId } = target.opening;
  if (reading.tdsId.toLowerCase() !== tdsId || (reading.acsId ?? acsId)?.toLowerCase() !== acsId)
    throw new Refusal('three-d-secure', `cRes is about another 3-D Secure transaction than order ${target.order.id}`);
  return settle(accepted, store, target, reading.authentication);
});

export const uploadPares = immediate((accepted, store) => {
  const target = uploadTarget(accepted, store);
  const reading = readPayerResponse(accepted.values['paRes'] ?? '');
  if (!reading.ok) throw new Refusal('three-d-secure', reading.why);
  const { id } = target.order;
  if ((reading.xid ?? xidOf(id)) !== xidOf(id))
    throw new Refusal('three-d-secure', `paRes is about another order than ${id}: its xid is another`);
  return settle(accepted, store, target, reading.authentication);
});

function uploadTarget(accepted: Accepted, store: Store): Target {
  const target = targetOf(accepted, store);
  checkCurrency(accepted, target.order);
  if (isHosted(target.order))
    throw new Refusal('three-d-secure', `order ${target.order.id} is on a hosted page, which goes through 3-D Secure by itself`);
  return target;
}

/** Only an authenticated payer's payment comes to what was planned; a bank that could not tell has authenticated nobody. */
function settle(accepted: Accepted, store: Store, target: Target, tdsResult: Authentication): readonly Pair[] {
  const { outcome: planned } = target.opening;
  const visit = visitOf(store, target.order);
  if (visit !== undefined) closeVisit(store, visit);
  const outcome: OutcomeName = tdsResult === 'AUTHENTICATED' && isOutcomeName(planned) ? planned : 'unauthenticated';
  changeStep(store, target.opening, { step: 'none', outcome, tdsResult, dueAt: dueTime(accepted, { step: 'none', outcome }) });
  return answer(accepted, store, target);
}

function answer(accepted: Accepted, store: Store, { order, opening }: Target): readonly Pair[] {
  noteSerial(store, accepted.serial, opening);
  return recordOf(accepted, order);
}
