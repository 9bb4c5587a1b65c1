import type { TransactionKind } from '../../spec/lifecycle.js';
import type { Pair } from '../../wire/form.js';
import { keepEcho } from '../callbacks/echo.js';
import { addTransaction } from '../ledger/transactions.js';
import { recordOf } from '../reply.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';
import { settling } from './effect.js';
import { courseFor, dueTime } from './opening.js';
import { checkCurrency, partOf, type Target, targetOf } from './target.js';

export const capture = settling((accepted, store) => {
  const target = payableTarget(accepted, store);
  const amount = partOf(accepted, target.order, target.account.capturable, 'the hold');
  return follow(accepted, store, target, 'capture', amount);
});

export const voidTransaction = settling((accepted, store) => {
  const target = payableTarget(accepted, store);
  return follow(accepted, store, target, 'void', target.opening.amount);
});

/** A17: it gives back out of what was settled, or out of the hold while nothing is. */
export const returnMoney = settling((accepted, store) => {
  const target = payableTarget(accepted, store);
  const isSettled = target.account.settled > 0n;
  const amount = partOf(accepted, target.order, target.account.returnable, isSettled ? 'what was settled' : 'the hold');
  return follow(accepted, store, target, isSettled ? 'reversal' : 'cancel', amount);
});

export const payoutPay = settling((accepted, store) => {
  const target = payableTarget(accepted, store);
  return follow(accepted, store, target, 'payout', target.opening.amount);
});

/** The order a follow-up moves money of, at an endpoint that takes its currency. */
function payableTarget(accepted: Accepted, store: Store): Target {
  const target = targetOf(accepted, store);
  checkCurrency(accepted, target.order);
  return target;
}

/** Adds a transaction to an order. Only an amount the request itself names is looked up in the table of amounts. */
function follow(accepted: Accepted, store: Store, { order }: Target, kind: TransactionKind, amount: bigint | undefined): readonly Pair[] {
  const course = courseFor(accepted, { amount: accepted.amount });
  const clientOrderId = accepted.values['clientOrderId'] ?? order.clientOrderId;
  const { serial } = accepted;
  const made = addTransaction(store, order, { ...course, kind, clientOrderId, amount, dueAt: dueTime(accepted, course), serial });
  keepEcho(store, order, made, accepted.values);
  return recordOf(accepted, order);
}
