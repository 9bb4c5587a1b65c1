import { transactionKinds } from '../../spec/lifecycle.js';
import { isLoopback, webAddress } from '../../wire/address.js';
import { decimalText } from '../../wire/amount.js';
import type { Pair } from '../../wire/form.js';
import { gatewayPrefix } from '../checks.js';
import type { Order } from '../orders.js';
import type { SandboxReply } from '../request.js';
import type { PageSession } from './page-session.js';

export const pagesPath = `${gatewayPrefix}/pages`;

interface LayoutProps {
  readonly title: string;
  /** Posts its form by itself, where that says so. */
  readonly isSending?: boolean;
  readonly children?: unknown;
}

/** The shell of every hosted page. */
export function Layout({ title, isSending, children }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{title}</title>
        <link rel="stylesheet" href={`${pagesPath}/style.css`} />
        {isSending === true ? <script src={`${pagesPath}/send.js`} defer /> : ''}
      </head>
      <body>
        <header class="ribbon">Sandbox: no real money moves</header>
        <main>
          <div class="panel">{children}</div>
        </main>
        <footer>Card payments sandbox</footer>
      </body>
    </html>
  );
}

/** An amount in its currency's own digits; undefined for an order without one. */
export function amountText({ amount, digits, currency = '' }: Order): string | undefined {
  return amount === undefined ? undefined : `${decimalText(amount, digits)} ${currency}`.trim();
}

/** A list of facts; those without a value are left out. */
export function Facts({ rows }: { readonly rows: readonly (readonly [name: string, value: string | undefined])[] }) {
  return (
    <dl>
      {rows.map(([name, value]) =>
        value === undefined ? (
          ''
        ) : (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ),
      )}
    </dl>
  );
}

/** Who wants what from the customer. */
export function Summary({ session, title }: { readonly session: PageSession; readonly title: string }) {
  const { order, opening } = session;
  const { amount, digits, currency, description, clientOrderId, id } = order;
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
      <Facts
        rows={[
          ['For', description],
          ['Order', clientOrderId],
          ['Gateway order', id],
          ['Charged', isChecked ? 'nothing' : undefined],
        ]}
      />
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

interface SendProps {
  /** http or https; anything else is shown and not posted to. */
  readonly to: string;
  readonly fields: readonly Pair[];
  readonly label: string;
  /** Milliseconds until the browser goes on by itself, where it may. */
  readonly after: number;
  /** True in a hidden frame, where nobody can press a button and nobody is sent anywhere. */
  readonly always?: true;
}

/**
 * Posts fields from the customer's browser to another place, which is named. To this machine by itself, to other hosts
 * at the press of the button: an order may name any address, and a sandbox should not send browsers around unasked.
 */
export function SendForm({ to, fields, label, after, always }: SendProps) {
  const address = webAddress(to);
  if (address === undefined) return <p class="address">The return address cannot be used.</p>;
  const timing = always === true || isLoopback(to) ? { 'data-send': String(after) } : {};
  return (
    <>
      <form method="post" action={to} {...timing}>
        {fields.map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <button type="submit" class="main">
          {label}
        </button>
      </form>
      <p class="address">Goes to {address.origin + address.pathname}</p>
    </>
  );
}

/** What a page may do besides showing itself and posting to its own address. */
export interface PagePolicy {
  readonly status?: number;
  /** Further addresses its forms may be posted to. */
  readonly formsTo?: readonly (string | undefined)[];
  /** True when it holds a frame of this server. */
  readonly frames?: boolean;
  /** Pages that may hold it in a frame; a page of this server always may where this is given. */
  readonly framedBy?: readonly (string | undefined)[];
  /** Seconds until the browser asks again. */
  readonly refresh?: number;
}

/** A page under the strictest policy it can live with. */
export function htmlReply(page: unknown, allowed: PagePolicy = {}): SandboxReply {
  const refresh: Readonly<Record<string, string>> =
    allowed.refresh === undefined ? {} : { refresh: String(allowed.refresh) };
  return {
    status: allowed.status ?? 200,
    headers: {
      'content-type': 'text/html;charset=utf-8',
      'content-security-policy': contentSecurityPolicy(allowed),
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
      ...refresh,
    },
    body: `<!doctype html>${String(page)}`,
  };
}

function contentSecurityPolicy({ formsTo = [], frames, framedBy }: PagePolicy): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    `form-action ${["'self'", ...origins(formsTo)].join(' ')}`,
    ...(frames === true ? ["frame-src 'self'"] : []),
    `frame-ancestors ${framedBy === undefined ? "'none'" : ["'self'", ...origins(framedBy)].join(' ')}`,
    "base-uri 'none'",
  ].join('; ');
}

function origins(addresses: readonly (string | undefined)[]): string[] {
  const found = addresses.flatMap((address) => (address === undefined ? [] : (webAddress(address)?.origin ?? [])));
  // A host name may hold a semicolon, which would begin a directive of its own.
  return [...new Set(found)].filter((origin) => /^https?:\/\/[\w.:[\]-]+$/.test(origin));
}

export function seeOther(path: string): SandboxReply {
  return { status: 303, headers: { location: path, 'cache-control': 'no-store' }, body: '' };
}

/** A style or script of this server; it holds nothing of anybody. */
export function assetReply(type: string, body: string): SandboxReply {
  return {
    status: 200,
    headers: {
      'content-type': `${type};charset=utf-8`,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache',
    },
    body,
  };
}
