import { createHash } from 'node:crypto';
import { callbackFields } from '../../spec/index.js';
import { type TransactionKind, transactionKinds } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { cardById } from '../cards.js';
import { merchantOf } from '../merchants.js';
import { orders, transactions, transactionsOf } from '../orders.js';
import { outcomeOf } from '../outcomes.js';
import { writeFields } from '../replies.js';
import type { Store } from '../store.js';

interface CallbackFacts {
  readonly orderId: string;
  readonly transactionId: number;
  readonly status: string;
  readonly script: string;
}

/** The fields of a callback; undefined when its order was deleted. */
export function payloadOf(store: Store, given: CallbackFacts): readonly Pair[] | undefined {
  const callback = given.script === 'other-order' ? (approvedBeside(store, given) ?? given) : given;
  const order = orders.get(store, 'WHERE id = ?', callback.orderId);
  const shown = transactions.get(store, 'WHERE id = ?', callback.transactionId);
  const key = order === undefined ? undefined : merchantOf(store, order.endpointId)?.controlKey;
  if (order === undefined || shown === undefined || key === undefined) return undefined;
  const { kind, clientOrderId, processorId, amount, comment } = shown;
  const { currency, digits, description, merchantData } = order;
  const isForged = callback.script === 'wrong-control' || callback.script === 'forged';
  // What somebody would make of it on the way.
  const opposite = callback.status === 'approved' ? 'declined' : 'approved';
  const status = callback.script === 'altered' ? opposite : callback.status;
  // A24: SHA-1 over status, order id, client order id and the control key.
  const covered = callback.status + order.id + clientOrderId + key;
  const control = createHash('sha1').update(covered).digest('hex');
  const all = transactionsOf(store, order.id);
  const [{ email, phone } = shown] = all;
  const card = cardById(store, order.cardId ?? order.destinationId);
  const isApproved = status === 'approved';
  // A34, A36: the sandbox captures and returns in parts.
  const inParts = isApproved && paymentKinds.includes(kind) ? 'enabled' : undefined;
  const { code, message } = isApproved ? {} : outcomeOf(shown.outcome);
  return writeFields(callbackFields, {
    ...{ status, merchantOrder: clientOrderId, clientOrderId, orderId: order.id },
    transactionType: transactionKinds[kind].type,
    // Every callback has an amount (A24); for an account verification, which has none, it is zero.
    amount: amount === undefined ? (kind === 'account-verification' ? '0.00' : undefined) : decimalText(amount, digits),
    ...{
      currency,
      descriptor: description,
      errorCode: code,
      errorMessage: message,
      holder: card?.holder,
      email,
      phone,
    },
    approvalCode: isApproved ? shown.approvalCode : undefined,
    ...{ lastFour: card?.lastFour, bin: card?.bin, cardType: card?.brand },
    ...{ partialReversal: inParts, partialCapture: inParts },
    // The number by which a bank finds the payment.
    rrn: isApproved ? order.id + String(all.findIndex(({ id }) => id === shown.id)).padStart(4, '0') : undefined,
    ...{ processorId, comment, merchantData },
    // Of the same length and alphabet, with another first digit.
    control: isForged ? (control.startsWith('0') ? '1' : '0') + control.slice(1) : control,
  });
}

const paymentKinds: readonly TransactionKind[] = ['sale', 'preauth', 'rebill', 'capture', 'reversal', 'cancel', 'void'];

/** The true callback of another order of the same merchant; undefined when none is approved. */
function approvedBeside(store: Store, { orderId }: CallbackFacts): CallbackFacts | undefined {
  const other = transactions.get(
    store,
    `WHERE status = 'approved' AND order_id <> ? AND login = (SELECT login FROM orders WHERE id = ?)
     ORDER BY id DESC LIMIT 1`,
    orderId,
    orderId,
  );
  if (other === undefined) return undefined;
  return { orderId: other.orderId, transactionId: other.id, status: 'approved', script: 'normal' };
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
