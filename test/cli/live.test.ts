import { describe, expect, test } from 'vitest';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, statusReply, taken } from './profiles.js';

const ask = ['status', '12345', '--client-order-id', '902B4FF5'];
const refund = ['return', '12345', '--client-order-id', '902B4FF5'];
const transfer = [
  'transfer',
  '--client-order-id',
  '1',
  '--amount',
  '1',
  '--currency',
  'EUR',
  '--deposit2card',
  'true',
  '--ip-address',
  '192.0.2.1',
  '--destination-recurring-id',
  '5',
];
const live = () => homeWithProfile({ class: 'live' });

describe('a live profile', () => {
  test('is refused without --live on that command line', async () => {
    const ran = await paycli(ask, { home: live() });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('add --live')]);
  });

  test('reads with --live alone', async () => {
    const ran = await paycli([...ask, '--live'], { home: live(), network: [() => reply(200, statusReply('approved'))] });
    expect(ran.exit, ran.err).toBe(0);
  });

  test('moves money only with the login typed, or --confirm-login', async () => {
    const scripted = await paycli([...refund, '--live'], { home: live() });
    expect([scripted.exit, scripted.err]).toEqual([10, expect.stringContaining('--confirm-login')]);
    const wrong = await paycli([...refund, '--live', '--confirm-login', 'other'], { home: live() });
    expect(wrong.exit).toBe(10);
    const right = await paycli([...refund, '--live', '--confirm-login', 'my-shop'], { home: live(), network: [() => reply(200, taken)] });
    expect(right.exit, right.err).toBe(0);
    const typed = await paycli([...refund, '--amount', '5.00', '--currency', 'EUR', '--live'], {
      tty: true,
      home: live(),
      answers: [['login', 'my-shop']],
      network: [() => reply(200, taken)],
    });
    expect(typed.exit, typed.err).toBe(0);
    expect(typed.questions[0]?.message).toContain('5.00 EUR (500 in minor units)');
    const mistyped = await paycli([...refund, '--live'], { tty: true, home: live(), answers: [['login', 'my-shpo']] });
    expect(mistyped.exit).toBe(10);
  });

  test('refuses card data on the command line, under any spelling, and never repeats it', async () => {
    for (const flags of [
      ['--card-number', '4444333322221111'],
      ['--cvv=987'],
      ['--credit_card_number=4444333322221111'],
      ['--field', 'cvv2=987'],
    ]) {
      const ran = await paycli(['sale', ...flags, '--live'], { home: live() });
      expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('card data on the command line')]);
      expect(ran.err).not.toMatch(/4444333322221111|987/);
    }
  });

  test('refuses test cards and made-up order ids in scripts', async () => {
    const card = await paycli(['sale', '--test-card', 'approved', '--live'], { home: live() });
    expect(card.exit).toBe(2);
    const id = await paycli(['payout', '--amount', '1', '--currency', 'EUR', '--wallet-type', 'x', '--wallet-id', 'y', '--live'], {
      home: live(),
    });
    expect([id.exit, id.err]).toEqual([2, expect.stringContaining('--client-order-id')]);
  });

  test('sends payout pay only once the profile accepts the assumption', async () => {
    const pay = ['payout', 'pay', '12345', '--client-order-id', '902B4FF5', '--live', '--confirm-login', 'my-shop'];
    const ran = await paycli(pay, { home: live() });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('payout-pay: accepted')]);
  });

  test('that cannot ask for an outcome moves no money, whatever is said', async () => {
    const home = homeWithProfile({ class: 'live', withoutControlKey: true });
    const ran = await paycli(
      [
        'payout',
        'check',
        '--client-order-id',
        '1',
        '--amount',
        '1',
        '--currency',
        'EUR',
        '--wallet-type',
        'x',
        '--wallet-id',
        'y',
        '--live',
      ],
      { home },
    );
    expect(ran.exit).toBe(3);
    const moved = await paycli([...transfer, '--live', '--confirm-login', 'my-shop', '--no-status'], { home });
    expect([moved.exit, moved.err]).toEqual([3, expect.stringContaining('no control key')]);
  });
});

describe('a profile that is not live', () => {
  test('refuses --live', async () => {
    const ran = await paycli([...ask, '--live'], { home: homeWithProfile() });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('is of class test')]);
  });

  test('without a control key says so before money moves, unless --no-status', async () => {
    const ran = await paycli(transfer, { home: homeWithProfile({ withoutControlKey: true }) });
    expect(ran.exit).toBe(3);
    const { opensslKey } = await import('./profiles.js');
    const home = homeWithProfile({ withoutControlKey: true });
    const sent = await paycli([...transfer, '--no-status', '--private-key-file', opensslKey(home)], {
      home,
      network: [() => reply(200, { ...taken, 'merchant-order-id': '1' })],
    });
    expect(sent.exit, sent.err).toBe(0);
  });
});
