import { createHash, createHmac } from 'node:crypto';
import { plain, rich } from './orders.js';
import {
  type Encoded,
  type Order,
  type Pair,
  percent,
  plainHost,
  protocol,
  right,
  type Steps,
  text,
} from './signer.js';

export interface Plant {
  readonly name: string;
  readonly what: string;
  readonly order: Order;
  readonly steps: Partial<Steps>;
}

type Own = readonly [what: string, steps: Partial<Steps>, order?: Order];

const plants = (name: string, rows: readonly Own[]): Plant[] =>
  rows.map(([what, steps, order = rich]) => ({ name, what, order, steps }));

const onSend = (chars: string) => (whole: string) =>
  [...whole].map((char) => (chars.includes(char) ? char : percent(char))).join('');
const values = (change: (pair: Pair) => readonly Pair[]): Partial<Steps> => ({
  parameters: (order) => right.parameters(order).flatMap(change),
});
const body = (change: (pairs: readonly Pair[]) => readonly Pair[]): Partial<Steps> => ({
  parameters: (order) => [...protocol(order), ...order.queryPairs, ...change(order.body)],
});
const own = (change: (name: string, value: string) => string | undefined): Partial<Steps> => ({
  parameters: (order) => [
    ...protocol(order).flatMap(([name, value]): Pair[] => {
      const changed = change(name, value);
      return changed === undefined ? [] : [[name, changed]];
    }),
    ...order.queryPairs,
    ...order.body,
  ],
});
const uri = (change: (order: Order) => string): Partial<Steps> => ({ uri: change });
const form = (whole: string) => new URLSearchParams([['', whole]]).toString().slice(1);
const third = (change: (joined: string) => string): Partial<Steps> => ({
  whole: ([method, address, joined]) => `${percent(method)}&${percent(address)}&${change(joined)}`,
});
const sorted = (compare: (a: Encoded, b: Encoded) => number): Partial<Steps> => ({
  sort: (list) => [...list].sort(compare),
});
const keeping = (order: readonly ('oauth' | 'query' | 'body')[]): Partial<Steps> => ({
  parameters: (each) =>
    order.flatMap((part) => ({ oauth: protocol(each), query: each.queryPairs, body: each.body })[part]),
  sort: (list) => list,
});
const bytes = (buffer: Buffer) => percent(buffer);
const perForeignText = (write: (whole: string) => string) => (whole: string) =>
  /^[ -~]*$/.test(whole) ? percent(whole) : write(whole);
const latin1 = (whole: string) =>
  bytes(Buffer.from([...whole].map((char) => ((char.codePointAt(0) ?? 0) > 255 ? 63 : (char.codePointAt(0) ?? 0)))));
const grouped = (
  pairs: readonly Pair[],
  fold: (values: readonly string[], name: string) => readonly Pair[],
): Pair[] => {
  const names = [...new Set(pairs.map(([name]) => name))];
  return names.flatMap((name) => {
    const held = pairs.filter((pair) => pair[0] === name).map((pair) => pair[1]);
    return held.length > 1 ? fold(held, name) : pairs.filter((pair) => pair[0] === name);
  });
};
const folding = (fold: (values: readonly string[], name: string) => readonly Pair[]): Partial<Steps> => ({
  parameters: (order) => grouped(right.parameters(order), fold),
});
/** Mistakes that show in the base string. */
export const basePlants: readonly Plant[] = [
  ...plants('reserved-characters', [
    ['* left', { encode: onSend('*') }],
    ["' left", { encode: onSend("'") }],
    ['all five left, encodeURIComponent inside', { encode: encodeURIComponent }],
    ['~ encoded', { encode: (whole) => percent(whole).replaceAll('~', '%7E') }],
    ['lower-case escapes inside', { encode: (whole) => percent(whole).replace(/%../g, (each) => each.toLowerCase()) }],
  ]),
  ...plants('space-plus', [
    ['blank as +', { encode: (whole) => percent(whole).replaceAll('%20', '+') }],
    ['URLSearchParams inside', { encode: form }],
    [
      '+ of the body signed as a plus sign',
      values(([name, value]) => [[name.replaceAll(' ', '+'), value.replaceAll(' ', '+')]]),
    ],
    ['a plus sign read as a blank', values(([name, value]) => [[name, value.replaceAll('+', ' ')]])],
    ['a plus sign left', { encode: onSend('+') }],
  ]),
  ...plants('encoded-twice-or-once', [
    ['parameters twice', { encode: (whole) => percent(percent(whole)) }],
    ['values twice', { encode: (whole) => percent(percent(whole)), encodeName: percent }],
    ['parameters not at all', { encode: (whole) => whole }],
    ['third element not at all', third((joined) => joined)],
    ['address not at all', { whole: ([method, address, joined]) => `${method}&${address}&${percent(joined)}` }],
    ['path encoded again as an address', uri((order) => right.uri(order).replace('%2F', '%252F'))],
  ]),
  ...plants('body-left-out', [
    ['unsigned', body(() => [])],
    ['query neither', { parameters: protocol }],
    ['a JSON body', body((pairs) => [[JSON.stringify(Object.fromEntries(pairs)), '']])],
  ]),
  ...plants('sort-order', [
    ['before encoding', sorted((a, b) => text(a.plain[0], b.plain[0]) || text(a.plain[1], b.plain[1]))],
    ['as joined text', sorted((a, b) => text(`${a.name}=${a.value}`, `${b.name}=${b.value}`))],
    [
      'ignoring case',
      sorted(
        (a, b) =>
          text(a.name.toLowerCase(), b.name.toLowerCase()) || text(a.value.toLowerCase(), b.value.toLowerCase()),
      ),
    ],
    ['not at all: oauth, query, body', keeping(['oauth', 'query', 'body'])],
    ['equal names as they came', sorted((a, b) => text(a.name, b.name))],
  ]),
  ...plants('query-left-out', [
    ['unsigned', { parameters: (order) => [...protocol(order), ...order.body] }],
    [
      'in the address',
      {
        parameters: (order) => [...protocol(order), ...order.body],
        uri: (order) => `${right.uri(order)}?${order.query}`,
      },
    ],
    ['in both', uri((order) => `${right.uri(order)}?${order.query}`)],
  ]),
  ...plants('scheme-host-port', [
    ['http for https', uri((order) => right.uri(order).replace('https', 'http'))],
    ['default port kept', uri((order) => `https://${plainHost(order)}:443${order.path}`)],
    ['other port lost', uri(() => 'https://pay.example/api/v2/transfer/17/'), plain],
    ['slash lost', uri((order) => right.uri(order).replace(/\/$/, '')), plain],
    ['slash added', uri((order) => `${right.uri(order)}/`)],
    ['upper case kept', uri((order) => `https://${order.host}${order.path}`)],
  ]),
  ...plants('empty-values', [
    ['dropped', values(([name, value]) => (value === '' ? [] : [[name, value]]))],
    ['oauth_token added', { parameters: (order) => [...right.parameters(order), ['oauth_token', '']] }],
    ['as null', values(([name, value]) => [[name, value === '' ? 'null' : value]])],
    [
      'without =',
      { join: (list) => list.map(({ name, value }) => (value === '' ? name : `${name}=${value}`)).join('&') },
    ],
  ]),
  ...plants('not-utf8', [
    ['Latin-1', { encode: latin1 }, { ...rich, body: [['city', 'Zürich']] }],
    ['byte by byte', { encode: (whole) => percent(Buffer.from(whole).toString('latin1')) }],
    ['UTF-16', { encode: perForeignText((whole) => bytes(Buffer.from(whole, 'utf16le'))) }],
    ['dropped', { encode: (whole) => percent([...whole].filter((char) => char <= '~').join('')) }],
  ]),
  ...plants('repeated-or-nested-names', [
    ['first only', folding(([first = ''], name) => [[name, first]])],
    ['last only', folding((held, name) => [[name, held.at(-1) ?? '']])],
    ['[object Object]', folding((_, name) => [[name, '[object Object]']])],
    ['with brackets', folding((held, name) => held.map((value): Pair => [`${name}[]`, value]))],
  ]),
  ...plants('nonce-timestamp', [
    ['13 digits', own((name, value) => (name === 'oauth_timestamp' ? `${value}000` : value))],
    ['two hours off', own((name, value) => (name === 'oauth_timestamp' ? String(Number(value) + 7200) : value))],
    ['nonce not signed', own((name, value) => (name === 'oauth_nonce' ? undefined : value))],
  ]),
  ...plants('rsa-key-or-method', [
    ['another method named', own((name, value) => (name === 'oauth_signature_method' ? 'RSA-SHA1' : value))],
    ['no method named', own((name, value) => (name === 'oauth_signature_method' ? undefined : value))],
  ]),
  ...plants('realm', [
    ['signed', { parameters: (order) => [...right.parameters(order), ['realm', order.realm ?? '']] }],
    [
      'a field of that name left out',
      values(([name, value]) => (name === 'realm' ? [] : [[name, value]])),
      { ...plain, body: [...plain.body, ['realm', 'x']] },
    ],
  ]),
  ...plants('method', [
    ['GET', { method: 'GET' }],
    ['lower case', { method: 'post' }],
  ]),
];

const key = (make: (order: Order) => string | Buffer, what: string, order: Order = rich): Own => [
  what,
  { key: make },
  order,
];
const mac = (make: (base: string, secret: string | Buffer) => string, what: string): Own => [what, { mac: make }];
const raw = (base: string, secret: string | Buffer) => createHmac('sha1', secret).update(base).digest();

/** Mistakes that show in an HMAC-SHA1 signature only. */
export const hmacPlants: readonly Plant[] = [
  ...plants('signing-key', [
    key(({ secret }) => percent(secret), 'without &'),
    key(({ secret }) => `${secret}&`, 'not encoded'),
    key(({ secret }) => `${percent(`${secret}\n`)}&`, 'a line feed behind it'),
    key(({ secret }) => `${percent(`${secret} `)}&`, 'a blank behind it'),
    key(({ secret }) => `${percent(percent(secret))}&`, 'encoded twice'),
    key(({ secret }) => Buffer.concat([Buffer.from(secret, 'hex'), Buffer.from('&')]), 'decoded from hexadecimal', {
      ...rich,
      secret: 'AF4B7DE6304C',
    }),
    key(({ secret, consumerKey }) => `${percent(consumerKey)}&${percent(secret)}`, 'consumer key first'),
    key(() => '&', 'no secret'),
  ]),
  ...plants('digest', [
    mac((base, secret) => raw(base, secret).toString('hex'), 'hexadecimal'),
    mac((base, secret) => raw(base, secret).toString('base64url'), 'Base64 for addresses'),
    mac((base, secret) => percent(raw(base, secret).toString('base64')), 'encoded already'),
    mac((base, secret) => Buffer.from(raw(base, secret).toString('base64')).toString('base64'), 'Base64 twice'),
    mac((base, secret) => createHmac('sha256', secret).update(base).digest('base64'), 'SHA-256'),
    mac(
      (base, secret) =>
        createHash('sha1')
          .update(base + secret)
          .digest('base64'),
      'no HMAC',
    ),
    mac((base, secret) => `${raw(base, secret).toString('base64')}\n`, 'a line end behind it'),
  ]),
  ...plants('not-utf8', [
    mac(
      (base, secret) => createHmac('sha1', secret).update(Buffer.from(base, 'utf16le')).digest('base64'),
      'the base string as UTF-16',
    ),
  ]),
];
