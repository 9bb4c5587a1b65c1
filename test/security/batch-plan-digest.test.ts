import { describe, expect, test } from 'vitest';
import type { BatchRow } from '../../src/batch/plan.js';
import { revalidateRow } from '../../src/batch/row-revalidation.js';
import { assumeDefaults, type OperationId, operationById } from '../../src/spec/index.js';

const visa = '4444333322221111';

describe('right before a row is sent, from whatever engine it comes', () => {
  const place = { base: 'b', login: 'shop', profile: 'shop', class: 'test' };
  const payout = {
    clientOrderId: 'a-1',
    amount: '10.00',
    currency: 'EUR',
    accountNumber: 'DE1',
    bankName: 'B',
    bankBranch: 'M',
  };
  const row = (values: Readonly<Record<string, string>>, sealed: boolean): BatchRow => ({
    ...{ number: 7, line: 8, endpointId: '1144', sum: { minor: '1000', currency: 'EUR' }, destination: '', values },
    ...(sealed ? { source: { from: 0, bytes: 1, seal: 's' } } : {}),
  });
  const check = (operation: OperationId, values: Readonly<Record<string, string>>, sealed: boolean) => () =>
    revalidateRow(row(values, sealed), { row: operationById(operation), place, assume: assumeDefaults });

  test('card data is refused that does not come from the sealed bytes of a file', () => {
    const { accountNumber: _, bankName: __, bankBranch: ___, ...rest } = payout;
    expect(check('PAYOUT', { ...rest, cardNumber: visa }, true)).not.toThrow();
    expect(check('PAYOUT', { ...rest, cardNumber: visa }, false)).toThrow(
      /row 7: it contains card data that is not from the plan/,
    );
  });

  test('a security code is refused wherever it comes from', () => {
    const [code] = Object.entries(operationById('SALE').fields).find(([, { wire }]) => wire === 'cvv2') ?? [];
    for (const sealed of [true, false])
      expect(check('SALE', { ...payout, [String(code)]: '123' }, sealed)).toThrow(/row 7: it contains a security code/);
  });

  test('a row as it was planned passes', () => {
    expect(check('PAYOUT', payout, false)).not.toThrow();
  });
});
