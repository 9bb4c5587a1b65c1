import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { at } from '../cli/live-at.js';
import { noSuchOrder, taken } from '../cli/profiles.js';
import { paycli, reply } from '../support/runtime.js';
import { expectEnd, homeWith, payoutFile, payoutLine, plan as planInColour, planned } from './files.js';

const plan: typeof planInColour = (home, flags = [], options = {}) =>
  planInColour(home, [...flags, '--no-color'], options);

const accounts = ['DE02120300000000202051', 'DE02500105170137075030', 'DE02100500000054540402'];
const linesOf = (prefix: string, count = 3) =>
  accounts.slice(0, count).map((account, row) => payoutLine(`${prefix}-${row}`, `1${row}.00`, 'EUR', account));
const january = payoutFile(...linesOf('january'));
const lost: Delivery = { kind: 'lost', reason: 'the connection was reset' };
const took = (id: string) => reply(200, { ...taken, 'merchant-order-id': id });
const no = reply(400, { type: 'validation-error', 'serial-number': '1', 'error-message': 'no', 'error-code': '1' });

/** The first row of a file as a command by itself. */
async function payout(home: string, answer: Delivery): Promise<void> {
  const fields = ['--client-order-id', 'single', '--amount', '10.00', '--currency', 'EUR'];
  const account = ['--account-number', accounts[0] ?? '', '--bank-name', 'Example Bank', '--bank-branch', 'Berlin'];
  await paycli(['payout', 'send', ...fields, ...account], {
    home,
    network: [answer, ...(answer === no ? [noSuchOrder] : [])].map((each) => () => each),
  });
}

function write(home: string, ...lines: readonly string[]): string {
  writeFileSync(join(home, 'next.csv'), payoutFile(...lines));
  return 'next.csv';
}

const aWeek = 7 * 24 * 60;

describe('a file that equals one of the last days, under new ids', () => {
  test('is refused, with the plan and the rows', async () => {
    const home = homeWith(january);
    const { plan: id } = await planned(home);
    const confirmed = ['--expect-count', '3', '--expect-total', 'EUR=33.00'];
    const ran = await plan(home, [write(home, ...linesOf('february')), ...confirmed], { tty: false });
    expect([ran.exit, ran.out]).toEqual([10, '']);
    expect(ran.err).toContain('3 of 3 rows match payments of the last 7 days, with the same amount and destination');
    expect(ran.err).toContain(`plan ${id} of 2030-01-07: 3 rows (3 planned), lines 2, 3, 4`);
    expect(ran.err).toMatch(/^next: .*nothing was planned; if these are new payments, .* plan the file with --again$/m);
  });

  test('is planned with --again, with a warning and in the document', async () => {
    const home = homeWith(january);
    const { plan: id } = await planned(home);
    const ran = await plan(home, [write(home, ...linesOf('february')), '--again', '--json']);
    expect(ran.exit).toBe(0);
    const { equal, warnings } = JSON.parse(ran.out);
    expect(warnings).toEqual([expect.stringContaining('3 of 3 rows match payments of the last 7 days')]);
    expect(equal).toEqual([
      { plan: id, at: '2030-01-07T12:00:00.000Z', count: 3, states: { planned: 3 }, lines: [2, 3, 4] },
    ]);
  });

  test.each([
    [
      'accounts in lower case and with blanks',
      (line: string) => line.replace(/DE\d+/, (text) => text.toLowerCase().replace(/(?<=^.{4})/, ' ')),
    ],
    ['another bank name', (line: string) => line.replace('Example Bank', 'EXAMPLE BANK AG')],
  ])('is refused with %s', async (_, change) => {
    const home = homeWith(january);
    await planned(home);
    const changed = linesOf('february').map(change);
    expect(changed).not.toEqual(linesOf('february'));
    const ran = await plan(home, [write(home, ...changed)]);
    expectEnd(ran, 10, '3 of 3 rows match payments');
  });

  test('by fewer than a tenth of its rows is planned with a warning', async () => {
    const home = homeWith(january);
    await planned(home);
    const others = Array.from({ length: 10 }, (_, row) => payoutLine(`x-${row}`, `7${row}.00`));
    expect((await plan(home, [write(home, ...linesOf('february', 1), ...others.slice(1))])).exit).toBe(10);
    const ran = await plan(home, [write(home, ...linesOf('february', 1), ...others)]);
    expectEnd(ran, 0, 'warning: 1 of 11 rows matches a payment');
  });

  test.each([
    ['another amount', (line: string) => line.replace(/,1(\d)\.00/, ',2$1.00')],
    // The last four digits are the same.
    ['another account', (line: string) => line.replace('DE02', 'DE03')],
  ])('is planned with %s', async (_, change) => {
    const home = homeWith(january);
    await planned(home);
    const ran = await plan(home, [write(home, ...linesOf('february').map(change))]);
    expect([ran.exit, ran.err]).toEqual([0, '']);
  });

  test('is planned once the other plan is cancelled, or is older than a week', async () => {
    const home = homeWith(january);
    await planned(home);
    const next = write(home, ...linesOf('february'));
    expect((await plan(home, [next], { outside: at(aWeek - 1) })).exit).toBe(10);
    expect((await plan(home, [next], { outside: at(aWeek + 1) })).exit).toBe(0);
    const other = homeWith(january);
    const { plan: cancelled } = await planned(other);
    expect((await paycli(['batch', 'cancel', cancelled, '--reason', 'wrong file'], { home: other })).exit).toBe(0);
    expect((await plan(other, [write(other, ...linesOf('february'))])).exit).toBe(0);
  });
});

describe('a row that equals a single payment', () => {
  test.each([
    ['accepted', took('single')],
    ['unknown', lost],
  ])('counts while that one is %s', async (outcome, answer) => {
    const home = homeWith(payoutFile(...linesOf('january', 1)));
    await payout(home, answer);
    const ran = await plan(home);
    expect(ran.exit).toBe(10);
    expect(ran.err).toContain('1 of 1 rows matches a payment of the last 7 days');
    expect(ran.err).toContain(`single payments, the last of 2030-01-07: 1 row (1 ${outcome}), line 2`);
  });

  test('does not count when that one was refused, or was made at another gateway', async () => {
    const home = homeWith(payoutFile(...linesOf('january', 1)));
    await payout(home, no);
    expect((await plan(home)).exit).toBe(0);
    const other = homeWith(payoutFile(...linesOf('january', 1)));
    await payout(other, took('single'));
    expect((await plan(other, ['--base-url', 'https://gate.example/other'])).exit).toBe(0);
  });
});
