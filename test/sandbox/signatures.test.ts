import { describe, expect, test } from 'vitest';
import { cardOrder, openFixture, orderOf, sha1, signed, status } from './support.js';

const payout = {
  client_orderid: 'p-1',
  amount: '50.00',
  currency: 'EUR',
  account_number: 'DE02',
  bank_name: 'Bank & Söhne',
  bank_branch: 'Berlin',
};
describe('the checksum', () => {
  test('that fits is accepted, and the sale is approved after the settling time', () => {
    const fixture = openFixture();
    const answer = cardOrder(fixture, 'sale', { id: 'order-1' });
    expect(answer.status).toBe(200);
    expect(answer.fields).toEqual({
      type: 'async-response',
      'serial-number': expect.stringMatching(/^0{8}-0{4}-0{4}-0{4}-[0-9a-f]{12}$/),
      'merchant-order-id': 'order-1',
      'paynet-order-id': expect.stringMatching(/^\d{8}$/),
      'end-point-id': '4001',
    });
    expect(status(fixture, 'order-1', orderOf(answer))).toMatchObject({
      status: 'processing',
      'order-stage': 'sale_processing',
    });
    fixture.later();
    expect(status(fixture, 'order-1', orderOf(answer))).toMatchObject({
      type: 'status-response',
      status: 'approved',
      'transaction-type': 'sale',
      'order-stage': 'sale_approved',
      amount: '10.42',
      currency: 'USD',
      'initial-amount': '10.42',
      bin: '444433',
      'last-four-digits': '1111',
      'card-type': 'VISA',
      'card-exp-month': '12',
      'card-exp-year': '2033',
      'cardholder-name': 'JANE DOE',
      'paynet-processing-date': '2030-01-07 12:00:00 UTC',
      'approval-code': expect.stringMatching(/^\d{6}$/),
      'processor-tx-id': expect.stringMatching(/^SANDBOX-\d{9}$/),
    });
  });

  test('is refused with another value, and the recipe is named', () => {
    const fixture = openFixture();
    const control = sha1(`sandboxorder-1${fixture.key}x`);
    const answer = fixture.post('/api/v2/status/4001', { login: 'sandbox', client_orderid: 'order-1', control });
    expect(answer).toMatchObject({ status: 400, fields: { type: 'validation-error', 'error-code': '2' } });
    expect(answer.fields['error-message']).toMatch(/^INVALID_CONTROL_CODE: .*login, client_orderid, orderid and the/);
  });

  test.each([
    ['hex-upper', (text: string) => sha1(text).toUpperCase()],
    ['base64', (text: string) => Buffer.from(sha1(text), 'hex').toString('base64')],
  ])('is written as %s when A01 says so', (encoding, write) => {
    const fixture = openFixture({ assume: { 'control-encoding': encoding } });
    const control = write(`sandboxnone${fixture.key}`);
    const answer = fixture.post('/api/v2/status/4001', { login: 'sandbox', client_orderid: 'none', control });
    expect(answer.fields['error-message']).toBe('order not found');
  });
});

describe('OAuth', () => {
  test.each(['400', '401', '403'])('A22: a wrong signature is answered with %s', (code) => {
    const fixture = openFixture({ assume: { 'wrong-oauth': code } });
    const answer = signed(fixture, '/api/v2/payout/4001', payout, { key: 'another' });
    expect(answer.status).toBe(Number(code));
    expect(answer.fields).toMatchObject({ type: 'validation-error', 'error-code': '3' });
    expect(answer.fields['error-message']).toMatch(/HMAC-SHA1/);
  });

  test('a nonce counts once per merchant, also after the request was refused', () => {
    const fixture = openFixture();
    expect(signed(fixture, '/api/v2/payout/4001', payout, { nonce: 'same' }).status).toBe(200);
    expect(
      signed(fixture, '/api/v2/payout/4001', { ...payout, client_orderid: 'p-2' }, { nonce: 'same' }).fields[
        'error-message'
      ],
    ).toMatch(/oauth_nonce was used/);
    const unknownCard = { client_orderid: 'p-3', amount: '1.00', currency: 'EUR', 'destination-card-ref-id': '1' };
    expect(signed(fixture, '/api/v2/payout/4001', unknownCard, { nonce: 'other' }).fields['error-code']).toBe('10');
    expect(
      signed(fixture, '/api/v2/payout/4001', { ...payout, client_orderid: 'p-4' }, { nonce: 'other' }).fields[
        'error-message'
      ],
    ).toMatch(/oauth_nonce was used/);
  });

  test('A51: a raw key is taken when the switch says so', () => {
    const fixture = openFixture({ assume: { 'hmac-key-encoding': 'raw' } });
    fixture.sandboxState.addMerchant({ login: 'odd', controlKey: 'a+b/c=', endpointId: '5001' });
    // percent() of this key is another text, so the hand-made signature with the encoded key must fail.
    expect(signed(fixture, '/api/v2/payout/5001', payout, { key: 'a+b/c=', login: 'odd' }).status).toBe(400);
  });
});

test('A05: a login that need not be sent may be left out, and must be right when it is there', () => {
  const fixture = openFixture({ assume: { 'login-field': 'omit' } });
  const order = orderOf(cardOrder(fixture, 'sale', { id: 'a' }));
  const control = sha1(`sandboxa${order}${fixture.key}`);
  expect(fixture.post('/api/v2/status/4001', { client_orderid: 'a', orderid: order, control }).status).toBe(200);
  const wrong = fixture.post('/api/v2/status/4001', {
    login: 'other-shop',
    client_orderid: 'a',
    orderid: order,
    control,
  });
  expect(wrong.fields['error-message']).toBe('login is not the merchant of endpoint 4001');
});
