import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeWithProfile, saleFlags, taken } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';

const sale = 'sale --amount 10.42 --currency USD --test-card approved --wait';
const batch = 'client_orderid,amount,currency,account_number,bank_name,bank_branch\np-1,1.00,EUR,2051,DKB,Berlin\n';
const words = (line: string) => line.split(' ');

describe('PAYCLI_PROFILE', () => {
  const filled = async () => {
    const home = homeWithProfile();
    const network = [() => reply(200, taken)];
    expect(await paycli([...saleFlags, '--profile', 'shop'], { home, network })).toMatchObject({ exit: 0 });
    const sandbox = ['--client-order-id', 'order-1', '--profile', 'sandbox'];
    expect(await paycli([...words(sale), ...sandbox], { home })).toMatchObject({ exit: 0 });
    writeFileSync(join(home, 'payouts.csv'), batch);
    const plan = `batch plan ${home}/payouts.csv --operation payout --expect-count 1 --expect-total EUR=1.00 -p sandbox`;
    expect(await paycli(words(plan), { home })).toMatchObject({ exit: 0 });
    return home;
  };

  test('filters lists as --profile does', async () => {
    const home = await filled();
    for (const [line, list, counts] of [
      ['orders', 'orders', { shop: 1, sandbox: 1 }],
      ['journal', 'entries', { shop: 1, sandbox: 1 }],
      ['batch show', 'batches', { shop: 0, sandbox: 1 }],
      ['callback list', 'callbacks', { shop: 0, sandbox: 0 }],
    ] as const)
      for (const [profile, count] of Object.entries(counts)) {
        const byVariable = await paycli([...words(line), '--json'], { home, env: { PAYCLI_PROFILE: profile } });
        const byFlag = await paycli([...words(line), '--json', '--profile', profile], { home });
        expect(byVariable, line).toEqual(byFlag);
        const found: readonly { profile: string }[] = JSON.parse(byVariable.out)[list];
        expect(found.map((each) => each.profile)).toEqual(Array.from({ length: count }, () => profile));
        // The flag wins.
        const env = { PAYCLI_PROFILE: profile === 'shop' ? 'sandbox' : 'shop' };
        expect((await paycli([...words(line), '--json', '--profile', profile], { home, env })).out).toBe(byFlag.out);
      }
  });

  test.each(['orders', 'journal', 'callback list', 'batch show'])(
    'is refused where it names no profile or nothing: %s',
    async (line) => {
      const home = homeWithProfile();
      expect(await paycli(words(line), { home, env: { PAYCLI_PROFILE: 'shop-liv' } })).toMatchObject({ exit: 3 });
      expect(await paycli(words(line), { home, env: { PAYCLI_PROFILE: '' } })).toMatchObject({ exit: 3 });
    },
  );
});

test.each([
  'orders',
  'orders --status declined --since today',
  'orders --card 1111 --amount 25.00',
  'journal',
  'journal --state declined',
])('an operator is not told that there are no declines where nothing was sent: %s', async (line) => {
  const { exit, err } = await paycli(words(line), { withoutProfile: true });
  expect(exit).toBe(0);
  expect(err).toContain('paycli order ');
  expect(err).not.toMatch(/paycli sale|no orders/);
});
