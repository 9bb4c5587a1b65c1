import { closeSync, openSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  errorsIn,
  expectEnd,
  homeWith,
  payoutFile,
  payoutHeader,
  payoutLine,
  plan,
  plansIn,
  planText,
} from './files.js';

const good = payoutLine('a-1', '10.00');
const two = payoutFile(good, payoutLine('a-2', '25.50'));

describe('what is wrong with a file', () => {
  test('is told with its line, all of it, and no plan is made', async () => {
    const bad = [payoutLine('a-2', '12.5O'), payoutLine('a-3', '10.005', 'usd'), payoutLine('', '5')];
    const home = homeWith(payoutFile(good, ...bad, payoutLine('a-1', '-12.50'), payoutLine('a-6', '"12,50"')));
    const ran = await plan(home);
    expect([ran.exit, ran.out, ran.requests]).toEqual([2, '', []]);
    expect(ran.err.match(/^ {2}line .*$/gm)).toEqual([
      '  line 3 (a-2): amount: use a decimal number, such as 10.42',
      '  line 4 (a-3): currency: use a three-letter ISO 4217 code in upper case',
      '  line 5: client_orderid is missing',
      '  line 6 (a-1): amount: use a decimal number, such as 10.42',
      '  line 6 (a-1): client_orderid is the same as on line 2',
      '  line 7 (a-6): amount: use a decimal number, such as 10.42',
    ]);
    expect(await plansIn(home)).toEqual([]);
    expect(errorsIn(home).map(({ line, clientOrderId, field }) => [line, clientOrderId, field])).toEqual([
      [3, 'a-2', 'amount'],
      [4, 'a-3', 'currency'],
      [5, null, 'client_orderid'],
      [6, 'a-1', 'amount'],
      [6, 'a-1', 'client_orderid'],
      [7, 'a-6', 'amount'],
    ]);
  });

  test.each([['a card', '4444333322221111']])('shows no %s that stands in the column of amounts', async (_, value) => {
    const home = homeWith(payoutFile(payoutLine('a', value)));
    const ran = await plan(home);
    expectEnd(ran, 2, 'line 2 (a): amount: ');
    expect(ran.err + JSON.stringify(errorsIn(home))).not.toContain(value);
  });

  test.each([
    ['4444333322221111', '•••• 1111'],
    ['20261123-000036', '20261123-000036'],
  ])('names a row %s as %s', async (id, shown) => {
    const home = homeWith(payoutFile(payoutLine(id, '0')));
    expect((await plan(home)).err).toContain(`line 2 (${shown}): amount: use an amount above zero`);
    expect(errorsIn(home)[0]).toMatchObject({ clientOrderId: shown });
  });
});

describe('F54: the header', () => {
  test.each([
    ['a field twice', two.replace('bank_branch', 'account-number'), [], 'are the same field'],
    ['semicolons nobody told of', two.replaceAll(',', ';'), [], "by semicolons, not by commas: add --delimiter ';'"],
    [
      'a name nobody knows',
      two.replace('_branch', '_branche'),
      [],
      'bank_branche) is not a field of payout send; did you',
    ],
    [
      'a required column missing',
      two.replace('amount', 'purpose'),
      [],
      'the header lacks amount, which payout send needs',
    ],
    ['a security code', `${payoutHeader},cvv2\n${good},123\n`, [], 'contains card security codes'],
    ['a login', `${payoutHeader},login\n${good},x\n`, [], 'comes from the profile'],
    ['10,000 columns', `${'a,'.repeat(9_999)}a\n`, [], 'the header has 10000 columns'],
    ['nothing at all', '', [], 'the file is empty'],
  ])('with %s is refused', async (_, text, flags, why) => {
    const ran = await planText(text, flags);
    expectEnd(ran, 2, why);
  });

  test('that is data is not repeated', async () => {
    const home = homeWith(`4444333322221111,10.00,EUR,x5555555555554444\n${good}\n`);
    const ran = await plan(home);
    expectEnd(ran, 2, 'column 1 is not a field');
    expect(ran.err + JSON.stringify(errorsIn(home))).not.toMatch(/44443333|55555555/);
  });

  test('a security code in NDJSON is refused as well', async () => {
    const home = homeWith('{"client_orderid":"a","cvv2":"987"}\n', 'rows.ndjson');
    const ran = await plan(home, ['rows.ndjson', '--operation', 'transfer']);
    expectEnd(ran, 2, 'cvv2 contains card security codes');
    expect(ran.err).not.toContain('987');
  });
});

describe('F53: text that never ends', () => {
  const long = 'x'.repeat(10_000_000);
  const cases: readonly (readonly [string, string, string])[] = [
    ['a cell of 10 MB', payoutFile(payoutLine('a', '1', 'EUR', long)), 'line 2: it begins a row of more than 64 KiB'],
    ['an open quote', payoutFile(good, payoutLine('"a-2', '1')), 'line 3: it opens a quote that is never closed'],
    ['a quote inside a cell', payoutFile(good, payoutLine('a"b', '1')), 'line 3: it has a quote inside a cell'],
    ['a cell too many', payoutFile(good, `${good},x`), 'line 3: it has 7 cells, but the header has 6 columns'],
  ];
  test.each(cases)('%s', async (_, text, why) => {
    const ran = await planText(text);
    expectEnd(ran, 2, why);
    expect(ran.err.length).toBeLessThan(2000);
  });

  test('a file of 1 GB without a line end is given up at once', async () => {
    const home = homeWith('');
    const path = join(home, 'large.csv');
    closeSync(openSync(path, 'w', 0o600));
    // Zeros that take no room on the disk.
    truncateSync(path, 1_073_741_824);
    const before = process.memoryUsage().rss;
    for (const format of ['csv', 'ndjson']) {
      const ran = await plan(home, ['large.csv', '--format', format]);
      expectEnd(ran, 2, /line 1: it .* than 64 KiB/);
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });
});

describe('text that is no UTF-8', () => {
  // So that some hundred rows are more than the 64 KiB that are read at once.
  const long = (id: string, letter: string) => payoutLine(id, '1').replace('Berlin', letter.repeat(100));
  const latin1 = (at: number) =>
    Buffer.from(
      payoutFile(...Array.from({ length: 500 }, (_, row) => long(row === at ? 'm\u00fcller' : `a-${row}`, 'x'))),
      'latin1',
    );
  test.each([[0], [499]])('in row %i is told with its line', async (at) => {
    const ran = await planText(latin1(at));
    expectEnd(ran, 2, `line ${at + 2}: it is not UTF-8 text`);
  });

  test.each([['rows.csv'], ['rows.ndjson']])('a character cut off at the end of %s', async (name) => {
    const text = name.endsWith('.csv') ? payoutFile(good) : '{"client_orderid":"a"}\n';
    const ran = await planText(Buffer.concat([Buffer.from(text), Buffer.from([0xe2, 0x82])]), [], name);
    expectEnd(ran, 2, `line ${text.split('\n').length}: it is not UTF-8`);
  });
});

describe('F50: one id twice', () => {
  test.each([
    ['the same', 'Order-7', 'Order-7'],
    ['another case', 'Order-7', 'ORDER-7'],
    ['composed and decomposed letters', 'Caf\u00e9-7', 'Cafe\u0301-7'],
  ])('%s: both lines are named', async (kind, one, other) => {
    const home = homeWith(payoutFile(payoutLine(one, '1'), payoutLine('b', '2'), payoutLine(other, '3')));
    const ran = await plan(home);
    expect(ran.exit).toBe(2);
    expect(ran.err).toContain(`line 4 (${other}): client_orderid is the same as on line 2`);
    expect(/apart from case, spaces/.test(ran.err)).toBe(kind !== 'the same');
    expect(await plansIn(home)).toEqual([]);
  });

  test('a follow-up twice, with the same order and content', async () => {
    const header = 'client_orderid,orderid,amount,currency';
    const rows = [header, 'a,1,5.00,EUR', 'a,1,6.00,EUR', 'b,1,5,EUR', 'a,2,5.00,EUR'];
    const ran = await planText(`${rows.join('\n')}\n`, ['--operation', 'return']);
    expectEnd(ran, 2, 'line 4 (b): it is the same as line 2');
    const good = await planText(`${rows.toSpliced(3, 1).join('\n')}\n`, ['--operation', 'return']);
    expect(good.exit, good.err).toBe(0);
  });
});

describe('F55 to F57: values', () => {
  test.each([['4.11111E+15'], ['1,23E+11']])('an account that a spreadsheet made %s', async (account) => {
    const ran = await planText(payoutFile(payoutLine('a', '1', 'EUR', `"${account}"`)));
    expectEnd(ran, 2, 'line 2 (a): account_number was shortened by a spreadsheet');
  });

  test.each([['4444-3333-2222-1111'], ['4444333322221112'], ['4.11111E+15']])(
    'the card number %s, which is never repeated',
    async (card) => {
      const home = homeWith(`client_orderid,amount,currency,credit_card_number\na,1,EUR,${card}\n`);
      const ran = await plan(home, ['--allow-pan-file']);
      expectEnd(ran, 2, /line 2 \(a\): credit_card_number(: (use|check)| was)/);
      expect(ran.err + JSON.stringify(errorsIn(home))).not.toContain(card);
    },
  );
});

describe('NDJSON', () => {
  const line = '{"client_orderid":"a","amount":"1","currency":"EUR","wallet_type":"w","wallet_id":"x"}';
  const row = (amount: string) => line.replace('"a"', '"b"').replace('"1"', amount);
  test.each([
    ['no JSON', 'nonsense', 'line 2: it is not a single JSON object'],
    ['one field by two names', '{"walletId":"1","wallet_id":"2"}', 'are the same field'],
    ['a line of 70 KB', `{"comment":"${'x'.repeat(70_000)}"}`, 'line 2: it is longer than 64 KiB'],
    ['a number with a tail of its own', row('1.005'), 'line 2 (b): amount: use at most 2 digits'],
  ])('%s', async (_, text, why) => {
    const ran = await planText(`${line}\n${text}\n`, [], 'rows.ndjson');
    expectEnd(ran, 2, why);
  });
});
