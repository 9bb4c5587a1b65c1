import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeWithProfile, taken } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';

const toAccount = [
  ...[
    'payout',
    'send',
    '--client-order-id',
    'p-1',
    '--amount',
    '250.00',
    '--currency',
    'EUR',
    '--account-number',
    'DE89370400440532013000',
  ],
  ...['--bank-name', 'Example Bank', '--bank-branch', 'Main', '--live', '--confirm-login', 'my-shop'],
];
const network = [() => reply(200, { ...taken, 'merchant-order-id': 'p-1' })];

/** Two live profiles of one login, each with a gateway of its own; the user file chooses the first. */
function twoShops(otherClass = 'live'): string {
  const home = homeWithProfile({ class: 'live' });
  const key = join(home, 'control.key');
  const other = `{ class: ${otherClass}, base-url: https://other.example, login: my-shop, endpoint-id: 9, control-key: { file: ${key} }, approval-above: 500 EUR, ask-first: off }`;
  appendFileSync(join(home, 'config/config.yaml'), `  shop2: ${other}\n`);
  return home;
}

describe('which live profile is used is the choice of its user', () => {
  test('a project file cannot choose one', async () => {
    const home = twoShops();
    const project = join(home, '.paycli.yaml');
    writeFileSync(project, 'default-profile: shop2\n');
    const ran = await paycli(toAccount, { home });
    expect([ran.exit, ran.requests]).toEqual([3, []]);
    expect(ran.err).toContain(`${project}: chooses the live profile shop2`);
    const named = await paycli([...toAccount, '--profile', 'shop2'], { home, network });
    expect([named.exit, named.requests[0]?.url]).toEqual([0, expect.stringContaining('https://other.example/')]);
  });

  test('one that PAYCLI_CLASS makes live is none of the file either; a test profile is', async () => {
    const home = twoShops('test');
    writeFileSync(join(home, '.paycli.yaml'), 'default-profile: shop2\n');
    expect((await paycli(['profile', 'show', '--origins'], { home, env: { PAYCLI_CLASS: 'live' } })).exit).toBe(3);
    expect((await paycli(['profile', 'show', '--origins'], { home })).exit).toBe(0);
  });
});

describe('before a live payment it is said who chose the profile', () => {
  const chosen = [
    ['a variable', { PAYCLI_PROFILE: 'shop2' }, /profile +shop2 \(from environment PAYCLI_PROFILE\)/],
    ['the user file', {}, /profile +shop \(from \S+config\.yaml: default-profile\)/],
  ] as const;

  test.each(chosen)('%s', async (_, env, says) => {
    const ran = await paycli(toAccount, { home: twoShops(), env, network });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toMatch(says);
  });

  test('not where the command line did', async () => {
    const ran = await paycli([...toAccount, '--profile', 'shop2'], { home: twoShops(), network });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).not.toContain('shop2 (from');
  });

  test.each([true, false])('for a batch, at a terminal: %s', async (tty) => {
    const home = twoShops();
    const file = join(home, 'payouts.csv');
    const columns = 'client_orderid,amount,currency,account_number,bank_name,bank_branch,routing_number';
    writeFileSync(file, `${columns}\np-1,1.00,EUR,DE89370400440532013000,Example Bank,Main,021000021\n`);
    const env = { PAYCLI_PROFILE: 'shop2' };
    const planned = await paycli(
      ['batch', 'plan', file, '--operation', 'payout', '--expect-count', '1', '--expect-total', 'EUR=1.00', '--json'],
      { home, env },
    );
    expect(planned.exit, planned.err).toBe(0);
    const { plan } = JSON.parse(planned.out);
    const how = tty ? { tty, answers: [['login', 'no']] as const } : { network };
    const ran = await paycli(['batch', 'run', plan, '--live', ...(tty ? [] : ['--confirm-login', 'my-shop'])], {
      home,
      env,
      ...how,
    });
    expect(ran.err).toMatch(/profile +shop2 \(from environment PAYCLI_PROFILE\)/);
    expect(ran.err).toMatch(
      /base-url +https:\/\/other\.example\S* \(from \S+config\.yaml: profiles\.shop2\.base-url\)/,
    );
  });
});
