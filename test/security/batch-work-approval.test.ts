// @module-tag postgres
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/runtime/clock.js';
import { Secret } from '../../src/wire/mask.js';
import { writeApproverKey } from '../batch/approver-key.js';
import { homeWith, payoutFile, payoutLine } from '../batch/files.js';
import { openPlanIn } from '../batch/plans.js';
import { PostgresServer } from '../batch/postgres.js';
import { start } from '../batch/postgres-fixture.js';
import { paycli, type Ran, type TestOptions } from '../support/runtime.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
}, 60_000);

afterAll(() => server.remove());

const key = 'ab'.repeat(32);
const john = { name: 'john', id: '1001' };
const mary = { name: 'mary', id: '1002' };
const approval = '    require-approval: true\n';

function configOf(home: string, change: (text: string) => string): void {
  const path = join(home, 'config', 'config.yaml');
  writeFileSync(path, change(readFileSync(path, 'utf8')));
}

/** A plan of a home whose profile asks for approval, put into a database by somebody whose paycli asked for none. */
async function openDeployment({ isApproved }: { readonly isApproved: boolean }) {
  const home = homeWith(payoutFile(payoutLine('a-1', '10.00')));
  writeApproverKey(home, 'mary');
  writeFileSync(join(home, 'rows.key'), `${key}\n`, { mode: 0o600 });
  configOf(home, (text) => `${text}${approval}approvers: { mary: ../mary.pub }\n`);
  const planned = await paycli(['batch', 'plan', 'rows.csv', '--operation', 'payout', '--json', '--no-color'], {
    home,
    tty: true,
    person: john,
  });
  const { plan, digest } = JSON.parse(planned.out);
  if (isApproved) {
    const argv = [
      'batch',
      'approve',
      plan,
      '--key-file',
      'mary.pem',
      '--total',
      'EUR=10',
      '--digest',
      digest.slice(0, 8),
    ];
    expect((await paycli(argv, { home, person: mary })).exit).toBe(0);
  }
  const database = await server.newDatabase();
  const store = openPlanIn(home, plan);
  const starter = await start(store, server.url(database), { rowKey: new Secret(key) });
  await starter.close();
  store.close();
  const work = (options: TestOptions = {}): Promise<Ran> =>
    paycli(['batch', 'work', plan, '--engine', server.url(database), '--row-key-file', 'rows.key'], {
      home,
      person: john,
      outside: (usual) => ({ ...usual, clock: { ...systemClock, now: () => Date.UTC(2030, 0, 7, 12) } }),
      ...options,
    });
  return { home, plan, database, work };
}

const gone = () => ({ kind: 'never-sent', reason: 'connection refused' }) as const;

test('a worker asks for the approval itself, whoever put the batch in', async () => {
  const { work } = await openDeployment({ isApproved: false });
  const ran = await work();
  expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('needs the approval of a second person')]);
  expect(ran.requests).toEqual([]);
});

test('a worker finds the approval with the batch, by the approvers of its own machine', async () => {
  const { home, work } = await openDeployment({ isApproved: true });
  const ran = await work({ network: [gone, gone, gone] });
  expect([ran.exit, ran.err]).toEqual([6, expect.stringContaining('connection refused')]);
  configOf(home, (text) => text.replace(/approvers: .*\n/, ''));
  const struck = await work();
  expect([struck.exit, struck.err]).toEqual([
    10,
    expect.stringContaining('mary, who approved it, is not among the approvers'),
  ]);
});

test.each([
  ['taken away', "UPDATE paycli.batches SET approvals = '[]'", 'nobody has approved it'],
  [
    'given another date',
    `UPDATE paycli.batches SET approvals = replace(approvals, '"at":', '"at":1')`,
    'does not match this plan or their key',
  ],
  ['no JSON', "UPDATE paycli.batches SET approvals = 'x'", 'nobody has approved it'],
])('an approval that is %s in the database counts for nothing', async (_, sql, why) => {
  const { database, work } = await openDeployment({ isApproved: true });
  await server.query(sql, database);
  const ran = await work();
  expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining(why)]);
});

test('an approval that ended by the clock of the worker counts for nothing', async () => {
  const { work } = await openDeployment({ isApproved: true });
  const late = { ...systemClock, now: () => Date.UTC(2030, 0, 11, 12) };
  const ran = await work({ outside: (usual) => ({ ...usual, clock: late }) });
  expect([ran.exit, ran.err]).toEqual([10, expect.stringContaining('it is valid for 72 hours')]);
});
