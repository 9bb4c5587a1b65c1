import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeWith, payoutFile, payoutLine, plan } from '../batch/files.js';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply, type TestOptions } from '../support/runtime.js';

const card = '4111111111111111';
const digest = '5f1d7a84db00d2fce00b31a7fc73224f';
const pem = '-----BEGIN PRIVATE KEY-----';

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

describe.each([card, pem])('%s', (secret) => {
  test.each<readonly [string, readonly string[], TestOptions, number]>([
    ['--profile of a payment', [...saleFlags, `--profile=${secret}`], {}, 3],
    ['init', ['init', ...profileFields, '--control-key-file', 'control.key', `--name=${secret}`], {}, 2],
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

  test('is refused, and neither sent, shown nor written', async () => {
    const home = homeWithProfile();
    const ran = await paycli(withId, { home });
    expect([ran.exit, ran.requests], ran.err).toEqual([2, []]);
    expect(leaks(number, ran, home)).toEqual([]);
  });

  test('is refused in a row of a file, and not shown', async () => {
    const home = homeWith(payoutFile(payoutLine(number, '10.00')));
    const ran = await plan(home);
    expect(ran.exit).not.toBe(0);
    expect(leaks(number, ran, home)).toEqual([]);
  });
});

describe('a card number in place of the account of a payout', () => {
  const payout = (account: string) => [
    ...['payout', 'send', '--client-order-id', 'p-1', '--amount', '10.00', '--currency', 'EUR'],
    ...['--account-number', account],
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
});

test.each(['1767225600000', digest])('the order id %s of a shop is sent', async (id) => {
  const home = homeWithProfile();
  const argv = [...saleFlags];
  argv[argv.indexOf('902B4FF5')] = id;
  const ran = await paycli(argv, { home, network: [() => reply(200, taken)] });
  expect(ran.requests).toHaveLength(1);
});
