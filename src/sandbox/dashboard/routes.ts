import { html } from 'hono/html';
import { advance } from '../clock.js';
import { orders } from '../orders.js';
import { type Html, htmlReply, page } from '../pages/html.js';
import type { SandboxReply } from '../request.js';
import { type Store, timeText } from '../store.js';
import { ordersPage } from './order-list.js';
import { orderPage } from './order-page.js';

const ownHeaders = { 'referrer-policy': 'no-referrer', 'cross-origin-resource-policy': 'same-origin' };

/**
 * The back office, for reading: it has no way to change anything but what time changes by itself. Undefined for an
 * address it does not have.
 */
export function showDashboard(store: Store, address: string): SandboxReply | undefined {
  const [path = '', query = ''] = address.split('?', 2);
  if (path === '/favicon.ico') return { status: 204, headers: {}, body: '' };
  const id = /^\/orders\/([^/]+)$/.exec(path)?.[1];
  if (path !== '/' && id === undefined) return undefined;
  return store.database.transaction(() => {
    advance(store);
    if (id === undefined) return pageOf(store, 'Orders', ordersPage(store, new URLSearchParams(query)));
    const order = orders.get(store, 'WHERE id = ?', id);
    return order === undefined
      ? pageOf(store, 'Order not found', notFoundPage, 404)
      : pageOf(store, `Order ${order.id}`, orderPage(store, order));
  });
}

function pageOf(store: Store, title: string, content: Html, status = 200): SandboxReply {
  const body = html`<main>${content}</main>
    <footer>The sandbox clock is at ${timeText(store.clock.now())}. Nobody is charged here.</footer>`;
  const reply = htmlReply(page({ title: `${title} · paycli sandbox` }, body), { status });
  return { ...reply, headers: { ...reply.headers, ...ownHeaders } };
}

const notFoundPage = html`<h1>Order not found</h1>
  <p>The sandbox may have been reset. <a href="/">Show all orders</a></p>`;
