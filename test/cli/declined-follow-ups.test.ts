import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, saleFlags, soldStatus, statusReply, taken } from './profiles.js';

const run = (home: string, argv: readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });

const returnTaken = reply(200, { ...taken, 'serial-number': '00000000-0000-0000-0000-0000015b2fff' });
const returnDeclined = (amount: string) =>
  reply(
    200,
    statusReply('declined', {
      ...{ 'by-request-sn': '00000000-0000-0000-0000-0000015b2fff', 'transaction-type': 'reversal' },
      ...{ 'error-message': 'Returns are closed', 'error-code': '58', amount, currency: 'USD' },
    }),
  );

/** An approved sale of which returns of these amounts were declined. */
async function homeWithDeclined(...amounts: readonly string[]): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, [...saleFlags, '--wait'], reply(200, taken), reply(200, soldStatus))).exit).toBe(0);
  for (const amount of amounts) {
    const argv = ['return', '902B4FF5', '--amount', amount, '--wait'];
    expect((await run(home, argv, returnTaken, returnDeclined(amount))).exit).toBe(5);
  }
  return home;
}

const countIn = async (home: string, ...flags: readonly string[]) => {
  const ran = await run(home, ['orders', ...flags, '--json']);
  return [JSON.parse(ran.out).declinedFollowUps, ran.err];
};

test('a note beside the declined orders counts the declined returns, and names the command that lists them', async () => {
  const home = await homeWithDeclined('2.00', '3.00');
  const ran = await run(home, ['orders', '--status', 'declined', '--since', 'today']);
  expect(ran.exit).toBe(0);
  expect(ran.err).toContain(
    'note: 2 declined returns, captures or voids are not listed: ' +
      '`paycli journal list --state declined --since today`\n',
  );
  const listed = await run(home, ['journal', 'list', '--state', 'declined', '--since', 'today']);
  expect(listed.out.match(/ return /g)).toHaveLength(2);
  expect((await countIn(home, '--status', 'declined'))[0]).toBe(2);
});

test('one is counted in the singular, with the profile and the times of the search', async () => {
  const home = await homeWithDeclined('2.00');
  const times = ['--since', '2000-01-01', '--until', '2999-01-01'];
  const [count, said] = await countIn(home, '--status', 'declined', ...times, '--profile', 'shop');
  expect(count).toBe(1);
  expect(said).toContain(
    'note: 1 declined return, capture or void is not listed: ' +
      '`paycli journal list --state declined --since 2000-01-01 --until 2999-01-01 --profile shop`\n',
  );
  expect(await countIn(home, '--status', 'declined', '--until', '2000-01-01')).toEqual([0, '']);
});

test('nothing is said where declined orders are not asked for, or particular ones are', async () => {
  const home = await homeWithDeclined('2.00');
  for (const flags of [[], ['--status', 'approved'], ['--status', 'declined', '--card', '1111']])
    expect(await countIn(home, ...flags), flags.join(' ')).toEqual([0, '']);
  expect((await countIn(home, '--status', 'declined', '--operation', 'return'))[1]).toContain(
    '`paycli journal list --state declined --operation return`',
  );
  expect(await countIn(home, '--status', 'declined', '--operation', 'sale')).toEqual([0, '']);
});

test('the timeline of the order and the journal name the reason of the bank', async () => {
  const home = await homeWithDeclined('2.00');
  const order = await run(home, ['order', '902B4FF5', '--offline', '--json']);
  const titles = JSON.parse(order.out).events.map(({ title }: { readonly title: string }) => title);
  expect(titles.at(-1)).toBe('return 2.00 USD: declined; status: declined; Returns are closed');
  const listed = await run(home, ['journal', 'list', '--state', 'declined']);
  expect(listed.out).toContain('Returns are closed');
});

test('resolve says why a return was declined, and advises nothing about another payment', async () => {
  const ran = await run(await homeWithDeclined('2.00'), ['resolve', '902B4FF5']);
  expect(ran.exit).toBe(5);
  expect(ran.err).toContain('error: not approved: return of 2.00 USD on order 12345: declined: Returns are closed');
  expect(ran.err).toContain('`paycli order 12345` shows the order');
  expect(ran.err).not.toContain('client order id');
});

describe('open follow-ups', () => {
  const lost: Delivery = { kind: 'lost', reason: 'no reply' };
  const sold = async () => {
    const home = homeWithProfile();
    expect((await run(home, [...saleFlags, '--wait'], reply(200, taken), reply(200, soldStatus))).exit).toBe(0);
    return home;
  };
  const returned = (home: string, exit: number, ...replies: readonly Delivery[]) =>
    run(home, ['return', '902B4FF5', '--amount', '2.00'], ...replies).then((ran) =>
      expect(ran.exit, ran.err).toBe(exit),
    );
  const said = async (home: string, ...flags: readonly string[]) => {
    const ran = await run(home, ['orders', ...flags, '--json']);
    return [JSON.parse(ran.out).openFollowUps, ran.err];
  };

  test('an unknown return is counted beside the unknown orders, and the command named lists it', async () => {
    const home = await sold();
    await returned(home, 8, lost);
    const ran = await run(home, ['orders', '--status', 'unknown', '--since', 'today']);
    expect([ran.exit, ran.out]).toEqual([0, '']);
    expect(ran.err).toContain(
      'note: 1 unknown return, capture or void is not listed: `paycli journal list --state unknown --since today`\n',
    );
    const listed = await run(home, ['journal', 'list', '--state', 'unknown', '--since', 'today']);
    expect(listed.out.match(/ return /g)).toHaveLength(1);
    expect((await said(home, '--status', 'unknown'))[0]).toBe(1);
    expect(await said(home, '--status', 'pending')).toEqual([0, '']);
    expect(await said(home)).toEqual([0, '']);
    expect(await said(home, '--status', 'unknown', '--card', '1111')).toEqual([0, '']);
  });

  test('a pending one is counted beside the pending orders, and by --status pending --status unknown', async () => {
    const home = await sold();
    await returned(home, 0, returnTaken);
    const note = (await said(home, '--status', 'pending'))[1];
    expect(note).toContain(
      'note: 1 pending return, capture or void is not listed: `paycli journal list --state accepted`\n',
    );
    expect(await said(home, '--status', 'unknown')).toEqual([0, '']);
    expect((await said(home, '--status', 'unknown', '--status', 'pending'))[0]).toBe(1);
  });
});
