// @module-tag postgres
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { PostgresEngine } from '../../src/batch/engines/postgres/engine.js';
import type { PlanStore } from '../../src/batch/plan.js';
import type { Intent, State } from '../../src/journal/index.js';
import { openOf, planOf, prepared, ways } from './engine-suite.js';
import { PostgresServer } from './postgres.js';
import { start } from './postgres-fixture.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
}, 60_000);

afterAll(() => server.remove());

const said = { reason: 'said so' };

/** The tables as version 8 made them: it told orders apart by endpoint, too. */
async function asVersion8(database: string): Promise<void> {
  const [rules] = await server.query("SELECT pg_get_functiondef('paycli.forward'::regproc) AS text", database);
  const before = String(rules?.['text'])
    .replace(/ +NEW\.alongside = .*\n/, '')
    .replaceAll('version 9', 'version 8')
    .replace("'9'", "'8'");
  expect(before).not.toMatch(/alongside|\b9\b/);
  await server.query(
    `${before};
     DROP INDEX paycli.gate_openings, paycli.gate_in_flight, paycli.gate_orders;
     ALTER TABLE paycli.gate DROP COLUMN alongside;
     CREATE UNIQUE INDEX gate_openings ON paycli.gate (base, endpoint_id, client_order_id)
       WHERE kind = 'opening' AND state NOT IN ('refused', 'withdrawn');
     CREATE UNIQUE INDEX gate_in_flight ON paycli.gate (base, endpoint_id, order_id)
       WHERE kind = 'follow-up' AND state IN ('sending', 'unknown');
     UPDATE paycli.meta SET version = 8`,
    database,
  );
}

/** All that the upgrade changes, as one text. */
async function shapeOf(database: string): Promise<string> {
  const [found] = await server.query(
    `SELECT (SELECT version FROM paycli.meta), pg_get_functiondef('paycli.forward'::regproc) AS rules,
       (SELECT string_agg(indexdef, ';' ORDER BY indexname) FROM pg_indexes WHERE schemaname = 'paycli') AS indexes,
       (SELECT string_agg(column_name, ',' ORDER BY column_name) FROM information_schema.columns
        WHERE table_schema = 'paycli' AND table_name = 'gate') AS columns`,
    database,
  );
  return JSON.stringify(found);
}

const movesIn = (database: string) => server.query('SELECT * FROM paycli.moves ORDER BY id', database);
const captures = (id: string, endpoint: string, minor: string) =>
  planOf({ count: 1, operation: 'CAPTURE', id, orders: ['900'], endpoints: [endpoint], sums: [[minor, 'EUR']] });

/** What a worker of version 8 wrote. */
const moveBy8 = (database: string, batch: string, to: State) =>
  server.query(
    `SET paycli.tables = '8'; UPDATE paycli.gate SET state = '${to}', attempts = 1, may_have_arrived = true
     WHERE batch = '${batch}'`,
    database,
  );

async function beginOne(engine: PostgresEngine, plan: PlanStore): Promise<string> {
  try {
    return ways(await engine.begin([prepared(plan, 1)])).join();
  } catch (error) {
    return String((error as { code?: unknown }).code);
  }
}

test('a plan goes on where the version before began it, with all that is in flight and written down', async () => {
  const database = await server.newDatabase();
  const plan = planOf({ count: 4, operation: 'CAPTURE', orders: ['900', '901', '902', '903'] });
  const first = await start(plan, server.url(database));
  for (const [number, to] of [
    [1, 'done'],
    [2, 'accepted'],
    [3, 'unknown'],
  ] as const)
    for (const { intent } of await first.begin([prepared(plan, number)])) await first.recordResult(intent, to, said);
  await first.close();
  const whole = await shapeOf(database);
  await asVersion8(database);
  const before = await movesIn(database);
  const engine = await start(plan, server.url(database));
  expect(await shapeOf(database)).toBe(whole);
  expect(await movesIn(database)).toEqual(before);
  expect((await openOf(engine)).map(({ number, intent }) => `${number} ${intent.state}`)).toEqual([
    '3 unknown',
    '2 accepted',
  ]);
  expect(ways(await engine.begin([1, 2, 3, 4].map((number) => prepared(plan, number))))).toEqual([
    '1 show',
    '2 ask',
    '3 ask',
    '4 send',
  ]);
});

describe('two follow-ups on one order that the version before began at two endpoints', () => {
  async function opened() {
    const database = await server.newDatabase();
    const plans = [
      captures('one', '4001', '1'),
      captures('other', '4002', '2'),
      captures('third', '4003', '3'),
    ] as const;
    for (const plan of plans) await (await start(plan, server.url(database))).close();
    await asVersion8(database);
    for (const batch of ['one', 'other']) await moveBy8(database, batch, 'sending');
    await moveBy8(database, 'other', 'unknown');
    await server.query('UPDATE paycli.workers SET lease_until = clock_timestamp()', database);
    return { database, plans };
  }

  test('stay in flight, and nothing more is sent on the order before both have their ends', async () => {
    const { database, plans } = await opened();
    const before = await movesIn(database);
    const engines: PostgresEngine[] = [];
    for (const plan of plans) engines.push(await start(plan, server.url(database)));
    const [one, other, third] = engines;
    if (one === undefined || other === undefined || third === undefined) throw new Error('three engines');
    const after = await movesIn(database);
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toMatchObject([
      {
        from_state: 'unknown',
        to_state: 'unknown',
        reason: 'in flight beside another request on this order, at another endpoint',
      },
    ]);
    const open: Intent[] = [];
    for (const engine of [one, other]) for (const { intent } of await openOf(engine)) open.push(intent);
    expect(open.map(({ state, endpointId }) => `${state} ${endpointId}`)).toEqual(['unknown 4001', 'unknown 4002']);
    expect(await beginOne(third, plans[2])).toBe('ORDER_BUSY');
    const [first, second] = open;
    if (first === undefined || second === undefined) throw new Error('two are open');
    await one.recordResult(first, 'done', said);
    expect(await beginOne(third, plans[2])).toBe('ORDER_BUSY');
    await other.recordResult(second, 'declined', said);
    expect(await beginOne(third, plans[2])).toBe('1 send');
    expect(await server.query('SELECT 1 FROM paycli.gate WHERE alongside', database)).toEqual([]);
  });

  test('are known to each other: what status says is not taken for the wrong one', async () => {
    const { database, plans } = await opened();
    const engine = await start(plans[0], server.url(database));
    const [open] = await openOf(engine);
    if (open === undefined) throw new Error('one is open');
    const known = await engine.onOrder(open.intent, '900');
    expect(known.map(({ endpointId }) => endpointId)).toEqual(['4001', '4002', '4003']);
  });
});

test('of two batches with one follow-up, which the version before took for two, one sends it', async () => {
  const database = await server.newDatabase();
  const plans = [captures('one', '4001', '1'), captures('other', '4002', '1')] as const;
  const rename = (from: string, to: string) =>
    server.query(
      `SET session_replication_role = replica; UPDATE paycli.gate SET order_id = '${to}' WHERE order_id = '${from}'`,
      database,
    );
  await (await start(plans[0], server.url(database))).close();
  // Nobody could put the second one in now.
  await rename('900', 'hidden');
  await (await start(plans[1], server.url(database))).close();
  await rename('hidden', '900');
  await asVersion8(database);
  const [one, other] = [await start(plans[0], server.url(database)), await start(plans[1], server.url(database))];
  const both = await Promise.all([beginOne(one, plans[0]), beginOne(other, plans[1])]);
  expect(both.filter((way) => way === '1 send')).toHaveLength(1);
  const [sender, left] = both[0] === '1 send' ? [one, other] : [other, one];
  const leftPlan = sender === one ? plans[1] : plans[0];
  const rows = await server.query("SELECT batch FROM paycli.gate WHERE state = 'sending'", database);
  expect(rows).toEqual([{ batch: sender.head.id }]);
  const [sent] = (await sender.find(leftPlan.rows(1, 1))).values();
  if (sent === undefined) throw new Error('one was sent');
  await sender.recordResult(sent, 'done', said);
  await expect(left.begin([prepared(leftPlan, 1)])).rejects.toMatchObject({
    code: 'SAME_CONTENT_SENT',
    message: `the same payment was already sent: order 900 is done in batch ${sender.head.id}`,
  });
  expect((await left.tally()).map(({ state, count }) => [state, count])).toEqual([['planned', 1]]);
});

test('several that upgrade at the same moment do it once', async () => {
  const database = await server.newDatabase();
  const plan = planOf({ count: 2 });
  await (await start(plan, server.url(database))).close();
  const whole = await shapeOf(database);
  await asVersion8(database);
  await Promise.all(Array.from({ length: 4 }, () => start(plan, server.url(database))));
  expect(await shapeOf(database)).toBe(whole);
});

test('an upgrade waits for a worker that is just writing, and does not disturb it', async () => {
  const database = await server.newDatabase();
  const plan = planOf({ count: 2 });
  await (await start(plan, server.url(database))).close();
  await asVersion8(database);
  const worker = new Client({ host: '127.0.0.1', port: server.port, user: 'postgres', database });
  onTestFinished(() => worker.end());
  await worker.connect();
  await worker.query("BEGIN; SET paycli.tables = '8'");
  await worker.query("UPDATE paycli.gate SET state = 'sending', attempts = 1 WHERE number = 1");
  const upgrading = start(plan, server.url(database));
  await pause(2500);
  await worker.query("UPDATE paycli.gate SET state = 'done' WHERE number = 1; COMMIT");
  const engine = await upgrading;
  expect((await engine.tally()).map(({ state, count }) => [state, count])).toEqual([
    ['done', 1],
    ['planned', 1],
  ]);
});

test('an upgrade that is cut off leaves the tables of one version, whole', async () => {
  const database = await server.newDatabase();
  const plan = planOf({ count: 200 });
  await (await start(plan, server.url(database))).close();
  const whole = await shapeOf(database);
  await asVersion8(database);
  const older = await shapeOf(database);
  const from = performance.now();
  await (await start(plan, server.url(database))).close();
  const wholeMs = performance.now() - from;
  let cut = 0;
  for (let round = 0; round < 20; round += 1) {
    if ((await shapeOf(database)) === whole) await asVersion8(database);
    const upgrading = start(plan, server.url(database)).then(
      (engine) => engine.close(),
      () => {
        cut += 1;
      },
    );
    await pause(Math.random() * wholeMs);
    await server.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = '${database}' AND pid <> pg_backend_pid()`,
    );
    await upgrading.catch(() => undefined);
    expect([older, whole]).toContain(await shapeOf(database));
  }
  expect(cut).toBeGreaterThan(0);
  await start(plan, server.url(database));
  expect(await shapeOf(database)).toBe(whole);
});
