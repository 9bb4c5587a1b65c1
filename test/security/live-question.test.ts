import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeWithProfile, taken } from '../cli/profiles.js';
import { ctrlC, paycli, reply } from '../support/runtime.js';

const toAccount = [
  ...['payout', 'send', '--client-order-id', 'p-1', '--amount', '250.00', '--account-number', 'DE89370400440532013000'],
  ...['--bank-name', 'Example Bank', '--bank-branch', 'Main', '--live'],
];
const home = () =>
  homeWithProfile({ class: 'live', more: ['defaults: { currency: EUR, routing-number: "021000021" }'] });
const takenAs = (clientOrderId: string) => reply(200, { ...taken, 'merchant-order-id': clientOrderId });
const said = [
  /amount +250\.00 EUR \(25000 in minor units\)/,
  /paid to +account number •••• 3000, bank name Example Bank, bank branch Main, routing number 021000021\n/,
  /gateway +profile shop, login my-shop, gate\.example, endpoint 1144\n/,
];

describe('before a live payment: how much, to whom and where', () => {
  test('asked at a terminal', async () => {
    const ran = await paycli(toAccount, { home: home(), tty: true, answers: [['login', ctrlC]] });
    for (const part of said) expect(ran.err).toMatch(part);
    expect(ran.err).not.toContain('DE89370400440532013000');
    expect([ran.exit, ran.requests]).toEqual([130, []]);
  });

  test('a script has the same on standard error, with --quiet too', async () => {
    for (const more of [[], ['--quiet']]) {
      const argv = [...toAccount, '--confirm-login', 'my-shop', ...more];
      const ran = await paycli(argv, { home: home(), network: [() => takenAs('p-1')] });
      expect(ran.exit, ran.err).toBe(0);
      for (const part of said) expect(ran.err).toMatch(part);
    }
  });
});

test('a page on which a payout is taken is guarded as a payout, by the login and the caps', async () => {
  const form = ['form', 'payout', '--client-order-id', 'f-1', '--amount', '250.00', '--currency', 'EUR'];
  const scripted = await paycli([...form, '--live'], { home: home() });
  expect([scripted.exit, scripted.requests]).toEqual([10, []]);
  const typed = await paycli([...form, '--live'], { home: home(), tty: true, answers: [['login', ctrlC]] });
  expect([typed.exit, typed.requests]).toEqual([130, []]);
  const capped = homeWithProfile({ more: ['max-amount: 300 EUR', 'max-total-per-day: 400 EUR'] });
  const opened = reply(200, { ...taken, 'merchant-order-id': 'f-1', 'redirect-url': 'https://gate.example/form/1' });
  const first = await paycli(form, { home: capped, network: [() => opened] });
  expect(first.exit, first.err).toBe(0);
  for (const argv of [form.with(3, 'f-2'), form.with(3, 'f-3').with(5, '300.01')]) {
    const ran = await paycli(argv, { home: capped });
    expect([ran.exit, ran.requests]).toEqual([10, []]);
  }
});

describe('which live profile is used is the choice of its user', () => {
  /** Two profiles of one login, each with a gateway of its own; the user file chooses the first. */
  function twoShops(otherClass = 'live'): string {
    const shops = homeWithProfile({ class: 'live' });
    const key = join(shops, 'control.key');
    const other = `{ class: ${otherClass}, base-url: https://other.example, login: my-shop, endpoint-id: 9, control-key: { file: ${key} }, approval-above: 500 EUR, ask-first: off }`;
    appendFileSync(join(shops, 'config/config.yaml'), `  shop2: ${other}\n`);
    return shops;
  }
  const argv = [...toAccount, '--currency', 'EUR', '--confirm-login', 'my-shop'];
  const network = [() => takenAs('p-1')];

  test('a project file cannot choose one', async () => {
    const shops = twoShops();
    writeFileSync(join(shops, '.paycli.yaml'), 'default-profile: shop2\n');
    const ran = await paycli(argv, { home: shops });
    expect([ran.exit, ran.requests]).toEqual([3, []]);
    const named = await paycli([...argv, '--profile', 'shop2'], { home: shops, network });
    expect([named.exit, named.requests[0]?.url]).toEqual([0, expect.stringContaining('https://other.example/')]);
  });
});
