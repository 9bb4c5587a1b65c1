import { html } from 'hono/html';
import { commandOf, statuses } from '../../spec/index.js';
import { statusText, transactionText } from '../../spec/transaction-words.js';
import { decimalText } from '../../wire/amount.js';
import { type Order, orders, type Transaction, transactionsOf } from '../orders.js';
import type { Html } from '../pages/html.js';
import { numberIn, type Store } from '../store.js';
import { statusBadge, table, timeOf } from './layout.js';

const noOrdersYet = html`<section class="empty" aria-labelledby="empty-title">
  <h2 id="empty-title">No orders yet</h2>
  <p>Create the first one in a terminal; it appears here automatically:</p>
  <pre><code>paycli sale --profile sandbox --amount 10.42 --currency USD --test-card approved --wait</code></pre>
  <p>Or send a request from your own code; <code>paycli sandbox status</code> shows the endpoints and keys.</p>
</section>`;

const noOrderMatches = html`<section class="empty" aria-labelledby="empty-title">
  <h2 id="empty-title">No matching orders</h2>
  <p>No order matches these filters. <a href="/">Show all orders</a></p>
</section>`;

export interface OrderFilter {
  readonly status: string;
  readonly operation: string;
  readonly merchant: string;
  /** Part of an order id of either side. */
  readonly search: string;
  /** From 1. */
  readonly page: number;
}

const perPage = 25;

/** Newest first. */
function listOrders(store: Store, { status, operation, merchant, search, page }: OrderFilter) {
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
    /** Orders with their transactions, oldest first. */
    lines: rows.map((order) => ({ order, transactions: transactionsOf(store, order.id) })),
    /** Without paging. */
    total,
    pages: Math.max(1, Math.ceil(total / perPage)),
    /** Without filters. */
    isEmpty: database.get('SELECT 1 FROM orders LIMIT 1') === undefined,
    operations: distinct('operation'),
    merchants: distinct('login'),
  };
}

type OrderList = ReturnType<typeof listOrders>;

export function ordersPage(store: Store, filter: OrderFilter): Html {
  const list = listOrders(store, filter);
  if (list.isEmpty) return html`<h1>Orders</h1>${noOrdersYet}`;
  const found = list.lines.length === 0 ? noOrderMatches : orderTable(list, filter);
  return html`<h1>Orders</h1>${filterForm(list, filter)}${found}`;
}

function filterForm({ operations, merchants }: OrderList, filter: OrderFilter): Html {
  return html`<search>
    <form class="filters" method="get" action="/">
      <p>
        <label for="q">Order id</label>
        <input id="q" name="q" type="search" value="${filter.search}" placeholder="yours or the gateway's" autocomplete="off" />
      </p>
      ${select('status', filter.status, Object.keys(statuses), statusText)}
      ${select('operation', filter.operation, operations, (id) => commandOf(id) ?? id)}
      ${select('merchant', filter.merchant, merchants, String)}
      <p><button type="submit">Filter</button></p>
      <p><a href="/">Clear</a></p>
    </form>
  </search>`;
}

function select(id: string, chosen: string, words: readonly string[], show: (word: string) => string): Html {
  const options = words.map(
    (word) => html`<option value="${word}"${word === chosen && ' selected'}>${show(word)}</option>`,
  );
  return html`<p>
    <label for="${id}">${id.charAt(0).toUpperCase() + id.slice(1)}</label>
    <select id="${id}" name="${id}"><option value="">all</option>${options}</select>
  </p>`;
}

function orderTable({ lines, total, pages }: OrderList, filter: OrderFilter): Html {
  const { page } = filter;
  const count = total === 1 ? '1 order' : `${total} orders`;
  const rows = lines.map(({ order, transactions }) => [
    html`<a href="/orders/${order.id}">${order.id}</a><span class="under">${order.clientOrderId}</span>`,
    commandOf(order.operation) ?? order.operation,
    order.login,
    amountOfOrder(order),
    newestState(transactions, 'under'),
    timeOf(order.madeAt),
  ]);
  const caption = `${count}, newest first${pages === 1 ? '' : `, page ${page} of ${pages}`}`;
  const link = (words: string, to: number) =>
    to < 1 || to > pages ? html`<span>${words}</span>` : html`<a href="${pageAddress(filter, to)}">${words}</a>`;
  const paging = html`<nav class="paging" aria-label="Pages of the list">
    ${link('Newer', page - 1)}${link('Older', page + 1)}
  </nav>`;
  const columns = ['Order', 'Operation', 'Merchant', 'Amount', 'Status', 'Time'];
  return html`${table({ caption, columns, rows })}${pages > 1 && paging}`;
}

/** The state of the newest transaction, and its operation as the command line names it. */
export function newestState(transactions: readonly Transaction[], className: string): Html | undefined {
  const newest = transactions.at(-1);
  if (newest === undefined) return undefined;
  const { kind, status, step } = newest;
  return html`${statusBadge(status)} <span class="${className}">${transactionText(kind, status, step)}</span>`;
}

/** An amount in the currency of its order; a dash for none. */
export function amountOfOrder({ digits, currency = '', ...order }: Order, amount = order.amount): string {
  return amount === undefined ? '–' : `${decimalText(amount, digits)} ${currency}`;
}

function pageAddress({ status, operation, merchant, search }: OrderFilter, page: number): string {
  const given = Object.entries({ q: search, status, operation, merchant }).filter(([, value]) => value !== '');
  return `/?${new URLSearchParams([...given, ['page', String(page)]])}`;
}
