import type { ControlCase } from '../../../src/signing/diagnose/index.js';
import type { Order, Pair } from '../diagnose/signer.js';
import { plainHost, protocol } from '../diagnose/signer.js';

const hmacOrders: readonly Order[] = [
  {
    method: 'POST',
    scheme: 'https',
    host: 'Gate.Example:8443',
    path: '/paynet/api/v4/transfer/17',
    query: '',
    queryPairs: [],
    body: [
      ['client_orderid', ' Order 7'],
      ['amount', '10.40'],
      ['currency', 'USD'],
      ['order_desc', "It's (two) tickets! 5*~/a, you & me"],
      ['first_name', 'Zoë Ł €'],
      ['Zone', 'A'],
      ['item', 'b'],
      ['item', 'a'],
      ['city', ''],
      ['c@', '1'],
      ['c2', '2'],
      ['d', '1'],
      ['d-e', '2'],
    ],
    consumerKey: 'shop@example',
    nonce: 'x7Q+9/1b==',
    timestamp: '1700000000',
    signatureMethod: 'HMAC-SHA1',
    version: true,
    realm: 'Payments',
    secret: 'AF4B 7DE6+30/4C="~é*',
    tokenSecret: '',
  },
  {
    method: 'POST',
    scheme: 'https',
    host: 'gate.example',
    path: '/paynet/api/v2/payout/4001/',
    query: '',
    queryPairs: [],
    body: [
      ['client_orderid', 'a-1'],
      ['amount', '250.00'],
      ['currency', 'EUR'],
      ['account_number', '00123 456'],
    ],
    consumerKey: 'Shop',
    nonce: 'kllo9940pd9333jh',
    timestamp: '1700003600',
    signatureMethod: 'HMAC-SHA1',
    version: true,
    realm: 'pay',
    secret: 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20',
    tokenSecret: '',
  },
  {
    method: 'POST',
    scheme: 'https',
    host: 'Pay.Example',
    path: '/gate%2Fway/a(b)/eligibility/17',
    query: 'note=a+b%20c&x=%2B1',
    queryPairs: [
      ['note', 'a b c'],
      ['x', '+1'],
    ],
    body: [
      ['client_orderid', 'b_2'],
      ['amount', '5.10'],
      ['email', 'Jane+x@example.com'],
    ],
    consumerKey: 'merchant-3',
    nonce: '0f8fad5b-d9cb-469f-a165-70867728950e',
    timestamp: '1700007200',
    signatureMethod: 'HMAC-SHA1',
    version: true,
    realm: 'pay',
    secret: 'b17f59b4-a7dc-41b4-8ff9-37d986b43d2a',
    tokenSecret: '',
  },
];

/** The requests that the clients of the laboratory sign. */
export const oauthOrders: readonly Order[] = [
  ...hmacOrders,
  ...hmacOrders.map((order) => ({ ...order, signatureMethod: 'RSA-SHA256' })),
];

/** As the clients read it, which know no type of this project. */
export function plainRequest(order: Order): Readonly<Record<string, unknown>> {
  const port = /:\d+$/.exec(order.host)?.[0] ?? '';
  return {
    method: order.method,
    uri: `https://${plainHost(order)}${order.path}`,
    written: `https://${order.host}${order.path}`,
    host: plainHost(order).replace(/:\d+$/, ''),
    port,
    path: order.path,
    queryText: order.query,
    query: order.queryPairs,
    body: order.body,
    oauth: protocol(order),
    realm: order.realm,
    secret: order.secret,
  };
}

const key = 'B17F59B4-A7DC-41B4-8FF9-37D986B43D20';

interface Values {
  readonly login: string;
  readonly endpointId: string;
  readonly clientOrderId: string;
  readonly orderId: string;
  readonly cardRefId: string;
  readonly amount: string;
  readonly currency: string;
  readonly email: string;
}

const wires: Readonly<Partial<Record<keyof Values, string>>> = {
  clientOrderId: 'client_orderid',
  orderId: 'orderid',
  cardRefId: 'cardrefid',
};

interface ControlRequest {
  readonly given: ControlCase;
  readonly all: Values;
}

function controlRequest(names: readonly (keyof Values)[], all: Values): ControlRequest {
  const sent = new Set<string>(names);
  const amountText = `${all.amount.slice(0, -2)}.${all.amount.slice(-2)}`;
  const fields = names.filter((name) => name !== 'login' && name !== 'endpointId');
  return {
    all,
    given: {
      slots: names.map((name) => ({ name, wire: wires[name] ?? name, value: all[name] })),
      key,
      encoding: 'hex-lower',
      amountText: sent.has('amount') ? amountText : undefined,
      currency: all.currency,
      email: all.email,
      login: all.login,
      endpointId: all.endpointId,
      url: `https://pay.example/paynet/api/v2/sale/${all.endpointId}`,
      body: [
        ...fields.map((name): Pair => [wires[name] ?? name, name === 'amount' ? amountText : all[name]]),
        ...(sent.has('amount') && !sent.has('currency') ? [['currency', all.currency] as const] : []),
        ['comment', 'Tea + "milk" / ü'],
      ],
    },
  };
}

const usual: Values = {
  login: 'Shop',
  endpointId: '4001',
  clientOrderId: '000712',
  orderId: '0091234',
  cardRefId: '1234',
  amount: '1040',
  currency: 'USD',
  email: ' Jane@Example.com',
};

export const controlRequests: readonly ControlRequest[] = [
  controlRequest(['endpointId', 'clientOrderId', 'amount', 'email'], usual),
  controlRequest(['login', 'clientOrderId', 'orderId', 'amount', 'currency'], {
    ...usual,
    clientOrderId: 'Zoë & Co-1 ',
    amount: '123400',
  }),
  controlRequest(['login', 'clientOrderId', 'orderId'], { ...usual, clientOrderId: 'Order 7/ä', orderId: '' }),
  controlRequest(['endpointId', 'clientOrderId', 'email'], { ...usual, email: '' }),
  controlRequest(['login', 'clientOrderId', 'cardRefId', 'amount', 'currency'], { ...usual, amount: '1000' }),
];

export function plainControl({ given, all }: ControlRequest): Readonly<Record<string, unknown>> {
  // What a request has no place for, its client does not know either.
  const { login, endpointId, currency, email } = all;
  const known = {
    login,
    endpointId,
    currency,
    email,
    ...Object.fromEntries(given.slots.map(({ name, value }) => [name, value])),
  };
  const values = given.slots.map(({ name, value }): Pair => [name, value]);
  return { values, key: given.key, all: known, body: given.body };
}
