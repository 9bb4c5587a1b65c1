import { legality, type OrderFacts } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { cardFact } from '../cards.js';
import { type Account, accountOf, factsOf } from '../ledger/account.js';
import { type Order, orderById } from '../ledger/orders.js';
import { type Transaction, transactionsOf } from '../ledger/transactions.js';
import { Refusal } from '../refusal.js';
import type { Accepted } from '../request.js';
import type { Store } from '../store.js';

/** The order a follow-up is about, as it stands now. */
export interface Target {
  readonly order: Order;
  readonly opening: Transaction;
  readonly transactions: readonly Transaction[];
  readonly account: Account;
  readonly facts: OrderFacts;
}

/** Finds the order a follow-up names and makes sure the follow-up may be made. Throws a Refusal with the reason. */
export function targetOf(accepted: Accepted, store: Store): Target {
  const { values, merchant, route, terms, now } = accepted;
  const order = orderById(store, merchant.login, values['orderId'] ?? '');
  if (order === undefined) throw notFound();
  if (terms.assume['follow-up-order-id'] === 'original' && values['clientOrderId'] !== order.clientOrderId)
    throw new Refusal('unknown-order', `client_orderid is not the one order ${order.id} was made with (A41)`);
  const transactions = transactionsOf(store, order.id);
  const [opening] = transactions;
  if (opening === undefined) throw notFound();
  const facts = factsOf(order, transactions, now, cardFact(store, order));
  const reason = legality(route.id, facts, terms.assume);
  if (reason !== undefined) throw new Refusal('illegal-move', reason);
  return { order, opening, transactions, account: accountOf(order, transactions), facts };
}

export function notFound(): Refusal {
  return new Refusal('unknown-order', 'order not found');
}

/** Throws a Refusal when the endpoint a follow-up came to does not take the currency of its order. */
export function checkCurrency({ merchant, route }: Accepted, { id, currency }: Order): void {
  const taken = merchant.endpoints.find((endpoint) => endpoint.id === route.endpointId)?.currency;
  if (taken !== undefined && currency !== undefined && currency !== taken)
    throw new Refusal('sum', `endpoint ${route.endpointId} takes ${taken} only, and order ${id} is in ${currency}`);
}

/** The part a capture or return takes: what was asked for, or everything that is left. */
export function partOf({ amount, values }: Accepted, order: Order, left: bigint, what: string): bigint {
  const { currency = '', digits } = order;
  if (values['currency'] !== undefined && values['currency'] !== currency)
    throw new Refusal('sum', `currency must be ${currency}, as in order ${order.id}`);
  if (amount === undefined) return left;
  if (amount > left)
    throw new Refusal(
      'sum',
      `amount ${decimalText(amount, digits)} is more than the ${decimalText(left, digits)} ${currency} left of ${what}`,
    );
  return amount;
}
