import { describe, expect, test } from 'vitest';
import { homeWithProfile, rsaKey, taken } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';

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
  /gateway +profile shop, login my-shop, gate\.example\/?\S*, endpoint 1144\n/,
  /currency +EUR \(from \S+config\.yaml: profiles\.shop\.defaults\.currency\)/,
  /routing number +021000021 \(from \S+config\.yaml: profiles\.shop\.defaults\.routing-number\)/,
  /base-url +https:\/\/gate\.example\/prefix\S* \(from \S+config\.yaml: profiles\.shop\.base-url\)/,
];

describe('before a live payment: how much, to whom, and what did not come from the command line', () => {
  test('asked at a terminal', async () => {
    const ran = await paycli(toAccount, { home: home(), tty: true, answers: [['login', 'no']] });
    for (const part of said) expect(ran.err).toMatch(part);
    // What was typed needs no origin, and no account is shown whole.
    expect(ran.err).not.toContain('bank name +Example Bank (from');
    expect(ran.err).not.toContain('DE89370400440532013000');
    expect([ran.exit, ran.requests]).toEqual([10, []]);
    // Nothing stands in the place of the answer that looks as if Enter would take it.
    expect(ran.questions).toEqual([{ name: 'login', message: expect.stringMatching(/type the merchant login/) }]);
  });

  test('a script has the same on standard error', async () => {
    const ran = await paycli([...toAccount, '--confirm-login', 'my-shop'], {
      home: home(),
      network: [() => takenAs('p-1')],
    });
    expect(ran.exit, ran.err).toBe(0);
    for (const part of said) expect(ran.err).toMatch(part);
    const json = await paycli([...toAccount.with(3, 'p-2'), '--confirm-login', 'my-shop', '--json'], {
      home: home(),
      network: [() => takenAs('p-2')],
    });
    expect(json.err).toMatch(/paid to +account number •••• 3000/);
    expect(JSON.parse(json.out)).toMatchObject({ ok: true });
  });

  const ofOrder = (command: string, ...more: string[]) => [command, '12345', '--client-order-id', 'p-1', ...more];
  const five = ['--amount', '5.00', '--currency', 'EUR'];

  test.each([
    ['payout send', toAccount],
    ['return', ofOrder('return', ...five, '--live')],
    ['capture', ofOrder('capture', ...five, '--live')],
    ['void', ofOrder('void', '--live')],
    [
      'rebill',
      [
        ...['rebill', '--card-ref-id', '7', '--client-order-id', 'p-1', ...five, '--order-desc', 'x', '--live'],
        ...['--ip-address', '192.0.2.1'],
      ],
    ],
  ])('a script has it of %s also with --quiet, as text and as JSON', async (command, argv) => {
    for (const more of [[], ['--json']]) {
      const ran = await paycli([...argv, '--confirm-login', 'my-shop', '--quiet', ...more], {
        home: command === 'payout send' ? home() : homeWithProfile({ class: 'live' }),
        network: [() => takenAs('p-1')],
      });
      expect(ran.exit, ran.err).toBe(0);
      expect(ran.err).toMatch(new RegExp(`^LIVE ${command}: this moves real money\n  amount +.*\n`));
    }
  });

  test('a card that receives is shown by its last digits', async () => {
    const argv = [
      ...[
        'transfer',
        '--client-order-id',
        't-1',
        '--amount',
        '1',
        '--currency',
        'EUR',
        '--deposit2card',
        'true',
        '--live',
      ],
      ...['--ip-address', '192.0.2.1', '--input', '-', '--confirm-login', 'my-shop'],
    ];
    const shop = home();
    const ran = await paycli([...argv, '--private-key-file', rsaKey(shop)], {
      home: shop,
      stdin: JSON.stringify({ 'destination-card-no': '4111111111111111' }),
      network: [() => takenAs('t-1')],
    });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toMatch(/paid to +destination card number •••• 1111\n/);
    expect(ran.err).toMatch(/destination card number +•••• 1111 \(from input\)/);
    expect(ran.err + ran.out).not.toContain('4111111111111111');
  });
});

describe('a page on which a payout is taken is guarded as a payout', () => {
  const form = ['form', 'payout', '--client-order-id', 'f-1', '--amount', '250.00', '--currency', 'EUR', '--live'];

  test('the login has to be typed, or --confirm-login', async () => {
    const scripted = await paycli(form, { home: home() });
    expect([scripted.exit, scripted.err]).toEqual([10, expect.stringContaining('--confirm-login')]);
    const typed = await paycli(form, { home: home(), tty: true, answers: [['login', 'no']] });
    expect([typed.exit, typed.requests]).toEqual([10, []]);
    expect(typed.err).toContain('LIVE form payout: this moves real money');
  });

  test('it counts against the caps of the profile, that of the day as well', async () => {
    const capped = homeWithProfile({ more: ['max-amount: 300 EUR', 'max-total-per-day: 400 EUR'] });
    const argv = form.filter((word) => word !== '--live');
    const opened = () =>
      reply(200, { ...taken, 'merchant-order-id': 'f-1', 'redirect-url': 'https://gate.example/form/1' });
    const first = await paycli(argv, { home: capped, network: [opened] });
    expect(first.exit, first.err).toBe(0);
    const second = await paycli(argv.with(3, 'f-2'), { home: capped });
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(second.err).toContain('max-total-per-day');
    const large = await paycli(argv.with(3, 'f-3').with(5, '300.01'), { home: capped });
    expect([large.exit, large.requests]).toEqual([10, []]);
  });
});

describe('doctor --online sends signed questions, so a live profile needs --live', () => {
  test('without it nothing is sent', async () => {
    const ran = await paycli(['doctor', '--online'], { home: home() });
    expect([ran.exit, ran.requests]).toEqual([10, []]);
    expect(ran.err).toContain('add --live');
  });

  test('with it the questions are asked; offline it needs none', async () => {
    const refused = () =>
      reply(400, { type: 'validation-error', 'error-message': 'INVALID_CONTROL_CODE', 'error-code': '1' });
    const ran = await paycli(['doctor', '--online', '--live', '--json'], {
      home: home(),
      network: [refused, refused, refused],
    });
    expect(ran.requests.length).toBe(3);
    expect((await paycli(['doctor'], { home: home() })).exit).not.toBe(10);
  });

  test('and no other profile takes it', async () => {
    const ran = await paycli(['doctor', '--online', '--live'], { home: homeWithProfile() });
    expect([ran.exit, ran.requests]).toEqual([10, []]);
  });
});
