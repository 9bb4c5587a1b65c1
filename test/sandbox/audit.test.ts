import { describe, expect, test } from 'vitest';
import { audit, rules } from '../../src/sandbox/audit/report.js';
import {
  approvedOrder,
  bodyOf,
  cardOrder,
  type Fields,
  type Fixture,
  oauth,
  openFixture,
  orderOf,
  partial,
  payer,
  plainHeaders,
  salePairs,
  send,
  sha1,
  signed,
  status,
} from './support.js';

const payout = { client_orderid: 'p', amount: '5.00', currency: 'EUR', wallet_type: 'w', wallet_id: 'x' };

/** A sale whose control is what the client under test makes of it. */
const saleWith = (fixture: Fixture, control: string, own: Fields = {}) =>
  cardOrder(fixture, 'sale', { id: 'a1', amount: '10.50' }, { control, ...own });

const right = (fixture: Fixture) => sha1(`4001a11050${payer['email']}${fixture.key}`);

type Mistake = readonly [rule: keyof typeof rules, make: (fixture: Fixture) => unknown];

const mistakes: readonly Mistake[] = [
  ['address-wrong', (fixture) => send(fixture.sandbox, '/api/v2/sales/4001', '')],
  ['endpoint-unknown', (fixture) => cardOrder(fixture, 'sale', { id: 'a', endpoint: '999' })],
  ['accept-missing', (fixture) => onStatus(fixture, { 'content-type': 'application/x-www-form-urlencoded' })],
  ['accept-inexact', (fixture) => onStatus(fixture, { ...plainHeaders, accept: 'application/vnd.pay+json, */*' })],
  ['content-type', (fixture) => onStatus(fixture, { ...plainHeaders, 'content-type': 'application/json' })],
  ['body-separator', (fixture) => saleWritten(fixture, (body) => body.replaceAll('&', '&amp;'))],
  [
    'body-encoding',
    (fixture) => saleWritten(fixture, (body) => body.replace(/order_desc=[^&]*/, 'order_desc=Z%FCrich')),
  ],
  ['amount-form', (fixture) => saleWith(fixture, right(fixture), { amount: '10,50' })],
  [
    'scheme-control-for-oauth',
    (fixture) => fixture.post('/api/v2/payout/4001', { ...payout, control: 'a'.repeat(40) }),
  ],
  [
    'scheme-oauth-for-control',
    (fixture) =>
      onStatus(fixture, {
        ...plainHeaders,
        authorization: oauth('/api/v2/status/4001', {}, { key: fixture.key, clock: fixture.clock }),
      }),
  ],
  ['control-missing', (fixture) => saleWith(fixture, '')],
  ['control-wrong', (fixture) => saleWith(fixture, 'a'.repeat(40))],
  ['oauth-missing', (fixture) => fixture.post('/api/v2/payout/4001', payout)],
  [
    'oauth-header',
    (fixture) => fixture.post('/api/v2/payout/4001', payout, { ...plainHeaders, authorization: 'Bearer abc' }),
  ],
  [
    'oauth-method',
    (fixture) =>
      signed(fixture, '/api/v2/payout/4001', payout, { privateKey: fixture.sandboxState.builtinPrivateKey() }),
  ],
  ['oauth-consumer', (fixture) => signed(fixture, '/api/v2/payout/4001', payout, { login: 'somebody' })],
  [
    'oauth-clock',
    (fixture) => signed(fixture, '/api/v2/payout/4001', payout, { timestamp: fixture.clock.time / 1000 - 3600 }),
  ],
  [
    'oauth-nonce',
    (fixture) => {
      signed(fixture, '/api/v2/payout/4001', payout, { nonce: 'same' });
      signed(fixture, '/api/v2/payout/4001', { ...payout, client_orderid: 'p2' }, { nonce: 'same' });
    },
  ],
  ['oauth-signature', (fixture) => signed(fixture, '/api/v2/payout/4001', payout, { key: 'another' })],
  ['field-unknown', (fixture) => saleWith(fixture, right(fixture), { clientorderid: 'x' })],
  ['field-wrong', (fixture) => saleWith(fixture, right(fixture), { email: 'nobody' })],
  ['card-not-test', (fixture) => cardOrder(fixture, 'sale', { id: 'a', number: '4929618305724915' })],
  [
    'order-id-repeated',
    (fixture) => {
      cardOrder(fixture, 'sale', { id: 'twice' });
      cardOrder(fixture, 'sale', { id: 'twice' });
    },
  ],
  [
    'acted-before-final',
    (fixture) => partial(fixture, 'return', 's', orderOf(cardOrder(fixture, 'sale', { id: 's' }))),
  ],
  ['acted-before-status', (fixture) => partial(fixture, 'return', 's', approvedOrder(fixture, 'sale', { id: 's' }))],
  [
    'polling-fast',
    (fixture) => {
      const order = approvedOrder(fixture, 'sale', { id: 's' });
      for (let count = 0; count < 10; count += 1) {
        fixture.clock.time += 900;
        status(fixture, 's', order);
      }
    },
  ],
  ['callback-slow', (fixture) => answered(fixture, 200, 2500)],
  ['callback-unanswered', (fixture) => answered(fixture, 503, 10)],
  ['callback-unverified', (fixture) => answered(fixture, 200, 10, 'wrong-control')],
];

/** A sale with its body written otherwise. */
function saleWritten(fixture: Fixture, write: (body: string) => string, own: Fields = {}) {
  const body = bodyOf(salePairs(fixture.key, { id: 'a1', amount: '10.50' }, own));
  return send(fixture.sandbox, '/api/v2/sale/4001', write(body), plainHeaders);
}

function onStatus(fixture: Fixture, headers: Fields) {
  const body = { login: 'sandbox', client_orderid: 'a', control: sha1(`sandboxa${fixture.key}`) };
  return send(fixture.sandbox, '/api/v2/status/4001', bodyOf(body), headers);
}

/** A callback that was delivered, put into the file by hand. */
function answered({ database, clock }: Fixture, code: number, ms: number, script = 'normal'): void {
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

test('an unencoded + is named, not only that the value is malformed', () => {
  const fixture = openFixture();
  saleWritten(fixture, (body) => body.replace('%2B', '+'), { email: 'shop+one@example.com' });
  expect(audit(fixture.sandboxState.store)).toMatchObject([{ rule: 'body-encoding' }]);
});

const found = (fixture: Fixture) => audit(fixture.sandboxState.store).map(({ rule }) => rule);

describe('the audit report', () => {
  test.each(mistakes)('names %s, and nothing else', (rule, make) => {
    const fixture = openFixture();
    make(fixture);
    expect(found(fixture)).toEqual([rule]);
    const [finding] = audit(fixture.sandboxState.store);
    expect(finding).toMatchObject({ rule, title: rules[rule].title, fix: rules[rule].fix, count: 1 });
    expect(finding?.request?.line).toMatch(/^(POST|GET) /);
  });

  test('is empty for a client that does everything right', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'preauth', { id: 'clean', amount: '25.00' });
    expect(status(fixture, 'clean', order)['status']).toBe('approved');
    fixture.clock.time += 3000;
    partial(fixture, 'capture', 'clean', order, '20.00');
    fixture.clock.time += 3000;
    status(fixture, 'clean', order);
    partial(fixture, 'return', 'clean', order, '5.00');
    expect(signed(fixture, '/api/v2/payout/4001', payout).status).toBe(200);
    for (let count = 0; count < 10; count += 1) {
      fixture.clock.time += 1000;
      status(fixture, 'clean', order);
    }
    expect(found(fixture)).toEqual([]);
  });

  test('names the mistake behind a wrong checksum and a wrong signature, and what to do', () => {
    const fixture = openFixture();
    saleWith(fixture, sha1(`4001a110.50${payer['email']}${fixture.key}`));
    const keys = { key: fixture.key, privateKey: fixture.sandboxState.builtinPrivateKey(), clock: fixture.clock };
    const authorization = oauth('/api/v4/payout-check/4001/', payout, keys);
    fixture.post('/api/v4/payout-check/4001', payout, { ...plainHeaders, authorization });
    expect(audit(fixture.sandboxState.store)).toMatchObject([
      { rule: 'control-wrong', detail: expect.stringMatching(/^sale: the amount as it is sent, 10.50; /) },
      { rule: 'oauth-signature', detail: expect.stringMatching(/^payout check: a slash added.*; /) },
    ]);
  });

  test('counts', () => {
    const fixture = openFixture();
    for (let count = 0; count < 3; count += 1) {
      fixture.clock.time += 60_000;
      onStatus(fixture, { ...plainHeaders, accept: '*/*' });
    }
    const start = fixture.clock.time;
    const [finding] = audit(fixture.sandboxState.store);
    expect(finding).toMatchObject({
      rule: 'accept-inexact',
      count: 3,
      firstAt: start - 120_000,
      lastAt: start,
      orders: ['a'],
    });
  });

  test.each([
    ['a loop that pauses 900 ms', Array.from({ length: 10 }, () => 900), 1],
    ['a loop that pauses a second', Array.from({ length: 30 }, () => 1000), undefined],
    // sale --wait, order, status --wait and status --wait again: each asks at once, two of them soon again.
    ['four commands in a row', [0, 300, 1200, 2400, 1100, 400, 400, 300, 1200, 2400, 1100, 400, 300, 1200], undefined],
  ])('counts %s', (_, pauses, count) => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'sale', { id: 's' });
    for (const pause of pauses) {
      fixture.clock.time += pause;
      status(fixture, 's', order);
    }
    expect(audit(fixture.sandboxState.store).find(({ rule }) => rule === 'polling-fast')?.count).toBe(count);
  });
});
