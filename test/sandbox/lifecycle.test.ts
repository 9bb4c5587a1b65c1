import { describe, expect, test } from 'vitest';
import { approvedOrder, cardOrder, onOrder, openFixture, orderFacts, orderOf, partial, status } from './support.js';

const why = (answer: { readonly fields: Readonly<Record<string, string>> }) => answer.fields['error-message'];

describe('a hold', () => {
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
});

describe('a sale', () => {
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
