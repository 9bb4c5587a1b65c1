import { createHash, createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { audit, rules } from '../../src/sandbox/audit/report.js';
import { openRejectedRequestLog, type RejectedRequest } from '../../src/sandbox/server/request-log.js';
import {
  approvedOrder,
  type Bench,
  base,
  bodyOf,
  card,
  cardOrder,
  type Fields,
  oauth,
  onOrder,
  openBench,
  orderOf,
  partial,
  payer,
  plainHeaders,
  send,
  sha1,
  signed,
  status,
} from './support.js';

const payout = { client_orderid: 'p', amount: '5.00', currency: 'EUR', wallet_type: 'w', wallet_id: 'x' };

/** A sale whose control is what the client under test makes of it. */
function saleWith(bench: Bench, control: string, own: Fields = {}) {
  const pairs = {
    client_orderid: 'a1',
    amount: '10.50',
    currency: 'USD',
    ...card(),
    ...payer,
    redirect_url: 'https://shop.example/return',
    control,
    ...own,
  };
  return bench.post('/api/v2/sale/4001', pairs);
}

const right = (bench: Bench) => sha1(`4001a11050${payer['email']}${bench.key}`);

/** A payout signed by hand, with one thing done otherwise. */
function payoutSigned(
  bench: Bench,
  change: {
    readonly url?: string;
    readonly fields?: Fields;
    readonly key?: string;
    readonly hash?: string;
    readonly sent?: Fields;
  },
) {
  const enc = (text: string) => encodeURIComponent(text);
  const protocol = {
    oauth_consumer_key: 'sandbox',
    oauth_nonce: 'n-1',
    oauth_signature_method: 'HMAC-SHA1',
    oauth_timestamp: String(bench.clock.time / 1000),
    oauth_version: '1.0',
  };
  const parameters = Object.entries({ ...(change.fields ?? payout), ...protocol })
    .map(([name, value]) => `${enc(name)}=${enc(value)}`)
    .sort()
    .join('&');
  const url = change.url ?? `${base}/api/v2/payout/4001`;
  const signature = createHmac(change.hash ?? 'sha1', change.key ?? `${bench.key}&`)
    .update(`POST&${enc(url)}&${enc(parameters)}`)
    .digest('base64');
  const header = Object.entries({ ...protocol, oauth_signature: signature }).map(
    ([name, value]) => `${name}="${enc(value)}"`,
  );
  return bench.post('/api/v2/payout/4001', change.sent ?? payout, {
    ...plainHeaders,
    authorization: `OAuth ${header.join(', ')}`,
  });
}

type Mistake = readonly [rule: keyof typeof rules, make: (bench: Bench) => unknown];

const mistakes: readonly Mistake[] = [
  ['address-wrong', (bench) => send(bench.sandbox, '/api/v2/sales/4001', '')],
  ['endpoint-unknown', (bench) => cardOrder(bench, 'sale', { id: 'a', endpoint: '999' })],
  ['accept-missing', (bench) => onStatus(bench, { 'content-type': 'application/x-www-form-urlencoded' })],
  ['accept-inexact', (bench) => onStatus(bench, { ...plainHeaders, accept: 'application/vnd.pay+json, */*' })],
  ['content-type', (bench) => onStatus(bench, { ...plainHeaders, 'content-type': 'application/json' })],
  ['scheme-control-for-oauth', (bench) => bench.post('/api/v2/payout/4001', { ...payout, control: 'a'.repeat(40) })],
  [
    'scheme-oauth-for-control',
    (bench) =>
      onStatus(bench, {
        ...plainHeaders,
        authorization: oauth('/api/v2/status/4001', {}, { key: bench.key, clock: bench.clock }),
      }),
  ],
  ['control-missing', (bench) => saleWith(bench, '')],
  ['control-decimals', (bench) => saleWith(bench, sha1(`4001a110.50${payer['email']}${bench.key}`))],
  ['control-order', (bench) => saleWith(bench, sha1(`a140011050${payer['email']}${bench.key}`))],
  ['control-value-missing', (bench) => saleWith(bench, sha1(`4001a11050${bench.key}`))],
  ['control-value-extra', (bench) => saleWith(bench, sha1(`4001a11050USD${payer['email']}${bench.key}`))],
  ['control-value-other', (bench) => saleWith(bench, sha1(`sandboxa11050${payer['email']}${bench.key}`))],
  [
    'control-encoded',
    (bench) => saleWith(bench, sha1(`4001a11050${encodeURIComponent(payer['email'] ?? '')}${bench.key}`)),
  ],
  ['control-upper-case', (bench) => saleWith(bench, right(bench).toUpperCase())],
  ['control-base64', (bench) => saleWith(bench, Buffer.from(right(bench), 'hex').toString('base64'))],
  [
    'control-hash',
    (bench) => saleWith(bench, createHash('sha256').update(`4001a11050${payer['email']}${bench.key}`).digest('hex')),
  ],
  ['control-key-newline', (bench) => saleWith(bench, sha1(`4001a11050${payer['email']}${bench.key}\n`))],
  [
    'control-key-wrong',
    (bench) => saleWith(bench, sha1(`4001a11050${payer['email']}${bench.world.merchants()[1]?.controlKey}`)),
  ],
  ['control-wrong', (bench) => saleWith(bench, 'a'.repeat(40))],
  ['oauth-missing', (bench) => bench.post('/api/v2/payout/4001', payout)],
  [
    'oauth-header',
    (bench) => bench.post('/api/v2/payout/4001', payout, { ...plainHeaders, authorization: 'Bearer abc' }),
  ],
  [
    'oauth-method',
    (bench) => signed(bench, '/api/v2/payout/4001', payout, { privateKey: bench.world.builtinPrivateKey() }),
  ],
  ['oauth-consumer', (bench) => signed(bench, '/api/v2/payout/4001', payout, { login: 'somebody' })],
  [
    'oauth-clock',
    (bench) => signed(bench, '/api/v2/payout/4001', payout, { timestamp: bench.clock.time / 1000 - 3600 }),
  ],
  [
    'oauth-nonce',
    (bench) => {
      signed(bench, '/api/v2/payout/4001', payout, { nonce: 'same' });
      signed(bench, '/api/v2/payout/4001', { ...payout, client_orderid: 'p2' }, { nonce: 'same' });
    },
  ],
  ['oauth-body-unsigned', (bench) => payoutSigned(bench, { fields: {} })],
  [
    'oauth-encoding',
    (bench) => payoutSigned(bench, { sent: { ...payout, wallet_id: 'x y' }, fields: { ...payout, wallet_id: 'x+y' } }),
  ],
  ['oauth-parameters', (bench) => payoutSigned(bench, { fields: { ...payout, oauth_token: '' } })],
  ['oauth-address', (bench) => payoutSigned(bench, { url: `https://localhost/gateway/api/v2/payout/4001` })],
  ['oauth-key', (bench) => payoutSigned(bench, { key: `${bench.key}%0A&` })],
  ['oauth-digest', (bench) => payoutSigned(bench, { hash: 'sha256' })],
  ['oauth-signature', (bench) => payoutSigned(bench, { key: 'another&' })],
  ['field-unknown', (bench) => saleWith(bench, right(bench), { clientorderid: 'x' })],
  ['field-wrong', (bench) => saleWith(bench, right(bench), { email: 'nobody' })],
  ['card-not-test', (bench) => cardOrder(bench, 'sale', { id: 'a', number: '4929618305724915' })],
  [
    'order-id-repeated',
    (bench) => {
      cardOrder(bench, 'sale', { id: 'twice' });
      cardOrder(bench, 'sale', { id: 'twice' });
    },
  ],
  ['acted-before-final', (bench) => partial(bench, 'return', 's', orderOf(cardOrder(bench, 'sale', { id: 's' })))],
  ['acted-before-status', (bench) => partial(bench, 'return', 's', approvedOrder(bench, 'sale', { id: 's' }))],
  [
    'polling-fast',
    (bench) => {
      const order = approvedOrder(bench, 'sale', { id: 's' });
      for (let count = 0; count < 10; count += 1) {
        bench.clock.time += 900;
        status(bench, 's', order);
      }
    },
  ],
  ['not-http', (bench) => turnedAway(bench, 'unreadable')],
  ['host-wrong', (bench) => turnedAway(bench, 'wrong-host')],
  ['sent-by-a-page', (bench) => turnedAway(bench, 'cross-site')],
  ['header-repeated', (bench) => turnedAway(bench, 'invalid')],
  ['body-too-large', (bench) => turnedAway(bench, 'too-large')],
  ['callback-slow', (bench) => answered(bench, 200, 2500)],
  ['callback-unanswered', (bench) => answered(bench, 503, 10)],
  ['callback-unverified', (bench) => answered(bench, 200, 10, 'wrong-control')],
];

function onStatus(bench: Bench, headers: Fields) {
  const body = { login: 'sandbox', client_orderid: 'a', control: sha1(`sandboxa${bench.key}`) };
  return send(bench.sandbox, '/api/v2/status/4001', bodyOf(body), headers);
}

/** Refused by the server that listens. */
function turnedAway(bench: Bench, reason: RejectedRequest['reason']): void {
  const request = { method: 'POST', url: `${base}/api/v2/sale/4001` };
  openRejectedRequestLog(bench.world.store).add({ reason, status: 400, why: 'no', request });
}

/** A callback that was delivered, put into the file by hand. */
function answered({ database, clock }: Bench, code: number, ms: number, script = 'normal'): void {
  database.run(
    `INSERT INTO callbacks (transaction_id, order_id, login, url, status, script, state, made_at, due_at, attempts)
     VALUES (1, '1', 'sandbox', 'http://127.0.0.1:9/hook?x=1', 'approved', ?, 'pending', 0, NULL, 1)`,
    script,
  );
  database.run(
    'INSERT INTO callback_attempts (callback_id, at, machine_at, status, duration_ms) VALUES (1, ?, ?, ?, ?)',
    clock.time,
    clock.time,
    code,
    ms,
  );
}

const found = (bench: Bench, since?: number) => audit(bench.world.store, since).map(({ rule }) => rule);

describe('the report card', () => {
  test.each(mistakes)('names %s, and nothing else', (rule, make) => {
    const bench = openBench();
    make(bench);
    expect(found(bench)).toEqual([rule]);
    const [finding] = audit(bench.world.store);
    expect(finding).toMatchObject({ rule, title: rules[rule].title, fix: rules[rule].fix, count: 1 });
    expect(finding?.request?.line).toMatch(/^(POST|GET) /);
  });

  test('has a client for every rule', () => {
    expect(mistakes.map(([rule]) => rule).sort()).toEqual(Object.keys(rules).sort());
  });

  test('is empty for a client that does everything right', () => {
    const bench = openBench();
    const order = approvedOrder(bench, 'preauth', { id: 'clean', amount: '25.00' });
    expect(status(bench, 'clean', order)['status']).toBe('approved');
    bench.clock.time += 3000;
    partial(bench, 'capture', 'clean', order, '20.00');
    bench.clock.time += 3000;
    status(bench, 'clean', order);
    partial(bench, 'return', 'clean', order, '5.00');
    expect(signed(bench, '/api/v2/payout/4001', payout).status).toBe(200);
    for (let count = 0; count < 10; count += 1) {
      bench.clock.time += 1000;
      status(bench, 'clean', order);
    }
    expect(found(bench)).toEqual([]);
  });

  test('puts two mistakes of one checksum side by side', () => {
    const bench = openBench();
    saleWith(bench, sha1(`4001a110.50${payer['email']}${bench.key}`).toUpperCase());
    expect(found(bench)).toEqual(['control-decimals', 'control-upper-case']);
  });

  test('tells what was left out and in which order', () => {
    const bench = openBench();
    saleWith(bench, sha1(`4001a11050${bench.key}`));
    saleWith(bench, sha1(`1050a14001${payer['email']}${bench.key}`));
    expect(audit(bench.world.store).map(({ detail }) => detail)).toEqual([
      expect.stringMatching(/^sale: signed as amount, client_orderid, endpointId, email; /),
      'sale: email left out',
    ]);
  });

  test('does not look for the reason in a request that is very long', () => {
    const bench = openBench();
    signed(bench, '/api/v2/payout/4001', payout, { key: 'another', nonce: 'n'.repeat(5000) });
    expect(audit(bench.world.store)).toMatchObject([
      { rule: 'oauth-signature', detail: 'payout send: too long to diagnose' },
    ]);
  });

  test('opens an RSA signature with the public key it has', () => {
    const bench = openBench();
    const check = { ...payout, client_orderid: 'c-1' };
    const keys = { key: bench.key, privateKey: bench.world.builtinPrivateKey(), clock: bench.clock };
    const authorization = oauth('/api/v4/payout-check/4001/', check, keys);
    bench.post('/api/v4/payout-check/4001', check, { ...plainHeaders, authorization });
    expect(audit(bench.world.store)).toMatchObject([
      { rule: 'oauth-address', detail: expect.stringMatching(/^payout check: a slash added/) },
    ]);
  });

  test('counts, and looks back only as far as asked', () => {
    const bench = openBench();
    for (let count = 0; count < 3; count += 1) {
      bench.clock.time += 60_000;
      onStatus(bench, { ...plainHeaders, accept: '*/*' });
    }
    const start = bench.clock.time;
    const [finding] = audit(bench.world.store);
    expect(finding).toMatchObject({
      detail: 'Accept: */*',
      count: 3,
      firstAt: start - 120_000,
      lastAt: start,
      orders: ['a'],
    });
    expect(audit(bench.world.store, start)[0]?.count).toBe(1);
    expect(audit(bench.world.store, start + 1)).toEqual([]);
  });

  test.each([
    ['a loop that pauses 900 ms', Array.from({ length: 10 }, () => 900), 1],
    ['the same loop for twice as long, once for each ten', Array.from({ length: 20 }, () => 900), 2],
    ['a loop that pauses a second', Array.from({ length: 30 }, () => 1000), undefined],
    // sale --wait, order, status --wait and order --watch: each asks at once, two of them soon again.
    ['four commands in a row', [0, 300, 1200, 2400, 1100, 400, 400, 300, 1200, 2400, 1100, 400, 300, 1200], undefined],
  ])('counts %s', (_, pauses, count) => {
    const bench = openBench();
    const order = approvedOrder(bench, 'sale', { id: 's' });
    for (const pause of pauses) {
      bench.clock.time += pause;
      status(bench, 's', order);
    }
    expect(audit(bench.world.store).find(({ rule }) => rule === 'polling-fast')?.count).toBe(count);
  });

  test('leaves polls of a client inside this process out', () => {
    const bench = openBench({ client: 'paycli' });
    const order = approvedOrder(bench, 'sale', { id: 's' });
    for (let count = 0; count < 20; count += 1) status(bench, 's', order);
    expect(found(bench)).toEqual([]);
  });

  test('counts a callback that was answered as having learnt the status', () => {
    const bench = openBench();
    const order = approvedOrder(bench, 'sale', { id: 's' });
    answered(bench, 200, 10);
    bench.database.run('UPDATE callbacks SET order_id = ?', order);
    partial(bench, 'return', 's', order);
    expect(found(bench)).toEqual([]);
  });

  test('is forgotten with a reset', () => {
    const bench = openBench();
    saleWith(bench, 'a'.repeat(40));
    onOrder(bench, '/api/v2/status', 'x', '1');
    bench.world.reset();
    expect(found(bench)).toEqual([]);
  });
});
