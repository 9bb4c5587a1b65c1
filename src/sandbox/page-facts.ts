import { stageOf } from '../spec/lifecycle.js';
import { decimalText } from '../wire/amount.js';
import { advance } from './advance.js';
import { orderByPage } from './ledger/orders.js';
import { transactionsOf } from './ledger/transactions.js';
import type { Store } from './store.js';

/** What a hosted page may show of its order. */
export interface PageFacts {
  readonly merchant: string;
  readonly orderId: string;
  readonly clientOrderId: string;
  /** With its currency; undefined when the order has none. */
  readonly amount: string | undefined;
  readonly status: string;
  readonly stage: string;
}

export function pageFacts(store: Store, token: string): PageFacts | undefined {
  return store.database.transaction(() => {
    advance(store);
    const order = orderByPage(store, token);
    const shown = order === undefined ? undefined : transactionsOf(store, order.id).at(-1);
    if (order === undefined || shown === undefined) return undefined;
    return {
      merchant: order.login,
      orderId: order.id,
      clientOrderId: order.clientOrderId,
      amount: order.amount === undefined ? undefined : `${decimalText(order.amount, order.digits)} ${order.currency ?? ''}`,
      status: shown.status,
      stage: stageOf(shown.kind, shown.status, shown.step),
    };
  });
}
