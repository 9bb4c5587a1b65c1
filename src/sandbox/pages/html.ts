import { html } from 'hono/html';
import { isLoopback, webAddress } from '../../wire/address.js';
import { decimalText } from '../../wire/amount.js';
import type { Pair } from '../../wire/form.js';
import { gatewayPrefix } from '../checks.js';
import type { Order } from '../orders.js';
import type { SandboxReply } from '../request.js';
import type { PageSession } from './page-session.js';

/** A part of a page. What stands in it is escaped. */
export type Html = ReturnType<typeof html>;

export const pagesPath = `${gatewayPrefix}/pages`;

interface Shell {
  readonly title: string;
  /** Posts its form by itself, where that says so. */
  readonly isSending?: boolean;
}

/** The shell of every hosted page. */
export function hostedPage(shell: Shell, content: Html): Html {
  const body = html`<header class="ribbon">Sandbox: no real money moves</header>
    <main><div class="panel">${content}</div></main>
    <footer>Card payments sandbox</footer>`;
  return page(shell, body);
}

export function page({ title, isSending }: Shell, body: Html): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <link rel="stylesheet" href="${pagesPath}/style.css" />
        ${isSending === true && html`<script src="${pagesPath}/send.js" defer></script>`}
      </head>
      <body>${body}</body>
    </html>`;
}

/** An amount in its currency's own digits; undefined for an order without one. */
export function amountText({ amount, digits, currency = '' }: Order): string | undefined {
  return amount === undefined ? undefined : `${decimalText(amount, digits)} ${currency}`.trim();
}

export type Facts = readonly (readonly [name: string, value: Html | string | undefined])[];

/** A list of facts; those without a value are left out. */
export function factList(rows: Facts): Html {
  const given = rows.filter(([, value]) => value !== undefined);
  return html`<dl class="facts">${given.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** Who wants what from the customer. */
export function summary({ order, opening }: PageSession, title: string): Html {
  const { description, clientOrderId, id, login } = order;
  const isChecked = opening.kind === 'account-verification';
  const sum = amountText(order);
  return html`<p class="hint">${login}</p><h1>${title}</h1>${sum !== undefined && html`<p class="amount">${sum}</p>`}
    ${factList([
      ['For', description],
      ['Order', clientOrderId],
      ['Gateway order', id],
      ['Charged', isChecked ? 'nothing' : undefined],
    ])}`;
}

/** Something that went another way than wished, as a page of its own. */
export function messagePage(title: string, words: Html | string): Html {
  return hostedPage({ title }, html`<h1>${title}</h1><p>${words}</p>`);
}

export function hiddenInputs(fields: readonly Pair[]): readonly Html[] {
  return fields.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`);
}

interface Sending {
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
export function sendForm({ to, fields, label, after, always }: Sending): Html {
  const address = webAddress(to);
  if (address === undefined) return html`<p class="hint">The return address cannot be used.</p>`;
  const timing = (always === true || isLoopback(to)) && html` data-send="${after}"`;
  return html`<form method="post" action="${to}"${timing}>
      ${hiddenInputs(fields)}<button type="submit">${label}</button>
    </form>
    <p class="hint">Goes to ${address.origin + address.pathname}</p>`;
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
export function htmlReply(page: Html, allowed: PagePolicy = {}): SandboxReply {
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
    body: String(page),
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
