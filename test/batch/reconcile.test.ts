import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { at } from '../cli/live-at.js';
import { homeWithProfile, noSuchOrder, statusReply, taken } from '../cli/profiles.js';
import { paycli, type Ran, reply } from '../support/runtime.js';
import { openFixture, payouts } from './command.js';
import { expectEnd } from './files.js';

const lost: Delivery = { kind: 'lost', reason: 'reset' };
const no = { type: 'validation-error', 'serial-number': '1', 'error-message': 'no', 'error-code': '1' };
const refusal = reply(400, no);
const account = ['--account-number', 'DE02120300000000202051', '--bank-name', 'Bank', '--bank-branch', 'Berlin'];

/** A payout whose client order id is p-ORDER and whose order id is ORDER; asked about where it has a final end. */
async function payout(
  home: string,
  order: string,
  amount: string,
  end: 'accepted' | 'done' | 'declined' | Delivery = 'done',
  minutes = 0,
): Promise<void> {
  const ids = { 'merchant-order-id': `p-${order}`, 'paynet-order-id': order };
  const took = reply(200, { ...taken, ...ids });
  const status = (word: string) => reply(200, statusReply(word, { ...ids, 'transaction-type': 'payout' }));
  const isFinal = end === 'done' || end === 'declined';
  const replies: readonly Delivery[] = isFinal
    ? [took, status(end === 'done' ? 'approved' : end)]
    : [end === 'accepted' ? took : end, ...(end === refusal ? [noSuchOrder] : [])];
  const [units = '', currency = 'EUR'] = amount.split(' ');
  const sum = ['--amount', units, '--currency', currency];
  const argv = [
    'payout',
    'send',
    '--client-order-id',
    `p-${order}`,
    ...sum,
    ...account,
    ...(isFinal ? ['--wait'] : []),
  ];
  await paycli(argv, { home, network: replies.map((answer) => () => answer), outside: at(minutes) });
}

function reconcile(home: string, text: string, flags: readonly string[] = [], minutes = 0): Promise<Ran> {
  writeFileSync(join(home, 'statement.csv'), text);
  return paycli(['batch', 'reconcile', 'statement.csv', ...flags], { home, outside: at(minutes) });
}

async function found(home: string, text: string, flags: readonly string[] = [], minutes = 0) {
  const ran = await reconcile(home, text, [...flags, '--json'], minutes);
  const document = JSON.parse(ran.out);
  type Row = Readonly<Record<string, string>> & { readonly order: Readonly<Record<string, string>> };
  const kinds = document.disagreements.map(({ is, order, why }: Row) => [is, order['clientOrderId'], why]);
  const totals = document.totals.map((each: Row) =>
    ['is', 'side', 'count', 'text', 'currency'].map((part) => each[part]).join(' '),
  );
  return { exit: ran.exit, kinds, totals, document };
}

const header = 'client_orderid,amount,currency';

/** The newest event of the journal. */
const endNote = (home: string): string => readFileSync(join(home, 'config', 'journal-marks.json'), 'utf8');

describe('statement and journal', () => {
  test('agree when each has the other: exit 0, with what it comes to, and nothing is changed', async () => {
    const home = homeWithProfile();
    await payout(home, '11', '10.00');
    await payout(home, '12', '100 JPY');
    const before = endNote(home);
    const ran = await reconcile(home, `${header}\np-11,10.00,EUR\np-12,100,JPY\n`);
    expect([ran.exit, ran.requests, ran.err]).toEqual([0, [], '']);
    expect(ran.out).toContain('✓ statement and journal agree on 2 rows');
    expect(ran.out).toMatch(/in both, equal +per the statement +1 +10\.00 EUR\n/);
    expect(ran.out).toMatch(/in both, equal +per the journal +1 +100 JPY\n/);
    expect(endNote(home)).toBe(before);
  });

  test('disagree both ways: exit 11, each with its reason and the money of each side', async () => {
    const home = homeWithProfile();
    await payout(home, '11', '10.00');
    await payout(home, '12', '20.00');
    await payout(home, '13', '30.00');
    await payout(home, '14', '40.00', lost);
    await payout(home, '15', '50.00', 'accepted');
    await payout(home, '16', '60.00', 'declined');
    await payout(home, '17', '70.00', refusal);
    const lines = ['p-11,10.00,EUR', 'p-12,20.01,EUR', 'p-13,30.00,USD', 'p-99,9.99,EUR', 'p-16,60.00,EUR'];
    const { exit, kinds, totals } = await found(home, `${header}\n${lines.join('\n')}\n`);
    expect(exit).toBe(11);
    expect(kinds).toEqual([
      ['differs', 'p-12', 'the amounts differ'],
      ['differs', 'p-13', 'the currencies differ'],
      ['statementOnly', 'p-99', 'the journal has no such order, or no other request on it'],
      ['differs', 'p-16', 'the journal says declined'],
      ['journalOnly', 'p-14', 'the statement has no line for it'],
      ['journalOnly', 'p-15', 'the statement has no line for it'],
    ]);
    expect(totals).toEqual([
      'equal statement 1 10.00 EUR',
      'equal journal 1 10.00 EUR',
      // 20.01 and 60.00 against 20.00, 30.00 and 60.00.
      'differs statement 2 80.01 EUR',
      'differs journal 3 110.00 EUR',
      'differs statement 1 30.00 USD',
      'statementOnly statement 1 9.99 EUR',
      'journalOnly journal 2 90.00 EUR',
    ]);
  });

  test('by the order id of the gateway, by either id, and by columns of their own names', async () => {
    const home = homeWithProfile();
    await payout(home, '11', '10.00');
    await payout(home, '12', '20.00');
    const text = 'Date;Transaction ID;Merchant ref;Amount booked;Cur;Note\n1;11;;-10.00;EUR;x\n2;;p-12;+20;EUR;"y;z"\n';
    const columns = ['Transaction ID=order-id', 'Merchant ref=client-order-id', 'Amount booked=amount', 'Cur=currency'];
    const flags = ['--delimiter', ';', ...columns.flatMap((column) => ['--map', column])];
    expect(await found(home, text, flags)).toMatchObject({ exit: 0, kinds: [] });
    expect((await found(home, 'order-id,amount\n11,10\n12,20\n', ['--currency', 'EUR'])).exit).toBe(0);
  });

  test('several requests on one order each find their own line, in whatever order', async () => {
    const home = homeWithProfile();
    await payout(home, '11', '10.00');
    const part = (amount: string) => `return 11 --client-order-id p-11 --amount ${amount} --currency EUR`.split(' ');
    const answer = reply(200, { ...taken, 'merchant-order-id': 'p-11', 'paynet-order-id': '11' });
    for (const amount of ['3.00', '4.00'])
      expect((await paycli(part(amount), { home, network: [() => answer] })).exit).toBe(0);
    expect(await found(home, 'orderid,amount,currency\n11,4,EUR\n11,10,EUR\n11,3,EUR\n')).toMatchObject({ exit: 0 });
    const { kinds } = await found(home, 'orderid,amount,currency\n11,5,EUR\n11,4,EUR\n11,10,EUR\n');
    expect(kinds).toEqual([['differs', 'p-11', 'the amounts differ']]);
    const twice = await found(home, 'orderid,amount,currency\n11,4,EUR\n11,10,EUR\n11,3,EUR\n11,3,EUR\n');
    expect(twice.document.disagreements).toMatchObject([{ is: 'statementOnly', statement: { line: 5 } }]);
  });

  test('by the status of a line where it has one', async () => {
    const home = homeWithProfile();
    await payout(home, '11', '10.00');
    await payout(home, '12', '20.00', 'declined');
    const text = (first: string, second: string) =>
      `orderid,amount,currency,status\n11,10.00,EUR,${first}\n12,20.00,EUR,${second}\n`;
    const good = await found(home, text('approved', 'declined'));
    expect([good.exit, good.totals]).toEqual([0, ['equal statement 1 10.00 EUR', 'equal journal 1 10.00 EUR']]);
    expect((await found(home, text('Settled', 'declined'))).exit).toBe(0);
    expect((await found(home, text('declined', 'approved'))).kinds).toEqual([
      ['differs', 'p-11', 'the statement says declined, the journal says done'],
      ['differs', 'p-12', 'the journal says declined'],
    ]);
  });

  test('of another gateway are no matter here', async () => {
    const home = homeWithProfile();
    await payout(home, '11', '10.00');
    const other = ['--base-url', 'https://gate.example/other'];
    expect((await found(home, `${header}\np-11,10.00,EUR\n`, other)).kinds).toEqual([
      ['statementOnly', 'p-11', expect.any(String)],
    ]);
  });

  test('the period says what may be missing from the statement', async () => {
    const home = homeWithProfile();
    await payout(home, '11', '10.00');
    await payout(home, '12', '20.00', 'done', 24 * 60);
    await payout(home, '13', '30.00', 'done', 48 * 60);
    const text = `${header}\np-12,20,EUR\n`;
    const day = ['--since', '2030-01-08', '--until', '2030-01-09'];
    expect((await found(home, text, day, 49 * 60)).exit).toBe(0);
    expect((await found(home, text, ['--since', '2030-01-08'], 49 * 60)).kinds).toEqual([
      ['journalOnly', 'p-13', expect.any(String)],
    ]);
    expect((await found(home, text, [], 49 * 60)).kinds).toHaveLength(2);
  });
});

test('a row of a batch is expected in the statement of the time when it was sent, not of when it was planned', async () => {
  const fixture = openFixture(payouts(1));
  const plan = await fixture.plan();
  await fixture.run(['batch', 'run', plan, '--rate', '1000/s'], { outside: at(48 * 60) });
  const missing = async (...flags: readonly string[]) => {
    const words = ['--profile', 'sandbox', ...flags];
    return (await found(fixture.home, `${header}\n`, words, 96 * 60)).kinds.length;
  };
  expect(await missing('--since', '2030-01-09', '--until', '2030-01-10')).toBe(1);
  expect(await missing('--since', '2030-01-07', '--until', '2030-01-08')).toBe(0);
});

describe('a statement that cannot be read', () => {
  const columns = 'orderid,amount,currency\n';
  test.each([
    ['no order ids', 'amount,currency\n1,EUR\n', [], 'no column has the order ids'],
    ['no currencies', 'orderid,amount\n1,1\n', [], 'or --currency for all'],
    ['an amount with a comma', `${columns}1,"1,00",EUR\n`, [], 'line 2: its amount: use a decimal number'],
    ['an unknown currency', `${columns}1,1,EURO\n`, [], 'line 2: its currency is not an ISO 4217 code'],
  ])('%s', async (_, text, flags, why) => {
    const ran = await reconcile(homeWithProfile(), text, flags);
    expect([ran.exit, ran.out, ran.err]).toEqual([2, '', expect.stringContaining(why)]);
  });

  test.each([[['--since', 'monday'], '--since: use 2030-01-31']])('%j is wrong usage', async (flags, why) => {
    const ran = await reconcile(homeWithProfile(), columns, flags);
    expectEnd(ran, 2, why);
  });
});
