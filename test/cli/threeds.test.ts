import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

describe('3ds decode', () => {
  test('a message of an order', async () => {
    const home = temporaryHome();
    const sale = 'sale --amount 10.42 --currency EUR --test-card 3ds-challenge --client-order-id t'.split(' ');
    await paycli(sale, { home });
    const shown = JSON.parse((await paycli(['status', '--client-order-id', 't', '--json'], { home })).out).result;
    const decoded = await paycli(['3ds', 'decode', '-'], { stdin: `${shown['tds-creq-form-creq']}\n` });
    expect([decoded.exit, decoded.out]).toEqual([0, expect.stringContaining('"messageType": "CReq"')]);
  });

  test('names what is wrong, with exit 11', async () => {
    const ran = await paycli(['3ds', 'decode', Buffer.from('{"messageType":"CRes"}').toString('base64')]);
    expect([ran.exit, ran.out]).toEqual([11, expect.stringMatching(/wrong: +transStatus is missing/)]);
  });
});
