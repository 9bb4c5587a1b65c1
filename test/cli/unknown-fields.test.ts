import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { paycli, temporaryHome } from '../support/runtime.js';
import { callbackHome, sandboxHome } from './listed.js';

describe('--fields=nope is an error that lists the fields', () => {
  test.each([
    ['journal', sandboxHome],
    ['callback list 1', callbackHome],
    ['order --can return --client-order-id order-1', sandboxHome],
    ['order order-1 --timeline', sandboxHome],
    ['assumptions', sandboxHome],
  ])('%s', async (line, home) => {
    const ran = await paycli([...line.split(' '), '--fields=nope'], { home: await home() });
    expect([ran.exit, ran.out, ran.err]).toEqual([
      2,
      '',
      expect.stringMatching(/there is no field nope.*; available: \w+, /s),
    ]);
  });
});

describe('a path below a field that has no such part is an error that lists the fields', () => {
  test.each([
    ['journal', 'amount.foo'],
    ['order --client-order-id order-1', 'amounts.foo'],
    ['status --client-order-id order-1', 'order.foo'],
  ])('%s --fields=%s', async (line, name) => {
    const home = await sandboxHome();
    const ran = await paycli([...line.split(' '), `--fields=${name}`], { home });
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(`there is no field ${name}`);
    expect(ran.err).toMatch(/; available: \w+, /);
  });
});

test.each([
  'sign sale --test-card approved --amount 1.00 --currency USD --client-order-id a',
  'sale --test-card approved --amount 1.00 --currency USD --dry-run',
  'keys generate --out key.pem',
  'sandbox merchant shop',
  'sandbox start',
  'batch plan payouts.csv --operation payout --expect-count 1 --expect-total EUR=10.42',
  'callback listen',
  'init',
])('nothing is done before the unknown field is refused: %s', async (line) => {
  const home = temporaryHome();
  for (const chosen of ['--fields=schema,nope', '--fields=nope']) {
    const ran = await paycli([...line.split(' '), chosen], { home });
    expect([ran.exit, ran.out, ran.requests], chosen).toEqual([2, '', []]);
    expect(ran.err, chosen).toMatch(/there is no field (?:nope|schema)/);
  }
  expect(readdirSync(home)).toEqual([]);
});
