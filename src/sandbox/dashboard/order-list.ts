import { html } from 'hono/html';
import { commandOf } from '../../spec/index.js';
import { statusText, transactionText } from '../../spec/transaction-words.js';
import { type Order, orders, type Transaction, transactionsOf } from '../orders.js';
import { amountText, type Html } from '../pages/html.js';
import { numberIn, type Store } from '../store.js';

const noOrdersYet = html`<p>No orders yet. Create the first one in a terminal:</p>
  <pre><code>paycli sale --profile sandbox --amount 10.42 --currency USD --test-card approved --wait</code></pre>
  <p>Or send a request from your own code; <code>paycli sandbox status</code> shows the endpoints and keys.</p>`;

const perPage = 25;

/** Orders with a part of this id, of either side, newest first. */
export function ordersPage(store: Store, query: URLSearchParams): Html {
  const { database } = store;
  const search = (query.get('q') ?? '').trim().slice(0, 128);
  const page = Number(/^[1-9]\d{0,5}$/.exec(query.get('page') ?? '')?.[0] ?? '1');
  const like = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const where = "WHERE orders.id LIKE ? ESCAPE '\\' OR client_order_id LIKE ? ESCAPE '\\'";
  const total = numberIn(database.get(`SELECT count(*) AS n FROM orders ${where}`, like, like), 'n');
  if (total === 0 && search === '') return html`<h1>Orders</h1>${noOrdersYet}`;
  // Ids grow, and have eight digits for as long as anybody will use one sandbox.
  const paged = `${where} ORDER BY id DESC LIMIT ? OFFSET ?`;
  const found = orders.all(store, paged, like, like, perPage, (page - 1) * perPage);
  return html`<h1>Orders</h1>
    <form method="get" action="/" class="search" role="search">
      <label for="q">Order id, yours or the gateway's</label>
      <input id="q" name="q" type="search" value="${search}" autocomplete="off" />
      <button type="submit">Search</button>
    </form>
    ${orderTable(store, found, total)}${paging(search, page, Math.ceil(total / perPage))}`;
}

function orderTable(store: Store, found: readonly Order[], total: number): Html {
  return table({
    caption: `Orders found: ${total}, newest first`,
    columns: ['Order', 'Operation', 'Merchant', 'Amount', 'Status', 'Time'],
    rows: found.map((order) => [
      html`<a href="/orders/${order.id}">${order.id}</a><span class="under">${order.clientOrderId}</span>`,
      commandOf(order.operation) ?? order.operation,
      order.login,
      amountText(order) ?? '–',
      newestState(transactionsOf(store, order.id)),
      timeOf(order.madeAt),
    ]),
  });
}

function paging(search: string, page: number, pages: number): Html | undefined {
  const link = (words: string, to: number) =>
    to >= 1 && to <= pages && html`<a href="/?${new URLSearchParams({ q: search, page: String(to) })}">${words}</a>`;
  return html`<nav class="paging" aria-label="Pages of the list">${link('Newer', page - 1)}${link('Older', page + 1)}</nav>`;
}

/** The state of the newest transaction, and its operation as the command line names it. */
export function newestState(transactions: readonly Transaction[]): Html | undefined {
  const newest = transactions.at(-1);
  if (newest === undefined) return undefined;
  const { kind, status, step } = newest;
  return html`${statusBadge(status)} <span class="under">${transactionText(kind, status, step)}</span>`;
}

export function timeOf(at: number): Html {
  const iso = new Date(at).toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 19).replace('T', ' ')}</time>`;
}

/** A status as word and colour. The word alone says it all. */
export function statusBadge(word: string): Html {
  return html`<span class="status is-${word}">${statusText(word)}</span>`;
}

interface TableParts {
  readonly caption: string;
  readonly columns: readonly string[];
  /** The first cell names its row. */
  readonly rows: readonly (readonly (Html | string | undefined)[])[];
}

/** What is too wide for a phone is scrolled sideways, by keys as well. */
export function table({ caption, columns, rows }: TableParts): Html {
  const body = rows.map(
    ([name, ...cells]) => html`<tr><th scope="row">${name}</th>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>`,
  );
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>${caption}</caption>
      <thead><tr>${columns.map((column) => html`<th scope="col">${column}</th>`)}</tr></thead>
      <tbody>${body}</tbody>
    </table>
  </div>`;
}
