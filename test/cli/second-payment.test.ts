import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../src/runtime/ports.js';
import { paycli, reply } from '../support/runtime.js';
import { homeWithProfile, lost, rsaKey, saleFlags, statusReply, taken } from './profiles.js';

const run = (home: string, argv: string | readonly string[], ...replies: readonly Delivery[]) =>
  paycli(argv, { home, network: replies.map((one) => () => one) });
const withId = (id: string) => saleFlags.map((word) => (word === '902B4FF5' ? id : word));
const next = (text: string) => /^next: +(.*)$/m.exec(text)?.[1];

/** A sale whose reply was lost. */
async function lostSale(): Promise<string> {
  const home = homeWithProfile();
  expect((await run(home, saleFlags, lost)).exit).toBe(8);
  return home;
}

describe('while the outcome of a sale is unknown', () => {
  test('an equal one under another client order id is refused, and the first is to be settled', async () => {
    const home = await lostSale();
    const second = await run(home, withId('second'));
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(second.err).toContain(
      'this may be a second payment: order 902B4FF5 has the same amount and the same card or account, and its state is unknown',
    );
    expect(next(second.err)).toBe(
      'nothing was sent; resolve it first with `paycli resolve 902B4FF5`; if this is meant as a second payment, --again sends it anyway',
    );
    expect(JSON.parse((await run(home, [...withId('second'), '--json'])).err)).toMatchObject({
      ...{ code: 'SAME_CONTENT_OPEN', exit: 10, next: expect.stringContaining('`paycli resolve 902B4FF5`') },
    });
  });

  test('--again sends it once only', async () => {
    const home = await lostSale();
    const again = [...withId('second'), '--again'];
    const second = await run(home, again, reply(200, { ...taken, 'merchant-order-id': 'second' }));
    expect(second.requests).toHaveLength(1);
    const third = await run(home, again, reply(200, statusReply('processing', { 'transaction-type': 'sale' })));
    expect(new Set(third.requests.map(({ url }) => url))).toEqual(
      new Set(['https://gate.example/prefix/api/v2/status/1144']),
    );
  });

  test.each([
    ['no', 10, 0],
    ['yes', 0, 1],
  ])('on a terminal it is asked about: %s', async (answer, exit, requests) => {
    const home = await lostSale();
    const second = await paycli(withId('second'), {
      home,
      tty: true,
      answers: [['again', answer]],
      network: requests === 0 ? [] : [() => reply(200, { ...taken, 'merchant-order-id': 'second' })],
    });
    expect([second.exit, second.requests.length]).toEqual([exit, requests]);
  });

  test.each([
    ['spelled otherwise', '--card-holder', 'J. DOE'],
    ['with another phone', '--phone', '+4930999999'],
    ['with another city', '--city', 'Potsdam'],
    ['with another e-mail address', '--email', 'jane.doe@example.com'],
  ])('it is the same payment %s', async (_, flag, value) => {
    const home = await lostSale();
    const changed = withId('second').with(saleFlags.indexOf(flag) + 1, value);
    for (const argv of [changed, changed.with(0, 'preauth')]) {
      const second = await run(home, argv);
      expect([second.exit, second.requests]).toEqual([10, []]);
    }
  });

  test.each([
    ['card', '--card-number', '5555666644441111', '4012888888881881'],
    ['currency', '--currency', 'USD', 'EUR'],
  ])('it is another payment with another %s', async (_, flag, same, other) => {
    const home = await lostSale();
    const given = (value: string) => withId('second').with(saleFlags.indexOf(flag) + 1, value);
    // Of a card the last four digits count.
    expect((await run(home, given(same))).exit).toBe(10);
    const network = [() => reply(200, { ...taken, 'merchant-order-id': 'second' })];
    expect((await paycli(given(other), { home, network })).exit).toBe(0);
  });

  test('one without a client order id is refused', async () => {
    const home = await lostSale();
    const second = await run(
      home,
      saleFlags.filter((_, at) => at !== 1 && at !== 2),
    );
    expect([second.exit, second.requests]).toEqual([10, []]);
  });

  test('another amount under its id is refused, and the first is to be settled before anything else', async () => {
    const home = await lostSale();
    const second = await run(home, saleFlags.with(saleFlags.indexOf('10.42'), '11.00'));
    expect([second.exit, second.requests]).toEqual([2, []]);
    expect(next(second.err)).toBe('nothing was sent; resolve it first with `paycli resolve 902B4FF5`');
  });
});

describe('while the outcome of a payout is unknown', () => {
  const iban = 'DE02120300000000202051';
  const money = ['--amount', '50.00', '--currency', 'EUR'];
  const account = (number: string, bank = 'DKB') => [
    ...['--account-number', number, '--bank-name', bank, '--bank-branch', 'Berlin'],
  ];
  const payout = (id: string, ...fields: readonly string[]) => [
    ...['payout', 'send', '--client-order-id', id, ...money, ...fields],
  ];

  test.each([
    ['in lower case', account(iban.toLowerCase())],
    ['with blanks', account('DE02 120300000000202051')],
    ['at a bank of another name', account(iban, 'Deutsche Kreditbank AG')],
  ])('one to the same account %s is refused', async (_, fields) => {
    const home = homeWithProfile();
    expect((await run(home, payout('first', ...account(iban)), lost)).exit).toBe(8);
    const second = await run(home, payout('second', ...fields));
    expect([second.exit, second.requests], second.err).toEqual([10, []]);
  });

  test('one to another account, or a charge of the card that was paid, is another payment', async () => {
    const home = homeWithProfile();
    expect((await run(home, payout('first', ...account(iban)), lost)).exit).toBe(8);
    const other = payout('second', ...account('DE02500105170137075030'));
    expect((await run(home, other, reply(200, { ...taken, 'merchant-order-id': 'second' }))).exit).toBe(0);
    const card = homeWithProfile();
    const toCard = ['payout', 'send', '--client-order-id', 'x', ...'--amount 10.42 --currency USD'.split(' ')];
    expect((await run(card, [...toCard, '--card-number', '4444333322221111'], lost)).exit).toBe(8);
    expect((await run(card, saleFlags, reply(200, taken))).exit).toBe(0);
  });

  test('one in a single step is refused while the second step of an equal one is unknown', async () => {
    const home = homeWithProfile();
    writeFileSync(join(home, 'config', 'config.yaml'), `    private-key: { file: ${rsaKey(home)} }\n`, { flag: 'a' });
    const checked = ['payout', 'check', '--client-order-id', '902B4FF5', ...money, ...account(iban)];
    expect((await run(home, checked, reply(200, taken))).exit).toBe(0);
    const validated = { 'transaction-type': 'payout', 'order-stage': 'payout_check_validated' };
    // A29 has it pending; what rests on an assumption stops nothing.
    const status = reply(200, statusReply('approved', validated));
    expect((await run(home, 'status 12345', status)).exit).toBe(0);
    const other = reply(200, { ...taken, 'merchant-order-id': 'before', 'paynet-order-id': '777' });
    expect((await run(home, payout('before', ...account(iban)), other)).exit).toBe(0);
    const pending = reply(200, statusReply('processing', { 'paynet-order-id': '777', 'merchant-order-id': 'before' }));
    const refused = await run(home, 'payout pay 12345', pending);
    expect([refused.exit, refused.requests.length]).toEqual([10, 1]);
    expect(refused.err).toContain('--again');
    expect((await run(home, 'payout pay 12345 --again', lost)).exit).toBe(8);
    const second = await run(home, payout('second', ...account(iban)));
    expect([second.exit, second.requests]).toEqual([10, []]);
    expect(second.err).toContain('order 12345 has the same amount');
  });
});
