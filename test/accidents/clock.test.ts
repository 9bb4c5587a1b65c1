import { describe, expect, test } from 'vitest';
import { sale } from '../faults/merchant.js';
import { answer } from '../faults/server.js';
import { lastError, openMerchants } from './merchants.js';

const { newMerchant, serve } = openMerchants();

describe.concurrent('a gateway or proxy whose Date is an hour off', () => {
  const date = `date: ${new Date(Date.now() - 3_600_000).toUTCString()}`;
  const headers = ['content-type: application/vnd.pay+json', date];
  const account = ['--account-number', 'DE89370400440532010', '--bank-name', 'Bank', '--bank-branch', 'Main'];
  const payout = (id: string, amount: string) => [
    ...['payout', 'send', '--amount', amount, '--currency', 'EUR', '--client-order-id', id, ...account],
  ];

  test('is a warning, once a run, and every payment is sent', async () => {
    const [merchant, server] = [newMerchant(), await serve(answer('{"type":"async-response"}', { headers }))];
    for (const [id, amount] of [
      ['p-1', '10.42'],
      ['p-2', '11.00'],
    ] as const) {
      const { err } = await merchant.call(payout(id, amount), server.url);
      expect(err.match(/warning: .*clock/g), err).toHaveLength(1);
    }
    expect(server.exchanges.filter(({ head }) => /^POST .*payout/.test(head)).length).toBe(2);
  });

  test('is named as a cause where the gateway refuses an OAuth signature, and nowhere else', async () => {
    const refusal = '{"type":"validation-error","error-message":"Invalid signature","error-code":"3"}';
    const server = await serve(answer(refusal, { status: 400, headers }));
    const signed = await newMerchant().call([...payout('p-1', '10.42'), '--json'], server.url);
    expect(signed.exit, signed.err).toBe(4);
    expect(lastError(signed)['next']).toContain('clock');
    const summed = await newMerchant().call([...sale(), '--json'], server.url);
    expect(summed.exit, summed.err).toBe(4);
    expect(lastError(summed)['next']).not.toContain('clock');
  });
});
