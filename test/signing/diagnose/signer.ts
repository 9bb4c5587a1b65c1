import { createHash, createHmac, createSign, type KeyLike } from 'node:crypto';

// A signer of its own, with nothing from src: what it gets wrong on purpose is what the diagnosis has to find.

export type Pair = readonly [name: string, value: string];

export interface Order {
  scheme: string;
  /** As it is written, port included. */
  host: string;
  path: string;
  query: string;
  queryPairs: readonly Pair[];
  body: readonly Pair[];
  consumerKey: string;
  nonce: string;
  timestamp: string;
  signatureMethod: string;
  version: boolean;
  token?: string;
  realm?: string;
  secret: string;
}

/** Every step of RFC 5849 3.4.1; a plant replaces some of them. */
export interface Steps {
  method: string;
  uri(order: Order): string;
  parameters(order: Order): Pair[];
  encode(text: string): string;
  encodeName(text: string): string;
  /** Of an element. */
  outer(text: string): string;
  sort(list: Encoded[]): Encoded[];
  join(list: Encoded[]): string;
  whole(elements: readonly [string, string, string], steps: Steps): string;
  key(order: Order): string | Buffer;
  mac(text: string, key: string | Buffer): string;
}

export interface Encoded {
  readonly plain: Pair;
  readonly name: string;
  readonly value: string;
}

export function percent(text: string | Buffer): string {
  let out = '';
  for (const byte of Buffer.from(text)) {
    const isUnreserved =
      (byte >= 0x30 && byte <= 0x39) ||
      (byte >= 0x41 && byte <= 0x5a) ||
      (byte >= 0x61 && byte <= 0x7a) ||
      [0x2d, 0x2e, 0x5f, 0x7e].includes(byte);
    out += isUnreserved ? String.fromCharCode(byte) : `%${byte < 16 ? '0' : ''}${byte.toString(16).toUpperCase()}`;
  }
  return out;
}

export function protocol(order: Order): Pair[] {
  const pairs: Pair[] = [
    ['oauth_consumer_key', order.consumerKey],
    ['oauth_signature_method', order.signatureMethod],
    ['oauth_timestamp', order.timestamp],
    ['oauth_nonce', order.nonce],
  ];
  if (order.version) pairs.push(['oauth_version', '1.0']);
  if (order.token !== undefined) pairs.push(['oauth_token', order.token]);
  return pairs;
}

export const text = (one: string, other: string): number => Number(one > other) - Number(one < other);

/** Default ports belong to no address. */
export function plainHost({ scheme, host }: Order): string {
  const port = scheme.toLowerCase() === 'https' ? ':443' : ':80';
  return (host.endsWith(port) ? host.slice(0, -port.length) : host).toLowerCase();
}

export const right: Steps = {
  method: 'POST',
  uri: (order) => `${order.scheme.toLowerCase()}://${plainHost(order)}${order.path}`,
  parameters: (order) => [...protocol(order), ...order.queryPairs, ...order.body],
  encode: percent,
  encodeName: percent,
  outer: percent,
  sort: (list) => [...list].sort((a, b) => text(a.name, b.name) || text(a.value, b.value)),
  join: (list) => list.map(({ name, value }) => `${name}=${value}`).join('&'),
  whole: (elements, steps) => elements.map((each) => steps.outer(each)).join('&'),
  key: (order) => `${percent(order.secret)}&`,
  mac: (base, key) => createHmac('sha1', key).update(base).digest('base64'),
};

export function baseString(order: Order, plant: Partial<Steps> = {}): string {
  const encode = plant.encode ?? right.encode;
  const steps: Steps = { ...right, encodeName: encode, ...plant };
  const list = steps
    .parameters(order)
    .map((plain): Encoded => ({ plain, name: steps.encodeName(plain[0]), value: steps.encode(plain[1]) }));
  return steps.whole([steps.method, steps.uri(order), steps.join(steps.sort(list))], steps);
}

export function hmac(order: Order, plant: Partial<Steps> = {}): string {
  const steps = { ...right, ...plant };
  return steps.mac(baseString(order, plant), steps.key(order));
}

export function rsa(order: Order, key: KeyLike, plant: Partial<Steps> = {}): string {
  return createSign('RSA-SHA256').update(baseString(order, plant)).sign(key, 'base64');
}

export function header(order: Order, signature: string, encode: (text: string) => string = percent): string {
  const pairs = [...protocol(order), ['oauth_signature', signature] as const];
  const realm = order.realm === undefined ? '' : `realm="${order.realm}", `;
  return `OAuth ${realm}${pairs.map(([name, value]) => `${encode(name)}="${encode(value)}"`).join(', ')}`;
}

export function sha1(data: string | Buffer): string {
  return createHash('sha1').update(data).digest('hex');
}
