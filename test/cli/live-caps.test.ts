import { describe, expect, test } from 'vitest';
import type { Runtime } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { at, eur, refund, sent, takenFor } from './live-at.js';
import { homeWithProfile, rsaKey, saleFlags, soldStatus, statusReply, taken } from './profiles.js';

const caps = ['max-amount: 500.00 EUR', 'max-total-per-day: [1000.00 EUR]'];
const home = (more: readonly string[] = caps) => homeWithProfile({ more });
const live = (more: readonly string[] = caps) => homeWithProfile({ class: 'live', more });

describe('max-amount', () => {
  test('lets its own amount through, and not one minor unit more', async () => {
    const over = await paycli(refund('1', eur('500.01')), { home: home() });
    expect([over.exit, over.out]).toEqual([10, '']);
    expect(over.err).toContain('max-amount is 500.00 EUR, and this request is for 500.01 EUR');
    expect(over.err).toContain('nothing was sent');
    expect((await sent(home(), refund('1', eur('500.00')))).exit).toBe(0);
  });

  test('leaves nothing in the journal, so that the amount may be corrected under the same order id', async () => {
    const base = home(['max-amount: [9.00 USD]']);
    expect((await paycli(saleFlags, { home: base })).exit).toBe(10);
    expect((await paycli(['journal', '--json'], { home: base })).out).toContain('"entries": []');
    const less = saleFlags.map((word) => (word === '10.42' ? '9.00' : word));
    expect((await paycli(less, { home: base, network: [() => reply(200, taken)] })).exit).toBe(0);
  });

  test('refuses a currency it does not name, and names it', async () => {
    const ran = await paycli(refund('1', ['--amount', '1.00', '--currency', 'USD']), { home: home() });
    expect([ran.exit, ran.err]).toEqual([
      10,
      expect.stringContaining('max-amount covers only EUR, and this request is in USD'),
    ]);
  });

  test('holds a hosted form by its amount as well', async () => {
    const form = [
      'form',
      'sale',
      '--client-order-id',
      'f',
      ...eur('500.01'),
      ...saleFlags.slice(saleFlags.indexOf('--order-desc')),
    ];
    const ran = await paycli(form, { home: home() });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('max-amount is 500.00 EUR')]);
  });

  test('takes the largest amount a request names', async () => {
    const rebill = [
      'rebill',
      '--client-order-id',
      'r',
      '--card-ref-id',
      '5',
      ...eur('10.00'),
      '--enumerate-amounts',
      '10.00,600.00',
    ];
    const ran = await paycli([...rebill, '--order-desc', 'x', '--ip-address', '192.0.2.1'], { home: home() });
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('this request is for 600.00 EUR')]);
  });

  test('counts by ISO 4217 whatever minor unit is assumed', async () => {
    const jpy = (amount: string) => refund('1', ['--amount', amount, '--currency', 'JPY']);
    const base = home(['max-amount: 1000 JPY', 'assume: { minor-digits: hundredths }']);
    const over = await paycli(jpy('1000.01'), { home: base });
    expect([over.exit, over.err]).toEqual([
      10,
      expect.stringContaining('max-amount is 1000 JPY, and this request is for 1000.01 JPY'),
    ]);
    expect((await sent(base, jpy('1000.00'))).exit).toBe(0);
  });

  test('does not stand in the way of a read, a void or a dry run', async () => {
    const base = home();
    expect((await sent(base, ['void', '1', '--client-order-id', 'own-1'])).exit).toBe(0);
    const status = ['status', '12345', '--client-order-id', '902B4FF5'];
    expect((await paycli(status, { home: base, network: [() => reply(200, statusReply('approved'))] })).exit).toBe(0);
    expect((await paycli([...refund('1', eur('9999.00')), '--dry-run'], { home: base })).exit).toBe(0);
  });
});

describe('max-total-per-day', () => {
  test('counts what was sent today, and says how much is left and when it starts anew', async () => {
    const base = home();
    for (const order of ['1', '2']) expect((await sent(base, refund(order, eur('400.00')))).exit).toBe(0);
    const over = await paycli(refund('3', eur('200.01')), { home: base });
    expect(over.exit).toBe(10);
    expect(over.err).toContain(
      'max-total-per-day is 1000.00 EUR, 800.00 EUR of it has been sent since 00:00 UTC, and this request is for 200.01 EUR',
    );
    expect(over.err).toContain('at most 200.00 EUR more today, and the count restarts at 2030-01-08T00:00:00.000Z');
    expect((await sent(base, refund('3', eur('200.00')))).exit).toBe(0);
    expect((await paycli(refund('4', eur('0.01')), { home: base })).err).toContain('nothing more today');
  });

  test('starts anew at 00:00 UTC', async () => {
    const base = home(['max-total-per-day: 1000.00 EUR']);
    expect((await sent(base, refund('1', eur('1000.00')))).exit).toBe(0);
    expect((await paycli(refund('2', eur('1.00')), { home: base, outside: at(12 * 60 - 1) })).exit).toBe(10);
    expect((await sent(base, refund('2', eur('1.00')), { outside: at(12 * 60) })).exit).toBe(0);
  });

  test('leaves out what was refused or not sent', async () => {
    const base = home(['max-total-per-day: 1000.00 EUR']);
    const refusal = reply(400, {
      type: 'validation-error',
      'serial-number': '1',
      'error-message': 'no',
      'error-code': '1',
    });
    expect((await paycli(refund('1', eur('900.00')), { home: base, network: [() => refusal] })).exit).toBe(4);
    const never = () => ({ kind: 'never-sent', reason: 'refused' }) as const;
    expect((await paycli(refund('2', eur('900.00')), { home: base, network: [never, never, never] })).exit).toBe(6);
    expect((await sent(base, refund('3', eur('1000.00')))).exit).toBe(0);
  });

  test('counts a lost reply, and never refuses the same command again, which only asks', async () => {
    const base = home(['max-total-per-day: 1000.00 EUR']);
    const lost = () => ({ kind: 'lost', reason: 'reset' }) as const;
    expect((await paycli(refund('1', eur('900.00')), { home: base, network: [lost] })).exit).toBe(8);
    expect((await paycli(refund('2', eur('100.01')), { home: base })).exit).toBe(10);
    const again = await paycli(refund('1', eur('900.00')), { home: base, network: [lost, lost, lost] });
    expect(again.exit).toBe(8);
    expect(again.err).toContain('nothing is sent again');
  });

  test('counts an approved resend once', async () => {
    const base = home(['max-total-per-day: 10.42 USD']);
    const lost = () => ({ kind: 'lost', reason: 'reset' }) as const;
    const noOrder = () =>
      reply(400, { type: 'error', 'serial-number': '9', 'error-message': 'order not found', 'error-code': '6' });
    expect((await paycli(saleFlags, { home: base, network: [lost] })).exit).toBe(8);
    for (const minutes of [0, 31, 62])
      await paycli(['resolve', '902B4FF5'], { home: base, network: [noOrder], outside: at(minutes) });
    const approved = await paycli(['resolve', '902B4FF5', '--resend', '--confirm-resend', '902B4FF5'], {
      home: base,
      network: [noOrder],
      outside: at(63),
    });
    expect(approved.exit, approved.err).toBe(0);
    const again = await paycli(saleFlags, { home: base, network: [() => reply(200, taken)], outside: at(64) });
    expect(again.exit, again.err).toBe(0);
  });

  test('a second process that begins while the first one is being confirmed uses up the day', async () => {
    const base = live(['max-total-per-day: 1000.00 EUR']);
    const second = () => sent(base, [...refund('2', eur('600.00')), '--live', '--confirm-login', 'my-shop']);
    const meanwhile = (usual: Runtime): Runtime => ({
      ...usual,
      prompter: async () => ({
        ask: async () => {
          expect((await second()).exit).toBe(0);
          return 'my-shop';
        },
      }),
    });
    const ran = await paycli([...refund('1', eur('600.00')), '--live'], { home: base, tty: true, outside: meanwhile });
    expect([ran.exit, ran.requests.length]).toEqual([10, 0]);
    expect(ran.err).toContain('600.00 EUR of it has been sent since 00:00 UTC');
    const list = await paycli(['journal', '--json'], { home: base });
    expect(JSON.parse(list.out).entries.map(({ state }: { state: string }) => state)).toEqual(['accepted']);
  });

  test('refuses before the login is asked for', async () => {
    const ran = await paycli([...refund('1', eur('1000.01')), '--live'], {
      home: live(['max-total-per-day: 1000.00 EUR']),
      tty: true,
    });
    expect([ran.exit, ran.questions]).toEqual([10, []]);
  });
});

describe('a request without an amount', () => {
  const usd = ['max-amount: 20.00 USD', 'max-total-per-day: 25.00 USD'];
  const whole = ['return', '12345', '--client-order-id', '902B4FF5', '--all'];

  test('counts with the amount of its order when the journal knows it', async () => {
    const base = home(usd);
    const sold = [taken, soldStatus].map((fields) => () => reply(200, fields));
    await paycli([...saleFlags, '--wait'], { home: base, network: sold });
    expect((await sent(base, whole)).exit).toBe(0);
    const next = await paycli(
      saleFlags.map((word) => (word === '902B4FF5' ? 'other' : word === '10.42' ? '4.17' : word)),
      { home: base },
    );
    // 10.42 for the sale and 10.42 for its return are 20.84.
    expect([next.exit, next.err]).toEqual([10, expect.stringContaining('20.84 USD of it has been sent')]);
  });

  const unknown = () => reply(400, { type: 'validation-error', 'error-message': 'order not found', 'error-code': '3' });
  const status = (type: string, more: Readonly<Record<string, string>>) => () =>
    reply(200, statusReply('approved', { 'transaction-type': type, currency: 'USD', ...more }));

  test('counts with the amount of its order that the gateway gives where the journal does not know it', async () => {
    const base = home(usd);
    const ran = await paycli(whole, {
      home: base,
      network: [status('sale', { amount: '15.00' }), () => reply(200, taken)],
    });
    expect(ran.exit, ran.err).toBe(0);
    // Of 25.00 a day.
    const next = await paycli(saleFlags.with(2, 'other'), { home: base });
    expect([next.exit, next.err]).toEqual([10, expect.stringContaining('15.00 USD of it has been sent')]);
  });

  test('is refused where that amount is above the limit, whatever of it was returned, or is not shown', async () => {
    const above = { amount: '5.00', 'initial-amount': '30.00', 'total-reversal-amount': '25.00' };
    const ran = await paycli(whole, { home: home(usd), network: [status('reversal', above)] });
    expect([ran.exit, ran.requests.length, ran.err]).toEqual([10, 1, expect.stringContaining('30.00 USD')]);
    const part = await paycli(whole, { home: home(usd), network: [status('reversal', { amount: '5.00' })] });
    expect([part.exit, part.err]).toEqual([10, expect.stringContaining('the amount of this return is not known here')]);
  });

  test('is refused when neither the journal nor the gateway knows the order, with the way out', async () => {
    const ran = await paycli(whole, { home: home(usd), network: [unknown] });
    expect(ran.exit).toBe(10);
    expect(ran.err).toContain('the amount of this return is not known here');
    expect(ran.err).toContain('max-amount 20.00 USD and max-total-per-day 25.00 USD');
    expect(ran.err).toContain('give the amount with --amount and --currency');
  });

  test('is taken by the id of the gateway alone: an order with that client id says nothing', async () => {
    const base = home(usd);
    const sale = saleFlags.map((word) => (word === '902B4FF5' ? '999' : word));
    expect(
      (await paycli(sale, { home: base, network: [() => reply(200, { ...taken, 'merchant-order-id': '999' })] })).exit,
    ).toBe(0);
    const other = ['return', '--order-id', '999', '--client-order-id', 'other', '--all'];
    expect((await paycli(other, { home: base, network: [unknown] })).exit).toBe(10);
  });

  test('pays out what was checked from here, and nothing else', async () => {
    const base = home(['max-total-per-day: 50.00 EUR']);
    const key = ['--private-key-file', rsaKey(base)];
    const check = [
      'payout',
      'check',
      '--client-order-id',
      'p-1',
      ...eur('50.00'),
      '--wallet-type',
      'x',
      '--wallet-id',
      'y',
      ...key,
    ];
    expect((await sent(base, check)).exit).toBe(0);
    const pay = (order: string, id = 'p-1') => ['payout', 'pay', order, '--client-order-id', id, ...key];
    const strange = await paycli(pay('778', 'p-2'), { home: base });
    expect([strange.exit, strange.err]).toEqual([
      10,
      expect.stringContaining('only if its payout check was made from this journal'),
    ]);
    const mixed = await paycli(pay('778'), { home: base });
    expect([mixed.exit, mixed.err]).toEqual([2, expect.stringContaining('belong to different orders')]);
    const paid = await paycli(pay('777'), {
      home: base,
      network: [() => takenFor(['', '777', '--client-order-id', 'p-1'])],
    });
    expect(paid.exit, paid.err).toBe(0);
    expect((await paycli(refund('1', eur('0.01')), { home: base })).err).toContain('50.00 EUR of it has been sent');
  });

  test('to a path nobody knows is refused, and goes with an amount among its fields', async () => {
    const base = home(usd);
    const request = ['request', '/api/v9/new', '--scheme', 'hmac-sha1', '--field', 'client_orderid=own-1'];
    const ran = await paycli(request, { home: base });
    expect([ran.exit, ran.err]).toEqual([
      10,
      expect.stringContaining('give the amount with --field amount=… and --field currency=…'),
    ]);
    const named = [...request, '--field', 'amount=20.01', '--field', 'currency=USD'];
    expect((await paycli(named, { home: base })).err).toContain(
      'max-amount is 20.00 USD, and this request is for 20.01 USD',
    );
    const good = named.map((word) => word.replace('20.01', '20.00'));
    const ok = await paycli(good, { home: base, network: [() => takenFor(['', '', '--client-order-id', 'own-1'])] });
    expect(ok.exit, ok.err).toBe(0);
  });
});
