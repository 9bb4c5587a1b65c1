import { describe, expect, test } from 'vitest';
import { lastError, openMerchants, sale } from '../faults/merchant.js';
import { answer, type Fault, raw } from '../faults/server.js';

const { newMerchant, serve } = openMerchants();
const merchant = newMerchant();

const body = '{"type":"async-response","paynet-order-id":"17","merchant-order-id":"order-1"}';
const reply = `HTTP/1.1 200 OK\r\ncontent-type: application/vnd.pay+json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

describe.concurrent('an interim reply that nobody asked for', () => {
  test.each<[string, Fault, exit: number, state: string]>([
    [
      '102 and 103 are skipped, and the real one counts',
      raw(`HTTP/1.1 102 Processing\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n${reply}`),
      ...([0, 'accepted'] as const),
    ],
    ['100 Continue leaves the outcome open', raw(`HTTP/1.1 100 Continue\r\n\r\n${reply}`), 8, 'unknown'],
  ])('%s', async (_, fault, exit, state) => {
    const server = await serve(fault);
    const ran = await merchant.call(sale(), server.url);
    expect(ran.exit, ran.err).toBe(exit);
    expect(server.bodies('/sale/')).toBe(1);
    expect(merchant.rows(server.url)).toMatchObject([{ state }]);
  });
});

describe.concurrent('a gateway or proxy whose Date is an hour off', () => {
  const date = `date: ${new Date(Date.now() - 3_600_000).toUTCString()}`;
  const headers = ['content-type: application/vnd.pay+json', date];
  const account = ['--account-number', 'DE89370400440532010', '--bank-name', 'Bank', '--bank-branch', 'Main'];
  const payout = ['payout', 'send', '--amount', '10.42', '--currency', 'EUR', '--client-order-id', 'p-1', ...account];

  test('is a warning, and the payment is sent', async () => {
    const server = await serve(answer('{"type":"async-response"}', { headers }));
    const { err } = await newMerchant().call(payout, server.url);
    expect(err.match(/warning: .*clock/g), err).toHaveLength(1);
    expect(server.bodies('/payout/')).toBe(1);
  });

  test('is named as a cause where the gateway refuses an OAuth signature, and nowhere else', async () => {
    const refusal = '{"type":"validation-error","error-message":"Invalid signature","error-code":"3"}';
    const server = await serve(answer(refusal, { status: 400, headers }));
    const signed = await newMerchant().call([...payout, '--json'], server.url);
    expect(signed.exit, signed.err).toBe(4);
    expect(lastError(signed)['next']).toContain('clock');
    const summed = await newMerchant().call([...sale(), '--json'], server.url);
    expect(summed.exit, summed.err).toBe(4);
    expect(lastError(summed)['next']).not.toContain('clock');
  });
});
