import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { sandboxHome } from './listed.js';
import { homeWithProfile, partialReturn, saleFlags, statusReply, taken } from './profiles.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const notThere = reply(400, { type: 'error', 'error-message': 'order not found', 'error-code': '6' });
const sold = reply(200, statusReply('approved', { 'transaction-type': 'sale', amount: '10.42', currency: 'USD' }));
const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

/** The usual profile shop, and another one, named other, which is the default. */
function homeWithOther(): string {
  const home = homeWithProfile();
  const file = join(home, 'config', 'config.yaml');
  const [, shop = ''] = readFileSync(file, 'utf8').split('profiles:\n');
  const other = shop
    .replace('shop:', 'other:')
    .replace('gate.example', 'other.example')
    .replace('my-shop', 'their-shop');
  writeFileSync(file, `default-profile: other\nprofiles:\n${shop}${other}`);
  return home;
}

/** A sale by profile shop, while other is the default. */
async function soldElsewhere(...replies: readonly Delivery[]): Promise<string> {
  const home = homeWithOther();
  await run(home, [...saleFlags, '-p', 'shop', ...(replies.length > 1 ? ['--wait'] : [])], ...replies);
  return home;
}

describe('a journal entry of another profile', () => {
  const evidence = ['--evidence', 'statement of today'];
  test.each([
    [['resolve', '--entry', '1']],
    [['resolve', '902B4FF5']],
    [['resolve', '--entry', '1', '--offline', '--settle-as', 'paid', ...evidence]],
  ])('%j: nothing is sent or recorded', async (argv) => {
    const home = await soldElsewhere(lost);
    const ran = await run(home, argv);
    expect([ran.exit, ran.requests]).toEqual([2, []]);
    const { entries } = JSON.parse((await run(home, ['journal', '--json'])).out);
    expect(entries).toMatchObject([{ state: 'unknown' }]);
    expect((await run(home, ['resolve', '--entry', '1', '--profile', 'shop'], sold)).exit).toBe(0);
  });

  test('at the same gateway with another login is not queried with this one', async () => {
    const home = await soldElsewhere(lost);
    const file = join(home, 'config', 'config.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('other.example', 'gate.example'));
    for (const [argv, exit] of [
      [['resolve', '--entry', '1'], 2],
      [['resolve'], 0],
    ] as const) {
      const ran = await run(home, argv);
      expect([ran.exit, ran.requests]).toEqual([exit, []]);
    }
  });
});

describe('an order that another profile sent', () => {
  test.each([
    [['order', '12345'], 4],
    [['status', '902B4FF5'], 4],
  ] as const)('%j names it', async (argv, exit) => {
    const home = await soldElsewhere(reply(200, taken), sold);
    const ran = await run(home, argv, ...(exit === 4 ? [notThere] : []));
    expect([ran.exit, ran.err]).toEqual([exit, expect.stringContaining('was sent with profile shop')]);
    expect(ran.err).toContain('`--profile shop`');
  });

  test.each([
    ['return', '902B4FF5', '--all'],
    ['return', '12345', '--amount', '1.00'],
    partialReturn('1.00'),
    ['capture', '902B4FF5', '--all'],
    ['void', '902B4FF5'],
    ['void', '902B4FF5', '--dry-run'],
    ['card-ref', 'create', '902B4FF5'],
    ['payout', 'pay', '902B4FF5'],
    ['upload-3ds', 'cres', '902B4FF5', '--c-res', 'eyJ9'],
  ])('%s %s: nothing is sent, not even a question', async (...argv) => {
    const ran = await run(await soldElsewhere(reply(200, taken), sold), argv);
    expect([ran.exit, ran.requests]).toEqual([2, []]);
    expect(ran.err).toMatch(/order \w+ was sent with profile shop/);
    expect(ran.err).toContain('nothing was sent; add `--profile shop`');
  });
});

test('an order of the sandbox that was reset since is said to be gone, and no profile is named as the way to it', async () => {
  const home = await sandboxHome();
  expect((await paycli(['sandbox', 'reset'], { home })).exit).toBe(0);
  const { exit, err } = await paycli(['order', 'order-1', '--profile', 'sandbox', '--json'], { home });
  expect(exit).toBe(4);
  expect(JSON.parse(err).next).toContain('has been reset since');
  expect(JSON.parse(err).next).not.toContain('--profile');
});
