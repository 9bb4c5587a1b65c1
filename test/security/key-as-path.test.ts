import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeWithProfile } from '../cli/profiles.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const payout = [
  ...[
    'payout',
    'send',
    '--client-order-id',
    'p-1',
    '--amount',
    '1.00',
    '--currency',
    'EUR',
    '--account-number',
    'DE89370400440532013000',
  ],
  ...['--bank-name', 'Example Bank', '--bank-branch', 'Main', '--routing-number', '021000021'],
];

const keys = [
  '3f2a9c4e8d1b7065a4c3e2f1908d7b6c5a4e3f21',
  'B17F59B4-A7DC-41B4-8FF9-37D986B43D21',
  'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83v/SNFZ4k=',
];

test.each(keys)('a key where its path belongs is not repeated: %s', async (key) => {
  const home = homeWithProfile();
  const config = join(home, 'config/config.yaml');
  const written = readFileSync(config, 'utf8');
  const typed = await paycli([...payout, '--control-key-file', key, '-v'], {
    home,
  });
  expect(typed.exit, typed.err).toBe(3);
  writeFileSync(config, written.replace(/control-key: .*/, `control-key: { file: ${key} }`));
  const all = [typed];
  for (const argv of [
    ['doctor'],
    ['profile', 'show', '--origins'],
    ['profile', 'show', '--origins', '--json'],
    ['doctor', '--json'],
    payout,
  ])
    all.push(await paycli(argv, { home }));
  for (const { out, err } of all) for (const part of key.split('/')) expect(out + err).not.toContain(part);
  expect(typed.err).toContain('looks like a key');
});

test('the path of a key file is shown as before', async () => {
  const home = homeWithProfile();
  expect((await paycli(['profile', 'show', '--origins'], { home })).out).toContain(`file ${home}/control.key`);
});

test.each(['4111111111111111,12/31,739', '4111111111111111 739'])(
  'card data where its path belongs is not repeated: %s',
  async (card) => {
    const home = temporaryHome();
    const ran = await paycli(['sale', '--amount', '1', '--currency', 'EUR', '--card-file', card], { home });
    expect([ran.exit, ran.requests]).toEqual([3, []]);
    for (const part of ['739', '12/31', '1111']) expect(ran.err + ran.out).not.toContain(part);
    expect(ran.err).toContain('--card-file');
  },
);

test('a card file that others may read is named', async () => {
  const home = temporaryHome();
  writeFileSync(join(home, 'card'), 'cvv=1\n');
  chmodSync(join(home, 'card'), 0o644);
  const ran = await paycli(['sale', '--amount', '1', '--currency', 'EUR', '--card-file', join(home, 'card')], { home });
  expect(ran.err).toContain(`chmod 600 ${join(home, 'card')}`);
});
