import { servePage } from '../../src/sandbox/pages/serve.js';
import { type Answer, bodyOf, type Fields, type Fixture, orderOf, payer, sha1 } from './support.js';

/** The forms a hosted page can have, and how each is asked for. */
export const formKinds = ['sale', 'preauth', 'payment', 'payout', 'account-verification'] as const;
export type FormKind = (typeof formKinds)[number];

export interface FormOrder {
  readonly id?: string;
  readonly amount?: string;
  readonly minor?: string;
  readonly currency?: string;
  readonly redirect?: string;
}

/** Opens a hosted form by a request signed by hand. */
export function openForm(fixture: Pick<Fixture, 'post' | 'key'>, kind: FormKind, order: FormOrder = {}): Answer {
  const {
    id = 'f',
    amount = '10.42',
    minor = amount.replace('.', ''),
    currency = 'USD',
    redirect = 'http://127.0.0.1:9/back',
  } = order;
  const isVerification = kind === 'account-verification';
  const money = isVerification ? {} : { amount, currency };
  const who = kind === 'payout' ? { order_desc: 'Two tickets' } : payer;
  const pairs = { client_orderid: id, ...money, ...who, redirect_url: redirect };
  const isSigned = kind === 'sale' || kind === 'preauth' || isVerification;
  const control = sha1(`4001${id}${isVerification ? '' : minor}${payer['email']}${fixture.key}`);
  return fixture.post(`/api/v2/${kind}-form/4001`, isSigned ? { ...pairs, control } : pairs);
}

export interface Shown {
  readonly status: number;
  readonly headers: Fields;
  readonly body: string;
}

/** A browser without scripts: follows redirects, reads forms, presses buttons. */
export class Walk {
  url = '';
  page: Shown = { status: 0, headers: {}, body: '' };
  readonly #fixture: Fixture;

  constructor(fixture: Fixture, url: string) {
    this.#fixture = fixture;
    this.go(url);
  }

  go(url: string, body?: string, headers: Fields = { 'sec-fetch-site': 'same-origin' }): Shown {
    this.url = url;
    const method = body === undefined ? 'GET' : 'POST';
    this.page = this.#fixture.sandbox.servePage({ method, url, headers, body: Buffer.from(body ?? '') }, servePage);
    if (this.page.status !== 303) return this.page;
    return this.go(new URL(this.page.headers['location'] ?? '', url).href);
  }

  again(): Shown {
    return this.go(this.url);
  }

  /** The first form of the page: where it goes, and its hidden fields. */
  form(): { readonly action: string; readonly hidden: Fields } {
    const [, attributes = '', inner = ''] = /<form([^>]*)>(.*?)<\/form>/s.exec(this.page.body) ?? [];
    const action = /action="([^"]*)"/.exec(attributes)?.[1] ?? '';
    const hidden = [...inner.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)];
    return {
      action: new URL(unescaped(action), this.url).href,
      hidden: Object.fromEntries(hidden.map(([, name = '', value = '']) => [unescaped(name), unescaped(value)])),
    };
  }

  /** Fills in the form and presses one of its buttons. */
  press(button: string, typed: Fields = {}, headers?: Fields): Shown {
    const { action, hidden } = this.form();
    return this.go(action, bodyOf({ ...hidden, ...typed, action: button }), headers);
  }

  has(text: string): boolean {
    return unescaped(this.page.body.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ')).includes(text);
  }
}

function unescaped(text: string): string {
  const signs: Fields = { lt: '<', gt: '>', quot: '"', '#39': "'", amp: '&' };
  return text.replace(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name] ?? '');
}

export const goodCard: Fields = { number: '4444 3333 2222 1111', holder: 'JANE DOE', expiry: '12/33', code: '123' };

/** A form that was just opened, with a browser in front of it. */
export function walkForm(
  fixture: Fixture,
  kind: FormKind,
  order: FormOrder = {},
): { readonly walk: Walk; readonly order: string } {
  const answer = openForm(fixture, kind, order);
  return { walk: new Walk(fixture, answer.fields['redirect-url'] ?? ''), order: orderOf(answer) };
}
