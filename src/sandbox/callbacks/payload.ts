import { createHash } from 'node:crypto';
import { transactionKinds } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { cardById } from '../cards.js';
import { type Order, orderOfId } from '../ledger/orders.js';
import { type Transaction, transactionById } from '../ledger/transactions.js';
import { merchantOf } from '../merchants.js';
import { outcomeOf } from '../outcomes.js';
import { filled } from '../reply.js';
import type { Store } from '../store.js';

export interface CallbackFacts {
  readonly orderId: string;
  readonly transactionId: number;
  readonly status: string;
  readonly script: string;
}

/** The fields of a callback; undefined when its order was forgotten meanwhile. */
export function payloadOf(store: Store, callback: CallbackFacts): readonly Pair[] | undefined {
  const order = orderOfId(store, callback.orderId);
  const key = order === undefined ? undefined : merchantOf(store, order.endpointId)?.controlKey;
  if (order === undefined || key === undefined) return undefined;
  const { status } = callback;
  const shown = transactionById(store, callback.transactionId);
  // A24: SHA-1 over status, order id, client order id and the control key.
  const control = createHash('sha1')
    .update(status + order.id + shown.clientOrderId + key)
    .digest('hex');
  return filled([
    ['status', status],
    ['merchant_order', shown.clientOrderId],
    ['client_orderid', shown.clientOrderId],
    ['orderid', order.id],
    ['type', transactionKinds[shown.kind].type],
    ['amount', shown.amount === undefined ? undefined : decimalText(shown.amount, order.digits)],
    ['currency', order.currency],
    ['descriptor', order.description],
    ...resultFields(shown, status),
    ...cardFields(store, order),
    ['merchantdata', order.merchantData],
    ['control', callback.script === 'wrong-control' ? spoiled(control) : control],
  ]);
}

function resultFields({ outcome, approvalCode, processorId }: Transaction, status: string) {
  const isNo = status !== 'approved';
  const { code, message } = outcomeOf(outcome);
  return [
    ['error_code', isNo ? code : undefined],
    ['error_message', isNo ? message : undefined],
    ['approval-code', isNo ? undefined : approvalCode],
    ['processor-tx-id', processorId],
  ] as const;
}

function cardFields(store: Store, { cardId, destinationId }: Order) {
  const known = cardId ?? destinationId;
  const card = known === undefined ? undefined : cardById(store, known);
  return [
    ['name', card?.holder],
    ['last-four-digits', card?.lastFour],
    ['bin', card?.bin],
    ['card-type', card?.brand],
  ] as const;
}

/** The same length and alphabet, another first digit. */
function spoiled(control: string): string {
  return (control.startsWith('0') ? '1' : '0') + control.slice(1);
}

export interface CallbackRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly body: string | undefined;
}

/** A24: the address keeps its own query; the fields follow it, or make the body under `POST`. */
export function requestFor(address: string, fields: readonly Pair[], form: string): CallbackRequest {
  const url = new URL(address);
  url.hash = '';
  if (form === 'POST') return { method: 'POST', url: url.href, body: encodeForm(fields) };
  const plain = url.href.replace(/\?$/, '');
  return { method: 'GET', url: `${plain}${plain.includes('?') ? '&' : '?'}${encodeForm(fields)}`, body: undefined };
}
