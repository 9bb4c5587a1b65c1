import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';

const payout =
  'payout send --amount 50.00 --currency EUR --account-number DE02120300000000202051 --bank-name DKB --bank-branch Berlin --wait';
const sale = 'sale --amount 10.42 --currency USD --test-card approved --wait';
const batch = 'client_orderid,amount,currency,account_number,bank_name,bank_branch\np-1,1.00,EUR,2051,DKB,Berlin\n';
const words = (line: string) => line.split(' ');
const withoutProfile = true;

describe('without a profile', () => {
  test.each([
    `${payout} -q`,
    'resolve',
    'batch plan payouts.csv --operation payout --expect-count 1 --expect-total EUR=1.00',
    'callback verify status=approved&orderid=1&client_orderid=a&control=0',
  ])('nothing is sent: %s', async (line) => {
    const home = temporaryHome();
    writeFileSync(join(home, 'payouts.csv'), batch);
    const ran = await paycli([...words(line), '--json'], { home, withoutProfile });
    expect(ran).toMatchObject({ exit: 3, out: '' });
    expect(JSON.parse(ran.err).code).toBe('PROFILE_NOT_CHOSEN');
    expect(existsSync(join(home, 'state'))).toBe(false);
    // On a terminal nothing is asked before.
    expect(await paycli(words(line), { home, withoutProfile, tty: true })).toMatchObject({ exit: 3, questions: [] });
  });

  test('what needs none runs', async () => {
    const home = temporaryHome();
    for (const line of ['orders', 'journal', 'batch show', 'profile show', 'sandbox status'])
      expect(await paycli(words(line), { home, withoutProfile }), line).toMatchObject({ exit: 0 });
    const { exit, out } = await paycli(['doctor', '--json'], { home, withoutProfile });
    expect([exit, JSON.parse(out).checks]).toEqual([
      11,
      expect.arrayContaining([expect.objectContaining({ check: 'configuration', result: 'fail' })]),
    ]);
  });
});

describe('the built-in sandbox', () => {
  const chosen = (home: string) => {
    mkdirSync(join(home, 'config'), { mode: 0o700 });
    writeFileSync(join(home, 'config', 'config.yaml'), 'default-profile: sandbox\n');
    return home;
  };
  test.each([
    ['a flag', ['--profile', 'sandbox'], {}, temporaryHome],
    ['a variable', [], { PAYCLI_PROFILE: 'sandbox' }, temporaryHome],
    ['a default profile', [], {}, () => chosen(temporaryHome())],
  ])('is chosen by %s, and every result names it', async (_, flags, env, make) => {
    const home = make();
    const run = async (line: string) => {
      const ran = await paycli([...words(line), ...flags], { home, env, withoutProfile });
      expect(ran, line).toMatchObject({ exit: 0 });
      return ran.out;
    };
    const { profile, next } = JSON.parse(await run(`${sale} --client-order-id order-1 --json`));
    expect(profile).toBe('sandbox');
    for (const line of ['status order-1', 'order order-1', `${payout} -q`, `${sale} --dry-run`])
      expect((await run(line)).split('\n')[0]).toContain('sandbox');
    // What it suggests can be pasted.
    expect(await paycli(words(next).slice(1), { home, env, withoutProfile })).toMatchObject({ exit: 0 });
  });
});
