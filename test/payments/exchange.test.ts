import { describe, expect, test } from 'vitest';
import { compose } from '../../src/payments/compose.js';
import { exchange, queryStatus } from '../../src/payments/exchange.js';
import type { Delivery } from '../../src/runtime/ports.js';
import { operationById } from '../../src/spec/index.js';
import { reply } from '../support/runtime.js';
import { PayingGateway, sale } from './gateway.js';

const neverSent: Delivery = { kind: 'never-sent', reason: 'the connection was refused' };
const lost: Delivery = { kind: 'lost', reason: 'no reply within 60 s' };
const certificate: Delivery = { kind: 'certificate', reason: 'the certificate has expired', remedy: 'check the clock' };
const refused = reply(400, { type: 'error', 'error-message': 'Amount is wrong' });

function fixture(...deliveries: Delivery[]) {
  const gateway = new PayingGateway();
  gateway.answers.push(...deliveries);
  const stop = new AbortController();
  const received: Delivery[] = [];
  const watched = { signal: stop.signal, received: (delivery: Delivery) => void received.push(delivery) };
  const pay = () => exchange(sale('order-1'), gateway.connection, watched);
  const query = () =>
    queryStatus(gateway.connection, { endpointId: '4001', orderId: undefined, clientOrderId: 'order-1' }, watched);
  return { gateway, stop, received, pay, query };
}

describe('exchange', () => {
  test.each([refused, lost, certificate])('sends a payment once where the answer is %j', async (delivery) => {
    const { gateway, received, pay } = fixture(delivery, neverSent);
    await pay();
    expect(gateway.requests).toHaveLength(1);
    expect(received).toEqual([delivery]);
  });

  test('tries three times at most to connect, and signs each time anew', async () => {
    const { gateway, received, stop } = fixture(neverSent, neverSent, neverSent);
    const place = gateway.connection.target('4001');
    const values = { clientOrderId: 'check-1', sendingCardRefId: '77' };
    const signedWithNonce = compose(operationById('PAN_ELIGIBILITY_SEND'), values, [], place);
    const watched = { signal: stop.signal, received: (delivery: Delivery) => void received.push(delivery) };
    expect(await exchange(signedWithNonce, gateway.connection, watched)).toMatchObject({ class: 'not-sent' });
    expect(received).toEqual([neverSent]);
    const signatures = gateway.requests.map(({ headers }) => headers['Authorization']);
    expect(signatures).toHaveLength(3);
    expect(new Set(signatures).size).toBe(3);
  });

  test.each([refused, lost, certificate])('ends with the first attempt that had a connection: %j', async (delivery) => {
    const { gateway, received, pay } = fixture(neverSent, delivery, neverSent);
    await pay();
    expect(gateway.requests).toHaveLength(2);
    expect(received).toEqual([delivery]);
  });

  test('repeats a read without a usable answer, three attempts in all', async () => {
    const { gateway, query } = fixture(lost, neverSent, lost);
    expect(await query()).toMatchObject({ class: 'read-retry' });
    expect(gateway.requests).toHaveLength(3);
  });

  test('does not try again once interrupted', async () => {
    const { gateway, stop, pay } = fixture(neverSent, neverSent);
    stop.abort();
    expect(await pay()).toMatchObject({ class: 'not-sent' });
    expect(gateway.requests).toHaveLength(1);
  });
});
