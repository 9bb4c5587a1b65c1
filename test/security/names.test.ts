import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isCardNumber } from '../../src/wire/mask.js';
import { secretIn } from '../../src/wire/secret-names.js';
import { homeWith, payoutFile, payoutLine, plan } from '../batch/files.js';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply, type TestOptions } from '../support/runtime.js';

const card = '4111111111111111';
const key = '7C9E6679-7425-40DE-944B-E07FC1F90AE7';
const digest = '5f1d7a84db00d2fce00b31a7fc73224f';
const pem = '-----BEGIN PRIVATE KEY-----';
const secrets = [card, '4111 1111 1111 1111', key, pem];

describe('what looks like a secret', () => {
  test.each([
    card,
    '5555555555554444',
    '2223000048400011',
    '30569309025904',
    '3530111333300000',
    '6240008631401148',
    '2200240000000006',
  ])('is the card number %s', (number) => expect(isCardNumber(number)).toBe(true));

  // Wrong check digit, times in milliseconds, lengths and beginnings of no brand.
  test.each([
    '4111111111111112',
    '1767225600000',
    '1767225600008',
    '12345678901237',
    '9000000000000001',
    '28933500',
    '1234567812345670',
    'x4111111111111111',
  ])('is not the order id %s', (id) => expect(isCardNumber(id)).toBe(false));

  test.each([
    'shop',
    'shop-test',
    'my-shop-of-the-european-union-2026',
    'staging.eu-west-1.payments.example',
    'default',
    'My-Shop-Europe-Production-2026-Main',
    '/home/Jane/Keys/2026/shop/control/key/file',
    'a'.repeat(31),
  ])('is not the name %s', (name) => expect(secretIn(name)).toBe(undefined));
});

/** Whether a text, or the eight letters in its middle, stands in what was printed or written. */
function leaks(secret: string, ran: Ran, home: string): readonly string[] {
  const files = readdirSync(home, { recursive: true }).map((name) => join(home, String(name)));
  const written = files.filter(
    (path) => statSync(path).isFile() && !path.endsWith('config.yaml') && !path.endsWith('rows.csv'),
  );
  const all = [['out', ran.out], ['err', ran.err], ...written.map((path) => [path, readFileSync(path, 'latin1')])];
  const part = secret.slice(secret.length / 2 - 4, secret.length / 2 + 4);
  return all.flatMap(([where = '', text = '']) =>
    text.includes(secret) || (secret !== pem && text.includes(part)) ? [where] : [],
  );
}

const profileFields = [
  '--class',
  'test',
  '--base-url',
  'https://gate.example',
  '--login',
  'shop',
  '--endpoint-id',
  '1',
];

describe.each(secrets)('%s', (secret) => {
  test.each<readonly [string, readonly string[], TestOptions, number]>([
    ['--profile of a payment', [...saleFlags, `--profile=${secret}`], {}, 3],
    ['--profile of a list', ['journal', `--profile=${secret}`], {}, 3],
    ['PAYCLI_PROFILE', saleFlags, { env: { PAYCLI_PROFILE: secret } }, 3],
    ['profile remove', ['profile', 'remove', '--yes', '--', secret], {}, 3],
    ['profile show', ['profile', 'show', '--', secret], {}, 3],
    ['init', ['init', ...profileFields, '--control-key-file', 'control.key', `--name=${secret}`], {}, 2],
    ['PAYCLI_SANDBOX', ['sandbox', 'status'], { env: { PAYCLI_SANDBOX: secret } }, 2],
  ])('is refused as a name and not shown: %s', async (_, argv, options, exit) => {
    const home = homeWithProfile();
    const ran = await paycli(argv, { home, ...options });
    expect([ran.exit, ran.requests], ran.err + ran.out).toEqual([exit, []]);
    expect(leaks(secret, ran, home)).toEqual([]);
  });

  test.each<readonly [string, (text: string) => string]>([
    ['the name of a profile', (text: string) => text.replace('  shop:', `  ${JSON.stringify(secret)}:`)],
    [
      'default-profile',
      (text: string) => text.replace('default-profile: shop', `default-profile: ${JSON.stringify(secret)}`),
    ],
    [
      'a helper',
      (text: string) => text.replace(/control-key: .*/, `control-key: { helper: [${JSON.stringify(secret)}] }`),
    ],
    [
      'an entry in the system keyring',
      (text: string) => text.replace(/control-key: .*/, `control-key: { keyring: ${JSON.stringify(secret)} }`),
    ],
    [
      'a variable',
      (text: string) => text.replace(/control-key: .*/, `control-key: { env: ${JSON.stringify(secret)} }`),
    ],
  ])('is refused in a configuration file and not shown: %s', async (_, change) => {
    const home = homeWithProfile();
    const path = join(home, 'config', 'config.yaml');
    const text = readFileSync(path, 'utf8');
    expect(change(text)).not.toBe(text);
    writeFileSync(path, change(text));
    const ran = await paycli(saleFlags, { home });
    expect([ran.exit, ran.requests], ran.err).toEqual([3, []]);
    expect(leaks(secret, ran, home)).toEqual([]);
  });
});

describe.each([card, '4111-1111-1111-1111'])('as the id of a new order %s', (number) => {
  const withId = [...saleFlags];
  withId[withId.indexOf('902B4FF5')] = number;

  test.each([
    ['a flag', withId, {}],
    ['with JSON', [...withId, '--json'], {}],
    [
      'a field',
      [
        ...saleFlags.filter((word) => !['--client-order-id', '902B4FF5'].includes(word)),
        '--field',
        `client_orderid=${number}`,
      ],
      {},
    ],
    ['a dry run', [...withId, '--dry-run'], {}],
    ['verbose', [...withId, '-vv'], {}],
  ])('is refused, and neither sent, shown nor written: %s', async (_, argv, options) => {
    const home = homeWithProfile();
    const ran = await paycli(argv, { home, ...options });
    expect([ran.exit, ran.requests], ran.err).toEqual([2, []]);
    expect(leaks(number, ran, home)).toEqual([]);
  });

  test('is refused in a row of a file, and not shown', async () => {
    const home = homeWith(payoutFile(payoutLine(number, '10.00')));
    const ran = await plan(home);
    expect(ran.exit).not.toBe(0);
    expect(leaks(number, ran, home)).toEqual([]);
  });

  test('is taken where it names an order that is there', async () => {
    const home = homeWithProfile();
    const ran = await paycli(['status', '12345', '--client-order-id', number], {
      home,
      network: [() => reply(200, taken)],
    });
    expect(ran.requests.length, ran.err).toBeGreaterThan(0);
  });
});

describe('a card number in place of the account of a payout', () => {
  const payout = (account: string) => [
    ...[
      'payout',
      'send',
      '--client-order-id',
      'p-1',
      '--amount',
      '10.00',
      '--currency',
      'EUR',
      '--account-number',
      account,
    ],
    ...['--routing-number', '021000021', '--bank-name', 'A Bank', '--bank-branch', 'Main'],
  ];

  test.each([card, '4111-1111-1111-1111'])('is refused, and neither sent, shown nor written: %s', async (number) => {
    const home = homeWithProfile();
    const ran = await paycli(payout(number), { home });
    expect([ran.exit, ran.requests], ran.err).toEqual([2, []]);
    expect(leaks(number, ran, home)).toEqual([]);
    const homeOfBatch = homeWith(payoutFile(payoutLine('p-1', '10.00', 'EUR', number)));
    const planned = await plan(homeOfBatch);
    expect(planned.exit).toBe(2);
    expect(leaks(number, planned, homeOfBatch)).toEqual([]);
  });

  // No check digit of a card, no beginning of a brand, an IBAN.
  test.each(['4111111111111112', '12345678901234567890', 'DE02120300000000202051'])(
    'the account %s is sent',
    async (account) => {
      const ran = await paycli(payout(account), { home: homeWithProfile(), network: [() => reply(200, taken)] });
      expect(ran.requests.map(({ body }) => new URLSearchParams(String(body)).get('account_number'))).toEqual([
        account,
      ]);
      expect((await plan(homeWith(payoutFile(payoutLine('p-1', '10.00', 'EUR', account))))).exit).toBe(0);
    },
  );
});

test.each(['1767225600000', '28933500', '100000000001', '4111111111111112', key, digest])(
  'the order id %s of a shop is sent',
  async (id) => {
    const home = homeWithProfile();
    const argv = [...saleFlags];
    argv[argv.indexOf('902B4FF5')] = id;
    const ran = await paycli(argv, { home, network: [() => reply(200, taken)] });
    expect(ran.requests).toHaveLength(1);
  },
);
