import { Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { advance } from '../clock.js';
import { lastEventId } from '../log.js';
import { clockOffset, type Store } from '../store.js';
import { script, style } from './assets.js';
import { Frame } from './layout.js';
import { OrdersPage } from './order-list.js';
import { OrderPage } from './order-page.js';
import { listOrders, type OrderFilter, viewOrder } from './orders.js';

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
  const file = (type: string, text: string) => () =>
    new Response(text, { headers: { ...headers, 'content-type': type } });
  app.get('/dashboard.css', file('text/css;charset=utf-8', style));
  app.get('/dashboard.js', file('text/javascript;charset=utf-8', script));
  app.get('/favicon.ico', () => new Response(null, { status: 204, headers }));
  app.get('/events', () => atPresent(store, () => Response.json({ last: lastEventId(store) }, { headers })));
  app.get('/', (c) => {
    const filter = filterOf((name) => c.req.query(name) ?? '');
    return atPresent(store, () => {
      const content = <OrdersPage list={listOrders(store, filter)} filter={filter} />;
      return pageOf(store, 'Orders', content);
    });
  });
  app.get('/orders/:id', (c) =>
    atPresent(store, () => {
      const view = viewOrder(store, c.req.param('id'));
      return view === undefined
        ? pageOf(store, 'Order not found', <NotFoundPage />, 404)
        : pageOf(store, `Order ${view.order.id}`, <OrderPage view={view} />);
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

function pageOf(store: Store, title: string, content: Child, status = 200): Response {
  const html = (
    <Frame title={title} last={lastEventId(store)} offsetMs={clockOffset(store)}>
      {content}
    </Frame>
  );
  return new Response(`<!doctype html>${String(html)}`, {
    status,
    headers: { ...headers, 'content-type': 'text/html;charset=utf-8' },
  });
}

function filterOf(query: (name: string) => string): OrderFilter {
  const page = Number(/^[1-9]\d{0,5}$/.exec(query('page'))?.[0] ?? '1');
  const text = (name: string) => query(name).trim().slice(0, 128);
  return { status: text('status'), operation: text('operation'), merchant: text('merchant'), search: text('q'), page };
}

function NotFoundPage() {
  return (
    <>
      <h1>Order not found</h1>
      <p>
        The sandbox may have been reset. <a href="/">Show all orders</a>
      </p>
    </>
  );
}
