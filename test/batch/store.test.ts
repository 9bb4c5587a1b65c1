import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { computeDigest } from '../../src/batch/plan/digest.js';
import type { BatchRow, PlanHead, PlanStore } from '../../src/batch/plan.js';
import { homeWith, payoutFile, payoutLine } from './files.js';
import { openPlanIn, openPlanOf } from './plans.js';

const text = payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50'), payoutLine('a-3', '1'));

describe('a plan', () => {
  test('gives its rows in order, as they were checked', async () => {
    const store = await openPlanOf(homeWith(text), 'rows.csv');
    expect(store.head).toMatchObject({
      operation: 'PAYOUT',
      profile: 'shop',
      class: 'test',
      login: 'my-shop',
      count: 3,
      hasCards: false,
    });
    expect(store.rows(2, 5).map(({ number }) => number)).toEqual([2, 3]);
    expect(store.rows(1, 2).map(({ number }) => number)).toEqual([1, 2]);
    expect(store.row(3)).toEqual({
      number: 3,
      line: 4,
      endpointId: '1144',
      sum: { minor: '100', currency: 'EUR' },
      destination: 'account •••• 2051',
      values: {
        ...{ clientOrderId: 'a-3', amount: '1', currency: 'EUR', accountNumber: 'DE02120300000000202051' },
        ...{ bankName: 'Example Bank', bankBranch: 'Berlin', redirectUrl: 'https://shop.example/return' },
      },
    });
    expect(store.row(4)).toBeUndefined();
    store.close();
  });

  test('remembers notes and events', async () => {
    const home = homeWith(text);
    const store = await openPlanOf(home, 'rows.csv');
    store.note(
      new Map([
        [1, 'sending'],
        [2, 'done'],
      ]),
    );
    store.note(new Map([[1, 'unknown']]));
    store.addEvent('run begun', { pid: 7 });
    store.close();
    const again = openPlanIn(home, store.head.id);
    expect([...again.noted()]).toEqual([
      [1, 'unknown'],
      [2, 'done'],
    ]);
    expect(again.events()).toMatchObject([{ what: 'run begun', facts: { pid: 7 } }]);
    again.close();
  });

  test('has a digest that anybody can make from its rows and its head', async () => {
    const store = await openPlanOf(homeWith(text), 'rows.csv');
    expect(computeDigest(store)).toBe(store.head.digest);
    store.close();
  });
});

describe('the digest', () => {
  test('rests on every byte of the file', async () => {
    const store = await openPlanOf(homeWith(text), 'rows.csv');
    store.close();
    expect(store.head.file.sha256).toBe(createHash('sha256').update(text).digest('hex'));
  });

  const head: PlanHead = {
    ...{
      id: 'b-1',
      operation: 'PAYOUT',
      madeAt: 1,
      planner: { user: 'u', host: 'h', id: '1' },
      version: '1',
      profile: 'p',
      class: 'test',
      base: 'b',
    },
    ...{
      login: 'l',
      count: 1,
      totals: [{ currency: 'EUR', count: 1, minor: '1', digits: 2 }],
      hasCards: false,
      digest: '',
    },
    file: {
      path: '/f',
      bytes: 1,
      sha256: 'x',
      format: 'csv',
      layout: { delimiter: ',', columns: ['amount'], map: {} },
    },
  };
  const row: BatchRow = {
    number: 1,
    line: 2,
    values: { amount: '1' },
    endpointId: '7',
    sum: { minor: '1', currency: 'EUR' },
    destination: 'd',
  };
  const digest = (changes: Partial<PlanHead>, ...rows: readonly BatchRow[]) => {
    const store: Pick<PlanStore, 'head' | 'rows'> = {
      head: { ...head, count: rows.length, ...changes },
      rows: (from) => rows.filter((each) => each.number >= from),
    };
    return computeDigest(store);
  };

  test('tells any two plans apart that differ in anything', () => {
    const heads: Partial<PlanHead>[] = [
      ...[
        { id: 'b-2' },
        { madeAt: 2 },
        { profile: 'q' },
        { class: 'live' },
        { base: 'c' },
        { login: 'm' },
        { version: '2' },
        { hasCards: true },
      ],
      ...[
        { operation: 'PAYOUT_V4_CHECK' as const },
        { planner: { user: 'v', host: 'h', id: '1' } },
        { planner: { user: 'u', host: 'i', id: '1' } },
        { planner: { user: 'u', host: 'h', id: '2' } },
      ],
      { totals: [{ currency: 'EUR', count: 1, minor: '2', digits: 2 }] },
      { file: { ...head.file, sha256: 'y' } },
      { file: { ...head.file, layout: { ...head.file.layout, columns: ['currency'] } } },
    ];
    const rows: Partial<BatchRow>[] = [
      { line: 3 },
      { endpointId: '8' },
      { destination: 'e' },
      { sum: undefined },
      { values: { amount: '2' } },
      { values: { amount: '1', purpose: '1' } },
    ];
    const all = [
      digest({}, row),
      ...heads.map((changes) => digest(changes, row)),
      ...rows.map((changes) => digest({}, { ...row, ...changes })),
      digest({}, row, { ...row, number: 2 }),
    ];
    expect(new Set(all).size).toBe(all.length);
  });

  test('is the same in whatever order values were put down', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(['amount', 'currency', 'accountNumber', 'bankName', 'clientOrderId'], { minLength: 5 }),
        (keys) => {
          const values = Object.fromEntries(keys.map((key) => [key, `value of ${key}`]));
          const sorted = Object.fromEntries([...keys].sort().map((key) => [key, `value of ${key}`]));
          expect(digest({}, { ...row, values })).toBe(digest({}, { ...row, values: sorted }));
        },
      ),
    );
  });

  test('never rests on a card number, which could be tried out', () => {
    const one = { ...row, values: { amount: '1', cardNumber: '4444333322221111', expireMonth: '12' } };
    const other = { ...row, values: { amount: '1', cardNumber: '5555555555554444', expireMonth: '11' } };
    expect(digest({}, one)).toBe(digest({}, other));
  });
});
