import { describe, expect, test } from 'vitest';
import { cardOrder, openFixture, plainHeaders, sha1 } from './support.js';

const fixture = openFixture();
const path = '/api/v2/status/4001';

function why(answer: { readonly fields: Readonly<Record<string, string>> }): string {
  return answer.fields['error-message'] ?? '';
}

describe('amounts', () => {
  test('A04: hundredths for every currency, or digits of its own', () => {
    expect(
      cardOrder(openFixture({ assume: { 'minor-digits': 'hundredths' } }), 'sale', {
        id: 'm',
        amount: '10.42',
        currency: 'JPY',
      }).status,
    ).toBe(200);
    expect(
      cardOrder(openFixture({ assume: { 'minor-digits': '4001/KWD=1' } }), 'sale', {
        id: 'm',
        amount: '10.4',
        currency: 'KWD',
      }).status,
    ).toBe(200);
  });

  test('A03: minor units in the body', () => {
    const fresh = openFixture({ assume: { 'body-amount': 'minor' } });
    expect(cardOrder(fresh, 'sale', { id: 'm', amount: '1042', minor: '1042' }).status).toBe(200);
    const own = sha1(`sandboxm${fresh.key}`);
    expect(fresh.post(path, { login: 'sandbox', client_orderid: 'm', control: own }).fields['amount']).toBe('10.42');
    expect(why(cardOrder(fresh, 'sale', { id: 'n', amount: '10.42' }))).toMatch(
      /^amount must be a whole number of minor units/,
    );
  });
});

test('a card number nobody published is refused without being repeated, unless any card may come', () => {
  const answer = cardOrder(fixture, 'sale', { id: 'real', number: '4929000000006' });
  expect(answer.status).toBe(400);
  expect(why(answer)).toMatch(/credit_card_number is not a published test number.*paycli sandbox outcomes/);
  expect(answer.body).not.toContain('4929000000006');
  expect(cardOrder(openFixture({ anyCard: true }), 'sale', { id: 'real', number: '4929000000006' }).status).toBe(200);
});

describe('A12: form-encoded replies', () => {
  const form = openFixture({ assume: { 'reply-format': 'form' } });

  test('end every value with a line feed, and say no under 200', () => {
    const ok = form.sandbox.handle({
      method: 'POST',
      url: `http://x/gateway/api/v2/sale/4001`,
      headers: plainHeaders,
      body: Buffer.from(''),
    });
    expect(ok.status).toBe(200);
    expect(ok.headers['content-type']).toBe('text/html;charset=utf-8');
    expect(ok.body).toMatch(/^&type=validation-error\n&serial-number=[0-9a-f-]{36}\n/);
  });
});

test('a fault inside answers 500 and leaves nothing behind', () => {
  const fresh = openFixture();
  const faults: unknown[] = [];
  const { database } = fresh;
  database.exec("CREATE TRIGGER broken BEFORE INSERT ON transactions BEGIN SELECT raise(abort, 'broken'); END");
  const again = openFixture({ database, clock: fresh.clock, onFault: (error) => faults.push(error) });
  const answer = cardOrder(again, 'sale', { id: 'x' });
  expect(answer.status).toBe(500);
  expect(answer.fields).toEqual({
    type: 'error',
    'serial-number': expect.any(String),
    'error-message': expect.stringMatching(/did nothing/),
    'error-code': '99',
  });
  expect(faults).toHaveLength(1);
  expect(database.all('SELECT * FROM orders')).toEqual([]);
});
