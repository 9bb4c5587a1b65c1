import { createHash } from 'node:crypto';
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

describe('whoever can also make a digest that fits', () => {
  /** The digest as a thief of the plan file would make it anew. */
  function forge(home: string, plan: string, ...statements: readonly string[]): void {
    change(home, plan, ...statements);
    change(
      home,
      plan,
      `UPDATE meta SET value = json_set(value, '$.digest', '${digestIn(home, plan)}') WHERE name = 'head'`,
    );
  }

  test.each([
    [
      'another amount on the wire than the one that is added up',
      `content = json_set(content, '$.amount', '9999.00')`,
      /amount/,
    ],
    ['another currency on the wire', `content = json_set(content, '$.currency', 'USD')`, /amount/],
    ['an amount that no rule lets through', `content = json_set(content, '$.amount', '-25.50')`, /amount: use/],
    ['a row that lacks what it needs', `content = json_remove(content, '$.amount')`, /amount/],
    ['text over two lines', `content = json_set(content, '$.bankName', 'a' || char(10) || 'b')`, /bank_name: use/],
  ])('sends nothing with %s', async (_, set, why) => {
    const home = homeWith(text);
    const { plan } = await planned(home);
    forge(home, plan, `UPDATE rows SET ${set} WHERE number = 2`);
    const ran = await run(home, plan);
    expect([ran.exit, ran.err]).toEqual([10, expect.stringMatching(/row 2/)]);
    expect(ran.err).toMatch(why);
    expect(ran.requests).toEqual([]);
  });

  test('sends nothing when the rows no longer come to the totals that people see', async () => {
    const home = homeWith(text);
    const { plan } = await planned(home);
    forge(
      home,
      plan,
      `UPDATE rows SET minor = '999900', content = json_set(content, '$.amount', '9999.00') WHERE number = 2`,
    );
    const ran = await run(home, plan);
    expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('do not add up to its totals')]);
  });
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

describe('a plan of an earlier version', () => {
  /** As version 1 made it: seven facts of a row, and a head that names neither its version nor the id of a user. */
  function digestOfVersion1(home: string, plan: string): string {
    const database = sqlite.open(join(home, 'state', 'batches', `${plan}.db`));
    const hash = createHash('sha256');
    for (const row of database.all('SELECT * FROM rows ORDER BY number')) {
      const names = ['number', 'line', 'endpoint_id', 'minor', 'currency', 'destination', 'content'];
      hash.update(`${JSON.stringify(names.map((name) => row[name]))}\n`);
    }
    const head = JSON.parse(String(database.get("SELECT value FROM meta WHERE name = 'head'")?.['value']));
    database.close();
    const { planner, file, totals } = head;
    const { layout } = file;
    const facts = [
      head.id,
      head.operation,
      head.madeAt,
      planner.user,
      planner.host,
      head.version,
      head.profile,
      head.class,
      head.base,
      head.login,
    ];
    facts.push(
      file.path,
      file.bytes,
      file.sha256,
      file.format,
      layout.delimiter,
      layout.columns,
      Object.entries(layout.map),
      head.count,
    );
    facts.push(
      totals.map((total: Record<string, unknown>) =>
        ['currency', 'count', 'minor', 'digits'].map((name) => total[name]),
      ),
      head.hasCards,
    );
    return hash.update(`${JSON.stringify(facts)}\n`).digest('hex');
  }

  async function oldPlan(): Promise<{ readonly home: string; readonly plan: string }> {
    const home = homeWith(text);
    const { plan } = await planned(home);
    const digest = digestOfVersion1(home, plan);
    change(
      home,
      plan,
      `UPDATE meta SET value = json_remove(json_set(value, '$.digest', '${digest}'), '$.digestVersion', '$.planner.id') WHERE name = 'head'`,
    );
    const database = sqlite.open(join(home, 'state', 'batches', `${plan}.db`));
    database.exec('PRAGMA user_version = 1');
    database.close();
    return { home, plan };
  }

  const gone = () => ({ kind: 'never-sent', reason: 'connection refused' }) as const;

  test('is judged by its own digest, and goes on to ask the gateway', async () => {
    const { home, plan } = await oldPlan();
    const ran = await paycli(['batch', 'run', plan], { home, network: [gone, gone, gone] });
    expect([ran.exit, ran.err]).toEqual([6, expect.stringContaining('connection refused')]);
  });

  test('is refused once it was changed, in what that digest covers and in what it does not', async () => {
    const first = await oldPlan();
    change(first.home, first.plan, "UPDATE rows SET endpoint_id = '1145' WHERE number = 1");
    expect(await run(first.home, first.plan)).toMatchObject({
      exit: 10,
      err: expect.stringContaining('was changed after it was created'),
    });
    const second = await oldPlan();
    change(
      second.home,
      second.plan,
      `UPDATE rows SET content = json_set(content, '$.cardNumber', '${visa}') WHERE number = 1`,
    );
    expect(await run(second.home, second.plan)).toMatchObject({
      exit: 10,
      err: expect.stringContaining('no plan stores'),
    });
  });

  test('of a digest that nobody here knows is to be planned again', async () => {
    const home = homeWith(text);
    const { plan } = await planned(home);
    change(home, plan, "UPDATE meta SET value = json_set(value, '$.digestVersion', 99) WHERE name = 'head'");
    expect(await run(home, plan)).toMatchObject({ exit: 10, err: expect.stringContaining('plan the file again') });
  });
});
