// A client in JavaScript: signs each request under each of its faults, and under pairs of them. Reads and writes JSON.
import { createHash, createHmac } from 'node:crypto';
import { stringify } from 'node:querystring';
import { text as read } from 'node:stream/consumers';

const strict = (text) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
const byText = (one, other) => Number(one > other) - Number(one < other);
const base64 = (digest) => digest.toString('base64');

function baseString(r, f) {
  const pairs = (f.pairs ?? ((list) => list))([...r.oauth, ...r.query, ...r.body], r);
  const encode = f.encode ?? strict;
  const name = f.encodeName ?? encode;
  const encoded = pairs.map(([n, v]) => [name(n), encode(v), n, v]);
  const ordered = (f.order ?? ((list) => list.sort((a, b) => byText(a[0], b[0]) || byText(a[1], b[1]))))(encoded);
  const parameters = (f.join ?? ((list) => list.map(([n, v]) => `${n}=${v}`).join('&')))(ordered);
  const method = (f.method ?? ((m) => m))(r.method);
  const uri = (f.uri ?? (() => r.uri))(r);
  if (f.whole) return f.whole(method, uri, parameters);
  return (f.text ?? ((t) => t))([method, uri, parameters].map(f.outer ?? strict).join('&'));
}

function sign(r, f) {
  const text = baseString(r, f);
  const key = (f.key ?? ((secret) => `${strict(secret)}&`))(r.secret);
  return (f.write ?? base64)((f.mac ?? ((k, t) => createHmac('sha1', k).update(t).digest()))(key, text));
}

const each = (change) => ({ pairs: (list) => list.map(([n, v]) => [n, change(v, n)]) });
const of = (name, change) => each((v, n) => (n === name ? change(v) : v));
const add = (...more) => ({ pairs: (list) => [...list, ...more] });
const without = (test) => ({ pairs: (list, r) => list.filter((pair) => !test(pair, r)) });
const oneField = (at, change) => ({
  pairs: (list, r) => list.flatMap((pair) => (pair[0] === r.body[at][0] ? change(pair) : [pair])),
});
const form = (text) => new URLSearchParams({ '': text }).toString().slice(1);
const encoder = 'space-plus|reserved-characters';
const none = undefined;

const oauth = [
  ['encoder', 'reserved-characters', 'encodeURIComponent', { encode: encodeURIComponent }],
  [
    'encoder',
    'reserved-characters',
    'encodeURIComponent twice',
    { encode: encodeURIComponent, outer: encodeURIComponent },
  ],
  ['encoder', 'reserved-characters|encoded-twice-or-once', 'encodeURI', { encode: encodeURI }],
  ['encoder', 'not-utf8|reserved-characters', 'escape', { encode: escape }],
  ['encoder', encoder, 'URLSearchParams', { encode: form }],
  [
    'encoder',
    encoder,
    'URLSearchParams of all',
    { join: (list) => new URLSearchParams(list.map((p) => [p[2], p[3]])).toString() },
  ],
  [
    'encoder',
    'reserved-characters|repeated-or-nested-names|sort-order',
    'querystring',
    { join: (list) => stringify(Object.fromEntries(list.map((p) => [p[2], p[3]]))) },
  ],
  ['encoder', 'encoded-twice-or-once', 'nothing encoded', { encode: (t) => t }],
  ['encoder', 'encoded-twice-or-once', 'encoded twice', { encode: (t) => strict(strict(t)) }],
  [
    'encoder',
    'encoded-twice-or-once',
    'values encoded before',
    { encode: (t) => strict(encodeURIComponent(t)), encodeName: strict },
  ],
  [
    'encoder',
    'encoded-twice-or-once',
    'parameters not encoded again',
    { whole: (m, u, p) => [m, strict(u), p].join('&') },
  ],
  ['encoder', 'encoded-twice-or-once', 'base string encoded again', { text: strict }],
  [
    'encoder',
    'not-utf8',
    'Latin-1',
    {
      encode: (t) =>
        strict(Buffer.from(t, 'latin1').toString('latin1')).length
          ? [...Buffer.from(t, 'latin1')]
              .map((b) => (b < 128 ? strict(String.fromCharCode(b)) : `%${b.toString(16).toUpperCase()}`))
              .join('')
          : '',
    },
  ],
  ['encoder', 'not-utf8', 'UTF-8 read as Latin-1', { encode: (t) => strict(Buffer.from(t).toString('latin1')) }],
  ['encoder', 'space-plus', 'a blank as a plus', { encode: (t) => strict(t).replace(/%20/g, '+') }],
  ['order', 'sort-order', 'not sorted', { order: (l) => l }],
  ['order', 'sort-order', 'localeCompare', { order: (l) => l.sort((a, b) => a[0].localeCompare(b[0])) }],
  [
    'order',
    'sort-order',
    'sort of joined texts',
    { order: (l) => l.sort((a, b) => byText(`${a[0]}=${a[1]}`, `${b[0]}=${b[1]}`)) },
  ],
  [
    'order',
    'sort-order',
    'before encoding',
    { order: (l) => l.sort((a, b) => byText(a[2], b[2]) || byText(a[3], b[3])) },
  ],
  ['order', 'sort-order', 'by name alone', { order: (l) => l.sort((a, b) => byText(a[0], b[0])) }],
  ['order', 'sort-order', 'reverse', { order: (l) => l.sort((a, b) => byText(b[0], a[0]) || byText(b[1], a[1])) }],
  [
    'source',
    'body-left-out',
    'JSON body',
    { pairs: (_, r) => [...r.oauth, ...r.query, [JSON.stringify(Object.fromEntries(r.body)), '']] },
  ],
  ['source', 'body-left-out', 'body left out', { pairs: (_, r) => [...r.oauth, ...r.query] }],
  ['source', 'repeated-or-nested-names', 'Object.fromEntries', { pairs: (l) => Object.entries(Object.fromEntries(l)) }],
  ['source', 'empty-values', 'undefined for empty', each((v) => `${v || none}`)],
  ['source', 'empty-values', 'null for empty', each((v) => `${v || null}`)],
  ['source', 'empty-values', 'filter(Boolean)', without(([, v]) => !v)],
  ['source', 'empty-values', 'oauth_token undefined', add(['oauth_token', `${none}`])],
  ['source', 'empty-values', 'oauth_token null', add(['oauth_token', `${null}`])],
  ['source', 'empty-values', 'oauth_token empty', add(['oauth_token', ''])],
  [
    'source',
    'any',
    'an optional field undefined',
    add(['email2', `${none}`].map((t) => (t === 'email2' ? 'phone' : t))),
  ],
  ['source', 'any', 'an empty field', add(['redirect_url', ''])],
  ['source', 'body-left-out', 'last field missing', { pairs: (l, r) => l.filter(([n]) => n !== r.body.at(-1)[0]) }],
  ['source', 'body-left-out', 'first field missing', oneField(0, () => [])],
  ['source', 'body-left-out|empty-values', 'second field undefined', oneField(1, ([n]) => [[n, `${none}`]])],
  ['source', 'any', 'first field twice', oneField(0, (pair) => [pair, pair])],
  ['source', 'any', '[object Object]', oneField(2, ([n]) => [[n, `${{}}`]])],
  ['source', 'any', 'oauth_ values twice', { pairs: (l, r) => [...l, ...r.oauth] }],
  ['source', 'any', 'version left out', without(([n]) => n === 'oauth_version')],
  ['source', 'any', 'version of a number', of('oauth_version', (v) => `${Number(v)}`)],
  ['source', 'any', 'amount of a number', of('amount', (v) => `${Number(v)}`)],
  ['source', 'nonce-timestamp', 'milliseconds', of('oauth_timestamp', (v) => `${v}123`)],
  ['source', 'nonce-timestamp', 'a fraction', of('oauth_timestamp', (v) => `${v}.5`)],
  ['source', 'nonce-timestamp', 'nonce left out', without(([n]) => n === 'oauth_nonce')],
  ['source', 'any', 'signature method left out', without(([n]) => n === 'oauth_signature_method')],
  ['source', 'rsa-key-or-method', 'RS256', of('oauth_signature_method', () => 'RS256')],
  ['source', 'realm', 'realm', { pairs: (l, r) => [...l, ['realm', r.realm]] }],
  ['source', 'query-left-out', 'query left out', { pairs: (_, r) => [...r.oauth, ...r.body] }],
  [
    'source',
    'any',
    'oauth_ values raw',
    { join: (l) => l.map((p) => (p[2].startsWith('oauth_') ? `${p[2]}=${p[3]}` : `${p[0]}=${p[1]}`)).join('&') },
  ],
  [
    'address',
    'query-left-out',
    'query in the address',
    { uri: (r) => (r.queryText ? `${r.uri}?${r.queryText}` : r.uri) },
  ],
  ['address', 'scheme-host-port', 'as written', { uri: (r) => r.written }],
  [
    'address',
    'scheme-host-port',
    'hostname for host',
    {
      uri: (r) => {
        const u = new URL(r.uri);
        return `${u.protocol}//${u.hostname}${r.path}`;
      },
    },
  ],
  ['address', 'scheme-host-port', 'http', { uri: (r) => r.uri.replace('https', 'http') }],
  ['address', 'scheme-host-port', 'slash', { uri: (r) => (r.uri.endsWith('/') ? r.uri.slice(0, -1) : `${r.uri}/`) }],
  ['address', 'scheme-host-port|encoded-twice-or-once', 'decoded path', { uri: (r) => decodeURIComponent(r.uri) }],
  ['address', 'method', 'lower case', { method: (m) => m.toLowerCase() }],
  ['address', 'method', 'GET', { method: () => 'GET' }],
  ['text', 'any', 'line feed', { text: (t) => `${t}\n` }],
  ['key', 'signing-key', 'undefined behind', { key: (s) => `${strict(s)}&${none}` }],
  ['key', 'signing-key', 'null behind', { key: (s) => `${strict(s)}&${null}` }],
  ['key', 'signing-key', 'undefined behind, raw', { key: (s) => `${s}&${none}` }],
  ['key', 'signing-key', 'no ampersand', { key: (s) => strict(s) }],
  ['key', 'signing-key', 'the secret alone', { key: (s) => s }],
  ['key', 'signing-key', 'encodeURIComponent', { key: (s) => `${encodeURIComponent(s)}&` }],
  ['key', 'signing-key', 'raw', { key: (s) => `${s}&` }],
  ['key', 'signing-key', 'JSON', { key: (s) => `${JSON.stringify(s)}&` }],
  ['key', 'signing-key', 'from hex', { key: (s) => Buffer.from(s.replaceAll('-', ''), 'hex') }],
  ['key', 'signing-key', 'uuid without dashes', { key: (s) => `${s.replaceAll('-', '')}&` }],
  ['key', 'signing-key', 'uuid without dashes, no ampersand', { key: (s) => s.replaceAll('-', '') }],
  ['key', 'signing-key', 'undefined', { key: () => `${none}&` }],
  ['key', 'signing-key', 'two ampersands', { key: (s) => `${strict(s)}&&` }],
  ['digest', 'digest', 'sha256', { mac: (k, t) => createHmac('sha256', k).update(t).digest() }],
  [
    'digest',
    'digest',
    'sha1',
    {
      mac: (k, t) =>
        createHash('sha1')
          .update(t + k)
          .digest(),
    },
  ],
  ['digest', 'digest', 'sha512', { mac: (k, t) => createHmac('sha512', k).update(t).digest() }],
  ['digest', 'not-utf8', 'latin1', { mac: (k, t) => createHmac('sha1', k).update(t, 'utf16le').digest() }],
  ['writing', 'digest', 'hex', { write: (d) => d.toString('hex') }],
  ['writing', 'digest', 'base64url', { write: (d) => d.toString('base64url') }],
  ['writing', 'digest', 'base64 of hex', { write: (d) => base64(Buffer.from(d.toString('hex'))) }],
  ['writing', 'digest', 'encodeURIComponent', { write: (d) => encodeURIComponent(base64(d)) }],
  [
    'writing',
    'digest',
    'encodeURIComponent twice',
    { write: (d) => encodeURIComponent(encodeURIComponent(base64(d))) },
  ],
  ['writing', 'digest', 'binary', { write: (d) => base64(Buffer.from(d.toString('latin1'), 'utf8')) }],
  ['writing', 'digest', 'BitConverter', { write: (d) => d.toString('hex').toUpperCase().match(/../g).join('-') }],
  ['writing', 'digest', 'bytes of Java, not padded', { write: (d) => [...d].map((b) => b.toString(16)).join('') }],
  ['writing', 'digest', 'bytes joined', { write: (d) => [...d].join(',') }],
  ['writing', 'header-not-encoded', 'plus became a blank', { write: (d) => base64(d).replaceAll('+', ' ') }],
];

function checksum(r, f) {
  const values = (f.values ?? ((v) => v))(r.values, r);
  const texts = (f.texts ?? ((l) => l))(values.map(([, v]) => v));
  const key = (f.key ?? ((k) => k))(r.key);
  const whole = (f.join ?? ((l, k) => l.join('') + k))(texts, key);
  const digest = (f.hash ?? ((d) => createHash('sha1').update(d).digest()))((f.bytes ?? Buffer.from)(whole));
  return (f.write ?? ((d) => d.toString('hex')))(digest);
}

const value = (name, change) => ({ values: (v) => v.map(([n, t]) => [n, n === name ? change(t) : t]) });
const recipe = (...names) => ({ values: (_, r) => names.map((n) => [n, r.all[n] ?? '']) });
const control = [
  ...[',', '|', ':', ';', '-', '_', ' ', '\n', '&', '+'].map((s) => [
    'join',
    'order',
    `join(${JSON.stringify(s)})`,
    { join: (l, k) => [...l, k].join(s) },
  ]),
  ['join', 'order', 'an array as text', { join: (l, k) => `${l}${k}` }],
  ['join', 'order', 'sorted', { join: (l, k) => [...l].sort().join('') + k }],
  ['join', 'order', 'key first', { join: (l, k) => k + l.join('') }],
  ['value', 'decimal-amount', 'a number of the units', value('amount', (t) => `${t / 100}`)],
  ['value', 'decimal-amount', 'toFixed', value('amount', (t) => (t / 100).toFixed(2))],
  ['value', 'decimal-amount', 'toFixed(1)', value('amount', (t) => (t / 100).toFixed(1))],
  ['value', 'decimal-amount', 'toLocaleString', value('amount', (t) => (t / 100).toLocaleString('en-US'))],
  [
    'value',
    'decimal-amount',
    'de-DE',
    value('amount', (t) => (t / 100).toLocaleString('de-DE', { minimumFractionDigits: 2 })),
  ],
  ['value', 'decimal-amount', 'product', value('amount', (t) => `${(t / 100) * 100}`)],
  [
    'value',
    'decimal-amount|amount-currency',
    'with its currency',
    { values: (v, r) => v.map(([n, t]) => [n, n === 'amount' ? `${t}${r.all.currency}` : t]) },
  ],
  ['value', 'orderid-text', 'undefined for the order id', value('orderId', (t) => `${t || none}`)],
  ['value', 'orderid-text', 'null for the order id', value('orderId', (t) => `${t || null}`)],
  ['value', 'missing-email', 'undefined for the e-mail', value('email', (t) => `${t || none}`)],
  ['value', 'any', 'undefined for the own order id', value('clientOrderId', () => `${none}`)],
  ['value', 'any', 'undefined for the e-mail', value('email', () => `${none}`)],
  ['value', 'orderid-text', 'Number of the order id', value('orderId', (t) => `${Number(t)}`)],
  ['value', 'orderid-text', 'Number of the own order id', value('clientOrderId', (t) => `${Number(t)}`)],
  ['value', 'any', 'e-mail trimmed', value('email', (t) => t.trim())],
  ['value', 'any', 'own order id trimmed', value('clientOrderId', (t) => t.trim())],
  ['value', 'upper-case|missing-email', 'e-mail in lower case', value('email', (t) => t.toLowerCase())],
  ['values', 'charset', 'encodeURIComponent', { texts: (l) => l.map(encodeURIComponent) }],
  ['values', 'upper-case', 'toUpperCase', { texts: (l) => l.map((t) => t.toUpperCase()) }],
  [
    'recipe',
    'order',
    'JSON.stringify of the body',
    { values: (_, r) => [['body', JSON.stringify(Object.fromEntries(r.body))]] },
  ],
  [
    'recipe',
    'order',
    'URLSearchParams of the body',
    { values: (_, r) => [['body', `${new URLSearchParams(r.body)}`]] },
  ],
  [
    'recipe',
    'any',
    'numbers added',
    {
      values: (v) => [
        [
          'sum',
          v.reduce((sum, [, t]) => (/^[1-9]\d*$/.test(t) && typeof sum === 'number' ? sum + Number(t) : sum + t), 0),
        ],
      ],
    },
  ],
  ['recipe', 'any', 'of status', recipe('login', 'clientOrderId', 'orderId')],
  ['recipe', 'any', 'of capture', recipe('login', 'clientOrderId', 'orderId', 'amount', 'currency')],
  ['recipe', 'any', 'of sale', recipe('endpointId', 'clientOrderId', 'amount', 'email')],
  ['recipe', 'any', 'of rebill', recipe('login', 'clientOrderId', 'cardRefId', 'amount', 'currency')],
  [
    'recipe',
    'endpoint-login',
    'endpoint for login',
    {
      values: (v, r) => v.map(([n, t]) => [n, n === 'login' ? r.all.endpointId : n === 'endpointId' ? r.all.login : t]),
    },
  ],
  ['key', 'other-key', 'undefined', { key: () => `${none}` }],
  ['key', 'key-whitespace', 'line feed', { key: (k) => `${k}\n` }],
  ['key', 'other-key', 'JSON', { key: (k) => JSON.stringify(k) }],
  ['key', 'upper-case', 'lower case', { key: (k) => k.toLowerCase() }],
  ['key', 'other-key', 'twice', { key: (k) => k + k }],
  ['bytes', 'charset', 'latin1', { bytes: (t) => Buffer.from(t, 'latin1') }],
  ['bytes', 'charset', 'utf16le', { bytes: (t) => Buffer.from(t, 'utf16le') }],
  ['hash', 'digest', 'sha256', { hash: (d) => createHash('sha256').update(d).digest() }],
  ['hash', 'digest', 'md5', { hash: (d) => createHash('md5').update(d).digest() }],
  [
    'hash',
    'digest',
    'twice',
    { hash: (d) => createHash('sha1').update(createHash('sha1').update(d).digest()).digest() },
  ],
  [
    'hash',
    'digest',
    'of upper-case hex',
    { hash: (d) => createHash('sha1').update(createHash('sha1').update(d).digest('hex').toUpperCase()).digest() },
  ],
  ['writing', 'upper-case', 'upper case', { write: (d) => d.toString('hex').toUpperCase() }],
  ['writing', 'base64', 'base64', { write: base64 }],
  ['writing', 'any', 'BitConverter', { write: (d) => d.toString('hex').toUpperCase().match(/../g).join('-') }],
  ['writing', 'any', 'BitConverter, lower case', { write: (d) => d.toString('hex').match(/../g).join('-') }],
  ['writing', 'any', 'bytes of Java, not padded', { write: (d) => [...d].map((b) => b.toString(16)).join('') }],
];

function made(requests, table, make, text) {
  return requests.flatMap((r, at) => {
    const right = make(r, {});
    const rows = table.map((row) => ({ row, alone: make(r, row[3]) })).filter(({ alone }) => alone !== right);
    const one = (list, result) => {
      const faults = Object.assign({}, ...list.map((row) => row[3]));
      const isBase = text !== undefined && !('key' in faults || 'mac' in faults || 'write' in faults);
      return {
        request: at,
        channels: list.map((row) => row[0]),
        expected: list.map((row) => row[1]),
        what: list.map((row) => row[2]),
        value: result,
        ...(isBase ? { base: text(r, faults) } : {}),
      };
    };
    const pairs = rows.flatMap((a, i) =>
      rows.slice(i + 1).flatMap((b) => {
        if (a.row[0] === b.row[0] || Object.keys(a.row[3]).some((key) => key in b.row[3])) return [];
        const both = make(r, { ...a.row[3], ...b.row[3] });
        return [right, a.alone, b.alone].includes(both) ? [] : [one([a.row, b.row], both)];
      }),
    );
    return [...rows.map(({ row, alone }) => one([row], alone)), ...pairs];
  });
}

const given = JSON.parse(await read(process.stdin));
process.stdout.write(
  JSON.stringify({
    oauth: made(given.oauth, oauth, sign, baseString),
    control: made(given.control, control, checksum),
  }),
);
