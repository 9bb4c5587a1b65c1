import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { approvedReply, homeWithProfile, saleFlags, taken } from './profiles.js';

const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const run = (home: string, argv: readonly string[], replies: readonly Delivery[] = []) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const sold = approvedReply('sale', { amount: '10.42' });
const returned = (total: string) => approvedReply('reversal', { amount: '5.00', 'total-reversal-amount': total });

async function sale(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, [...saleFlags, '--wait'], [reply(200, taken), sold])).exit).toBe(0);
  return home;
}

/** A return of 3.00 USD from here, after which the gateway shows this total. */
function returnThree(home: string, total: string) {
  const own = { amount: '3.00', 'total-reversal-amount': total, 'by-request-sn': taken['serial-number'] };
  const argv = ['return', '902B4FF5', '--amount', '3.00', '--wait'];
  return run(home, argv, [reply(200, taken), approvedReply('reversal', own)]);
}

describe('what another machine returned', () => {
  test('has a line of its own in order, and counts in what is left', async () => {
    const home = await sale();
    const shown = await run(home, ['order', '902B4FF5'], [returned('5.00')]);
    expect(shown.out).toMatch(/^ {2}amounts +10\.42 USD, captured 10\.42, returned 5\.00, refundable 5\.42$/m);
    expect(shown.out).toMatch(/^ {2}elsewhere +returned 5\.00: shown by the gateway, not in this journal$/m);
    const json = await run(home, ['order', '902B4FF5', '--json'], [returned('5.00')]);
    expect(JSON.parse(json.out).amounts).toMatchObject({ returned: '5.00', returnedElsewhere: '5.00', left: '5.42' });
  });

  test('is what own requests do not explain', async () => {
    const home = await sale();
    await returnThree(home, '3.00');
    const own = await run(home, ['order', '902B4FF5'], [returned('3.00')]);
    expect(own.out).not.toContain('elsewhere');
    const both = await run(home, ['order', '902B4FF5', '--json'], [returned('5.00')]);
    expect(JSON.parse(both.out).amounts).toMatchObject({ returned: '5.00', returnedElsewhere: '2.00' });
  });

  test('is no part of a return of all that was left', async () => {
    const home = await sale();
    const own = { amount: '5.42', 'total-reversal-amount': '10.42', 'by-request-sn': taken['serial-number'] };
    const all = ['return', '902B4FF5', '--all', '--wait', '--json'];
    const ran = await run(home, all, [reply(200, taken), approvedReply('reversal', own)]);
    expect(ran.exit, ran.err).toBe(0);
    expect(JSON.parse(ran.out).wholeAmount).toEqual({ minor: '542', digits: 2, currency: 'USD', text: '5.42' });
    const [listed] = JSON.parse((await run(home, ['orders', '--json'])).out).orders;
    expect(listed).toMatchObject({ returned: '10.42', returnedElsewhere: '5.00', left: '0.00' });
    const shown = JSON.parse((await run(home, ['order', '902B4FF5', '--json'], [approvedReply('reversal', own)])).out);
    expect(shown.amounts).toMatchObject({ returned: '10.42', returnedElsewhere: '5.00', left: '0.00' });
    expect((await run(home, ['journal'])).out).toContain('all (5.42 USD)');
  });

  test('a lost return is not counted twice', async () => {
    const home = await sale();
    await run(home, ['return', '902B4FF5', '--amount', '5.00'], [lost]);
    const shown = await run(home, ['order', '902B4FF5', '--json'], [returned('8.00')]);
    expect(JSON.parse(shown.out).amounts).toMatchObject({
      returned: '8.00',
      returnedElsewhere: '3.00',
      pending: '5.00',
    });
  });
});

describe('the rest of a partly captured hold', () => {
  const preauth = ['preauth', ...saleFlags.slice(1)];
  async function captured(assume: readonly string[]): Promise<string> {
    const home = homeWithProfile({ more: assume });
    await run(home, [...preauth, '--wait'], [reply(200, taken), approvedReply('preauth', { amount: '10.42' })]);
    const part = { amount: '6.00', 'by-request-sn': taken['serial-number'] };
    await run(
      home,
      ['capture', '902B4FF5', '--amount', '6.00', '--wait'],
      [reply(200, taken), approvedReply('capture', part)],
    );
    return (await run(home, ['order', '902B4FF5'], [approvedReply('capture', part)])).out;
  }

  test('is released where a hold is captured once (A34)', async () => {
    expect(await captured([])).toContain(
      '10.42 USD, captured 6.00, rest of the hold released 4.42 (A34), returned 0.00, refundable 6.00',
    );
  });

  test('is remaining to capture where there may be several', async () => {
    expect(await captured(['assume:', '  captures-per-hold: many'])).toContain(
      '10.42 USD, captured 6.00, remaining to capture 4.42, returned 0.00, refundable 6.00',
    );
  });
});
