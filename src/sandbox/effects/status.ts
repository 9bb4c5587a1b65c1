import { stageOf, transactionKinds } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import type { AcceptedRequest } from '../checks/request.js';
import { balanceOf } from '../ledger/balance.js';
import { cardById, type StoredCard } from '../ledger/cards.js';
import { type Order, orderByClientId, orderById } from '../ledger/orders.js';
import { outcomeOf } from '../ledger/outcomes.js';
import { Refusal } from '../ledger/refusal.js';
import type { Store } from '../ledger/store.js';
import { type Transaction, transactionOfSerial, transactionsOf } from '../ledger/transactions.js';
import { orderNotFound } from './follow-ups.js';
import { immediateEffect } from './open-order.js';
import { type ReplyFields, recordOf } from './reply.js';
import { stepFields } from './three-d-secure.js';

/** A42: the newest transaction of an order, or the one a serial number names. */
export const status = immediateEffect((accepted, store) => {
  const order = requestedOrder(accepted, store);
  const transactions = transactionsOf(store, order.id);
  const { bySerial } = accepted.values;
  const shown = bySerial === undefined ? transactions.at(-1) : transactionOfSerial(store, transactions, bySerial);
  if (shown === undefined)
    throw new Refusal('unknown-order', 'by-request-sn is not the serial number of a request of this order');
  const { totalReturned } = balanceOf(order, transactions);
  return recordOf(accepted, order, [
    ...resultFields(shown),
    ...moneyFields(order, shown, totalReturned),
    ...cardFields(order, store),
    ...stepFields(accepted, order, shown, store),
    ['by-request-sn', bySerial],
  ]);
});

function requestedOrder({ values, merchant }: AcceptedRequest, store: Store): Order {
  const { orderId, clientOrderId } = values;
  const order =
    orderId === undefined
      ? orderByClientId(store, merchant.login, clientOrderId ?? '')
      : orderById(store, merchant.login, orderId);
  if (order === undefined) throw orderNotFound();
  if (orderId === undefined || clientOrderId === undefined || clientOrderId === order.clientOrderId) return order;
  // A41: under `own` a follow-up has an id of its own, which names the order as well.
  if (transactionsOf(store, order.id).some((each) => each.clientOrderId === clientOrderId)) return order;
  throw new Refusal(
    'unknown-order',
    `orderid and client_orderid do not belong together: order ${order.id} has another client_orderid`,
  );
}

function resultFields(shown: Transaction): ReplyFields {
  const { kind, status: word, step, outcome, doneAt, madeAt } = shown;
  const isNo = word === 'declined' || word === 'error' || word === 'filtered';
  return [
    ['status', word],
    ['transaction-type', transactionKinds[kind].type],
    ['order-stage', stageOf(kind, word, step)],
    ['error-message', isNo ? outcomeOf(outcome).message : undefined],
    ['error-code', isNo ? outcomeOf(outcome).code : undefined],
    ['processor-tx-id', doneAt === undefined ? undefined : shown.processorId],
    ['approval-code', word === 'approved' ? shown.approvalCode : undefined],
    ['paynet-processing-date', `${new Date(doneAt ?? madeAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`],
    ['verified-3d-status', shown.tdsResult],
  ];
}

function moneyFields({ amount, currency, digits }: Order, shown: Transaction, returned: bigint): ReplyFields {
  return [
    ['amount', shown.amount === undefined ? undefined : decimalText(shown.amount, digits)],
    ['currency', currency],
    ['initial-amount', amount === undefined ? undefined : decimalText(amount, digits)],
    ['total-reversal-amount', returned === 0n ? undefined : decimalText(returned, digits)],
  ];
}

function cardFields({ cardId, destinationId }: Order, store: Store): ReplyFields {
  const card = cardOrNone(store, cardId);
  const destination = cardOrNone(store, destinationId);
  return [
    ['bin', card?.bin],
    ['last-four-digits', card?.lastFour],
    ['card-type', card?.brand],
    ['card-exp-month', card?.month],
    ['card-exp-year', card?.year],
    ['cardholder-name', card?.holder],
    ['dest-bin', destination?.bin],
    ['dest-last-four-digits', destination?.lastFour],
    ['dest-card-type', destination?.brand],
  ];
}

function cardOrNone(store: Store, id: number | undefined): StoredCard | undefined {
  return id === undefined ? undefined : cardById(store, id);
}
