import { describe, expect, test } from 'vitest';
import { factsInStatus } from '../../src/cli/core/order-facts.js';
import { assumeDefaults } from '../../src/spec/assumptions.js';
import { isRuledOut, legality } from '../../src/spec/lifecycle.js';

type Reply = Readonly<Record<string, string>>;

const status = (word: string, type: string, more: Reply = {}): Reply => ({
  ...{ status: word, 'transaction-type': type, amount: '10.00', 'initial-amount': '10.00' },
  ...more,
});
const allowed = (reply: Reply) => {
  const facts = factsInStatus(new Map(Object.entries(reply)));
  return (['CAPTURE', 'VOID', 'RETURN'] as const).filter((id) => !isRuledOut(id, facts));
};
const total = (sum: string) => ({ 'total-reversal-amount': sum });

describe('what the status of an order alone rules out', () => {
  test.each<readonly [string, Reply, readonly string[]]>([
    ['a sale', status('approved', 'sale'), ['VOID', 'RETURN']],
    ['a declined sale', status('declined', 'sale'), []],
    ['a pending sale', status('processing', 'sale'), []],
    ['a sale of which the gateway does not know the outcome', status('unknown', 'sale'), ['VOID', 'RETURN']],
    ['a sale returned in full', status('approved', 'sale', total('10.00')), []],
    ['a hold', status('approved', 'preauth'), ['CAPTURE', 'VOID', 'RETURN']],
    ['a pending hold', status('processing', 'preauth'), []],
    ['a captured hold', status('approved', 'capture'), ['VOID', 'RETURN']],
    ['a hold captured in part', status('approved', 'capture', { amount: '4.00' }), ['CAPTURE', 'VOID', 'RETURN']],
    ['a declined capture', status('declined', 'capture'), ['CAPTURE', 'VOID', 'RETURN']],
    [
      'a hold released in part',
      status('approved', 'cancel', { amount: '4.00', ...total('4.00') }),
      ['CAPTURE', 'RETURN'],
    ],
    ['a released hold', status('approved', 'cancel', total('10.00')), []],
    ['a voided hold', status('approved', 'void'), []],
    ['a declined void', status('declined', 'void'), ['CAPTURE', 'VOID', 'RETURN']],
    ['a part returned', status('approved', 'reversal', { amount: '4.00', ...total('4.00') }), ['CAPTURE', 'RETURN']],
    ['everything returned', status('approved', 'reversal', total('10.00')), ['CAPTURE']],
    ['a payout', status('approved', 'payout'), ['VOID']],
    [
      'a page that waits',
      status('processing', 'sale', { 'order-stage': 'sale_3d_validating', 'redirect-to': 'https://a' }),
      [],
    ],
    ['an unlisted type', status('approved', 'gift'), ['CAPTURE', 'VOID', 'RETURN']],
    ['no type', { status: 'approved' }, ['CAPTURE', 'VOID', 'RETURN']],
  ])('%s', (_, reply, expected) => {
    expect(allowed(reply)).toEqual(expected);
  });

  test.each<readonly [string, Reply, string | undefined]>([
    [
      'that is being checked',
      status('processing', 'payout', { 'order-stage': 'payout_check_validating' }),
      'still running',
    ],
    ['that was checked', status('processing', 'payout', { 'order-stage': 'payout_check_validated' }), undefined],
    ['that was paid', status('approved', 'payout', { 'order-stage': 'payout_approved' }), 'only a checked payout'],
  ])('paying a payout %s', (_, reply, why) => {
    const found = legality('PAYOUT_V4_PAY', factsInStatus(new Map(Object.entries(reply))), assumeDefaults);
    expect(found).toEqual(why === undefined ? undefined : expect.stringContaining(why));
  });

  test('a second capture while the first is pending is for the gateway to decide, and --can says why not', () => {
    const facts = factsInStatus(
      new Map(Object.entries(status('processing', 'reversal', { amount: '4.00', ...total('4.00') }))),
    );
    expect(isRuledOut('RETURN', facts)).toBe(false);
    expect(legality('RETURN', facts, assumeDefaults)).toContain('pending');
  });
});
