import { createHash } from 'node:crypto';
import { callbackFields } from '../../spec/index.js';
import { type TransactionKind, transactionKinds } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { encodeForm, type Pair } from '../../wire/form.js';
import { writeFields } from '../effects/reply.js';
import { echoedFieldsOf } from '../ledger/callback-outbox.js';
import { cardById } from '../ledger/cards.js';
import { merchantOf } from '../ledger/merchants.js';
import { type Order, orderOfAnyMerchant } from '../ledger/orders.js';
import { outcomeOf } from '../ledger/outcomes.js';
import { number, type Store, text } from '../ledger/store.js';
import { type Transaction, transactionById, transactionsOf } from '../ledger/transactions.js';

interface CallbackFacts {
  readonly orderId: string;
  readonly transactionId: number;
  readonly status: string;
  readonly script: string;
}

/** The fields of a callback; undefined when its order was deleted. */
export function payloadOf(store: Store, given: CallbackFacts): readonly Pair[] | undefined {
  const callback = given.script === 'other-order' ? (approvedBeside(store, given) ?? given) : given;
  const order = orderOfAnyMerchant(store, callback.orderId);
  const key = order === undefined ? undefined : merchantOf(store, order.endpointId)?.controlKey;
  if (order === undefined || key === undefined) return undefined;
  const status = callback.script === 'altered' ? opposite(callback.status) : callback.status;
  const shown = transactionById(store, callback.transactionId);
  // A24: SHA-1 over status, order id, client order id and the control key.
  const control = createHash('sha1')
    .update(callback.status + order.id + shown.clientOrderId + key)
    .digest('hex');
  const [opening = shown] = transactionsOf(store, order.id);
  const payer = echoedFieldsOf(store, opening);
  const card = cardOf(store, order);
  const isApproved = status === 'approved';
  const isPaid = isApproved && paymentKinds.includes(shown.kind);
  const { code, message } = isApproved ? {} : outcomeOf(shown.outcome);
  return writeFields(callbackFields, {
    status,
    merchantOrder: shown.clientOrderId,
    clientOrderId: shown.clientOrderId,
    orderId: order.id,
    transactionType: transactionKinds[shown.kind].type,
    amount: amountOf(shown, order),
    currency: order.currency,
    descriptor: order.description,
    errorCode: code,
    errorMessage: message,
    holder: card?.holder,
    email: payer.email,
    phone: payer.phone,
    approvalCode: isApproved ? shown.approvalCode : undefined,
    lastFour: card?.lastFour,
    bin: card?.bin,
    cardType: card?.brand,
    // A34, A36: the sandbox captures and returns in parts.
    partialReversal: isPaid ? 'enabled' : undefined,
    partialCapture: isPaid ? 'enabled' : undefined,
    // The number by which a bank finds the payment.
    rrn: isApproved ? String(shown.id).padStart(12, '0') : undefined,
    processorId: shown.processorId,
    comment: echoedFieldsOf(store, shown).comment,
    merchantData: order.merchantData,
    control: isForged(callback) ? corrupted(control) : control,
  });
}

/** Every callback has an amount (A24); for an account verification, which has none, it is zero. */
function amountOf({ kind, amount }: Transaction, { digits }: Order): string | undefined {
  if (kind === 'account-verification') return '0.00';
  return amount === undefined ? undefined : decimalText(amount, digits);
}

function cardOf(store: Store, { cardId, destinationId }: Order) {
  const known = cardId ?? destinationId;
  return known === undefined ? undefined : cardById(store, known);
}

const paymentKinds: readonly TransactionKind[] = ['sale', 'preauth', 'rebill', 'capture', 'reversal', 'cancel', 'void'];

function isForged({ script }: CallbackFacts): boolean {
  return script === 'wrong-control' || script === 'forged';
}

/** What somebody would make of a status on the way. */
function opposite(status: string): string {
  return status === 'approved' ? 'declined' : 'approved';
}

/** The true callback of another order of the same merchant; undefined when none is approved. */
function approvedBeside({ database }: Store, { orderId }: CallbackFacts): CallbackFacts | undefined {
  const other = `SELECT id, order_id FROM transactions WHERE status = 'approved' AND order_id <> ?
    AND login = (SELECT login FROM orders WHERE id = ?) ORDER BY id DESC LIMIT 1`;
  const row = database.get(other, orderId, orderId);
  if (row === undefined) return undefined;
  return { orderId: text(row, 'order_id'), transactionId: number(row, 'id'), status: 'approved', script: 'normal' };
}

/** A wrong control of the same length and alphabet, with another first digit. */
function corrupted(control: string): string {
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
