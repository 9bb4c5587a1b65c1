import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { homeWithProfile } from '../cli/profiles.js';
import { paycli, temporaryHome } from '../support/runtime.js';

const payout = [
  ...['payout', 'send', '--client-order-id', 'p-1', '--amount', '1.00', '--currency', 'EUR'],
  ...['--account-number', 'DE89370400440532013000'],
  ...['--bank-name', 'Example Bank', '--bank-branch', 'Main', '--routing-number', '021000021'],
];

test('a key where its path belongs is not repeated', async () => {
  const key = 'q83vASNFZ4mrze8BI0VniavN7wEjRWeJq83v/SNFZ4k=';
  const home = homeWithProfile();
  const config = join(home, 'config/config.yaml');
  const written = readFileSync(config, 'utf8');
  const typed = await paycli([...payout, '--control-key-file', key, '-v'], { home });
  expect(typed.exit, typed.err).toBe(3);
  writeFileSync(config, written.replace(/control-key: .*/, `control-key: { file: ${key} }`));
  const all = [typed];
  for (const argv of [['doctor'], ['profile', 'show', '--origins', '--json'], ['doctor', '--json'], payout])
    all.push(await paycli(argv, { home }));
  for (const { out, err } of all) for (const part of key.split('/')) expect(out + err).not.toContain(part);
  expect(typed.err).toContain('looks like a key');
});

test('card data where its path belongs is not repeated', async () => {
  const card = '4111111111111111,12/31,739';
  const home = temporaryHome();
  const ran = await paycli(['sale', '--amount', '1', '--currency', 'EUR', '--input', card], { home });
  expect([ran.exit, ran.requests]).toEqual([2, []]);
  for (const part of ['739', '12/31', '1111']) expect(ran.err + ran.out).not.toContain(part);
  expect(ran.err).toContain('--input');
});
