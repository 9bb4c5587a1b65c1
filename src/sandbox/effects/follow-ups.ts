import { legality, type OrderFacts, type TransactionKind } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import type { Pair } from '../../wire/form.js';
import type { AcceptedRequest } from '../checks/request.js';
import { balanceOf, factsOf, type OrderBalance } from '../ledger/balance.js';
import { storeEchoedFields } from '../ledger/callback-outbox.js';
import { cardState } from '../ledger/cards.js';
import { type Order, orderById } from '../ledger/orders.js';
import { Refusal } from '../ledger/refusal.js';
import type { Store } from '../ledger/store.js';
import { addTransaction, type Transaction, transactionsOf } from '../ledger/transactions.js';
import { completionTime, requestedScenario, transactionEffect } from './open-order.js';
import { recordOf } from './reply.js';

/** The order of a follow-up in its current state. */
export interface FollowUpTarget {
  readonly order: Order;
  readonly opening: Transaction;
  readonly transactions: readonly Transaction[];
  readonly account: OrderBalance;
  readonly facts: OrderFacts;
}

/** Finds the order of a follow-up and checks that the follow-up is allowed. Throws a Refusal with the reason. */
export function followUpTarget(accepted: AcceptedRequest, store: Store): FollowUpTarget {
  const { values, merchant, route, settings, now } = accepted;
  const order = orderById(store, merchant.login, values['orderId'] ?? '');
  if (order === undefined) throw orderNotFound();
  if (settings.assume['follow-up-order-id'] === 'original' && values['clientOrderId'] !== order.clientOrderId)
    throw new Refusal('unknown-order', `client_orderid is not the one order ${order.id} was created with (A41)`);
  const transactions = transactionsOf(store, order.id);
  const [opening] = transactions;
  if (opening === undefined) throw orderNotFound();
  const facts = factsOf(order, transactions, now, cardState(store, order));
  const reason = legality(route.id, facts, settings.assume);
  if (reason !== undefined) throw new Refusal('illegal-move', reason);
  return { order, opening, transactions, account: balanceOf(order, transactions), facts };
}

export function orderNotFound(): Refusal {
  return new Refusal('unknown-order', 'order not found');
}

/** Throws a Refusal when the endpoint a follow-up came to does not take the currency of its order. */
export function checkCurrency({ merchant, route }: AcceptedRequest, { id, currency }: Order): void {
  const taken = merchant.endpoints.find((endpoint) => endpoint.id === route.endpointId)?.currency;
  if (taken !== undefined && currency !== undefined && currency !== taken)
    throw new Refusal('sum', `endpoint ${route.endpointId} accepts ${taken} only, but order ${id} is in ${currency}`);
}

/** The amount of a capture or return: the requested one, or all that is left. */
export function amountWithin({ amount, values }: AcceptedRequest, order: Order, left: bigint, what: string): bigint {
  const { currency = '', digits } = order;
  if (values['currency'] !== undefined && values['currency'] !== currency)
    throw new Refusal('sum', `currency must be ${currency}, as in order ${order.id}`);
  if (amount === undefined) return left;
  if (amount > left) {
    const remaining = `${decimalText(left, digits)} ${currency}`;
    throw new Refusal(
      'sum',
      `amount ${decimalText(amount, digits)} is more than the remaining ${remaining} of ${what}`,
    );
  }
  return amount;
}

export const capture = transactionEffect((accepted, store) => {
  const target = payableTarget(accepted, store);
  const amount = amountWithin(accepted, target.order, target.account.capturable, 'the hold');
  return addFollowUp(accepted, store, target, 'capture', amount);
});

export const voidTransaction = transactionEffect((accepted, store) => {
  const target = payableTarget(accepted, store);
  return addFollowUp(accepted, store, target, 'void', target.opening.amount);
});

/** A17: returns from the settled amount, or from the hold while nothing is settled. */
export const returnPayment = transactionEffect((accepted, store) => {
  const target = payableTarget(accepted, store);
  const isSettled = target.account.settled > 0n;
  const amount = amountWithin(
    accepted,
    target.order,
    target.account.returnable,
    isSettled ? 'the captured amount' : 'the hold',
  );
  return addFollowUp(accepted, store, target, isSettled ? 'reversal' : 'cancel', amount);
});

export const payoutPay = transactionEffect((accepted, store) => {
  const target = payableTarget(accepted, store);
  return addFollowUp(accepted, store, target, 'payout', target.opening.amount);
});

/** The order whose money a follow-up moves, at an endpoint that takes its currency. */
function payableTarget(accepted: AcceptedRequest, store: Store): FollowUpTarget {
  const target = followUpTarget(accepted, store);
  checkCurrency(accepted, target.order);
  return target;
}

/** Adds a transaction to an order. Only an amount given in the request can select an outcome. */
function addFollowUp(
  accepted: AcceptedRequest,
  store: Store,
  { order }: FollowUpTarget,
  kind: TransactionKind,
  amount: bigint | undefined,
): readonly Pair[] {
  const scenario = requestedScenario(accepted, { amount: accepted.amount });
  const clientOrderId = accepted.values['clientOrderId'] ?? order.clientOrderId;
  const { serial } = accepted;
  const made = addTransaction(store, order, {
    ...scenario,
    kind,
    clientOrderId,
    amount,
    dueAt: completionTime(accepted, scenario),
    serial,
  });
  storeEchoedFields(store, order, made, accepted.values);
  return recordOf('AsyncResponse', accepted, order, {});
}
