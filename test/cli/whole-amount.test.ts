import { describe, expect, test } from 'vitest';
import { paycli, reply, temporaryHome } from '../support/runtime.js';
import { homeWithProfile, statusReply, taken } from './profiles.js';

const named = ['12345', '--client-order-id', '902B4FF5'];
const sold = (more: Readonly<Record<string, string>> = {}) =>
  reply(200, statusReply('approved', { 'transaction-type': 'sale', amount: '10.42', currency: 'EUR', ...more }));
const whole = ({ requests }: { requests: readonly { url: string; body: string }[] }) =>
  requests.filter(({ url }) => /\/(?:return|capture)\//.test(url)).map(({ body }) => new URLSearchParams(body));

describe('a return without an amount', () => {
  test('in a script is refused, and nothing is sent', async () => {
    const ran = await paycli(['return', ...named], { home: homeWithProfile() });
    expect([ran.exit, ran.requests.length]).toEqual([2, 0]);
    expect(ran.err).toContain('give --amount and --currency, or --all to return what is left');
  });

  test('in a script with --all is sent without an amount', async () => {
    const ran = await paycli(['return', ...named, '--all'], {
      home: homeWithProfile(),
      network: [() => reply(200, taken)],
    });
    expect([ran.exit, whole(ran).map((body) => [body.has('amount'), body.has('currency')])]).toEqual([
      0,
      [[false, false]],
    ]);
  });

  test('on a terminal says how much is left, and is sent after a yes', async () => {
    const ran = await paycli(['return', ...named], {
      home: homeWithProfile(),
      tty: true,
      answers: [['all', 'yes']],
      network: [() => sold({ 'total-reversal-amount': '3.42' }), () => reply(200, taken)],
    });
    expect(ran.questions.map(({ message, initial }) => [message, initial])).toEqual([
      ['returns 7.00 EUR, all that is left of order 12345; go on?', 'no'],
    ]);
    expect([ran.exit, whole(ran).map((body) => body.has('amount'))]).toEqual([0, [false]]);
  });

  test('on a terminal is not sent after a no', async () => {
    const ran = await paycli(['return', ...named], {
      home: homeWithProfile(),
      tty: true,
      answers: [['all', 'no']],
      network: [() => sold()],
    });
    expect([ran.exit, whole(ran)]).toEqual([2, []]);
    expect(ran.err).toContain('nothing was sent');
  });

  test('on a terminal says so where nobody tells how much is left', async () => {
    const lost = () => ({ kind: 'lost', reason: 'the connection was reset' }) as const;
    const ran = await paycli(['return', ...named], {
      home: homeWithProfile(),
      tty: true,
      answers: [['all', 'no']],
      network: [lost, lost, lost],
    });
    expect(ran.questions.map(({ message }) => message)).toEqual([
      'returns all that is left of order 12345; how much that is, is not known here; go on?',
    ]);
  });

  test('with both --all and an amount is wrong usage', async () => {
    const part = ['--amount', '1.00', '--currency', 'EUR'];
    const ran = await paycli(['return', ...named, ...part, '--all'], { home: homeWithProfile() });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('--all and an amount cannot be combined')]);
  });

  test('with an amount asks nothing', async () => {
    const part = ['--amount', '1.00', '--currency', 'EUR'];
    const ran = await paycli(['return', ...named, ...part], {
      home: homeWithProfile(),
      tty: true,
      network: [() => reply(200, taken)],
    });
    expect([ran.exit, ran.questions]).toEqual([0, []]);
  });

  test('with its fields by hand asks nothing', async () => {
    const fields = ['orderid=12345', 'client_orderid=902B4FF5'].flatMap((field) => ['--field', field]);
    const ran = await paycli(['request', '/api/v2/return', ...fields], {
      home: homeWithProfile(),
      network: [() => reply(200, taken)],
    });
    expect(ran.exit, ran.err).toBe(0);
  });
});

describe('a capture without an amount', () => {
  test('in a script is sent as before', async () => {
    const ran = await paycli(['capture', ...named], { home: homeWithProfile(), network: [() => reply(200, taken)] });
    expect([ran.exit, whole(ran).map((body) => body.has('amount'))]).toEqual([0, [false]]);
  });

  test('on a terminal says how much is held', async () => {
    const home = temporaryHome();
    const hold = 'preauth --amount 25.00 --currency EUR --test-card approved --wait --client-order-id hold-1';
    expect((await paycli(hold.split(' '), { home })).exit).toBe(0);
    const part = 'return hold-1 --amount 5.00 --currency EUR --wait'.split(' ');
    expect((await paycli(part, { home })).exit).toBe(0);
    const ran = await paycli(['capture', 'hold-1'], { home, tty: true, answers: [['all', 'no']] });
    expect(ran.questions[0]?.message).toMatch(/^captures 20\.00 EUR, all that is left of order \d+; go on\?$/);
    expect(ran.exit).toBe(2);
  });
});
