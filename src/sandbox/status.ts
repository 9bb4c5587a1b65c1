import { stageOf, transactionKinds } from '../spec/lifecycle.js';
import { decimalText } from '../wire/amount.js';
import { balanceOf } from './balance.js';
import { cardById } from './cards.js';
import { immediate, orderNotFound } from './operations.js';
import { type Order, orderByClientId, orderById, serials, type Transaction, transactionsOf } from './orders.js';
import { outcomeOf } from './outcomes.js';
import { Refusal } from './refusal.js';
import { type Own, recordOf } from './replies.js';
import type { AcceptedRequest } from './request.js';
import type { Store } from './store.js';
import { stepFields } from './threeds.js';

/** A42: the newest transaction of an order, or the one a serial number names. */
export const statusEffect = immediate((accepted, store) => {
  const order = requestedOrder(accepted, store);
  const transactions = transactionsOf(store, order.id);
  const { bySerial } = accepted.values;
  const named =
    bySerial === undefined
      ? transactions.at(-1)?.id
      : serials.get(store, 'WHERE serial = ?', bySerial.toLowerCase())?.transactionId;
  const shown = transactions.find(({ id }) => id === named);
  if (shown === undefined)
    throw new Refusal('unknown-order', 'by-request-sn is not the serial number of a request of this order');
  const { totalReturned } = balanceOf(order, transactions);
  return recordOf('StatusResponse', accepted, order, {
    ...resultFields(shown),
    ...moneyFields(order, shown, totalReturned),
    ...cardFields(order, store),
    ...stepFields(accepted, order, shown, store),
    bySerial,
  });
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

type StatusFields = Own<'StatusResponse'>;
type AlwaysSent = 'status' | 'transactionType' | 'stage' | 'processedAt';

function resultFields(shown: Transaction): Pick<StatusFields, AlwaysSent> & Partial<StatusFields> {
  const { kind, status: word, step, outcome, doneAt, madeAt } = shown;
  const isNo = word === 'declined' || word === 'error' || word === 'filtered';
  return {
    status: word,
    transactionType: transactionKinds[kind].type,
    stage: stageOf(kind, word, step),
    errorMessage: isNo ? outcomeOf(outcome).message : undefined,
    errorCode: isNo ? outcomeOf(outcome).code : undefined,
    processorId: doneAt === undefined ? undefined : shown.processorId,
    approvalCode: word === 'approved' ? shown.approvalCode : undefined,
    processedAt: `${new Date(doneAt ?? madeAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`,
    verified3d: shown.tdsResult,
  };
}

function moneyFields({ amount, currency, digits }: Order, shown: Transaction, returned: bigint): Partial<StatusFields> {
  return {
    amount: shown.amount === undefined ? undefined : decimalText(shown.amount, digits),
    currency,
    initialAmount: amount === undefined ? undefined : decimalText(amount, digits),
    totalReversed: returned === 0n ? undefined : decimalText(returned, digits),
  };
}

function cardFields({ cardId, destinationId }: Order, store: Store): Partial<StatusFields> {
  const card = cardById(store, cardId);
  const destination = cardById(store, destinationId);
  return {
    bin: card?.bin,
    lastFour: card?.lastFour,
    cardType: card?.brand,
    expiryMonth: card?.month,
    expiryYear: card?.year,
    holder: card?.holder,
    destinationBin: destination?.bin,
    destinationLastFour: destination?.lastFour,
    destinationType: destination?.brand,
  };
}
