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
