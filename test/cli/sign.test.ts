import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';
import { controlKey, homeWithProfile, opensslKey, saleFlags } from './profiles.js';

const signed = async (argv: readonly string[], home: string) => {
  const ran = await paycli(['sign', ...argv, '--json'], { home });
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out);
};

describe('control', () => {
  test('is the SHA-1 of the values of the description and the key', async () => {
    const { signature } = await signed([...saleFlags], homeWithProfile());
    expect(signature.string).toBe('1144902B4FF51042jane@example.com');
    expect(signature.digest).toBe(createHash('sha1').update(`1144902B4FF51042jane@example.com${controlKey}`).digest('hex'));
  });

  test('of status without an order id has an empty slot, not a missing one', async () => {
    const { signature } = await signed(['status', '--client-order-id', 'a'], homeWithProfile());
    expect(signature.slots.map((slot: { wire: string; value: string }) => [slot.wire, slot.value])).toEqual([
      ['login', 'my-shop'],
      ['client_orderid', 'a'],
      ['orderid', ''],
    ]);
    const shown = await paycli(['sign', 'status', '--client-order-id', 'a', '--explain'], { home: homeWithProfile() });
    expect(shown.out).toContain('(empty)');
    expect(shown.out).toContain('[my-shop][a][][control key]');
  });

  test.each([
    ['hex-upper', (hex: string) => hex.toUpperCase()],
    ['base64', (hex: string) => Buffer.from(hex, 'hex').toString('base64')],
  ])('follows the switch control-encoding: %s', async (value, write) => {
    const home = homeWithProfile({ more: [`assume: { control-encoding: ${value} }`] });
    const { signature } = await signed([...saleFlags], home);
    expect(signature.digest).toBe(write(createHash('sha1').update(`1144902B4FF51042jane@example.com${controlKey}`).digest('hex')));
  });

  test.each([
    { assume: 'login-field: omit', argv: ['void', '5', '--client-order-id', 'a'], fields: ['client_orderid', 'orderid', 'control'] },
    {
      assume: 'login-field: send',
      argv: ['void', '5', '--client-order-id', 'a'],
      fields: ['login', 'client_orderid', 'orderid', 'control'],
    },
    { assume: 'card-info-control: omit', argv: ['card-ref', 'info', '--card-ref-id', '7'], fields: ['login', 'cardrefid'] },
    {
      assume: 'card-info-control: login+cardrefid',
      argv: ['card-ref', 'info', '--card-ref-id', '7'],
      fields: ['login', 'cardrefid', 'control'],
    },
    {
      assume: 'unsigned-forms: none',
      argv: ['form', 'payout', '--client-order-id', 'a', '--amount', '1', '--currency', 'EUR', '--email', 'a@b.de'],
      fields: ['client_orderid', 'amount', 'currency', 'email', 'redirect_url'],
    },
    {
      assume: 'unsigned-forms: control',
      argv: ['form', 'payout', '--client-order-id', 'a', '--amount', '1', '--currency', 'EUR', '--email', 'a@b.de'],
      fields: ['client_orderid', 'amount', 'currency', 'email', 'redirect_url', 'control'],
    },
    {
      assume: 'oauth-in-body: hmac',
      argv: ['payout', '--client-order-id', 'a', '--amount', '1', '--currency', 'EUR', '--receiver-phone', '+4930123456', '--bank-id', '1'],
      fields: [
        'client_orderid',
        'amount',
        'currency',
        'receiver_phone',
        'bank_id',
        'redirect_url',
        'oauth_consumer_key',
        'oauth_nonce',
        'oauth_signature_method',
        'oauth_timestamp',
        'oauth_version',
      ],
    },
    {
      assume: 'card-ref-source: card-data',
      argv: [
        'card-ref',
        'create',
        '--client-order-id',
        'a',
        '--card-number',
        '4444333322221111',
        '--card-holder',
        'J',
        '--expire-month',
        '1',
        '--expire-year',
        '2034',
      ],
      fields: ['login', 'client_orderid', 'credit_card_number', 'card_printed_name', 'expire_month', 'expire_year', 'control'],
    },
  ])('$assume decides the fields of $argv.0', async ({ assume, argv, fields }) => {
    const { request } = await signed(argv, homeWithProfile({ more: [`assume: { ${assume} }`] }));
    expect(request.fields.map(([name]: [string]) => name)).toEqual(fields);
  });

  test.each([
    { assume: 'body-amount: minor', currency: 'USD', amount: '10.42', body: '1042', minor: '1042' },
    { assume: 'minor-digits: hundredths', currency: 'JPY', amount: '100', body: '100.00', minor: '10000' },
    { assume: 'minor-digits: { KWD: 2 }', currency: 'KWD', amount: '1.23', body: '1.23', minor: '123' },
    { assume: "minor-digits: { '1144/EUR': 0 }", currency: 'EUR', amount: '7', body: '7', minor: '7' },
  ])('$assume: $amount $currency is $body in the body, $minor in the checksum', async ({ assume, currency, amount, body, minor }) => {
    const home = homeWithProfile({ more: [`assume: { ${assume} }`] });
    const argv = saleFlags.map((word) => (word === '10.42' ? amount : word === 'USD' ? currency : word));
    const document = await signed(argv, home);
    expect(document.amount).toEqual({ body, minor });
    expect(document.signature.string).toBe(`1144902B4FF5${minor}jane@example.com`);
  });
});

describe('OAuth', () => {
  const payout = ['payout', '--client-order-id', 'a b', '--amount', '50.00', '--currency', 'EUR', '--card-number', '4444333322221111'];

  test('HMAC-SHA1: the base string by hand, the digest by node:crypto; card numbers masked, the signature true', async () => {
    const home = homeWithProfile();
    const document = await signed(payout, home);
    const { oauth_nonce: nonce = '', oauth_timestamp: time = '' } = Object.fromEntries(document.signature.encoded);
    const parameters = (card: string) =>
      `amount=50.00&client_orderid=a%20b&credit_card_number=${card}&currency=EUR&oauth_consumer_key=my-shop&oauth_nonce=${nonce}&oauth_signature_method=HMAC-SHA1&oauth_timestamp=${time}&oauth_version=1.0&redirect_url=https%3A%2F%2Fshop.example%2Freturn`;
    const base = (card: string) =>
      `POST&https%3A%2F%2Fgate.example%2Fprefix%2Fapi%2Fv2%2Fpayout%2F1144&${encodeURIComponent(parameters(card))}`;
    expect(document.masked).toBe(true);
    expect(document.signature.baseString).toBe(base('%2A%2A%2A1111').replace('%252A%252A%252A', '%252A%252A%252A%252A'));
    expect(document.signature.signature).toBe(createHmac('sha1', `${controlKey}&`).update(base('4444333322221111')).digest('base64'));
    expect(JSON.stringify(document)).not.toContain('4444333322221111');
  });

  test('RSA-SHA256: openssl verifies the signature over the shown base string', async () => {
    const home = homeWithProfile();
    const key = opensslKey(home);
    const argv = ['payout', 'pay', '77', '--client-order-id', 'a', '--private-key-file', key];
    const document = await signed(argv, home);
    writeFileSync(join(home, 'base'), document.signature.baseString);
    writeFileSync(join(home, 'signature'), Buffer.from(document.signature.signature, 'base64'));
    execFileSync('openssl', ['pkey', '-in', key, '-pubout', '-out', join(home, 'public.pem')]);
    const verdict = execFileSync('openssl', [
      'dgst',
      '-sha256',
      '-verify',
      join(home, 'public.pem'),
      '-signature',
      join(home, 'signature'),
      join(home, 'base'),
    ]);
    expect(String(verdict)).toContain('Verified OK');
    expect(document.signature.baseString).toContain('oauth_signature_method%3DRSA-SHA256');
  });

  test('every stage is shown by --explain, the key by its fingerprint only', async () => {
    const ran = await paycli(['sign', ...payout, '--explain'], { home: homeWithProfile() });
    for (const stage of ['1 Parameters', '2 Percent-encoded', '3 Sorted', '4 The three parts', '5 Base string', '6 Key', '7 Result'])
      expect(ran.out).toContain(stage);
    expect(ran.out).toContain('Card fields are masked here');
    expect(ran.out).toContain('from flag --card-number');
    expect(ran.out + ran.err).not.toMatch(/4444333322221111|B17F59B4/);
  });
});

test('--dry-run shows the request and sends nothing; the sandbox shows card fields as they are', async () => {
  const test1 = await paycli([...saleFlags, '--dry-run'], { home: homeWithProfile() });
  expect(test1.exit, test1.err).toBe(0);
  expect(test1.out).toContain('POST https://gate.example/prefix/api/v2/sale/1144');
  expect(test1.out).toContain('application/vnd.pay+json');
  expect(test1.out).toContain('****1111');
  expect(test1.out).not.toContain('4444333322221111');
  const sandbox = await paycli([...saleFlags, '--dry-run']);
  expect(sandbox.out).toContain('4444333322221111');
  const after = await paycli(['status', '--client-order-id', '902B4FF5']);
  expect(after.exit).toBe(4);
});
