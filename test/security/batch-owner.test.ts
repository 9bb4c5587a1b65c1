// @module-tag postgres
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresEngine } from '../../src/batch/engines/postgres/engine.js';
import { readDatabaseAddress } from '../../src/batch/engines/postgres/index.js';
import type { PlanStore } from '../../src/batch/plan.js';
import { planOf, prepared, ways } from '../batch/engine-suite.js';
import { PostgresServer } from '../batch/postgres.js';
import { join, start } from '../batch/postgres-fixture.js';

/** The statements that `paycli help batches` shows, for whoever makes the database and then for its owner. */
const [beforeFirstRun = [], afterFirstRun = []] = [
  ...readFileSync('src/cli/docs/topics/batches.md', 'utf8').matchAll(/^```sql\n([\s\S]*?)^```/gm),
].map(([, sql = '']) => sql.trim().split('\n'));

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
}, 60_000);

afterAll(() => server.remove());

const said = { reason: 'said so' };

/** One statement after another as a role that is no superuser. */
async function as(
  role: string,
  database: string,
  ...statements: readonly string[]
): Promise<Record<string, unknown>[]> {
  const client = new Client({ host: '127.0.0.1', port: server.port, user: role, database });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const sql of statements) rows = (await client.query(sql)).rows;
    return rows;
  } finally {
    await client.end();
  }
}

let made = 0;

/**
 * A batch of a database with the roles of the help: put in by the planner, who owns the tables; the worker only works
 * there.
 */
async function openDeployment(wish: Parameters<typeof planOf>[0] = { count: 4 }) {
  made += 1;
  const database = `roles_${made}`;
  for (const sql of beforeFirstRun) {
    if (made > 1 && sql.startsWith('CREATE ROLE')) continue;
    await server.query(sql.replaceAll('DATABASE batches', `DATABASE ${database}`));
  }
  const plan = planOf(wish);
  const [planners, workers] = [server.url(database, 'paycli_planner'), server.url(database, 'paycli_worker')];
  const starter = await start(plan, planners);
  await as('paycli_planner', database, ...afterFirstRun);
  return { database, plan, starter, worker: () => join(plan.head.id, workers) };
}

/** What the worker did is past its first row, so that others may begin. */
async function pastFirst({
  starter,
  plan,
}: {
  readonly starter: PostgresEngine;
  readonly plan: PlanStore;
}): Promise<void> {
  for (const number of [1, 2])
    for (const { intent } of await starter.begin([prepared(plan, number)]))
      await starter.recordResult(intent, 'done', said);
}

describe('the least roles', () => {
  test('are enough for a whole batch: put in by the planner, worked on by the worker', async () => {
    const deployment = await openDeployment({ count: 5 });
    await pastFirst(deployment);
    const worker = await deployment.worker();
    const numbers = await worker.next(9);
    expect(numbers).toEqual([3, 4, 5]);
    for (const number of numbers) {
      const [gated] = await worker.begin([prepared(deployment.plan, number)]);
      expect(gated?.do).toBe('send');
      if (gated === undefined) throw new Error('not given');
      await worker.recordResult(gated.intent, number === 4 ? 'unknown' : 'done', {
        reason: 'said so',
        orderId: `9${number}`,
      });
      await worker.remark(gated.intent, 'no record', 'not yet');
    }
    expect(await worker.pace(new AbortController().signal)).toBe(true);
    await worker.waitForOtherWorkers();
    expect(await worker.tally()).toEqual([
      { state: 'done', currency: 'EUR', count: 4, minor: '4168' },
      { state: 'unknown', currency: 'EUR', count: 1, minor: '1042' },
    ]);
    await worker.close();
    await deployment.starter.close();
  });

  const notForWorkers = [
    'UPDATE paycli.batches SET moved_to = NULL',
    'DELETE FROM paycli.batches',
    'UPDATE paycli.gate SET minor = 1',
    "UPDATE paycli.gate SET sealed = ''",
    'UPDATE paycli.gate SET number = 9',
    'DELETE FROM paycli.gate',
    "INSERT INTO paycli.gate (batch, number) VALUES ('batch-1', 9)",
    "UPDATE paycli.moves SET reason = ''",
    'DELETE FROM paycli.moves',
    'ALTER TABLE paycli.gate DISABLE TRIGGER USER',
    'DROP SCHEMA paycli CASCADE',
    'CREATE TABLE paycli.more (id int)',
    'SET session_replication_role = replica',
  ];

  test('keep a worker from all but its work', async () => {
    const { database } = await openDeployment({ count: 1 });
    for (const sql of notForWorkers)
      await expect(as('paycli_worker', database, sql), sql).rejects.toThrow(/permission denied|must be owner/);
  });
});

describe('a worker', () => {
  test('sends again what is proven not to have left', async () => {
    const deployment = await openDeployment();
    await pastFirst(deployment);
    const worker = await deployment.worker();
    for (const { intent } of await worker.begin([prepared(deployment.plan, 3)]))
      await worker.recordResult(intent, 'not_sent', said);
    const later = await deployment.worker();
    expect(ways(await later.begin([prepared(deployment.plan, 3)]))).toEqual(['3 send']);
  });
});

describe('the certificate of the server', () => {
  const read = (text: string) => readDatabaseAddress(text, 'batch work');

  test('is not checked by its chain alone without an authority of its own', () => {
    const bare = 'postgres://ada@db.example/pay?sslmode=verify-ca';
    for (const address of [bare, `${bare}&sslrootcert=`])
      expect(() => read(address)).toThrow(
        expect.objectContaining({ code: 'USAGE', message: expect.stringContaining('sslrootcert=FILE') }),
      );
    expect(read(`${bare}&sslrootcert=ca.pem`)).toMatchObject({ tls: 'chain', authorities: 'ca.pem' });
  });
});
