import { describe, expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { seededRandom } from '../../src/sandbox/seeded-random.js';
import { openSandboxState } from '../../src/sandbox/state.js';
import { assumeDefaults } from '../../src/spec/index.js';
import {
  approvedOrder,
  bodyOf,
  card,
  cardOrder,
  FakeClock,
  FakeRandom,
  type Fixture,
  onOrder,
  openFixture,
  orderOf,
  partial,
  payer,
  send,
  sha1,
  status,
} from './support.js';

/** A sale of any merchant, signed by hand. */
function saleBody(id: string, endpoint: string, key: string, cvv = '123'): string {
  const control = sha1(`${endpoint}${id}1042${payer['email']}${key}`);
  const pairs = {
    client_orderid: id,
    amount: '10.42',
    currency: 'USD',
    ...card(undefined, cvv),
    ...payer,
    redirect_url: 'https://shop.example/r',
  };
  return bodyOf({ ...pairs, control });
}

function statusOf(fixture: Fixture, login: string, endpoint: string, key: string, id: string, order: string) {
  const control = sha1(`${login}${id}${order}${key}`);
  const pairs = { login, client_orderid: id, ...(order === '' ? {} : { orderid: order }), control };
  return send(fixture.sandbox, `/api/v2/status/${endpoint}`, bodyOf(pairs)).fields;
}

describe('two merchants of one sandbox', () => {
  test('use the same client order ids, and see their own orders only', () => {
    const fixture = openFixture();
    const made = fixture.sandboxState.createMerchant('suite-b');
    expect(made).toMatchObject({ login: 'suite-b', endpointId: '5001' });
    const first = orderOf(cardOrder(fixture, 'sale', { id: 'same' }));
    const second = send(fixture.sandbox, '/api/v2/sale/5001', saleBody('same', '5001', made.controlKey, '116'));
    expect(second.status).toBe(200);
    fixture.later();
    expect(status(fixture, 'same', first)['status']).toBe('approved');
    expect(status(fixture, 'same', '')).toMatchObject({ status: 'approved', 'paynet-order-id': first });
    expect(statusOf(fixture, 'suite-b', '5001', made.controlKey, 'same', '')).toMatchObject({
      status: 'declined',
      'paynet-order-id': orderOf(second),
    });
    expect(status(fixture, 'same', orderOf(second))['error-message']).toBe('order not found');
    expect(partial(fixture, 'return', 'same', orderOf(second)).fields['error-message']).toBe('order not found');
  });

  test('have their own card references, nonces and queued outcomes', () => {
    const fixture = openFixture();
    const made = fixture.sandboxState.createMerchant('suite-b', '6001');
    fixture.sandboxState.queueOutcome('funds', { login: 'suite-b' });
    const order = approvedOrder(fixture, 'sale', { id: 'a' });
    expect(status(fixture, 'a', order)['status']).toBe('approved');
    const other = send(fixture.sandbox, '/api/v2/sale/6001', saleBody('a', '6001', made.controlKey));
    fixture.later();
    expect(statusOf(fixture, 'suite-b', '6001', made.controlKey, 'a', orderOf(other))['error-code']).toBe('51');
    const reference = onOrder(fixture, '/api/v2/create-card-ref', 'a', order).fields['card-ref-id'] ?? '';
    const pairs = {
      login: 'suite-b',
      client_orderid: 'r',
      cardrefid: reference,
      amount: '5.00',
      currency: 'USD',
      ipaddress: '192.0.2.1',
    };
    const control = sha1(`suite-br${reference}500USD${made.controlKey}`);
    expect(
      send(fixture.sandbox, '/api/v2/make-rebill/6001', bodyOf({ ...pairs, control })).fields['error-message'],
    ).toMatch(/no card reference of this merchant|missing|required/);
  });

  test('cannot share a login or an endpoint', () => {
    const { sandboxState } = openFixture();
    sandboxState.createMerchant('suite-b');
    expect(sandboxState.createMerchant('suite-c').endpointId).toBe('5002');
    expect(() => sandboxState.createMerchant('suite-b')).toThrow(/already has a merchant suite-b/);
    expect(() => sandboxState.createMerchant('suite-d', '5001')).toThrow(/belongs to merchant suite-b/);
    expect(sandboxState.merchants().some(({ login }) => login === 'suite-d')).toBe(false);
  });
});

describe('a seed', () => {
  const run = (seed: string): string[] => {
    const clock = new FakeClock();
    const sandboxState = openSandboxState({
      database: sqlite.open(':memory:'),
      clock,
      random: seededRandom(seed, new FakeRandom()),
    });
    const sandbox = createSandbox(sandboxState, { assume: assumeDefaults });
    const { controlKey } = sandboxState.identity();
    const replies: string[] = [];
    for (const [id, cvv] of [
      ['a', '123'],
      ['b', '321'],
      ['c', '323'],
      ['d', '116'],
      ['e', '324'],
    ] as const) {
      const sale = send(sandbox, '/api/v2/sale/4001', saleBody(id, '4001', controlKey, cvv));
      clock.time += 400;
      const control = sha1(`sandbox${id}${controlKey}`);
      const shown = send(sandbox, '/api/v2/status/4001', bodyOf({ login: 'sandbox', client_orderid: id, control }));
      replies.push(controlKey, sale.body, shown.body);
    }
    return replies;
  };

  test('makes every reply the same, byte for byte', () => {
    expect(run('7')).toEqual(run('7'));
  });
});

test('what is due at the same moment comes each to its own end, in the order it was made', () => {
  const fixture = openFixture();
  const ends = {
    '123': 'approved',
    '116': 'declined',
    '217': 'unknown',
    '359': 'filtered',
    '360': 'processing',
    '396': 'error',
  };
  for (const cvv of Object.keys(ends)) cardOrder(fixture, 'sale', { id: cvv, cvv });
  fixture.later();
  const words = Object.keys(ends).map((cvv) => [cvv, status(fixture, cvv, '')['status']]);
  expect(Object.fromEntries(words)).toEqual(ends);
  const stages = fixture.database.all(
    "SELECT title, at - (SELECT made_at FROM orders LIMIT 1) AS after FROM events WHERE kind = 'stage'",
  );
  expect(stages.map(({ title, after }) => [title, after])).toEqual(
    ['sale_declined', 'sale_approved', 'sale_unknown', 'sale_filtered', 'sale_error'].map((title) => [title, 300]),
  );
});
