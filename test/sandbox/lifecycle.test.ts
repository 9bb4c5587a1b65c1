import { describe, expect, test } from 'vitest';
import { approvedOrder, cardOrder, onOrder, openFixture, orderFacts, orderOf, partial, status } from './support.js';

const why = (answer: { readonly fields: Readonly<Record<string, string>> }) => answer.fields['error-message'];

describe('a hold', () => {
  test('captured in part, returned in part, cannot be voided any more', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'preauth', { id: 'h', amount: '25.00' });
    expect(status(fixture, 'h', order)).toMatchObject({
      'transaction-type': 'preauth',
      'order-stage': 'auth_approved',
    });
    expect(partial(fixture, 'capture', 'h', order, '20.00').status).toBe(200);
    expect(status(fixture, 'h', order)).toMatchObject({
      status: 'processing',
      'transaction-type': 'capture',
      amount: '20.00',
      'initial-amount': '25.00',
    });
    fixture.later();
    expect(partial(fixture, 'return', 'h', order, '5.00').status).toBe(200);
    fixture.later();
    expect(status(fixture, 'h', order)).toMatchObject({
      'transaction-type': 'reversal',
      'order-stage': 'reversal_approved',
      amount: '5.00',
      'total-reversal-amount': '5.00',
    });
    const voided = onOrder(fixture, '/api/v2/void', 'h', order);
    expect(voided.status).toBe(400);
    expect(voided.fields).toMatchObject({
      type: 'validation-error',
      'error-code': '8',
      'error-message': 'it was already captured',
    });
  });

  test('gives no more than it holds, and what a return released is gone', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'preauth', { id: 'h', amount: '25.00' });
    expect(why(partial(fixture, 'capture', 'h', order, '25.01'))).toBe(
      'amount 25.01 is more than the remaining 25.00 USD of the hold',
    );
    expect(partial(fixture, 'return', 'h', order, '10.00').status).toBe(200);
    fixture.later();
    expect(status(fixture, 'h', order)).toMatchObject({
      'transaction-type': 'cancel',
      'order-stage': 'cancel_approved',
      'total-reversal-amount': '10.00',
    });
    expect(why(partial(fixture, 'capture', 'h', order, '15.01'))).toBe(
      'amount 15.01 is more than the remaining 15.00 USD of the hold',
    );
    expect(why(onOrder(fixture, '/api/v2/void', 'h', order))).toMatch(/it was returned in part or in full/);
    partial(fixture, 'capture', 'h', order);
    fixture.later();
    expect(status(fixture, 'h', order)['amount']).toBe('15.00');
  });

  test('A34: is captured once', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'preauth', { id: 'h', amount: '25.00' });
    partial(fixture, 'capture', 'h', order, '10.00');
    fixture.later();
    expect(why(partial(fixture, 'capture', 'h', order, '5.00'))).toMatch(
      /a hold is captured once, and the rest of it is released \(A34\)/,
    );
  });

  test('can be voided, once, and then nothing else', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'preauth', { id: 'h' });
    expect(onOrder(fixture, '/api/v2/void', 'h', order, { comment: 'twice' }).status).toBe(200);
    fixture.later();
    expect(status(fixture, 'h', order)).toMatchObject({
      status: 'approved',
      'transaction-type': 'void',
      'order-stage': 'void_approved',
    });
    expect(why(onOrder(fixture, '/api/v2/void', 'h', order))).toBe('the order was voided');
    expect(why(partial(fixture, 'capture', 'h', order))).toBe('the order was voided');
    expect(why(partial(fixture, 'return', 'h', order))).toBe('the order was voided');
  });

  test('A33: expires after seven days, which is no return', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'preauth', { id: 'h' });
    fixture.later(7 * 86_400_000 + 1);
    expect(why(partial(fixture, 'capture', 'h', order))).toBe(
      'the hold expired (A33); nothing is held any more; for more, make a new sale or preauth',
    );
    expect(why(onOrder(fixture, '/api/v2/void', 'h', order))).toBe('the hold expired (A33); nothing is held any more');
    expect(why(partial(fixture, 'return', 'h', order))).toBe('the hold expired (A33); nothing is held any more');
    expect(orderFacts(fixture, order)).toMatchObject({
      hold: 'expired',
      returned: 'nothing',
    });
  });

  test('takes no second follow-up while the first is processing', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'preauth', { id: 'h' });
    partial(fixture, 'capture', 'h', order, '1.00');
    expect(why(partial(fixture, 'capture', 'h', order, '1.00'))).toBe(
      'an earlier follow-up of this order is still pending or unknown',
    );
  });
});

describe('a sale', () => {
  test('is returned in parts until it is used up', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'sale', { id: 's' });
    for (const [part, total] of [
      ['4.00', '4.00'],
      ['6.00', '10.00'],
      ['0.42', '10.42'],
    ] as const) {
      expect(partial(fixture, 'return', 's', order, part).status).toBe(200);
      fixture.later();
      expect(status(fixture, 's', order)).toMatchObject({
        'transaction-type': 'reversal',
        amount: part,
        'total-reversal-amount': total,
      });
    }
    expect(why(partial(fixture, 'return', 's', order, '0.01'))).toBe('no remaining amount to return');
  });

  test('gives back no more than it took, and only in its currency', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'sale', { id: 's' });
    expect(why(partial(fixture, 'return', 's', order, '10.43'))).toBe(
      'amount 10.43 is more than the remaining 10.42 USD of the captured amount',
    );
    expect(why(partial(fixture, 'return', 's', order, '1.00', 'EUR'))).toBe(
      `currency must be USD, as in order ${order}`,
    );
  });

  test('takes a return whose outcome nobody knows for made, and gives back only what is left beside it', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'sale', { id: 's' });
    fixture.sandboxState.queueOutcome('unknown', { orderId: order });
    expect(partial(fixture, 'return', 's', order, '6.00').status).toBe(200);
    fixture.later();
    expect(status(fixture, 's', order)).toMatchObject({ status: 'unknown', 'transaction-type': 'reversal' });
    expect(why(partial(fixture, 'return', 's', order, '6.00'))).toBe(
      'amount 6.00 is more than the remaining 4.42 USD of the captured amount',
    );
    expect(partial(fixture, 'return', 's', order, '4.42').status).toBe(200);
  });

  test('A35: is voided only until the end of its day, and only when the switch says so', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'sale', { id: 's' });
    expect(why(onOrder(fixture, '/api/v2/void', 's', order))).toMatch(/only a hold can be voided/);
    const late = openFixture({ assume: { 'void-window': 'until-cutoff' } });
    const first = approvedOrder(late, 'sale', { id: 's' });
    expect(onOrder(late, '/api/v2/void', 's', first).status).toBe(200);
    const second = approvedOrder(late, 'sale', { id: 't' });
    late.later(12 * 3_600_000);
    expect(why(onOrder(late, '/api/v2/void', 't', second))).toBe(
      'its void window (until 23:59 UTC of the same day) has closed',
    );
  });
});

describe('an order is found', () => {
  test('A41 own: by a follow-up with an id of its own, which then names the order too', () => {
    const fixture = openFixture({ assume: { 'follow-up-order-id': 'own' } });
    const order = approvedOrder(fixture, 'sale', { id: 's' });
    expect(partial(fixture, 'return', 'r-1', order, '1.00').status).toBe(200);
    expect(status(fixture, 'r-1', '')).toMatchObject({ 'paynet-order-id': order, 'transaction-type': 'reversal' });
    expect(status(fixture, 'r-1', order)['status']).toBe('processing');
  });
});

describe('status', () => {
  test('speaks of the newest transaction, or of the one a serial number names', () => {
    const fixture = openFixture();
    const sold = cardOrder(fixture, 'sale', { id: 's' });
    fixture.later();
    const order = orderOf(sold);
    const returned = partial(fixture, 'return', 's', order, '1.00');
    expect(status(fixture, 's', order)).toMatchObject({ 'transaction-type': 'reversal', status: 'processing' });
    const asked = (answer: typeof sold) =>
      status(fixture, 's', order, { 'by-request-sn': answer.fields['serial-number'] ?? '' });
    expect(asked(sold)).toMatchObject({
      'transaction-type': 'sale',
      status: 'approved',
      amount: '10.42',
      'by-request-sn': sold.fields['serial-number'],
    });
    expect(asked(returned)).toMatchObject({ 'transaction-type': 'reversal', amount: '1.00' });
    const other = cardOrder(fixture, 'sale', { id: 'o' });
    expect(asked(other)['error-message']).toBe('by-request-sn is not the serial number of a request of this order');
  });

  test('finds an order by either id, and refuses two that do not belong together', () => {
    const fixture = openFixture();
    const order = approvedOrder(fixture, 'sale', { id: 's' });
    approvedOrder(fixture, 'sale', { id: 't' });
    expect(status(fixture, 's', '')['paynet-order-id']).toBe(order);
    expect(status(fixture, '', order)['merchant-order-id']).toBe('s');
    expect(status(fixture, 't', order)).toMatchObject({
      type: 'validation-error',
      'error-message': expect.stringMatching(/do not belong together/),
    });
    expect(status(fixture, 'unknown', '')['error-message']).toBe('order not found');
  });
});

describe('A20: a used client order id', () => {
  test('gets the first answer again', () => {
    const fixture = openFixture({ assume: { 'duplicate-order-id': 'replay' } });
    const first = cardOrder(fixture, 'sale', { id: 'twice' });
    expect(cardOrder(fixture, 'sale', { id: 'twice', amount: '99.99' }).fields).toEqual(first.fields);
    expect(fixture.database.all('SELECT id FROM orders')).toHaveLength(1);
    expect(cardOrder(fixture, 'preauth', { id: 'twice' }).status).toBe(400);
  });

  test('pays twice', () => {
    const fixture = openFixture({ assume: { 'duplicate-order-id': 'pay' } });
    const first = orderOf(cardOrder(fixture, 'sale', { id: 'twice' }));
    const second = orderOf(cardOrder(fixture, 'sale', { id: 'twice' }));
    expect(Number(second)).toBe(Number(first) + 1);
    expect(status(fixture, 'twice', '')['paynet-order-id']).toBe(second);
    expect(status(fixture, 'twice', first)['paynet-order-id']).toBe(first);
  });
});
