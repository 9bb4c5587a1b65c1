import { describe, expect, test } from 'vitest';
import { reply } from '../support/runtime.js';
import { homeWithProfile, lost, run, saleFlags, statusReply, taken } from './profiles.js';

const status = (more: Readonly<Record<string, string>>) =>
  reply(200, statusReply('approved', { currency: 'USD', 'initial-amount': '10.42', ...more }));
const sold = status({ 'transaction-type': 'sale', amount: '10.42' });
const returned = (total: string) =>
  status({ 'transaction-type': 'reversal', amount: '5.00', 'total-reversal-amount': total });

/** A sale of 10.42 USD, and a return of 5.00 whose reply was lost. */
async function lostReturn(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, [...saleFlags, '--wait'], [reply(200, taken), sold])).exit).toBe(0);
  expect((await run(home, 'return 902B4FF5 --amount 5.00', [lost])).exit).toBe(8);
  return home;
}

describe('a lost return that status shows without naming it', () => {
  test('counts as approved, and the journal says how it was matched', async () => {
    const home = await lostReturn();
    const shown = await run(home, 'order 902B4FF5', [returned('5.00')]);
    expect(shown.out).toContain('status: approved; matched by operation and amount');
    const [, own] = JSON.parse((await run(home, 'journal --json')).out).entries;
    expect(own).toMatchObject({ state: 'done', reason: expect.stringContaining('matched by operation and amount') });
  });

  test('stays unknown while the gateway shows more than the journal explains', async () => {
    const home = await lostReturn();
    const asked = await run(home, 'resolve 902B4FF5', [returned('8.00')]);
    expect([asked.exit, asked.err]).toEqual([8, expect.stringContaining('there may be a return from elsewhere')]);
    const second = await run(home, 'return 902B4FF5 --amount 1.00');
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(second.err).toContain('paycli resolve 12345');
  });
});

describe('a return whose reply arrived', () => {
  const serial = '00000000-0000-0000-0000-0000015b2fa0';
  const own = (fields: Readonly<Record<string, string>>) =>
    status({ 'transaction-type': 'reversal', amount: '5.00', 'by-request-sn': serial, ...fields });

  /** A sale of 10.42 USD, and a return of 5.00 that the gateway accepted. */
  async function acceptedReturn(): Promise<string> {
    const home = homeWithProfile();
    expect((await run(home, [...saleFlags, '--wait'], [reply(200, taken), sold])).exit).toBe(0);
    const sent = await run(home, 'return 902B4FF5 --amount 5.00', [reply(200, { ...taken, 'serial-number': serial })]);
    expect(sent.exit).toBe(0);
    return home;
  }

  test.each([
    ['order', ['order', '902B4FF5', '--json']],
    ['status', ['status', '902B4FF5', '--json']],
  ])('%s queries it by its serial number before it counts as approved, and has no doubt then', async (_, command) => {
    const home = await acceptedReturn();
    const ran = await run(home, command, [returned('5.00'), own({ 'total-reversal-amount': '5.00' })]);
    expect(ran.exit).toBe(0);
    expect(ran.requests.map(({ body }) => body.includes(`by-request-sn=${serial}`))).toEqual([false, true]);
    expect(JSON.parse(ran.out)).not.toHaveProperty('matched.0');
    const { entries } = JSON.parse((await run(home, 'journal --json')).out);
    expect(entries.find(({ operation }: { operation: string }) => operation === 'RETURN')).toMatchObject({
      state: 'done',
      reason: 'status: approved',
    });
    // It is settled, so it is queried only once.
    expect((await run(home, command, [returned('5.00')])).requests).toHaveLength(1);
  });

  test('stays pending while its own status is, although an equal one is approved', async () => {
    const home = await acceptedReturn();
    const ran = await run(home, 'status 902B4FF5', [returned('5.00'), own({ status: 'processing' })]);
    expect(ran.exit).toBe(0);
    expect((await run(home, 'journal')).out).toMatch(/return .*accepted/);
  });

  test.each([
    ['is refused', reply(400, { type: 'error', 'error-message': 'no such request', 'error-code': '6' })],
    ['has no serial number', returned('5.00')],
  ])(
    'is matched by operation and amount where that answer %s, with nothing about another machine',
    async (_, second) => {
      const home = await acceptedReturn();
      const ran = await run(home, 'status 902B4FF5', [returned('5.00'), second]);
      expect(ran.exit).toBe(0);
      expect(ran.err).toContain('matched by operation and amount');
      expect(ran.err).not.toContain('machine');
    },
  );

  test('stays pending where the answer to that query is lost, and the next query settles it', async () => {
    const home = await acceptedReturn();
    const retried = Array.from({ length: 3 }, () => lost);
    const ran = await run(home, 'status 902B4FF5', [returned('5.00'), ...retried]);
    expect(ran.exit).toBe(0);
    expect((await run(home, 'journal')).out).toMatch(/return .*accepted/);
    await run(home, 'status 902B4FF5', [returned('5.00'), own({ 'total-reversal-amount': '5.00' })]);
    expect((await run(home, 'journal')).out).toMatch(/return .*done/);
  });

  test('does not become a conflict by an equal one of another machine, once its own status was declined', async () => {
    const home = await acceptedReturn();
    const declined = own({ status: 'declined' });
    await run(home, 'status 902B4FF5', [own({ status: 'declined', 'by-request-sn': '' }), declined]);
    expect((await run(home, 'journal')).out).toMatch(/return .*declined/);
    const ran = await run(home, 'status 902B4FF5', [returned('5.00'), declined]);
    expect([ran.exit, ran.err]).toEqual([0, expect.not.stringContaining('conflict')]);
  });
});
