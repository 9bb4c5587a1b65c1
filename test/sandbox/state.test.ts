import { describe, expect, test } from 'vitest';
import { approvedOrder, bodyOf, type Fixture, openFixture, orderOf, salePairs, send, sha1, status } from './support.js';

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
    expect(() => sandboxState.createMerchant('a b')).toThrow(/a login is/);
    expect(() => sandboxState.createMerchant('suite-d', '07')).toThrow(/endpoint id/);
    expect(sandboxState.merchants().some(({ login }) => login === 'suite-d')).toBe(false);
  });
});
