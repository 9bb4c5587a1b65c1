import { Hono } from 'hono';
import { html } from 'hono/html';
import { advance } from '../clock.js';
import { orders } from '../orders.js';
import type { Html } from '../pages/html.js';
import { clockOffset, type Store } from '../store.js';
import { frame } from './layout.js';
import { type OrderFilter, ordersPage } from './order-list.js';
import { orderPage } from './order-page.js';

const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/** The back office, for reading. It has no way to change anything but what time changes by itself. */
export function dashboard(store: Store): Hono {
  const app = new Hono();
  app.get('/favicon.ico', () => new Response(null, { status: 204, headers }));
  app.get('/', (c) => {
    const filter = filterOf((name) => c.req.query(name) ?? '');
    return atPresent(store, () => pageOf(store, 'Orders', ordersPage(store, filter)));
  });
  app.get('/orders/:id', (c) =>
    atPresent(store, () => {
      const order = orders.get(store, 'WHERE id = ?', c.req.param('id'));
      return order === undefined
        ? pageOf(store, 'Order not found', notFoundPage, 404)
        : pageOf(store, `Order ${order.id}`, orderPage(store, order));
    }),
  );
  return app;
}

/** Looks at the state as it is at this moment. */
function atPresent(store: Store, render: () => Response): Response {
  return store.database.transaction(() => {
    advance(store);
    return render();
  });
}

function pageOf(store: Store, title: string, content: Html, status = 200): Response {
  const page = frame(title, clockOffset(store), content);
  return new Response(String(page), { status, headers: { ...headers, 'content-type': 'text/html;charset=utf-8' } });
}

function filterOf(query: (name: string) => string): OrderFilter {
  const page = Number(/^[1-9]\d{0,5}$/.exec(query('page'))?.[0] ?? '1');
  const text = (name: string) => query(name).trim().slice(0, 128);
  return { status: text('status'), operation: text('operation'), merchant: text('merchant'), search: text('q'), page };
}

const notFoundPage = html`<h1>Order not found</h1>
  <p>The sandbox may have been reset. <a href="/">Show all orders</a></p>`;
