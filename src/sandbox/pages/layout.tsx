import { transactionKinds } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import type { Order } from '../ledger/orders.js';
import type { Transaction } from '../ledger/transactions.js';
import { pagesPath } from './reply.js';

interface LayoutProps {
  readonly title: string;
  readonly script?: 'form.js' | 'send.js';
  readonly children?: unknown;
}

/** The shell of every hosted page. */
export function Layout({ title, script, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="stylesheet" href={`${pagesPath}/style.css`} />
        {script === undefined ? '' : <script src={`${pagesPath}/${script}`} defer />}
      </head>
      <body>
        <header class="ribbon">Sandbox: nobody is charged, nobody is paid</header>
        <main>
          <div class="panel">{children}</div>
        </main>
        <footer>Card payments sandbox</footer>
      </body>
    </html>
  );
}

interface Facts {
  readonly order: Order;
  readonly opening: Transaction;
}

/** An amount in its currency's own digits; undefined for an order without one. */
export function amountText({ amount, digits, currency = '' }: Order): string | undefined {
  return amount === undefined ? undefined : `${decimalText(amount, digits)} ${currency}`.trim();
}

/** Who wants what from the customer. */
export function Summary({ order, opening, title }: Facts & { readonly title: string }) {
  const { amount, digits, currency, description } = order;
  const isChecked = transactionKinds[opening.kind].stage === 'av';
  return (
    <>
      <p class="merchant">{order.login}</p>
      <h1>{title}</h1>
      {amount === undefined ? (
        ''
      ) : (
        <p class="amount">
          {decimalText(amount, digits)} <abbr>{currency}</abbr>
        </p>
      )}
      <dl>
        {description === undefined ? (
          ''
        ) : (
          <>
            <dt>For</dt>
            <dd>{description}</dd>
          </>
        )}
        <dt>Order</dt>
        <dd>{order.clientOrderId}</dd>
        <dt>Gateway order</dt>
        <dd>{order.id}</dd>
        {isChecked ? (
          <>
            <dt>Charged</dt>
            <dd>nothing</dd>
          </>
        ) : (
          ''
        )}
      </dl>
    </>
  );
}

/** Something that went another way than wished, as a page of its own. */
export function MessagePage({ title, children }: { readonly title: string; readonly children?: unknown }) {
  return (
    <Layout title={title}>
      <h1>{title}</h1>
      <p>{children}</p>
    </Layout>
  );
}
