import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { computeDigest } from '../../src/batch/plan/digest.js';
import type { BatchRow } from '../../src/batch/plan.js';
import { revalidateRow } from '../../src/batch/row-revalidation.js';
import { sqlite } from '../../src/runtime/database.js';
import { assumeDefaults, type OperationId, operationById } from '../../src/spec/index.js';
import { homeWith, payoutFile, payoutLine, planned } from '../batch/files.js';
import { openPlanIn } from '../batch/plans.js';
import { paycli, type Ran } from '../support/runtime.js';

const text = payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50'));
const [visa, master] = ['4444333322221111', '5555555555554444'];
const cards = `client_orderid,amount,currency,credit_card_number\na-1,10.00,EUR,${visa}\na-2,25.50,EUR,${master}\n`;
const cardFlags = ['--allow-pan-file'];

function change(home: string, plan: string, ...statements: readonly string[]): void {
  const database = sqlite.open(join(home, 'state', 'batches', `${plan}.db`));
  for (const sql of statements) expect(database.run(sql).changes).toBeGreaterThan(0);
  database.close();
}

/** Nothing of the network is planned, so that a request would fail the test. */
const run = (home: string, plan: string): Promise<Ran> => paycli(['batch', 'run', plan], { home });

function digestIn(home: string, plan: string): string {
  const store = openPlanIn(home, plan);
  try {
    return computeDigest(store);
  } finally {
    store.close();
  }
}

describe('whoever can write the plan file', () => {
  test.each([
    ['a card number', 'cardNumber', visa],
    ['a security code', 'cvv2', '123'],
    ['a login', 'login', 'other-shop'],
    ['a field that the operation does not have', 'anything', 'planted'],
  ])('cannot add %s to the content of a row', async (_, key, value) => {
    const home = homeWith(text);
    const { plan } = await planned(home);
    change(home, plan, `UPDATE rows SET content = json_set(content, '$.${key}', '${value}') WHERE number = 2`);
    const ran = await run(home, plan);
    expect([ran.exit, ran.err]).toEqual([10, expect.stringMatching(/row 2 .*no plan stores/)]);
    expect(ran.err).not.toContain(value);
    expect(ran.requests).toEqual([]);
  });

  test('cannot put another card in the place of the one in the file', async () => {
    const home = homeWith(cards);
    const { plan } = await planned(home, cardFlags);
    change(
      home,
      plan,
      `UPDATE rows SET seal = NULL, content = json_set(content, '$.cardNumber', '${master}') WHERE number = 1`,
    );
    const ran = await run(home, plan);
    expect([ran.exit, ran.err]).toEqual([10, expect.stringMatching(/row 1 .*no plan stores/)]);
    expect(ran.err).not.toContain(master);
  });

  test.each(['start = start + 1', 'bytes = bytes - 1', 'seal = NULL'])(
    'changes the digest with SET %s',
    async (what) => {
      const home = homeWith(cards);
      const { plan, digest } = await planned(home, cardFlags);
      expect(digestIn(home, plan)).toBe(digest);
      change(home, plan, `UPDATE rows SET ${what} WHERE number = 2`);
      let found = 'refused';
      try {
        found = digestIn(home, plan);
      } catch (error) {
        expect(error).toMatchObject({ code: 'BATCH_REFUSED' });
      }
      expect(found).not.toBe(digest);
    },
  );
});

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
