import type { OauthCase as Request } from '../../../src/signing/diagnose/index.js';
import { type Order, protocol } from './signer.js';

/** Holds something for every mistake to change. */
export const rich: Order = {
  scheme: 'https',
  host: 'Pay.Example',
  path: '/gate%2Fway/a(b)/transfer/17',
  query: 'x=1&y=%2B%20z&x=2',
  queryPairs: [
    ['x', '1'],
    ['y', '+ z'],
    ['x', '2'],
  ],
  body: [
    ['client_orderid', 'a-1'],
    ['client-order-id', 'b-2'],
    ['amount', '10.42'],
    ['email', 'jane+x@example.com'],
    ['order_desc', ' two  tickets '],
    ['marks', "wow! it's (so) 5*~ /; big"],
    ['one', '!'],
    ['two', "'"],
    ['three', '('],
    ['four', ')'],
    ['five', '*'],
    ['c@', '1'],
    ['c2', '2'],
    ['d', '1'],
    ['d-e', '2'],
    ['Zone', 'A'],
    ['item', 'b'],
    ['item', 'a'],
    ['k[0]', 'p'],
    ['k[1]', 'q'],
    ['empty', ''],
    ['__proto__', 'x'],
    ['percent', '%2B%25'],
    ['join', 'a=b&c=d'],
    ['city', 'Zürich €'],
    ['smile', '👍 שלום'],
  ],
  consumerKey: 'shop',
  nonce: 'kllo9940pd9333jh',
  timestamp: '1700000000',
  signatureMethod: 'HMAC-SHA1',
  version: true,
  realm: 'Payments',
  secret: 'AF4B7DE6+30/4C=~',
};

/** A transfer as it is really sent: no query, an address of its own port. */
export const plain: Order = {
  ...rich,
  host: 'pay.example:8443',
  path: '/api/v2/transfer/17/',
  query: '',
  queryPairs: [],
  body: [
    ['client_orderid', 'a-1'],
    ['amount', '10.42'],
    ['currency', 'USD'],
    ['order_desc', 'Two tickets'],
  ],
};

/** The request with the parameters of its header, as the diagnosis takes it. */
export function requestOf(order: Order, keys: Partial<Request> = {}): Request {
  const { secret, signatureMethod } = order;
  return {
    url: `${order.scheme}://${order.host}${order.path}${order.query === '' ? '' : `?${order.query}`}`,
    body: order.body,
    protocol: protocol(order),
    signatureMethod: signatureMethod === 'RSA-SHA256' ? 'RSA-SHA256' : 'HMAC-SHA1',
    realm: order.realm,
    ...(signatureMethod === 'RSA-SHA256' ? {} : { secret }),
    ...keys,
  };
}
