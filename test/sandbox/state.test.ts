import { describe, expect, test } from 'vitest';
import { sqlite } from '../../src/runtime/database.js';
import { createSandbox } from '../../src/sandbox/gateway.js';
import { seededRandom } from '../../src/sandbox/seeded-random.js';
import { openSandboxState } from '../../src/sandbox/state.js';
import { assumeDefaults } from '../../src/spec/index.js';
import {
  approvedOrder,
  bodyOf,
  FakeClock,
  FakeRandom,
  type Fixture,
  openFixture,
  orderOf,
  salePairs,
  send,
  sha1,
  status,
} from './support.js';

/** A sale of any merchant, signed by hand. */
const saleBody = (id: string, endpoint: string, key: string, cvv?: string) =>
  bodyOf(salePairs(key, { id, endpoint, ...(cvv === undefined ? {} : { cvv }) }));

function statusOf(fixture: Fixture, login: string, endpoint: string, key: string, id: string, order: string) {
  const control = sha1(`${login}${id}${order}${key}`);
  const pairs = { login, client_orderid: id, ...(order === '' ? {} : { orderid: order }), control };
  return send(fixture.sandbox, `/api/v2/status/${endpoint}`, bodyOf(pairs)).fields;
}

describe('two merchants of one sandbox', () => {
  test('have their own client order ids and queued outcomes', () => {
    const fixture = openFixture();
    const made = fixture.sandboxState.createMerchant('suite-b', '6001');
    fixture.sandboxState.queueOutcome('funds', { login: 'suite-b' });
    const order = approvedOrder(fixture, 'sale', { id: 'a' });
    expect(status(fixture, 'a', order)['status']).toBe('approved');
    const other = send(fixture.sandbox, '/api/v2/sale/6001', saleBody('a', '6001', made.controlKey));
    fixture.later();
    expect(statusOf(fixture, 'suite-b', '6001', made.controlKey, 'a', orderOf(other))['error-code']).toBe('51');
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
