import { auditOrder, type Finding } from '../audit/report.js';
import { callbackAttempts, callbacks } from '../callbacks/outbox.js';
import { cardById, type StoredCard } from '../cards.js';
import { type LoggedEvent, queryEvents } from '../log.js';
import { type Order, orders, type Transaction, transactionsOf } from '../orders.js';
import { numberIn, type Store } from '../store.js';
import type { Row } from '../table.js';

export interface OrderFilter {
  readonly status: string;
  readonly operation: string;
  readonly merchant: string;
  /** Part of an order id of either side. */
  readonly search: string;
  /** From 1. */
  readonly page: number;
}

/** An order with its transactions, oldest first. */
export interface OrderLine {
  readonly order: Order;
  readonly transactions: readonly Transaction[];
}

export interface OrderList {
  readonly lines: readonly OrderLine[];
  /** Without paging. */
  readonly total: number;
  readonly pages: number;
  /** Without filters. */
  readonly isEmpty: boolean;
  readonly operations: readonly string[];
  readonly merchants: readonly string[];
}

const perPage = 25;

/** Newest first. */
export function listOrders(store: Store, { status, operation, merchant, search, page }: OrderFilter): OrderList {
  const { database } = store;
  const like = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const ofStatus = '(SELECT status FROM transactions WHERE order_id = orders.id ORDER BY id DESC LIMIT 1) = ?';
  const ofId = "(orders.id LIKE ? ESCAPE '\\' OR client_order_id LIKE ? ESCAPE '\\')";
  const conditions: readonly (readonly [sql: string, value: string, values: readonly string[]])[] = [
    [ofStatus, status, [status]],
    ['operation = ?', operation, [operation]],
    ['login = ?', merchant, [merchant]],
    [ofId, search, [like, like]],
  ];
  const given = conditions.filter(([, value]) => value !== '');
  const where = given.length === 0 ? '' : `WHERE ${given.map(([sql]) => sql).join(' AND ')}`;
  const values = given.flatMap(([, , bound]) => bound);
  const total = numberIn(database.get(`SELECT count(*) AS n FROM orders ${where}`, ...values), 'n');
  // Ids grow, and have eight digits for as long as anybody will use one sandbox.
  const rows = orders.all(
    store,
    `${where} ORDER BY id DESC LIMIT ? OFFSET ?`,
    ...values,
    perPage,
    (page - 1) * perPage,
  );
  const distinct = (column: 'operation' | 'login') =>
    database.all(`SELECT DISTINCT ${column} AS word FROM orders ORDER BY word`).map((row) => String(row['word']));
  return {
    lines: rows.map((order) => ({ order, transactions: transactionsOf(store, order.id) })),
    total,
    pages: Math.max(1, Math.ceil(total / perPage)),
    isEmpty: database.get('SELECT 1 FROM orders LIMIT 1') === undefined,
    operations: distinct('operation'),
    merchants: distinct('login'),
  };
}

/** Everything the page of one order shows. */
export interface OrderView extends OrderLine {
  readonly card: StoredCard | undefined;
  readonly destination: StoredCard | undefined;
  /** Each with what the handler answered last. */
  readonly callbacks: readonly (Row<typeof callbacks> & { readonly answer: string | undefined })[];
  /** What the client did wrong with this order. */
  readonly findings: readonly Finding[];
  readonly events: readonly LoggedEvent[];
  /** True when the oldest events are not shown. */
  readonly isCut: boolean;
}

const maxEvents = 500;

export function viewOrder(store: Store, id: string): OrderView | undefined {
  const order = orders.get(store, 'WHERE id = ?', id);
  if (order === undefined) return undefined;
  const { login, clientOrderId, cardId, destinationId } = order;
  const events = queryEvents(store, 'WHERE order_id = ? ORDER BY id DESC LIMIT ?', id, maxEvents + 1);
  return {
    order,
    transactions: transactionsOf(store, id),
    card: cardById(store, cardId),
    destination: cardById(store, destinationId),
    callbacks: callbacks
      .all(store, 'WHERE order_id = ? ORDER BY id', id)
      .map((callback) => ({ ...callback, answer: lastAnswer(store, callback.id) })),
    findings: auditOrder(store, { login, orderId: id, clientOrderId }),
    events: events.slice(0, maxEvents).reverse(),
    isCut: events.length > maxEvents,
  };
}

function lastAnswer(store: Store, callbackId: number): string | undefined {
  const attempt = callbackAttempts.get(store, 'WHERE callback_id = ? ORDER BY id DESC LIMIT 1', callbackId);
  const status = attempt?.status === undefined ? undefined : `HTTP ${attempt.status}`;
  const parts = [status, attempt?.reason].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}
