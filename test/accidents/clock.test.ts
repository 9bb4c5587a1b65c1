import { afterAll, describe, expect, test } from 'vitest';
import type { Ran } from '../e2e/home.js';
import { Merchant, sale } from '../faults/merchant.js';
import { answer, type FaultServer, faultServer } from '../faults/server.js';

const merchants: Merchant[] = [];
const open: FaultServer[] = [];

afterAll(async () => {
  for (const { home } of merchants) home.remove();
  await Promise.all(open.map((server) => server.close()));
});

function newMerchant(): Merchant {
  const merchant = new Merchant();
  merchants.push(merchant);
  return merchant;
}

async function serve(...given: Parameters<typeof answer>): Promise<FaultServer> {
  const server = await faultServer(answer(...given));
  open.push(server);
  return server;
}

/** The error object of a run with --json, which is the last line. */
function errorOf({ err }: Ran): Readonly<Record<string, unknown>> {
  return JSON.parse(err.trim().split('\n').at(-1) ?? '');
}

describe.concurrent('a gateway or proxy whose Date is an hour off', () => {
  const date = `date: ${new Date(Date.now() - 3_600_000).toUTCString()}`;
  const headers = ['content-type: application/vnd.pay+json', date];
  const account = ['--account-number', 'DE89370400440532010', '--bank-name', 'Bank', '--bank-branch', 'Main'];
  const payout = (id: string, amount: string) => [
    ...['payout', 'send', '--amount', amount, '--currency', 'EUR', '--client-order-id', id, ...account],
  ];

  test('is a warning, once a run, and every payment is sent', async () => {
    const [merchant, server] = [newMerchant(), await serve('{"type":"async-response"}', { headers })];
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
    const server = await serve(refusal, { status: 400, headers });
    const signed = await newMerchant().call([...payout('p-1', '10.42'), '--json'], server.url);
    expect(signed.exit, signed.err).toBe(4);
    expect(errorOf(signed)['next']).toContain('clock');
    const summed = await newMerchant().call([...sale(), '--json'], server.url);
    expect(summed.exit, summed.err).toBe(4);
    expect(errorOf(summed)['next']).not.toContain('clock');
  });
});
