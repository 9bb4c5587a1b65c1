import { Hono } from 'hono';
import type { Child } from 'hono/jsx';
import { isPaycliError } from '../../../errors/index.js';
import { type Assume, assumeDefaults } from '../../../spec/index.js';
import { audit, type Finding } from '../../audit/report.js';
import { advance } from '../../effects/clock.js';
import { lastEventId } from '../../ledger/events.js';
import { listMerchants, type SandboxMerchant } from '../../ledger/merchants.js';
import { offsetOf, type Store } from '../../ledger/store.js';
import { script, style } from './assets.js';
import { Cell, Frame, findingId, NameCell, type PageName, Pairs, Row, Table, TextWithCode, Time } from './layout.js';
import { OrderPage, OrdersPage } from './order-pages.js';
import { listOrders, type OrderFilter, viewOrder } from './orders.js';
import { RequestPage, RequestsPage } from './request-pages.js';
import { listRequests, viewRequest } from './requests.js';
import { compareSides, type SidesCompared, type TypedSides } from './signing-comparison.js';
import { SigningPage } from './signing-page.js';

const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

export interface DashboardOptions {
  /** The defaults when left out. */
  readonly assume?: Assume;
}

/** The back office, for reading. It has no way to change anything but what time changes by itself. */
export function dashboard(store: Store, { assume = assumeDefaults }: DashboardOptions = {}): Hono {
  const app = new Hono();
  const page = (content: PageContent) => pageOf(store, content);
  addFiles(app);
  app.get('/events', () => atPresent(store, () => Response.json({ last: lastEventId(store) }, { headers })));
  app.get('/', (c) => {
    const filter = filterOf((name) => c.req.query(name) ?? '');
    return atPresent(store, () => {
      const list = listOrders(store, filter);
      return page({
        title: 'Orders',
        currentPage: 'orders',
        content: <OrdersPage list={list} filter={filter} />,
      });
    });
  });
  app.get('/orders/:id', (c) =>
    atPresent(store, () => {
      const order = viewOrder(store, c.req.param('id'));
      if (order === undefined)
        return page({
          title: 'Order not found',
          currentPage: 'orders',
          content: <NotFoundPage what="Order" href="/" />,
          status: 404,
        });
      return page({ title: `Order ${order.id}`, currentPage: 'orders', content: <OrderPage order={order} /> });
    }),
  );
  app.get('/requests', (c) => {
    const number = pageNumber(c.req.query('page') ?? '');
    const onlyRefused = c.req.query('refused') === '1';
    const list = listRequests(store, number, onlyRefused);
    const content = <RequestsPage list={list} page={number} onlyRefused={onlyRefused} />;
    return page({ title: 'Requests', currentPage: 'requests', content });
  });
  app.get('/requests/:id{[0-9]{1,15}}', (c) => {
    const request = viewRequest(store, Number(c.req.param('id')));
    const found = request !== undefined;
    return page({
      title: found ? `Request ${request.id}` : 'Request not found',
      currentPage: 'requests',
      content: found ? <RequestPage request={request} /> : <NotFoundPage what="Request" href="/requests" />,
      status: found ? 200 : 404,
    });
  });
  app.get('/merchants', () => {
    const content = <MerchantsPage merchants={listMerchants(store)} />;
    return page({ title: 'Merchants', currentPage: 'merchants', content });
  });
  app.get('/report', () =>
    page({ title: 'Audit report', currentPage: 'report', content: <ReportPage findings={audit(store)} /> }),
  );
  addSigning(app, { store, assume, page });
  return app;
}

function addFiles(app: Hono): void {
  const file = (type: string, text: string) => () =>
    new Response(text, { headers: { ...headers, 'content-type': type } });
  app.get('/dashboard.css', file('text/css;charset=utf-8', style));
  app.get('/dashboard.js', file('text/javascript;charset=utf-8', script));
  app.get('/favicon.ico', () => new Response(null, { status: 204, headers }));
}

interface SigningRoutes {
  readonly store: Store;
  readonly assume: Assume;
  readonly page: (content: PageContent) => Response;
}

const nothingTyped: TypedSides = { theirs: '', signature: '', ours: '', key: '' };
// Two requests and a key; the largest body of the interface is no matter for this page.
const maxTypedBytes = 262_144;

/** What is typed comes by POST alone, so that no address and no history holds it, and nothing writes it down. */
function addSigning(app: Hono, { store, assume, page }: SigningRoutes): void {
  const show = (
    typed: TypedSides,
    shown: { readonly result?: SidesCompared; readonly problem?: string },
    status = 200,
  ) => {
    const { key: _, ...kept } = typed;
    const content = <SigningPage typed={kept} {...shown} />;
    return page({ title: 'Signing', currentPage: 'signing', content, status, isStill: true });
  };
  app.get('/signing', () => show(nothingTyped, {}));
  app.post('/signing', async (c) => {
    const site = c.req.header('sec-fetch-site') ?? 'none';
    if (site !== 'none' && site !== 'same-origin')
      return show(nothingTyped, { problem: 'This form was not submitted from this page. Fill it in here.' }, 403);
    const body = await c.req.text();
    if (body.length > maxTypedBytes)
      return show(nothingTyped, { problem: 'This is too long: the limit is 256 KiB.' }, 413);
    const typed = typedIn(body);
    try {
      return show(typed, { result: compareSides(typed, store, assume) });
    } catch (error) {
      if (isPaycliError(error))
        return show(typed, { problem: `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.` }, 422);
      throw error;
    }
  });
}

function typedIn(body: string): TypedSides {
  const values = new URLSearchParams(body);
  const value = (name: keyof TypedSides) => values.get(name) ?? '';
  return { theirs: value('theirs'), signature: value('signature'), ours: value('ours'), key: value('key') };
}

/** Looks at the state as it is at this moment. */
function atPresent(store: Store, render: () => Response): Response {
  return store.database.transaction(() => {
    advance(store);
    return render();
  });
}

interface PageContent {
  readonly title: string;
  readonly currentPage: PageName;
  readonly content: Child;
  readonly status?: number;
  /** What is being filled in must not change by itself. */
  readonly isStill?: true;
}

function pageOf(store: Store, shown: PageContent): Response {
  const { title, currentPage, content, status = 200, isStill } = shown;
  const html = (
    <Frame
      title={title}
      currentPage={currentPage}
      last={isStill === true ? undefined : lastEventId(store)}
      offsetMs={offsetOf(store.database)}
    >
      {content}
    </Frame>
  );
  return new Response(`<!doctype html>${String(html)}`, {
    status,
    headers: { ...headers, 'content-type': 'text/html;charset=utf-8' },
  });
}

function pageNumber(text: string): number {
  return Number(/^[1-9]\d{0,5}$/.exec(text)?.[0] ?? '1');
}

function filterOf(query: (name: string) => string): OrderFilter {
  const page = pageNumber(query('page'));
  const text = (name: string) => query(name).trim().slice(0, 128);
  return { status: text('status'), operation: text('operation'), merchant: text('merchant'), search: text('q'), page };
}

/** Merchants with their endpoints. Keys are for those who own the file. */
function MerchantsPage({ merchants }: { readonly merchants: readonly SandboxMerchant[] }) {
  return (
    <>
      <h1>Merchants</h1>
      <p class="hint">
        The keys are not shown here; <code>paycli sandbox status</code> prints them.
      </p>
      <Table caption="Merchants of this sandbox" isCaptionHidden columns={['Login', 'Endpoints', 'RSA public key']}>
        {merchants.map(({ login, endpoints, publicKeyPem }) => (
          <Row>
            <NameCell label="Login">{login}</NameCell>
            <Cell label="Endpoints">
              {endpoints
                .map(({ id, currency }) => `${id}${currency === undefined ? '' : ` (${currency} only)`}`)
                .join(', ')}
            </Cell>
            <Cell label="RSA public key">{publicKeyPem === undefined ? 'none yet' : 'registered'}</Cell>
          </Row>
        ))}
      </Table>
    </>
  );
}

/** What clients did wrong so far. */
function ReportPage({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <>
      <h1>Audit report</h1>
      <p class="hint">
        Client mistakes in this sandbox so far, as <code>paycli sandbox audit</code> prints them.
      </p>
      {findings.length === 0 ? (
        <section class="empty" aria-labelledby="clean-title">
          <h2 id="clean-title">No findings</h2>
          <p>No client mistakes so far.</p>
        </section>
      ) : (
        <ol class="findings">
          {findings.map((finding) => (
            <FindingItem finding={finding} />
          ))}
        </ol>
      )}
    </>
  );
}

function FindingItem({ finding }: { readonly finding: Finding }) {
  const { rule, title, detail, fix, count, lastAt, request } = finding;
  const rows = request === undefined ? [] : [...request.headers, ...request.fields];
  return (
    <li class="finding" id={findingId(finding)}>
      <h2>{title}</h2>
      <p>{detail}</p>
      <p>
        <strong>Fix:</strong> <TextWithCode text={fix} />
      </p>
      <p class="hint">
        {rule} · {count === 1 ? 'once' : `${count} times`} · last seen <Time at={lastAt} /> on the clock of this machine
      </p>
      {request === undefined ? null : (
        <details id={`request-${findingId(finding)}`}>
          <summary>{request.line}</summary>
          <Pairs rows={rows} />
        </details>
      )}
    </li>
  );
}

function NotFoundPage({ what, href }: { readonly what: 'Order' | 'Request'; readonly href: string }) {
  return (
    <>
      <h1>{what} not found</h1>
      <p>
        The sandbox may have been reset. <a href={href}>Show all {what.toLowerCase()}s</a>
      </p>
    </>
  );
}
