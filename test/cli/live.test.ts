import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ctrlC, paycli, reply } from '../support/runtime.js';
import { homeWithProfile, rsaKey, saleFlags, statusReply, taken } from './profiles.js';

const ask = ['status', '12345', '--client-order-id', '902B4FF5'];
const named = ['return', '12345', '--client-order-id', '902B4FF5'];
const refund = [...named, '--all'];
const transfer =
  'transfer --client-order-id 1 --amount 1 --currency EUR --deposit2card true --ip-address 192.0.2.1 --destination-recurring-id 5'.split(
    ' ',
  );
const live = () => homeWithProfile({ class: 'live' });

describe('a live profile', () => {
  test('is refused without --live on that command line', async () => {
    const ran = await paycli(ask, { home: live() });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('add --live')]);
  });

  test('reads with --live alone', async () => {
    const ran = await paycli([...ask, '--live'], {
      home: live(),
      network: [() => reply(200, statusReply('approved'))],
    });
    expect(ran.exit, ran.err).toBe(0);
  });

  test('moves money only with the login typed, or --confirm-login', async () => {
    const scripted = await paycli([...refund, '--live'], { home: live() });
    expect([scripted.exit, scripted.err]).toEqual([10, expect.stringContaining('--confirm-login')]);
    const wrong = await paycli([...refund, '--live', '--confirm-login', 'other'], { home: live() });
    expect(wrong.exit).toBe(10);
    const right = await paycli([...refund, '--live', '--confirm-login', 'my-shop'], {
      home: live(),
      network: [() => reply(200, taken)],
    });
    expect(right.exit, right.err).toBe(0);
    const typed = await paycli([...named, '--amount', '5.00', '--currency', 'EUR', '--live'], {
      tty: true,
      home: live(),
      answers: [['login', 'my-shop']],
      network: [() => reply(200, taken)],
    });
    expect(typed.exit, typed.err).toBe(0);
    expect(typed.questions[0]?.message).toContain('5.00 EUR (500 in minor units)');
    const mistyped = await paycli([...refund, '--live'], {
      tty: true,
      home: live(),
      answers: [['login', ctrlC]],
    });
    // A wrong one is asked for again.
    expect(mistyped.questions[0]?.check?.('my-shpo')).toMatch(/not the login of profile/);
    expect([mistyped.exit, mistyped.requests]).toEqual([130, []]);
  });

  test('shows the last digits of the card that a sale charges, wherever they come from', async () => {
    const home = live();
    const card = JSON.stringify({
      ...{ credit_card_number: '4444333322221111', card_printed_name: 'JANE DOE' },
      ...{ expire_month: '12', expire_year: '2034', cvv2: '123' },
    });
    writeFileSync(join(home, 'card'), card, { mode: 0o600 });
    const at = saleFlags.indexOf('--card-number');
    const rest = [...saleFlags.slice(0, at), ...saleFlags.slice(saleFlags.indexOf('--order-desc'))];
    const ran = await paycli([...rest, '--input', join(home, 'card'), '--live'], {
      tty: true,
      home,
      answers: [['login', ctrlC]],
      network: [],
    });
    expect([ran.exit, ran.requests.length], ran.err).toEqual([130, 0]);
    expect(ran.err).toMatch(/card +•••• 1111\n/);
    expect(ran.err).not.toContain('4444333322221111');
  });

  test('leaves nothing in the journal where the login is not typed: the request may be corrected', async () => {
    const home = live();
    await paycli([...refund, '--live'], { tty: true, home, answers: [['login', ctrlC]] });
    expect((await paycli(['journal', '--json'], { home })).out).toContain('"entries": []');
  });

  test('the same command again needs no login where it only asks, and never takes a wrong one', async () => {
    const home = live();
    const network = [() => reply(200, taken)];
    await paycli([...refund, '--live', '--confirm-login', 'my-shop'], { home, network });
    const returned = statusReply('approved', {
      'transaction-type': 'reversal',
      'total-reversal-amount': '5.00',
      'initial-amount': '5.00',
      currency: 'EUR',
    });
    const again = await paycli([...refund, '--live'], { home, network: [() => reply(200, returned)] });
    expect(again.exit, again.err).toBe(0);
    expect(again.err).toContain('nothing is sent again');
    const wrong = await paycli([...refund, '--live', '--confirm-login', 'other'], { home });
    expect([wrong.exit, wrong.err]).toEqual([10, expect.stringContaining('not the login of profile shop')]);
  });

  test.each([
    { argv: ['order', '12345'] },
    { argv: ['order', '--can', 'return', '12345'] },
    { argv: ['resolve', '12345'] },
  ])('is not even asked by $argv without --live', async ({ argv }) => {
    const home = live();
    const lost = () => ({ kind: 'lost', reason: 'reset' }) as const;
    await paycli([...refund, '--live', '--confirm-login', 'my-shop'], { home, network: [lost] });
    const ran = await paycli(argv, { home });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('add --live')]);
    const status = () => reply(200, statusReply('approved', { 'transaction-type': 'sale' }));
    const asked = await paycli([...argv, '--live'], { home, network: [status] });
    expect(asked.requests, asked.err).toHaveLength(1);
  });

  test('refuses card data on the command line, under any spelling, and never repeats it', async () => {
    for (const flags of [
      ['--card-number', '4444333322221111'],
      ['--cvv=987'],
      ['--field', 'credit_card_number=4444333322221111'],
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
    const id = await paycli(
      ['payout', '--amount', '1', '--currency', 'EUR', '--wallet-type', 'x', '--wallet-id', 'y', '--live'],
      {
        home: live(),
      },
    );
    expect([id.exit, id.err]).toEqual([2, expect.stringContaining('--client-order-id')]);
  });

  test('sends payout pay only once the profile accepts the assumption', async () => {
    const pay = ['payout', 'pay', '12345', '--client-order-id', '902B4FF5', '--live', '--confirm-login', 'my-shop'];
    const ran = await paycli(pay, { home: live() });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('payout-pay: accepted')]);
  });

  test('that cannot ask for an outcome moves no money, whatever is said', async () => {
    const home = homeWithProfile({ class: 'live', withoutControlKey: true, asksFirst: true });
    const ran = await paycli(
      'payout check --client-order-id 1 --amount 1 --currency EUR --wallet-type x --wallet-id y --live'.split(' '),
      { home },
    );
    expect(ran.exit).toBe(3);
    const moved = await paycli([...transfer, '--live', '--confirm-login', 'my-shop'], { home });
    expect([moved.exit, moved.err]).toEqual([3, expect.stringContaining('no control key')]);
  });
});

describe('a profile that is not live', () => {
  test('refuses --live', async () => {
    const ran = await paycli([...ask, '--live'], { home: homeWithProfile() });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('is of class test')]);
  });

  test('without a control key says so before money moves, unless ask-first is off', async () => {
    const ran = await paycli(transfer, { home: homeWithProfile({ withoutControlKey: true }) });
    expect(ran.exit).toBe(3);
    const home = homeWithProfile({ withoutControlKey: true });
    const sent = await paycli([...transfer, '--private-key-file', rsaKey(home)], {
      home,
      network: [() => reply(200, { ...taken, 'merchant-order-id': '1' })],
    });
    expect(sent.exit, sent.err).toBe(0);
  });
});
