import type { PageFacts } from './page-facts.js';

const headers = {
  'content-type': 'text/html;charset=utf-8',
  'content-security-policy': "default-src 'none'; form-action 'none'; frame-ancestors 'none'; base-uri 'none'",
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};

/** The hosted page of an order, to be read only: results come in by the interface. */
export function pageResponse(facts: PageFacts | undefined): Response {
  const page = facts === undefined ? <Unknown /> : <OrderPage {...facts} />;
  return new Response(`<!doctype html>${String(page)}`, { status: facts === undefined ? 404 : 200, headers });
}

function Frame({ title, children }: { readonly title: string; readonly children?: unknown }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>{title}</title>
      </head>
      <body>
        <main>
          <h1>{title}</h1>
          {children}
        </main>
      </body>
    </html>
  );
}

function OrderPage({ merchant, orderId, clientOrderId, amount, status, stage }: PageFacts) {
  const rows: readonly (readonly [string, string])[] = [
    ['Merchant', merchant],
    ['Order', orderId],
    ['Client order id', clientOrderId],
    ['Amount', amount ?? 'none'],
    ['Status', status],
    ['Stage', stage],
  ];
  return (
    <Frame title="Sandbox order">
      <dl>
        {rows.map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
      </dl>
      <p>
        Nobody is charged here. This version of the sandbox takes results by the interface only; there is nothing to fill in on this page.
      </p>
    </Frame>
  );
}

function Unknown() {
  return (
    <Frame title="No such order">
      <p>This address belongs to no order of the sandbox. It may have been reset.</p>
    </Frame>
  );
}
