import { describe, expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, taken } from './profiles.js';

const sale = 'sale --client-order-id 902B4FF5 --amount 10.42 --currency USD --test-card approved'.split(' ');
// Addresses of RFC 2606 and RFC 5737, which belong to nobody.
const payer = {
  order_desc: 'Sandbox order',
  email: 'payer@example.com',
  phone: '+4930123456',
  address1: 'Example Street 1',
  city: 'Berlin',
  zip_code: '10115',
  country: 'DE',
  ipaddress: '192.0.2.10',
};

describe.each(['test', 'sandbox'] as const)('a profile of class %s', (kind) => {
  const home = () =>
    homeWithProfile({ class: kind, ...(kind === 'sandbox' ? { baseUrl: 'http://127.0.0.1:8484/g' } : {}) });

  test('gets the missing fields of a payer with a test card', async () => {
    const ran = await paycli(sale, { home: home(), network: [() => reply(200, taken)] });
    expect(ran.exit, ran.err).toBe(0);
    expect(Object.fromEntries(new URLSearchParams(ran.requests[0]?.body))).toMatchObject(payer);
    expect(ran.err).toContain('8 more fields filled in for a test payer');
  });

  test('what is given, and what the profile says, goes first', async () => {
    const argv = [...sale, '--city', 'Bremen', '--email', 'me@example.com'];
    const ran = await paycli(argv, { home: home(), network: [() => reply(200, taken)] });
    const body = Object.fromEntries(new URLSearchParams(ran.requests[0]?.body));
    expect(body).toMatchObject({ ...payer, city: 'Bremen', email: 'me@example.com' });
    expect(body['redirect_url'] ?? 'https://shop.example/return').toBe('https://shop.example/return');
  });
});

describe('what was filled in is named once the payment may be sent', () => {
  const home = () => homeWithProfile({ more: ['max-amount: 5.00 USD'] });
  const money = ['--amount', '10.42', '--currency', 'USD', '--test-card', 'approved'];

  test('a refusal is all that a refused payment prints: no payer, and no id of an order that nobody made', async () => {
    const ran = await paycli(['sale', ...money], { home: home() });
    expect([ran.exit, ran.requests]).toEqual([10, []]);
    expect(ran.err).toMatch(/^error: blocked by a cap of profile shop/);
    expect(ran.err).not.toMatch(/filled in|client order id/);
  });

  test('a payment that was sent before is not filled in again', async () => {
    const shared = homeWithProfile();
    await paycli(sale, { home: shared, network: [() => reply(200, taken)] });
    const again = await paycli(sale, { home: shared, network: [() => reply(200, taken)] });
    expect(again.err).toContain('already sent');
    expect(again.err).not.toContain('filled in');
  });
});
