import { describe, expect, test } from 'vitest';
import { paycli } from '../support/runtime.js';
import { homeWithProfile, saleFlags } from './profiles.js';

const cardData = { more: ['assume: { card-ref-source: card-data }'] };
const keep = ['card-ref', 'create', '12345', '--client-order-id', '902B4FF5'];
const card = [
  ...['--card-number', '4444333322221111'],
  ...['--card-holder', 'JANE DOE'],
  ...['--expire-month', '12'],
  ...['--expire-year', '2034'],
];

describe('what is typed and would go nowhere is refused with the reason, and nothing is sent', () => {
  test.each<[what: string, argv: readonly string[], says: string]>([
    [
      'a card beside an order whose card is kept',
      [...keep, ...card],
      '--card-number is only used when A11 card-ref-source is card-data, but it is order',
    ],
    ['a test card there', [...keep, '--test-card', 'approved'], '--test-card is only used when A11'],
    [
      'a card there by its wire name',
      [...keep, '--field', 'credit_card_number=4444333322221111'],
      '--card-number is only used when A11',
    ],
    [
      'three ids for one order',
      ['capture', '1', '--order-id', '2', '--client-order-id', 'a'],
      'name one order three times; omit the argument',
    ],
    [
      'an empty amount',
      ['return', '1', '--client-order-id', 'a', '--amount', '', '--currency', ''],
      '--amount is empty',
    ],
    ['an empty field', ['return', '1', '--client-order-id', 'a', '--field', 'amount='], '--field: amount is empty'],
    ['one flag twice', [...saleFlags, '--amount', '99.00'], '--amount is given twice, with different values'],
    [
      'a flag and a field',
      [...saleFlags, '--field', 'amount=99.00'],
      '--field: amount and the flag --amount give different values',
    ],
    ['the login as a field', [...saleFlags, '--field', 'login=x'], 'use --login to override it'],
    ['the checksum as a field', [...saleFlags, '--field', 'control=x'], 'is not a field of sale'],
    [
      'two endpoints',
      ['request', '/api/v2/status/1144', '--endpoint-id', '7', '--field', 'orderid=1'],
      'name different endpoints',
    ],
  ])('%s', async (_, argv, says) => {
    const ran = await paycli(argv, { home: homeWithProfile() });
    expect([ran.exit, ran.requests.length, ran.err.replace(/\s+/g, ' ')]).toEqual([
      2,
      0,
      expect.stringContaining(says),
    ]);
  });

  test('an order beside card data, where a card reference is made of these', async () => {
    const ran = await paycli([...keep, ...card], { home: homeWithProfile(cardData) });
    expect([ran.exit, ran.err]).toEqual([
      2,
      expect.stringContaining('--order-id is only used when A11 card-ref-source is order, but it is card-data'),
    ]);
  });

  test('a name of --input that is out of force, and an empty value there', async () => {
    const given = JSON.stringify({ orderid: '1', client_orderid: '', credit_card_number: '4444333322221111' });
    const ran = await paycli(['card-ref', 'create', '--input', '-'], { home: homeWithProfile(), stdin: given });
    expect([ran.exit, ran.err]).toEqual([
      2,
      expect.stringMatching(/client_orderid is empty[\s\S]*credit_card_number would not be sent/),
    ]);
    expect(ran.err).not.toContain('4444333322221111');
  });
});

describe('an amount is held against its limit as it is sent', () => {
  test('twelve digits that would go out as fifteen characters are refused', async () => {
    const argv = saleFlags.map((word) => (word === '10.42' ? '999999999999' : word));
    const ran = await paycli(argv, { home: homeWithProfile() });
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining('--amount: use at most 999999999.99 in')]);
  });
});
