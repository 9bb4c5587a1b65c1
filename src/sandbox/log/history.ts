import { orderByClientId, orderById } from '../ledger/orders.js';
import type { Store } from '../store.js';
import { type LoggedEvent, readEvents } from './read.js';

/** What a sandbox wrote down about one order. */
export interface OrderHistory {
  readonly orderId: string;
  readonly clientOrderId: string;
  /** The operation that made it. */
  readonly operation: string;
  readonly events: readonly LoggedEvent[];
}

/** By the order id where there is one, else by the client's; undefined when the merchant has no such order. */
export function orderHistory(
  store: Store,
  login: string,
  { orderId, clientOrderId }: { readonly orderId?: string | undefined; readonly clientOrderId?: string | undefined },
): OrderHistory | undefined {
  const order = orderId === undefined ? orderByClientId(store, login, clientOrderId ?? '') : orderById(store, login, orderId);
  if (order === undefined) return undefined;
  const events = readEvents(store, { order: order.id, limit: Number.MAX_SAFE_INTEGER });
  return { orderId: order.id, clientOrderId: order.clientOrderId, operation: order.operation, events };
}
