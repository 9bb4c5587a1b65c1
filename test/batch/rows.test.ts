import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { PlanDigest } from '../../src/batch/digest.js';
import { headOf, type PlanHead } from '../../src/batch/plan.js';
import { type BatchRow, RowReader, requestOf } from '../../src/batch/rows.js';
import { openFiles } from '../../src/runtime/files.js';
import type { Assume } from '../../src/spec/index.js';
import { assumeDefaults } from '../../src/spec/index.js';
import { paycli } from '../support/runtime.js';
import { openJournalOf } from '../support/user-journal.js';
import { openFixture as openCommands, payouts } from './command.js';
import { homeWith, payoutFile, payoutLine, planned, stateBytes } from './files.js';
import { openFixture } from './running.js';

const text = payoutFile(payoutLine('a-1', '10.00'), payoutLine('a-2', '25.50'), payoutLine('a-3', '1'));

describe('a plan', () => {
  test('keeps nothing of them that can be read without its key, and nothing at all once they are final', async () => {
    const fixture = openCommands(payouts(2));
    const id = await fixture.plan();
    expect(stateBytes(fixture.home)).not.toContain('DE8937040044053201');
    const out = join(fixture.home, 'report');
    const reported = async () => {
      expect((await fixture.run(['batch', 'show', id, '--out', out])).exit).toBe(0);
      const lines = readFileSync(join(out, 'results.jsonl'), 'utf8').trim().split('\n');
      return lines.map((line) => JSON.parse(line));
    };
    const row = { clientOrderId: 'row-2', destination: 'account •••• 2011', amount: '10.42', currency: 'EUR' };
    expect((await reported())[1]).toMatchObject({
      ...row,
      line: 3,
      state: 'planned',
      attempts: 0,
      first: '',
      last: '',
    });
    expect((await fixture.run(['batch', 'run', id, '--rate', '1000/s'])).exit).toBe(0);
    expect((await reported())[1]).toMatchObject({ ...row, line: null, destination: '', state: 'done', attempts: 1 });
  });
});

test('a cancelled plan keeps nothing that only sending needs', async () => {
  const home = homeWith(text);
  const { plan: id } = await planned(home);
  const kept = async () => {
    const journal = openJournalOf(home);
    const rows = await journal.find({ batch: id }, { limit: 10 });
    const { size } = await journal.readPayloads(rows.map((row) => row.id));
    await journal.close();
    return size;
  };
  expect(await kept()).toBe(3);
  expect((await paycli(['batch', 'cancel', id, '--reason', 'wrong file'], { home })).exit).toBe(0);
  expect(await kept()).toBe(0);
});

describe('a row right before it is sent', () => {
  async function planOf(assume: Assume = assumeDefaults) {
    const fixture = await openFixture({ count: 1 });
    const journal = fixture.openJournal();
    onTestFinished(() => journal.close());
    const [request = expect.unreachable('no row')] = await fixture.recorded();
    const [batch = expect.unreachable('no plan')] = await journal.findBatches(request.batch);
    const files = openFiles({}, { home: '/', working: '/' });
    const [row = expect.unreachable('no row')] = await new RowReader(headOf(batch), { journal, files }).read([request]);
    const connection = fixture.connectionWith({});
    const target = (id: string) => ({ ...connection.target(id), assume });
    return {
      row,
      compose: (changed: Partial<BatchRow>) => requestOf({ ...row, ...changed }, { ...connection, target }, journal),
    };
  }

  test('is refused with another recipient, amount, or sum in the journal', async () => {
    const { row, compose } = await planOf();
    const sum = { minor: '1043', currency: 'EUR', digits: 2 };
    for (const changed of [
      { values: { ...row.values, accountNumber: 'DE02120300000000202051' } },
      { values: { ...row.values, amount: '10.43' } },
      { request: { ...row.request, sum } },
    ])
      expect(() => compose(changed)).toThrow(expect.objectContaining({ code: 'BATCH_REFUSED' }));
  });

  test('is refused where its profile has other assumptions by now', async () => {
    const { compose } = await planOf({ ...assumeDefaults, 'body-amount': 'minor' });
    expect(() => compose({})).toThrow(/row 1 would be another request than was planned/);
  });
});

describe('the digest', () => {
  const head: Omit<PlanHead, 'digest'> = {
    ...{ id: 'b-1', operation: 'PAYOUT', madeAt: 1, planner: { user: 'u', host: 'h', id: '1' }, version: '1' },
    ...{ profile: 'p', class: 'test', base: 'b', login: 'l', count: 1, hasCards: false },
    totals: [{ currency: 'EUR', count: 1, minor: '1', digits: 2 }],
    file: {
      ...{ path: '/f', bytes: 1, sha256: 'x', format: 'csv' },
      layout: { delimiter: ',', columns: ['amount'], map: {} },
    },
  };
  const row = [1, '7', '1', 'EUR', '{"amount":"1"}'];
  const digest = (changes: Partial<PlanHead>, ...rows: readonly (readonly unknown[])[]) => {
    const made = new PlanDigest();
    for (const each of rows) made.add(each);
    return made.ofHead({ ...head, ...changes });
  };

  test('tells any two plans apart that differ in anything', () => {
    const heads: Partial<PlanHead>[] = [
      ...[{ id: 'b-2' }, { madeAt: 2 }, { profile: 'q' }, { class: 'live' }, { base: 'c' }, { login: 'm' }],
      ...[{ version: '2' }, { hasCards: true }, { operation: 'PAYOUT_V4_CHECK' as const }, { pays: 'b-0' }],
      ...['user', 'host', 'id'].map((key) => ({ planner: { ...head.planner, [key]: 'other' } })),
      { totals: [{ currency: 'EUR', count: 1, minor: '2', digits: 2 }] },
      { file: { ...head.file, sha256: 'y' } },
      { file: { ...head.file, layout: { ...head.file.layout, columns: ['currency'] } } },
    ];
    const rows = row.map((_, at) => row.with(at, 'other'));
    const all = [
      digest({}, row),
      ...heads.map((changes) => digest(changes, row)),
      ...rows.map((each) => digest({}, each)),
    ];
    expect(new Set([...all, digest({}, row, row), digest({})]).size).toBe(all.length + 2);
  });
});
