import type { Pair } from '../../wire/form.js';
import { encodeChallengeRequest, readChallengeResponse } from '../acs/challenge.js';
import { encodePayerRequest, readPayerResponse } from '../acs/pares.js';
import type { Order } from '../ledger/orders.js';
import { changeStep, noteSerial, type Transaction } from '../ledger/transactions.js';
import { isOutcomeName, type OutcomeName } from '../outcomes.js';
import { Refusal } from '../refusal.js';
import { type ReplyFields, recordOf } from '../reply.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';
import { immediate } from './effect.js';
import { dueTime, pageUrl } from './opening.js';
import { type Target, targetOf } from './target.js';

/** A18: what a status reply says about an open 3-D Secure step. */
export function stepFields(accepted: Accepted, order: Order, { step, tdsId = '', acsId = '' }: Transaction): ReplyFields {
  const acsUrl = pageUrl(accepted, '3ds', order.pageToken ?? '');
  switch (step) {
    case 'method':
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
        ['tds-pareq-form-pareq', encodePayerRequest(order.id, String(order.amount ?? 0n), order.digits)],
        ['tds-pareq-form-md', tdsId],
        ['tds-pareq-form-term-url', order.redirectUrl],
      ];
    default:
      return [];
  }
}

/** The method step is followed by a challenge, whatever came of it. */
export const uploadMethod = immediate((accepted, store) => {
  const target = targetOf(accepted, store);
  if (accepted.values['tdsServerTransId']?.toLowerCase() !== target.opening.tdsId)
    throw new Refusal('three-d-secure', `threeDSServerTransID is not the one of order ${target.order.id}; the status reply names it`);
  changeStep(store, target.opening, { step: 'challenge' });
  return answer(accepted, store, target);
});

export const uploadCres = immediate((accepted, store) => {
  const target = targetOf(accepted, store);
  const reading = readChallengeResponse(accepted.values['cRes'] ?? '');
  if (!reading.ok) throw new Refusal('three-d-secure', reading.why);
  const { tdsId, acsId } = target.opening;
  if (reading.tdsId.toLowerCase() !== tdsId || (reading.acsId ?? acsId)?.toLowerCase() !== acsId)
    throw new Refusal('three-d-secure', `cRes is about another 3-D Secure transaction than order ${target.order.id}`);
  return settle(accepted, store, target, reading.isAuthenticated);
});

export const uploadPares = immediate((accepted, store) => {
  const target = targetOf(accepted, store);
  const reading = readPayerResponse(accepted.values['paRes'] ?? '');
  if (!reading.ok) throw new Refusal('three-d-secure', reading.why);
  return settle(accepted, store, target, reading.isAuthenticated);
});

function settle(accepted: Accepted, store: Store, target: Target, isAuthenticated: boolean): readonly Pair[] {
  const { outcome: planned } = target.opening;
  const outcome: OutcomeName = isAuthenticated && isOutcomeName(planned) ? planned : 'unauthenticated';
  const tdsResult = isAuthenticated ? 'AUTHENTICATED' : 'NOT_AUTHENTICATED';
  changeStep(store, target.opening, { step: 'none', outcome, tdsResult, dueAt: dueTime(accepted, { step: 'none', outcome }) });
  return answer(accepted, store, target);
}

function answer(accepted: Accepted, store: Store, { order, opening }: Target): readonly Pair[] {
  noteSerial(store, accepted.serial, opening);
  return recordOf(accepted, order);
}
