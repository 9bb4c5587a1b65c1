import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { homeWithProfile } from '../cli/profiles.js';
import { expectEnd, homeWith, payoutFile, payoutLine, plan, planned, plansIn, planText } from './files.js';

const two = payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50'));

describe('a good file', () => {
  test('is planned, with its totals, its largest rows masked, and what comes next; nothing is sent', async () => {
    const home = homeWith(two);
    const ran = await plan(home, ['--expect-count', '2', '--expect-total', 'EUR=35.50'], { tty: false });
    expect([ran.exit, ran.requests]).toEqual([0, []]);
    const [, id = ''] = /(b-20300107-[a-z0-9]{6}): 2 rows checked and planned/.exec(ran.out) ?? [];
    expect(await plansIn(home)).toMatchObject([{ plan: id, count: 2, states: { planned: 2 } }]);
    expect(ran.out).toMatch(/total +35\.50 EUR in 2 rows/);
    expect(ran.out).toMatch(/line 3 +account •••• 2051 +25\.50 EUR\n +line 2 +account •••• 2051 +10\.00 EUR/);
    expect(ran.out).toContain(`paycli batch approve ${id}`);
    expect(ran.out).toContain(`paycli batch run ${id}`);
    expect(ran.out).not.toContain('DE0212030000000020');
  });

  test('comes to the same totals for programs, by currency, in the digits of each', async () => {
    const euros = [payoutLine('a', '0.01'), payoutLine('b', '999999999.99')];
    const rows = [...euros, payoutLine('c', '100', 'JPY'), payoutLine('d', '1.234', 'KWD')];
    const { totals, count } = await planned(homeWith(payoutFile(...rows)));
    expect(count).toBe(4);
    expect(totals.map(({ currency, minor, text, count: of }) => [currency, minor, text, of])).toEqual([
      ['EUR', '100000000000', '1000000000.00', 2],
      ['JPY', '100', '100', 1],
      ['KWD', '1234', '1.234', 1],
    ]);
  });

  test.each([
    ['a byte order mark', `\ufeff${two}`],
    ['semicolons', two.replaceAll(',', ';'), '--delimiter', ';'],
    ['names of flags', two.replace('client_orderid', 'client-order-id').replace('currency', '--currency')],
    ['names of its own', two.replace('account_number', 'Konto = IBAN'), '--map', 'Konto = IBAN=account_number'],
  ])('may have %s', async (_, text, ...flags) => {
    const { count, totals } = await planned(homeWith(text), flags);
    expect([count, totals.map(({ text: total }) => total)]).toEqual([2, ['35.50']]);
  });

  test('may be NDJSON, where numbers stay as they are written', async () => {
    const line = '{"client_orderid":"a-1","amount":10.10,"currency":"EUR","wallet_type":"w","wallet_id":"12345678"}';
    const home = homeWith(`${line}\n`, 'rows.ndjson');
    const { totals, largest } = await planned(home, ['rows.ndjson']);
    expect(totals).toMatchObject([{ text: '10.10' }]);
    expect(largest).toMatchObject([{ destination: 'wallet •••• 5678' }]);
  });

  test('an empty cell is a value that was not given, so the profile fills it; so it does a column that is missing', async () => {
    const home = homeWithProfile({ more: ['defaults: { currency: EUR }'] });
    writeFileSync(join(home, 'rows.csv'), payoutFile(payoutLine('a', '1', ''), payoutLine('b', '2', 'USD')));
    const { totals } = await planned(home);
    expect(totals.map(({ currency, text }) => [currency, text])).toEqual([
      ['EUR', '1.00'],
      ['USD', '2.00'],
    ]);
    writeFileSync(join(home, 'rows.csv'), 'client_orderid,amount,wallet_type,wallet_id\nc,1,w,x\n');
    expect((await planned(home)).totals).toMatchObject([{ currency: 'EUR', text: '1.00' }]);
  });

  const transfer = 'client_orderid,amount,currency,deposit2card,destination_card_recurring_payment_id,ipaddress';
  test.each([
    ['payout-check', payoutFile(payoutLine('a', '1'))],
    ['payout-pay', 'client_orderid,orderid\na,1\n'],
    ['transfer', `${transfer}\na,1,EUR,true,5,192.0.2.1\n`],
    ['rebill', 'client_orderid,cardrefid,amount,currency,order_desc,ipaddress\na,5,1,EUR,x,192.0.2.1\n'],
    ['return', 'client_orderid,orderid,amount,currency,comment\na,1,1,EUR,late\nb,2,,,all of it\n'],
  ])('may hold rows of %s', async (operation, text) => {
    const ran = await planText(text, ['--operation', operation]);
    expect([ran.exit, ran.err]).toEqual([0, '']);
  });

  test('sends a row to the endpoint of its currency', async () => {
    const home = homeWithProfile({ more: ['endpoints: { JPY: 77 }'] });
    writeFileSync(join(home, 'rows.csv'), payoutFile(payoutLine('a', '1'), payoutLine('b', '2', 'JPY')));
    const one = await planned(home);
    const other = homeWithProfile({ more: ['endpoints: { JPY: 78 }'] });
    writeFileSync(join(other, 'rows.csv'), payoutFile(payoutLine('a', '1'), payoutLine('b', '2', 'JPY')));
    expect(one.digest).not.toBe((await planned(other)).digest);
  });
});

describe('one amount to one destination, under ids of their own', () => {
  const other = 'DE02100500000024290661';
  const warnings = (err: string) => err.replaceAll(/\s+/g, ' ').match(/\d+ rows \(.*?is intended/g) ?? [];

  test('is told to programs, with other rows between as well', async () => {
    const lines = ['a', 'b', 'c', 'd'].map((id) => payoutLine(id, '5.00'));
    const ran = await planText(payoutFile(...lines.toSpliced(1, 0, payoutLine('x', '5.01'))), ['--json', '--no-color']);
    const document = JSON.parse(ran.out);
    expect(document.repeated).toEqual([
      {
        ...{ count: 4, firstLine: 2, lastLine: 6, destination: 'account •••• 2051' },
        amount: { minor: '500', digits: 2, currency: 'EUR', text: '5.00' },
      },
    ]);
    expect(document.warnings).toEqual([expect.stringContaining('4 rows (between lines 2 and 6) have the same')]);
  });

  test.each([
    ['two rows', ['DE02120300000000202051', 'DE02120300000000202051'], ['1.00', '1.00']],
    ['other amounts', Array(3).fill('DE02120300000000202051'), ['1.00', '1.01', '1.02']],
    // Alike as they are shown.
    ['other accounts', ['DE02120300000000202051', 'DE02100500000000202051', other], Array(3).fill('1.00')],
  ])('is not warned of for %s', async (_, accounts: readonly string[], amounts: readonly string[]) => {
    const lines = accounts.map((account, at) => payoutLine(`id-${at}`, amounts[at] ?? '', 'EUR', account));
    const ran = await planText(payoutFile(...lines));
    expect([ran.exit, warnings(ran.err)]).toEqual([0, []]);
  });
});

describe('without a terminal, and with a live profile', () => {
  test('what the file comes to must be expected', async () => {
    const ran = await plan(homeWith(two), [], { tty: false });
    expect([ran.exit, ran.out]).toEqual([2, '']);
    expect(ran.err).toContain(
      'the file is valid and holds 2 rows, 35.50 EUR; --expect-count and --expect-total are needed without a terminal',
    );
    const live = homeWithProfile({ class: 'live' });
    writeFileSync(join(live, 'rows.csv'), two);
    const half = await plan(live, ['--expect-count', '2']);
    expectEnd(half, 2, '--expect-total is needed with a live profile');
    expect((await plan(live, ['--expect-count', '2', '--expect-total', 'EUR=35.5'])).exit).toBe(0);
  });

  test('rows that name an amount of their own accord need a total as well', async () => {
    const home = homeWith('client_orderid,orderid,amount,currency\na,1,1,EUR\n');
    const ran = await plan(home, ['--operation', 'return', '--expect-count', '1'], { tty: false });
    expectEnd(ran, 10, '--expect-total does not cover EUR, but the rows total 1.00 EUR');
  });
});

describe('F59: control totals', () => {
  const total = '--expect-total';
  test.each([
    ['one row less', ['--expect-count', '1'], '--expect-count is 1, but there are 2 rows'],
    ['one cent more', [total, 'EUR=35.51'], '--expect-total is 35.51 EUR, but the rows total 35.50 EUR'],
    ['another currency', [total, 'USD=35.50'], '--expect-total does not cover EUR, but the rows total 35.50 EUR'],
    ['a currency too many', [total, 'EUR=35.50', total, 'USD=1'], '--expect-total includes USD, but no row does'],
  ])('%s is refused', async (_, flags, why) => {
    const home = homeWith(two);
    const ran = await plan(home, flags);
    expect([ran.exit, ran.out]).toEqual([10, '']);
    expect(ran.err).toContain(why);
    expect(await plansIn(home)).toEqual([]);
  });

  const form = '--expect-total: use a currency and an amount, such as EUR=123.45';
  test.each([
    ['EUR=1234567890123456789', form],
    ['EUR=1,00', '--expect-total: use a decimal number, such as EUR=10.42'],
  ])('--expect-total %s is wrong usage', async (text, why) => {
    const ran = await planText(two, ['--expect-total', text]);
    expectEnd(ran, 2, `${why}\n`);
  });
});

describe('usage', () => {
  test.each([
    [['--operation', 'sale'], 'sale needs the security code of the card, which must not be in a file'],
    [['--operation', 'card-ref create'], '--operation: use one of capture, void, return, payout'],
    [['--map', 'amount'], '--map: use COLUMN=FIELD'],
  ])('%j', async (flags, why) => {
    const ran = await planText(two, flags);
    expectEnd(ran, 2, why);
  });

  test('a file that is not there cannot be planned', async () => {
    expectEnd(await plan(homeWith(two), ['none.csv']), 2, 'none.csv: there is no such file');
  });
});
