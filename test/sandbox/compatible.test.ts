import { request } from 'node:http';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { audit } from '../../src/sandbox/audit/report.js';
import { createSandbox, type Sandbox } from '../../src/sandbox/gateway.js';
import { listen } from '../../src/sandbox/http.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { bodyOf, type Fields, type Fixture, openFixture, plainHeaders } from './support.js';

// Checksums by `openssl dgst -sha1` over the values of the description and this key.
const key = '8D5A0C1E-7B44-4F0E-9C55-0F1B7B0C2A11';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

let fixture: Fixture;
let lenient: Sandbox;
beforeEach(() => {
  fixture = openFixture();
  fixture.sandboxState.addMerchant({ login: 'shop', controlKey: key, endpointId: '7001' });
  lenient = createSandbox(fixture.sandboxState, { assume: assumeDefaults, isCompatible: true });
});

function ask(sandbox: Sandbox, path: string, pairs: Fields, headers: Fields = form): string {
  const url = `http://127.0.0.1:8484${path}`;
  return sandbox.handle({ method: 'POST', url, headers, body: Buffer.from(bodyOf(pairs)) }).body;
}

/** What was lenient. */
const found = () =>
  audit(fixture.sandboxState.store).map(({ rule, detail }) => {
    expect(rule).toBe('accepted');
    return detail.replace(/^[a-z -]+: /, '');
  });
const fieldsIn = (reply: string) => new URLSearchParams(reply.replaceAll('\n', ''));

const payer: Fields = {
  ...{ order_desc: 'Order 17\r\nTwo tickets', email: 'jane@example.com', phone: '+4930123456' },
  ...{ address1: 'Example Street 1', city: 'Berlin', zip_code: '10115', country: 'DE', ipaddress: '192.0.2.1' },
  redirect_url: 'https://shop.example/return',
};
const card: Fields = {
  ...{ credit_card_number: '4444333322221111', card_printed_name: 'JANE DOE ', cvv2: '123' },
  ...{ expire_month: '12', expire_year: '33' },
};

/** A sale as a library writes it: any prefix, no Accept, long amounts, short years, a text of several lines. */
const sale: Fields = {
  ...{ client_orderid: 'php-1', amount: '42.5000', currency: 'USD', ...card, ...payer, 'vat-amount': '0.00' },
  control: '0d65d7a911549170e0999c7ffa3c4e5f5877b7dd',
};
/** A hosted form as a plugin of a shop writes it: a group, and card fields without a value. */
const saleForm: Fields = {
  ...{ client_orderid: 'ruby-1', amount: '10.42', currency: 'USD', ...payer, order_desc: 'Two tickets' },
  ...{ credit_card_number: '', cvv2: '', control: '549d76add85a2f4586fe2c3f7d166aea0b6b6f63' },
};

describe('a compatible sandbox', () => {
  test.each([
    ['/paynet/api/v2/transfer-form/7001', 'this path is not part of this interface'],
    ['/paynet/api/v2/status', 'the path ends with the endpoint id, such as /paynet/api/v2/status/4001'],
  ])('says of %s what is wrong with it', (path, why) => {
    expect(fieldsIn(ask(lenient, path, saleForm)).get('error-message')).toBe(why);
  });

  test('carries out a sale of a library, answers it as a form, and reports what was lenient', () => {
    const reply = ask(lenient, '/paynet/api/v2/sale/7001', sale);
    expect(reply).toMatch(/^type=async-response\n&serial-number=[-0-9a-f]{36}\n&merchant-order-id=php-1\n&/);
    expect(found()).toEqual([
      'the path must begin with /gateway',
      'the header Accept must be exactly application/vnd.pay+json',
      'sale has no field vat-amount',
      'amount must have the digits of its currency',
      'card_printed_name must not begin or end with a space',
      'expire_year must have four digits',
      'order_desc must stand on one line',
    ]);
    const order = fieldsIn(reply).get('paynet-order-id') ?? '';
    const row = fixture.database.get('SELECT amount, description FROM orders WHERE id = ?', order);
    expect(row).toEqual({ amount: '4250', description: 'Order 17 Two tickets' });
  });

  test('still refuses what is wrong: a checksum, a value, an endpoint', () => {
    const wrong = ask(lenient, '/paynet/api/v2/sale/7001', { ...sale, amount: '42.5100' });
    expect([fieldsIn(wrong).get('type'), fieldsIn(wrong).get('error-code')]).toEqual(['validation-error', '2']);
    for (const change of [{ amount: '42.5001' }, { expire_year: '3' }, { currency: 'XXX' }])
      expect(fieldsIn(ask(lenient, '/paynet/api/v2/sale/7001', { ...sale, ...change })).get('error-code')).toBe('1');
    expect(fixture.database.all('SELECT id FROM orders')).toEqual([]);
  });

  test('answers under any Host, but shows its pages under its own alone', async () => {
    const server = await listen(() => lenient, { port: 0 });
    onTestFinished(() => server.close());
    const status = (method: string, path: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { ...form, host: 'gate.example' };
        const sent = request({ port: server.port, host: '127.0.0.1', method, path, headers }, (reply) => {
          resolve(reply.resume().statusCode);
        });
        sent.once('error', reject).end(method === 'POST' ? bodyOf(sale) : '');
      });
    expect(await status('POST', '/paynet/api/v2/sale/7001')).toBe(200);
    expect(found()).toContain('the Host header must name the address of the sandbox');
    for (const path of ['/', '/?q=/api/', '/gateway/pages/style.css'])
      expect(await status('GET', path), path).toBe(421);
  });
});

test.each([
  ['the path', '/paynet/api/v2/sale/7001', sale, plainHeaders],
  ['the group', '/gateway/api/v2/sale-form/group/7001', saleForm, plainHeaders],
  ['the header', '/gateway/api/v2/sale-form/7001', saleForm, form],
  ['the amount', '/gateway/api/v2/sale/7001', { ...sale, 'vat-amount': '' }, plainHeaders],
])('a strict one refuses %s and names the switch', (_, path, pairs, headers) => {
  expect(JSON.parse(ask(fixture.sandbox, path, pairs, headers))['error-message']).toContain('--compatible');
  expect(fixture.database.all('SELECT id FROM orders')).toEqual([]);
});
