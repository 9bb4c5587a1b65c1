import { createHash } from 'node:crypto';
import { sqlite } from '../../src/runtime/database.js';
import type { Clock, Database, Random } from '../../src/runtime/ports.js';
import { judgeSignature } from '../../src/sandbox/audit/examine.js';
import { factsOf } from '../../src/sandbox/balance.js';
import { advance } from '../../src/sandbox/clock.js';
import { createSandbox, type Sandbox, type SandboxOptions } from '../../src/sandbox/gateway.js';
import { requireOrder } from '../../src/sandbox/orders.js';
import { openSandboxState, type SandboxState } from '../../src/sandbox/state.js';
import { assumeDefaults, type SwitchName } from '../../src/spec/index.js';
import { baseString, escaped, formText, headerText, signature } from '../conformance/signer.js';
import { rsaPairs } from '../support/rsa-pairs.js';

export const base = 'http://127.0.0.1:8484/gateway';

export class FakeClock implements Clock {
  time = Date.UTC(2030, 0, 7, 12);
  now(): number {
    return this.time;
  }
  monotonic(): number {
    return this.time;
  }
  async sleep(ms: number): Promise<void> {
    this.time += ms;
  }
}

export class FakeRandom implements Random {
  #count = 0;
  readonly rsaPem = rsaPairs();
  letters(length: number): string {
    this.#count += 1;
    return String(this.#count).padStart(length, 'a');
  }
  uuid(): string {
    this.#count += 1;
    return `c0ffee00-0000-4000-8000-${String(this.#count).padStart(12, '0')}`;
  }
  below(bound: number): number {
    this.#count += 1;
    return this.#count % bound;
  }
}

export type Fields = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly body: string;
  readonly fields: Fields;
}

export interface Fixture {
  readonly sandboxState: SandboxState;
  readonly sandbox: Sandbox;
  readonly clock: FakeClock;
  readonly database: Database;
  readonly key: string;
  /** Posts pairs as they are, with the usual headers unless others are given. */
  post(path: string, pairs: Fields, headers?: Fields): Answer;
  /** Lets everything settle. */
  later(ms?: number): void;
}

export interface FixtureOptions extends Partial<Omit<SandboxOptions, 'assume'>> {
  readonly assume?: Partial<Record<SwitchName, string>>;
  readonly database?: Database;
  readonly clock?: FakeClock;
}

export function openFixture({
  assume = {},
  database = sqlite.open(':memory:'),
  clock = new FakeClock(),
  ...options
}: FixtureOptions = {}): Fixture {
  const sandboxState = openSandboxState({ database, clock, random: new FakeRandom() });
  const sandbox = createSandbox(sandboxState, {
    assume: { ...assumeDefaults, ...assume },
    judgeSignature,
    ...options,
  });
  return {
    sandboxState,
    sandbox,
    clock,
    database,
    key: sandboxState.identity().controlKey,
    post: (path, pairs, headers) => send(sandbox, path, bodyOf(pairs), headers),
    later(ms = 300) {
      clock.time += ms;
    },
  };
}

/** What the lifecycle knows of an order, at the time of the sandbox. */
export function orderFacts({ sandboxState: { store } }: Fixture, order: string) {
  advance(store);
  return factsOf(store, requireOrder(store, order));
}

export const plainHeaders: Fields = {
  accept: 'application/vnd.pay+json',
  'content-type': 'application/x-www-form-urlencoded',
};

export function send(
  sandbox: Sandbox,
  path: string,
  body: string | Uint8Array,
  headers: Fields = plainHeaders,
  method = 'POST',
): Answer {
  const reply = sandbox.handle({ method, url: `${base}${path}`, headers, body: Buffer.from(body) });
  return { status: reply.status, body: reply.body, fields: /^{.*}$/s.test(reply.body) ? JSON.parse(reply.body) : {} };
}

export function bodyOf(pairs: Fields): string {
  return formText(Object.entries(pairs));
}

export function sha1(text: string): string {
  return createHash('sha1').update(text, 'utf8').digest('hex');
}

let nonces = 0;

export interface OauthOptions {
  readonly key: string;
  readonly privateKey?: string;
  readonly clock: FakeClock;
  readonly login?: string;
  readonly nonce?: string;
  readonly timestamp?: number;
}

/** The Authorization header of RFC 5849, put together by hand. */
export function oauth(path: string, pairs: Fields, { key, privateKey, clock, ...given }: OauthOptions): string {
  nonces += 1;
  const protocol: Fields = {
    oauth_consumer_key: given.login ?? 'sandbox',
    oauth_nonce: given.nonce ?? `nonce${nonces}`,
    oauth_signature_method: privateKey === undefined ? 'HMAC-SHA1' : 'RSA-SHA256',
    oauth_timestamp: String(given.timestamp ?? Math.floor(clock.time / 1000)),
    oauth_version: '1.0',
  };
  const text = baseString(base + path, Object.entries({ ...pairs, ...protocol }));
  const keys = { login: '', endpointId: '', controlKey: escaped(key), privateKeyPem: privateKey ?? '' };
  const made = signature(text, privateKey === undefined ? 'HMAC-SHA1' : 'RSA-SHA256', keys);
  return headerText(Object.entries({ ...protocol, oauth_signature: made }));
}

export const payer: Fields = {
  order_desc: 'Two tickets',
  email: 'jane@example.com',
  phone: '+4930123456',
  address1: 'Example Street 1',
  city: 'Berlin',
  zip_code: '10115',
  country: 'DE',
  ipaddress: '192.0.2.1',
};

export function card(number = '4444333322221111', cvv = '123'): Fields {
  return {
    credit_card_number: number,
    card_printed_name: 'JANE DOE',
    expire_month: '12',
    expire_year: '2033',
    cvv2: cvv,
  };
}

export interface CardOrder {
  readonly id: string;
  readonly amount?: string;
  /** In minor units, worked out by the test. */
  readonly minor?: string;
  readonly currency?: string;
  readonly number?: string;
  readonly cvv?: string;
  readonly endpoint?: string;
}

/** Two digits, by hand. */
function minorOf(amount: string): string {
  return amount.replace('.', '').replace(/^0+/, '');
}

/** A whole sale or preauth, signed with this key; `own` is not signed, and may differ from the rest. */
export function salePairs(key: string, order: CardOrder, own: Fields = {}): Fields {
  const { id, amount = '10.42', minor = minorOf(amount), currency = 'USD', endpoint = '4001' } = order;
  const control = sha1(`${endpoint}${id}${minor}${payer['email']}${key}`);
  const money = { client_orderid: id, amount, currency, redirect_url: 'https://shop.example/return' };
  return { ...money, ...card(order.number, order.cvv), ...payer, control, ...own };
}

export function cardOrder(fixture: Fixture, kind: 'sale' | 'preauth', order: CardOrder, own?: Fields): Answer {
  return fixture.post(`/api/v2/${kind}/${order.endpoint ?? '4001'}`, salePairs(fixture.key, order, own));
}

/** A signed capture or return of a part, or of everything. */
export function partial(
  fixture: Fixture,
  kind: 'capture' | 'return',
  id: string,
  order: string,
  amount?: string,
  currency = 'USD',
): Answer {
  const money = amount === undefined ? {} : { amount, currency };
  const signed = amount === undefined ? '' : `${minorOf(amount)}${currency}`;
  const control = sha1(`sandbox${id}${order}${signed}${fixture.key}`);
  return fixture.post(`/api/v2/${kind}/4001`, {
    login: 'sandbox',
    client_orderid: id,
    orderid: order,
    ...money,
    control,
  });
}

/** Operations whose checksum is login, client order id and order id. */
export function onOrder(fixture: Fixture, path: string, id: string, order: string, own: Fields = {}): Answer {
  const idName = path.startsWith('/api/3ds/') ? 'client-order-id' : 'client_orderid';
  const control = sha1(`sandbox${id}${order}${fixture.key}`);
  const pairs = { login: 'sandbox', [idName]: id, orderid: order, ...own, control };
  return fixture.post(`${path}/4001`, Object.fromEntries(Object.entries(pairs).filter(([, value]) => value !== '')));
}

export function status(fixture: Fixture, id: string, order: string, own: Fields = {}): Fields {
  return onOrder(fixture, '/api/v2/status', id, order, own).fields;
}

/** Posts with an OAuth signature: HMAC-SHA1, or RSA-SHA256 for the paths of v4. */
export function signed(fixture: Fixture, path: string, pairs: Fields, given: Partial<OauthOptions> = {}): Answer {
  const privateKey = path.includes('/v4/') ? { privateKey: fixture.sandboxState.builtinPrivateKey() } : {};
  const authorization = oauth(path, pairs, { key: fixture.key, clock: fixture.clock, ...privateKey, ...given });
  return fixture.post(path, pairs, { ...plainHeaders, authorization });
}

/** A recurring payment of a card that is good until the end of 2033; amount and currency are in `own`. */
export function recurring(fixture: Fixture, id: string, own: Fields): Answer {
  const { email = '', address1 = '', city = '', country = '' } = payer;
  return signed(fixture, '/api/v4/create-recurring-payment/4001', {
    ...{ 'client-orderid': id, rp_card_type: 'SRC', 'credit-card-number': '4444333322221111' },
    ...{ 'card-printed-name': 'JANE DOE', 'expire-month': '12', 'expire-year': '2033' },
    ...{ 'first-name': 'Jane', 'last-name': 'Doe', email, address1, city, 'zip-code': '10115', country },
    ...own,
  });
}

/** A charge of a kept card in USD. */
export function rebill(fixture: Fixture, id: string, ref: string, amount: string, own: Fields = {}): Answer {
  const control = sha1(`sandbox${id}${ref}${minorOf(amount)}USD${fixture.key}`);
  const who = { login: 'sandbox', client_orderid: id, cardrefid: ref, ipaddress: '192.0.2.1' };
  const money = { amount, currency: 'USD', order_desc: 'Month 2' };
  return fixture.post('/api/v2/make-rebill/4001', { ...who, ...money, ...own, control });
}

/** The gateway's id of the order in an answer. */
export function orderOf(answer: Answer): string {
  return answer.fields['paynet-order-id'] ?? '';
}

/** An approved sale or preauth, settled; gives its order id. */
export function approvedOrder(fixture: Fixture, kind: 'sale' | 'preauth', order: CardOrder): string {
  const answer = cardOrder(fixture, kind, order);
  fixture.later();
  return orderOf(answer);
}
