import { describe, expect, test } from 'vitest';
import {
  approvedOrder,
  type Fields,
  onOrder,
  openFixture,
  orderOf,
  rebill,
  recurring,
  signed,
  status,
} from './support.js';

const money = { amount: '50.00', currency: 'EUR' };
const why = (answer: { readonly fields: Readonly<Record<string, string>> }) => answer.fields['error-message'];

describe('a payout in two steps', () => {
  const pay = (fixture: ReturnType<typeof openFixture>, order: string) =>
    signed(fixture, '/api/v4/payout-pay/4001', { client_orderid: 'p', orderid: order, login: 'sandbox' });
  const check = (fixture: ReturnType<typeof openFixture>, amount = '50.00') =>
    orderOf(
      signed(fixture, '/api/v4/payout-check/4001', {
        client_orderid: 'p',
        amount,
        currency: 'EUR',
        receiver_phone: '+4930123456',
        bank_id: '100',
      }),
    );

  test('is checked, paid once and approved', () => {
    const fixture = openFixture();
    const order = check(fixture);
    expect(status(fixture, 'p', order)).toMatchObject({
      status: 'processing',
      'transaction-type': 'payout',
      'order-stage': 'payout_check_validating',
    });
    expect(why(pay(fixture, order))).toMatch(/its check is still running/);
    fixture.later();
    expect(status(fixture, 'p', order)).toMatchObject({
      status: 'processing',
      'order-stage': 'payout_check_validated',
    });
    fixture.later(86_400_000);
    expect(pay(fixture, order).fields).toMatchObject({
      type: 'async-response',
      'paynet-order-id': order,
      'merchant-order-id': 'p',
    });
    expect(status(fixture, 'p', order)).toMatchObject({
      status: 'processing',
      'order-stage': 'payout_processing',
      amount: '50.00',
    });
    expect(why(pay(fixture, order))).toMatch(/^its payment was sent already; a checked payout is paid once \(A29\)/);
    fixture.later();
    expect(status(fixture, 'p', order)).toMatchObject({ status: 'approved', 'order-stage': 'payout_approved' });
    expect(why(pay(fixture, order))).toMatch(/^its payment was sent already/);
  });

  test.each(['declined', 'unknown'])('whose payment came to %s is not paid again', (outcome) => {
    const fixture = openFixture();
    const order = check(fixture);
    fixture.later();
    fixture.sandboxState.queueOutcome(outcome, { orderId: order });
    expect(pay(fixture, order).status).toBe(200);
    fixture.later();
    expect(status(fixture, 'p', order)['status']).toBe(outcome);
    expect(why(pay(fixture, order))).toMatch(/^its payment was sent already/);
  });
});

test('a payout goes to a test card or a known card reference', () => {
  const fixture = openFixture();
  const toCard = signed(fixture, '/api/v2/payout/4001', {
    client_orderid: 'c',
    ...money,
    credit_card_number: '5555666644441111',
  });
  expect(status(fixture, 'c', orderOf(toCard))).toMatchObject({
    'dest-bin': '555566',
    'dest-last-four-digits': '1111',
    'dest-card-type': 'MASTERCARD',
  });
  expect(
    why(signed(fixture, '/api/v2/payout/4001', { client_orderid: 'r', ...money, 'destination-card-ref-id': '1' })),
  ).toMatch(/not a card reference/);
  expect(
    why(signed(fixture, '/api/v2/payout/4001', { client_orderid: 'x', ...money, credit_card_number: '4929000000006' })),
  ).toMatch(/not a published test number/);
});

test('a card is kept from an approved order, charged again and asked about', () => {
  const fixture = openFixture();
  const order = approvedOrder(fixture, 'sale', { id: 's' });
  const ref = onOrder(fixture, '/api/v2/create-card-ref', 's', order).fields['card-ref-id'] ?? '';
  expect(
    signed(fixture, '/api/v4/create-card-ref/4001', { login: 'sandbox', client_orderid: 's', orderid: order }).fields[
      'card-ref-id'
    ],
  ).toBe(ref);
  const charged = rebill(fixture, 'r', ref, '9.99');
  fixture.later();
  expect(status(fixture, 'r', orderOf(charged))).toMatchObject({
    status: 'approved',
    'order-stage': 'sale_approved',
    'last-four-digits': '1111',
  });
  expect(why(rebill(fixture, 'r2', '1', '9.99'))).toBe('cardrefid is not a card reference of this merchant');
  const chain = rebill(fixture, 'r3', ref, '9.51', { enumerate_amounts: '8.51,7.00,6.00' });
  fixture.later();
  expect(status(fixture, 'r3', orderOf(chain))).toMatchObject({
    status: 'approved',
    amount: '7.00',
    'initial-amount': '9.51',
  });
  const eligible = signed(fixture, '/api/v2/pan-eligibility/send/4001', {
    'client-order-id': 'e',
    'sending-card-ref-id': ref,
  });
  fixture.later();
  expect(status(fixture, 'e', orderOf(eligible))).toMatchObject({
    status: 'approved',
    'order-stage': 'pan_eligibility_approved',
  });
});

test('a recurring payment gives an id that a transfer takes as a token', () => {
  const fixture = openFixture();
  const profile = {
    'client-orderid': 'rp',
    rp_card_type: 'DST',
    'credit-card-number': '5555666644441111',
    currency: 'USD',
    amount: '9.99',
    period: 'monthly',
    interval: '1',
  };
  const made = signed(fixture, '/api/v4/create-recurring-payment/4001', profile);
  expect(made.fields).toMatchObject({
    type: 'create-recurring-payment-response',
    'merchant-order-id': 'rp',
    'recurring-payment-id': expect.stringMatching(/^\d{1,10}$/),
  });
  const token = made.fields['recurring-payment-id'] ?? '';
  const transfer = {
    client_orderid: 't',
    amount: '12.00',
    currency: 'USD',
    deposit2card: 'true',
    destination_card_recurring_payment_id: token,
    ipaddress: '192.0.2.1',
  };
  const sent = signed(fixture, '/api/v4/transfer/4001', transfer);
  fixture.later();
  expect(status(fixture, 't', orderOf(sent))).toMatchObject({
    status: 'approved',
    'transaction-type': 'transfer',
    'dest-last-four-digits': '1111',
  });
  const wrong = { ...transfer, client_orderid: 'u', destination_card_recurring_payment_id: '1' };
  expect(why(signed(fixture, '/api/v4/transfer/4001', wrong))).toBe(
    'destination_card_recurring_payment_id is not a recurring payment id of this merchant',
  );
});

test('a token made to receive money pays no transfer, and one made to be charged does', () => {
  const fixture = openFixture();
  const tokenOf = (id: string, own: Fields) => {
    const made = recurring(fixture, id, { amount: '9.99', currency: 'USD', ...own });
    expect(made.status, made.body).toBe(200);
    return made.fields['recurring-payment-id'] ?? '';
  };
  const receiving = tokenOf('dst', { rp_card_type: 'DST' });
  const paying = tokenOf('src', {});
  const transfer = (id: string, token: string) =>
    signed(fixture, '/api/v4/transfer/4001', {
      client_orderid: id,
      amount: '12.00',
      currency: 'USD',
      card_recurring_payment_id: token,
      'destination-card-no': '5555555555554444',
      ipaddress: '192.0.2.1',
    });
  const refused = transfer('t', receiving);
  expect([refused.status, refused.fields['type'], why(refused)]).toEqual([
    400,
    'validation-error',
    'card_recurring_payment_id is a token that receives money (rp_card_type DST), so it cannot be charged (A31)',
  ]);
  expect(status(fixture, 't', '')['error-message']).toBe('order not found');
  expect(transfer('u', paying).status).toBe(200);
});
