import { Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { advance } from '../advance.js';
import { audit } from '../audit/index.js';
import { offsetOf } from '../clock.js';
import { lastEvent } from '../log/read.js';
import { listMerchants } from '../merchants.js';
import type { Store } from '../store.js';
import { Frame } from './frame.js';
import { viewOrder } from './order.js';
import { OrderPage } from './order-page.js';
import { listOrders, type OrderFilter } from './orders.js';
import { OrdersPage } from './orders-page.js';
import { MerchantsPage, NotFoundPage, ReportPage } from './other-pages.js';
import { script } from './script.js';
import { style } from './style.js';

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
  const file = (type: string, text: string) => () => new Response(text, { headers: { ...headers, 'content-type': type } });
  app.get('/dashboard.css', file('text/css;charset=utf-8', style));
  app.get('/dashboard.js', file('text/javascript;charset=utf-8', script));
  app.get('/favicon.ico', () => new Response(null, { status: 204, headers }));
  app.get('/events', () => current(store, () => Response.json({ last: lastEvent(store) }, { headers })));
  app.get('/', (c) => {
    const filter = filterOf((name) => c.req.query(name) ?? '');
    return current(store, () => {
      const list = listOrders(store, filter);
      return page(store, { title: 'Orders', here: 'orders', content: <OrdersPage list={list} filter={filter} /> });
    });
  });
  app.get('/orders/:id', (c) =>
    current(store, () => {
      const order = viewOrder(store, c.req.param('id'));
      if (order === undefined) return page(store, { title: 'No such order', here: 'orders', content: <NotFoundPage />, status: 404 });
      return page(store, { title: `Order ${order.id}`, here: 'orders', content: <OrderPage order={order} /> });
    }),
  );
  app.get('/merchants', () => {
    const content = <MerchantsPage merchants={listMerchants(store)} />;
    return page(store, { title: 'Merchants', here: 'merchants', content });
  });
  app.get('/report', () => page(store, { title: 'Report card', here: 'report', content: <ReportPage findings={audit(store)} /> }));
  return app;
}

/** Looks at the state as it is at this moment. */
function current(store: Store, look: () => Response): Response {
  return store.database.transaction(() => {
    advance(store);
    return look();
  });
}

interface Shown {
  readonly title: string;
  readonly here: 'orders' | 'merchants' | 'report';
  readonly content: Child;
  readonly status?: number;
}

function page(store: Store, { title, here, content, status = 200 }: Shown): Response {
  const html = (
    <Frame title={title} here={here} last={lastEvent(store)} offsetMs={offsetOf(store.database)}>
      {content}
    </Frame>
  );
  return new Response(`<!doctype html>${String(html)}`, { status, headers: { ...headers, 'content-type': 'text/html;charset=utf-8' } });
}

function filterOf(query: (name: string) => string): OrderFilter {
  const page = Number(/^[1-9]\d{0,5}$/.exec(query('page'))?.[0] ?? '1');
  const text = (name: string) => query(name).trim().slice(0, 128);
  return { status: text('status'), operation: text('operation'), merchant: text('merchant'), search: text('q'), page };
}
