import { execFileSync } from 'node:child_process';
import { createHash, createHmac } from 'node:crypto';
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { controlKey, homeWithProfile, rsaKey, saleFlags } from './profiles.js';

const signed = async (argv: readonly string[], home: string) => {
  const ran = await paycli(['sign', ...argv, '--json'], { home });
  expect(ran.exit, ran.err).toBe(0);
  return JSON.parse(ran.out);
};

describe('control', () => {
  test('is the SHA-1 of the values of the description and the key', async () => {
    const { signature } = await signed([...saleFlags], homeWithProfile());
    expect(signature.string).toBe('1144902B4FF51042jane@example.com');
    expect(signature.digest).toBe(
      createHash('sha1').update(`1144902B4FF51042jane@example.com${controlKey}`).digest('hex'),
    );
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
    expect(shown.out).toContain('[my-shop] [a] [] [control key]');
  });

  test.each([
    ['hex-upper', (hex: string) => hex.toUpperCase()],
    ['base64', (hex: string) => Buffer.from(hex, 'hex').toString('base64')],
  ])('follows the switch control-encoding: %s', async (value, write) => {
    const home = homeWithProfile({ more: [`assume: { control-encoding: ${value} }`] });
    const { signature } = await signed([...saleFlags], home);
    expect(signature.digest).toBe(
      write(createHash('sha1').update(`1144902B4FF51042jane@example.com${controlKey}`).digest('hex')),
    );
  });

  test.each([
    {
      assume: 'login-field: omit',
      argv: ['void', '5', '--client-order-id', 'a'],
      fields: ['client_orderid', 'orderid', 'control'],
    },
    {
      assume: 'card-info-control: login+cardrefid',
      argv: ['card-ref', 'info', '--card-ref-id', '7'],
      fields: ['login', 'cardrefid', 'control'],
    },
    {
      assume: 'unsigned-forms: control',
      argv: ['form', 'payout', '--client-order-id', 'a', '--amount', '1', '--currency', 'EUR', '--email', 'a@b.de'],
      fields: ['client_orderid', 'amount', 'currency', 'email', 'redirect_url', 'control'],
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
      fields: [
        'login',
        'client_orderid',
        'credit_card_number',
        'card_printed_name',
        'expire_month',
        'expire_year',
        'control',
      ],
    },
  ])('$assume decides the fields of $argv.0', async ({ assume, argv, fields }) => {
    const { request } = await signed(argv, homeWithProfile({ more: [`assume: { ${assume} }`] }));
    expect(request.fields.map(([name]: [string]) => name)).toEqual(fields);
  });

  test.each([
    { assume: 'body-amount: minor', currency: 'USD', amount: '10.42', body: '1042', minor: '1042' },
    { assume: 'minor-digits: hundredths', currency: 'JPY', amount: '100', body: '100.00', minor: '10000' },
    { assume: "minor-digits: { '1144/EUR': 0 }", currency: 'EUR', amount: '7', body: '7', minor: '7' },
  ])(
    '$assume: $amount $currency is $body in the body, $minor in the checksum',
    async ({ assume, currency, amount, body, minor }) => {
      const home = homeWithProfile({ more: [`assume: { ${assume} }`] });
      const argv = saleFlags.map((word) => (word === '10.42' ? amount : word === 'USD' ? currency : word));
      const document = await signed(argv, home);
      expect(document.amount).toEqual({ body, minor });
      expect(document.signature.string).toBe(`1144902B4FF5${minor}jane@example.com`);
    },
  );

  test.each([
    { assume: 'body-amount: minor', currency: 'USD', body: ['950', '850,700'], minor: '950' },
    { assume: 'body-amount: minor', currency: 'KWD', body: ['9500', '8500,7000'], minor: '9500' },
    { assume: 'minor-digits: { USD: 1 }', currency: 'USD', body: ['9.5', '8.5,7.0'], minor: '95' },
  ])(
    '$assume: a list of amounts in $currency is written like the amount',
    async ({ assume, currency, body, minor }) => {
      const home = homeWithProfile({ more: [`assume: { ${assume} }`] });
      const money = ['--amount', '9.5', '--currency', currency, '--enumerate-amounts', '8.5,7'];
      const argv = [
        'rebill',
        '--client-order-id',
        'a',
        '--card-ref-id',
        '7',
        ...money,
        '--order-desc',
        'Fee',
        '--ip-address',
        '192.0.2.10',
      ];
      const document = await signed(argv, home);
      const sent = new Map<string, string>(document.request.fields);
      expect([sent.get('amount'), sent.get('enumerate_amounts')]).toEqual(body);
      expect(document.signature.string).toBe(`my-shopa7${minor}${currency}`);
    },
  );
});

describe('OAuth', () => {
  const payout = [
    'payout',
    '--client-order-id',
    'a b',
    '--amount',
    '50.00',
    '--currency',
    'EUR',
    '--card-number',
    '4444333322221111',
  ];

  test('HMAC-SHA1: the base string by hand, the digest by node:crypto; card numbers masked, the signature true', async () => {
    const home = homeWithProfile();
    const document = await signed(payout, home);
    const { oauth_nonce: nonce = '', oauth_timestamp: time = '' } = Object.fromEntries(document.signature.encoded);
    const parameters = (card: string) =>
      `amount=50.00&client_orderid=a%20b&credit_card_number=${card}&currency=EUR&oauth_consumer_key=my-shop&oauth_nonce=${nonce}&oauth_signature_method=HMAC-SHA1&oauth_timestamp=${time}&oauth_version=1.0&redirect_url=https%3A%2F%2Fshop.example%2Freturn`;
    const base = (card: string) =>
      `POST&https%3A%2F%2Fgate.example%2Fprefix%2Fapi%2Fv2%2Fpayout%2F1144&${encodeURIComponent(parameters(card))}`;
    expect(document.masked).toBe(true);
    expect(document.signature.baseString).toBe(base('4444333322221111').replace('4444333322221111', '•••• 1111'));
    expect(document.signature.signature).toBe(
      createHmac('sha1', `${controlKey}&`).update(base('4444333322221111')).digest('base64'),
    );
    expect(JSON.stringify(document)).not.toContain('4444333322221111');
  });

  test('RSA-SHA256: openssl verifies the signature over the shown base string', { tags: 'openssl' }, async () => {
    const home = homeWithProfile();
    const key = rsaKey(home);
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
});

describe('the lines for openssl, run by a shell, make the same', { tags: 'openssl' }, () => {
  const payout = ['payout', '--client-order-id', "it's", '--amount', '5', '--currency', 'EUR'];
  const open = [...payout, '--receiver-phone', '+4930123456', '--bank-id', '1'];
  const run = (lines: readonly string[], home: string) =>
    String(execFileSync('sh', ['-eu'], { cwd: home, input: lines.join('\n'), stdio: 'pipe' })).trim();

  test.each([
    ['a usual key', controlKey],
    ['a key that has to be encoded', "sh'p & Co/ü~"],
    ['a key of more than 64 bytes', 'k'.repeat(70)],
  ])('checksum and HMAC-SHA1 with %s, which they do not contain', async (_, key) => {
    const home = homeWithProfile();
    writeFileSync(join(home, 'control.key'), `${key}\r\n`, { mode: 0o600 });
    const control = await signed(['status', '--client-order-id', "it's"], home);
    const hmac = await signed(open, home);
    expect(run(control.openssl, home)).toBe(control.signature.digest);
    expect(run(hmac.openssl, home)).toBe(hmac.signature.signature);
    expect(JSON.stringify([control.openssl, hmac.openssl])).not.toContain(key);
    expect((await paycli(['sign', ...open], { home })).out).toContain(hmac.openssl[0]);
    // With a mask in it the text would make something else.
    expect((await signed([...payout, '--card-number', '4444333322221111'], home)).openssl).toEqual([]);
  });

  test('RSA-SHA256', async () => {
    const home = homeWithProfile();
    const argv = ['payout', 'pay', '77', '--client-order-id', 'a', '--private-key-file', rsaKey(home)];
    const { openssl, signature } = await signed(argv, home);
    copyFileSync(rsaKey(home), join(home, 'rsa.pem'));
    expect(run(openssl, home)).toBe(signature.signature);
  });
});

test('one stage is its bytes and nothing else; nonce and timestamp are those of the flags', async () => {
  const flags = ['sign', 'payout', '--client-order-id', 'a b', '--amount', '50', '--currency', 'EUR', '--nonce', 'n1'];
  const payout = [...flags, '--card-number', '4444333322221111', '--timestamp', '1894017500'];
  const home = temporaryHome();
  const { signature } = JSON.parse((await paycli([...payout, '--json'], { home })).out);
  expect(signature.header).toMatch(/oauth_nonce="n1".*oauth_timestamp="1894017500"/);
  for (const [stage, text] of [
    ['base-string', signature.baseString],
    ['parameters', signature.parts.parameters],
    ['address', signature.parts.url],
    ['signature', signature.signature],
    ['authorization', signature.header],
  ])
    expect((await paycli([...payout, '--stage', stage], { home })).out).toBe(text);
  const other = await paycli([...payout, '--stage', 'control'], { home });
  expect([other.exit, other.err]).toEqual([2, expect.stringContaining('its stages are parameters, address, base-')]);
  // Outside the sandbox it would hold the card number.
  const open = await paycli([...payout, '--stage', 'base-string'], { home: homeWithProfile() });
  expect([open.exit, open.out]).toEqual([2, '']);
});

describe('--explain says where each value came from', () => {
  const origins = async (argv: readonly string[], options: Parameters<typeof paycli>[1]) => {
    const ran = await paycli(['sign', ...argv, '--json', '--no-color'], options);
    expect(ran.exit, ran.err).toBe(0);
    const { values } = JSON.parse(ran.out);
    return new Map<string, string>(values.map(({ wire, origin }: { wire: string; origin: string }) => [wire, origin]));
  };

  test('flag, profile, environment, prompt, made up, derived', async () => {
    const home = homeWithProfile();
    const without = saleFlags.filter((word, at) => word !== '--city' && saleFlags[at - 1] !== '--city');
    const env = { PAYCLI_ENDPOINT_ID: '2000' };
    const from = await origins([...without, '--profile', 'shop'], {
      home,
      env,
      tty: true,
      answers: [['city', 'Berlin']],
    });
    const file = join(home, 'config', 'config.yaml');
    expect(Object.fromEntries(from)).toMatchObject({
      '(address)': `${file}: profiles.shop.base-url`,
      '(path)': 'environment PAYCLI_ENDPOINT_ID',
      '(key)': `${file}: profiles.shop.control-key`,
      '(minor units)': 'amount and currency, derived',
      amount: 'flag --amount',
      city: 'prompt',
      redirect_url: `${file}: profiles.shop.redirect-url`,
    });
  });
});
