import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery, HttpRequest } from '../../src/runtime/ports.js';
import { homeWithProfile } from '../cli/profiles.js';
import { ctrlC, paycli, reply, type TestOptions } from '../support/runtime.js';
import { payoutFile, payoutLine, planned } from './files.js';

const idIn = ({ body }: HttpRequest): string => new URLSearchParams(body).get('client_orderid') ?? '';
const nothingThere = (): Delivery => reply(400, { type: 'error', 'error-message': 'No such order', 'error-code': '1' });
const taken = (request: HttpRequest): Delivery =>
  reply(200, {
    type: 'async-response',
    'serial-number': 's',
    'merchant-order-id': idIn(request),
    'paynet-order-id': '77',
  });
const approved = (request: HttpRequest): Delivery =>
  reply(200, {
    ...{ type: 'status-response', 'serial-number': 's', 'merchant-order-id': idIn(request), 'paynet-order-id': '77' },
    ...{ status: 'approved', 'transaction-type': 'payout', amount: '10.00', currency: 'EUR' },
  });

/** A live plan of one payout of 10.00 EUR, or of that and one of 11.00 EUR. */
async function livePlan(
  more: readonly string[] = ['approval-above: 1000.00 EUR'],
  className: 'live' | 'test' = 'live',
  rows: 1 | 2 = 1,
) {
  const home = homeWithProfile({ class: className, more, asksFirst: true });
  writeFileSync(
    join(home, 'rows.csv'),
    payoutFile(payoutLine('live-1', '10.00'), ...(rows === 2 ? [payoutLine('live-2', '11.00')] : [])),
  );
  const total = rows === 2 ? 'EUR=21.00' : 'EUR=10.00';
  const { plan: id } = await planned(home, ['--expect-count', String(rows), '--expect-total', total]);
  const run = (words: readonly string[], options: TestOptions = {}) =>
    paycli(['batch', 'run', id, '--rate', '1000/s', ...words], { home, ...options });
  return { home, id, run };
}

const whole = [nothingThere, nothingThere, taken, approved];

describe('a live batch', () => {
  test('without --live nothing is asked and nothing is sent', async () => {
    const { run } = await livePlan();
    const ran = await run([]);
    expect(ran.exit).toBe(10);
    expect(ran.requests).toEqual([]);
  });

  test('without a terminal it takes --confirm-login, and the right one', async () => {
    const { run } = await livePlan();
    const silent = await run(['--live']);
    expect(silent.exit).toBe(10);
    expect(silent.err).toContain('--confirm-login');
    expect((await run(['--live', '--confirm-login', 'other'])).exit).toBe(10);
    const ran = await run(['--live', '--confirm-login', 'my-shop', '--quiet'], { network: whole });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toMatch(/^LIVE batch of 1 row, each a payout send: this moves real money\n +total +10\.00 EUR/);
  });

  test('on a terminal the total is repeated in words and the login typed once', async () => {
    const { run } = await livePlan();
    const ran = await run(['--live'], { tty: true, answers: [['login', 'my-shop']], network: whole });
    expect(ran.exit, ran.err).toBe(0);
    expect(ran.err).toContain('10.00 EUR (1000 in minor units)');
    expect(ran.questions).toHaveLength(1);
  });

  test('that is finished asks nothing, announces no payment and says that nothing is sent', async () => {
    const { run, home, id } = await livePlan();
    expect((await run(['--live', '--confirm-login', 'my-shop'], { network: whole })).exit).toBe(0);
    const tty = await run(['--live'], { tty: true });
    for (const ran of [tty, await run(['--live'])]) {
      expect([ran.exit, ran.requests], ran.err).toEqual([0, []]);
      expect(ran.err).toMatch(new RegExp(`batch ${id} is finished: 1 row with a final outcome; nothing is sent`));
      expect(ran.err).not.toMatch(/LIVE|real money/);
      expect(ran.out).toMatch(/1 row = 1 done/);
    }
    expect(tty.questions).toEqual([]);
    const resumed = await paycli(['batch', 'run', id, '--live', '--json'], { home });
    expect([resumed.exit, JSON.parse(resumed.out)], resumed.err).toEqual([0, expect.objectContaining({ ok: true })]);
  });

  test('of which a part was sent says what is left', async () => {
    const { run, home, id } = await livePlan(['approval-above: 1000.00 EUR'], 'live', 2);
    const first = await run(['--live', '--confirm-login', 'my-shop', '--max-rows', '1'], {
      network: [nothingThere, nothingThere, nothingThere, taken, approved],
    });
    expect(first.exit, first.err).toBe(12);
    const asked = await paycli(['batch', 'run', id, '--live'], { home, tty: true, answers: [['login', ctrlC]] });
    expect(asked.exit).toBe(130);
    expect(asked.err).toMatch(/LIVE batch of 1 row,.*\n +total +11\.00 EUR.*\n +rows +the 1 left of 2$/m);
    expect(asked.questions).toEqual([
      expect.objectContaining({ message: expect.stringContaining('LIVE batch of 11.00 EUR') }),
    ]);
  });
});

test('a cap that the plan does not match into any more refuses it before anything is sent', async () => {
  const { home, run } = await livePlan(['max-total-per-day: 15.00 EUR'], 'test');
  const payout = ['payout', '--client-order-id', 'single', '--amount', '6.00', '--currency', 'EUR'];
  const sent = await paycli([...payout, '--account-number', 'DE1', '--bank-name', 'B', '--bank-branch', 'M'], {
    home,
    network: [nothingThere, taken],
  });
  expect(sent.exit, sent.err).toBe(0);
  const ran = await run([]);
  expect(ran.exit).toBe(10);
  expect(ran.err).toContain('max-total-per-day');
  expect(ran.err).toContain('restarts at 2030-01-08T00:00:00.000Z');
  expect(ran.requests).toEqual([]);
});

test('a plan made for another profile is refused', async () => {
  const { run } = await livePlan([], 'test');
  const ran = await run(['--profile', 'sandbox']);
  expect(ran.exit).toBe(10);
  expect(ran.err).toContain('--profile shop');
});
