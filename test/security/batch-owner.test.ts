// @module-tag postgres
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { PostgresEngine } from '../../src/batch/engines/postgres/engine.js';
import { GateView, readDatabaseAddress } from '../../src/batch/engines/postgres/index.js';
import type { PlanStore } from '../../src/batch/plan.js';
import { planOf, prepared, ways } from '../batch/engine-suite.js';
import { PostgresServer } from '../batch/postgres.js';
import { join, rowKey, start } from '../batch/postgres-fixture.js';
import { isEvery, oneIn } from '../support/every.js';

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
const refusedAs = (why: RegExp) => ({ code: 'STORAGE', exit: 13, message: expect.stringMatching(why) });
const unproven = /changed in the database|cannot be verified|belongs to another batch/;

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
  /** As the owner of the tables, without the key. */
  const owner = (...statements: readonly string[]) => as('paycli_planner', database, ...statements);
  return { database, plan, starter, owner, planners, workers, worker: () => join(plan.head.id, workers) };
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

const switchedOff = 'ALTER TABLE paycli.gate DISABLE TRIGGER USER';
const switchedOn = 'ALTER TABLE paycli.gate ENABLE TRIGGER USER';

async function attemptsIn(database: string): Promise<unknown[]> {
  return (await server.query('SELECT attempts FROM paycli.gate ORDER BY number', database)).map(
    ({ attempts }) => attempts,
  );
}

/** Both the one who put it in and one who joins refuse to begin a row, and the database shows none begun. */
async function expectStopped(
  deployment: Awaited<ReturnType<typeof openDeployment>>,
  number: number,
  why = unproven,
): Promise<void> {
  const before = await attemptsIn(deployment.database);
  await expect(deployment.starter.begin([prepared(deployment.plan, number)])).rejects.toMatchObject(refusedAs(why));
  const joined = (async () => {
    const worker = await deployment.worker();
    const numbers = await worker.next(9);
    return worker.begin(numbers.map((each) => prepared(deployment.plan, each)));
  })();
  await expect(joined).rejects.toMatchObject(refusedAs(why));
  expect(await attemptsIn(deployment.database)).toEqual(before);
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

describe('the owner of the tables, without the key', () => {
  const head = (path: string, value: string) =>
    `UPDATE paycli.batches SET head = jsonb_set(head::jsonb, '{${path}}', '${value}')::text`;

  const changesOfBatch = [
    ['operation', head('operation', '"CAPTURE"')],
    ['login', head('login', '"other"')],
    ['gateway', head('base', '"https://evil.example/pay"')],
    ['count of rows', head('count', '2')],
    ['class, which decides whether a confirmation is asked for', head('class', '"sandbox"')],
    ['total, which decides whether an approval is asked for', head('totals', '[]')],
    ['planner', head('planner', '{"user":"x","host":"y","id":"7"}')],
    ['digest', head('digest', '"another"')],
    ['rate', 'UPDATE paycli.batches SET rate = 100000'],
    ['proof, taken away', 'UPDATE paycli.batches SET proof = NULL'],
    ['proof, made up', "UPDATE paycli.batches SET proof = repeat('0', 64)"],
    ['head, no JSON', "UPDATE paycli.batches SET head = 'x'"],
    ['head, nothing', "UPDATE paycli.batches SET head = 'null'"],
  ] as const;

  // A batch of its own for each.
  test.each(oneIn(12, changesOfBatch, 3))('stops a batch with a changed %s', async (_, sql) => {
    const deployment = await openDeployment();
    await pastFirst(deployment);
    await deployment.owner(sql);
    await expect(deployment.starter.begin([prepared(deployment.plan, 3)])).rejects.toMatchObject({ code: 'STORAGE' });
    await expect(deployment.worker()).rejects.toMatchObject({
      exit: expect.toSatisfy((exit: number) => exit === 13 || exit === 3),
    });
    expect(await attemptsIn(deployment.database)).toEqual([1, 1, 0, 0]);
  });

  test('cannot put the head of another batch in the place of this one', async () => {
    const deployment = await openDeployment();
    await start(planOf({ count: 2, id: 'batch-2', orders: ['x-1', 'x-2'] }), deployment.planners);
    await deployment.owner(
      `UPDATE paycli.batches SET (head, digest, key_check, proof) =
       (SELECT head, digest, key_check, proof FROM paycli.batches WHERE id = 'batch-2') WHERE id = 'batch-1'`,
    );
    await expect(deployment.worker()).rejects.toMatchObject(refusedAs(unproven));
    await expect(deployment.starter.begin([prepared(deployment.plan, 1)])).rejects.toMatchObject(refusedAs(unproven));
  });

  test.each(
    oneIn(
      4,
      [
        [
          'the contents of two rows exchanged',
          'UPDATE paycli.gate AS a SET sealed = b.sealed FROM paycli.gate AS b WHERE a.number + b.number = 7 AND a.number > 2',
        ],
        [
          'two rows exchanged as a whole',
          'UPDATE paycli.gate SET number = 99 WHERE number = 3; UPDATE paycli.gate SET number = 3 WHERE number = 4; UPDATE paycli.gate SET number = 4 WHERE number = 99',
        ],
        ['another amount', 'UPDATE paycli.gate SET minor = 999999 WHERE number = 3'],
        ['another endpoint', "UPDATE paycli.gate SET endpoint_id = '4002' WHERE number = 3"],
      ],
      2,
    ),
  )('stops a batch with the gate trigger switched off and %s', async (_, sql) => {
    const deployment = await openDeployment();
    await pastFirst(deployment);
    await deployment.owner(switchedOff, sql, switchedOn);
    const before = await attemptsIn(deployment.database);
    await expect(deployment.starter.begin([prepared(deployment.plan, 3)])).rejects.toMatchObject({
      code: expect.stringMatching(/^(STORAGE|INTENT_DIFFERS)$/),
    });
    const worker = await deployment.worker();
    await expect(worker.next(9)).rejects.toMatchObject(refusedAs(/was changed in the database/));
    expect(await attemptsIn(deployment.database)).toEqual(before);
  });

  test('cannot replay a row of another batch', async () => {
    const deployment = await openDeployment({ count: 3 });
    const other = planOf({ count: 3, id: 'batch-2', orders: ['x-1', 'x-2', 'x-3'] });
    const second = await start(other, deployment.planners);
    await deployment.owner(
      switchedOff,
      `UPDATE paycli.gate AS mine SET sealed = theirs.sealed, content = theirs.content FROM paycli.gate AS theirs
       WHERE mine.batch = 'batch-2' AND theirs.batch = 'batch-1' AND mine.number = theirs.number`,
      `UPDATE paycli.unsent AS mine SET proof = theirs.proof FROM paycli.unsent AS theirs
       WHERE mine.batch = 'batch-2' AND theirs.batch = 'batch-1' AND mine.number = theirs.number`,
      switchedOn,
    );
    await expect(second.begin([prepared(other, 1)])).rejects.toMatchObject(refusedAs(/cannot be verified|was changed/));
    expect(
      await server.query("SELECT 1 FROM paycli.gate WHERE batch = 'batch-2' AND attempts > 0", deployment.database),
    ).toEqual([]);
  });

  test.each<readonly [string, readonly string[]]>(
    oneIn(
      2,
      [
        ['and nothing else', []],
        [
          'and its leave put back from a copy',
          ['INSERT INTO paycli.unsent SELECT * FROM public.copy WHERE number = 3'],
        ],
        ['and the leave of another row given to it', ['UPDATE paycli.unsent SET number = 3 WHERE number = 4']],
        [
          'and a view with a made-up transaction in the place of the leaves',
          [
            'ALTER TABLE paycli.unsent RENAME TO gone',
            'CREATE VIEW paycli.unsent AS SELECT batch, number, proof, written AS xmin FROM public.copy',
            'CREATE FUNCTION paycli.pass() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$',
            'GRANT ALL ON paycli.unsent, public.copy TO paycli_worker',
            'CREATE TRIGGER pass INSTEAD OF DELETE ON paycli.unsent FOR EACH ROW EXECUTE FUNCTION paycli.pass()',
          ],
        ],
      ],
      1,
    ),
  )('cannot have a row sent twice: the gate trigger off, the row set back %s', async (_, more) => {
    const deployment = await openDeployment();
    await deployment.owner(
      'CREATE TABLE public.copy AS SELECT batch, number, proof, xmin::text AS written FROM paycli.unsent',
    );
    await pastFirst(deployment);
    for (const { intent } of await deployment.starter.begin([prepared(deployment.plan, 3)]))
      await deployment.starter.recordResult(intent, 'done', said);
    const insert = more.map((sql) =>
      sql.replace('SELECT * FROM public.copy', 'SELECT batch, number, proof FROM public.copy'),
    );
    await deployment.owner(
      switchedOff,
      "UPDATE paycli.gate SET state = 'planned', attempts = 0, worker = NULL WHERE number = 3",
      ...insert,
      switchedOn,
    );
    await expectStopped(deployment, 3, /cannot be verified|plain table/);
  });

  const shadow =
    'CREATE TABLE paycli.shadow (batch text NOT NULL, number int NOT NULL, proof text NOT NULL, PRIMARY KEY (batch, number))';
  const keepBody = 'INSERT INTO paycli.shadow SELECT * FROM paycli.unsent ON CONFLICT DO NOTHING; RETURN NULL;';
  const keep = (body: string) =>
    `CREATE FUNCTION paycli.keep() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS $$ BEGIN ${body} END $$`;
  const setBack = (batch: string) => [
    switchedOff,
    `UPDATE paycli.gate SET state = 'planned', attempts = 0, worker = NULL WHERE batch = '${batch}' AND number = 3`,
    switchedOn,
  ];
  const swapped = [
    'ALTER TABLE paycli.unsent RENAME TO gone',
    'ALTER TABLE paycli.shadow RENAME TO unsent',
    'GRANT SELECT, INSERT, UPDATE, DELETE ON paycli.unsent TO paycli_worker',
  ];
  const secondPlan = () => planOf({ count: 4, id: 'batch-2', orders: ['x-1', 'x-2', 'x-3', 'x-4'] });

  /** The second batch of a deployment is put in, and its first three rows are sent. */
  async function putInSecond(deployment: Awaited<ReturnType<typeof openDeployment>>) {
    const plan = secondPlan();
    const starter = await start(plan, deployment.planners);
    for (const number of [1, 2, 3])
      for (const { intent } of await starter.begin([prepared(plan, number)]))
        await starter.recordResult(intent, 'done', said);
    return { ...deployment, plan, starter, worker: () => join(plan.head.id, deployment.workers) };
  }

  if (isEvery)
    test('cannot have permits copied by a trigger while they are written', async () => {
      const deployment = await openDeployment();
      await deployment.owner(
        shadow,
        keep('INSERT INTO paycli.shadow VALUES (NEW.batch, NEW.number, NEW.proof); RETURN NULL;'),
        'CREATE TRIGGER keep AFTER INSERT ON paycli.unsent FOR EACH ROW EXECUTE FUNCTION paycli.keep()',
      );
      await expect(start(secondPlan(), deployment.planners)).rejects.toMatchObject(refusedAs(/plain table/));
      await expect(deployment.starter.begin([prepared(deployment.plan, 1)])).rejects.toMatchObject(
        refusedAs(/plain table/),
      );
    });

  if (isEvery)
    test('cannot put a copy of the permits, made in the transaction that wrote them, in their place', async () => {
      const deployment = await openDeployment();
      await deployment.owner(
        shadow,
        keep(keepBody),
        'CREATE CONSTRAINT TRIGGER keep AFTER INSERT ON paycli.gate DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION paycli.keep()',
      );
      const plan = secondPlan();
      const first = await start(plan, deployment.planners);
      expect(
        await server.query("SELECT count(*)::int FROM paycli.shadow WHERE batch = 'batch-2'", deployment.database),
      ).toEqual([{ count: 4 }]);
      await expect(first.begin([prepared(plan, 1)])).rejects.toMatchObject(refusedAs(/plain table/));
      await deployment.owner(
        'DROP TRIGGER keep ON paycli.gate',
        'UPDATE paycli.workers SET lease_until = clock_timestamp()',
      );
      const second = await putInSecond(deployment);
      await deployment.owner(...setBack('batch-2'), ...swapped);
      const worker = await second.worker();
      const begun = (engine: PostgresEngine) => engine.begin([prepared(plan, 3)]);
      await expect(begun(second.starter)).rejects.toMatchObject(refusedAs(/cannot be verified/));
      await expect(begun(worker)).rejects.toMatchObject(refusedAs(/cannot be verified/));
    });

  const changesOfTables = [
    [
      'a trigger on the gate',
      `${keep('RETURN NULL;')}; CREATE TRIGGER keep AFTER UPDATE ON paycli.gate EXECUTE FUNCTION paycli.keep()`,
    ],
    ['a rule of the gate switched off', switchedOff],
    ['a rule on the permits', 'CREATE RULE keep AS ON UPDATE TO paycli.unsent DO ALSO NOTHING'],
    ['a policy on the permits', 'CREATE POLICY hide ON paycli.unsent USING (true)'],
    [
      'row security on the gate',
      'CREATE POLICY hide ON paycli.gate USING (true); ALTER TABLE paycli.gate ENABLE ROW LEVEL SECURITY',
    ],
    ['a table that inherits the permits', 'CREATE TABLE paycli.more () INHERITS (paycli.unsent)'],
    ['a column more for the permits', 'ALTER TABLE paycli.unsent ADD COLUMN other text'],
    [
      'a column of the permits taken away',
      'ALTER TABLE paycli.unsent ADD COLUMN b text; ALTER TABLE paycli.unsent DROP COLUMN b',
    ],
    ['permits that need not be alone', 'ALTER TABLE paycli.unsent DROP CONSTRAINT unsent_pkey'],
    ['code that runs with each permit', "ALTER TABLE paycli.unsent ADD CHECK (proof <> '')"],
  ] as const;

  test.each(oneIn(8, changesOfTables, 0))('stops all with %s', async (_, sql) => {
    const deployment = await openDeployment();
    await pastFirst(deployment);
    await deployment.owner(sql);
    await expectStopped(deployment, 3, /plain table/);
  });

  if (isEvery)
    test('cannot put operators of its own in the place of those of PostgreSQL', async () => {
      const deployment = await openDeployment();
      await deployment.starter.close();
      await deployment.owner(
        'CREATE SCHEMA evil',
        'GRANT USAGE ON SCHEMA evil TO PUBLIC',
        `CREATE FUNCTION evil.eq1(oid, regclass) RETURNS bool LANGUAGE plpgsql STABLE AS $$ BEGIN
         RETURN $1 OPERATOR(pg_catalog.=) coalesce(pg_catalog.to_regclass('paycli.gone'), $2)::pg_catalog.oid; END $$`,
        'CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = regclass, FUNCTION = evil.eq1)',
        `ALTER DATABASE ${deployment.database} SET search_path = evil, pg_catalog, public`,
        'UPDATE paycli.workers SET lease_until = clock_timestamp()',
      );
      const starter = await start(deployment.plan, deployment.planners);
      await deployment.owner(
        'CREATE TABLE paycli.kept AS SELECT batch, number, proof, xmin::text AS written, tableoid AS id FROM paycli.unsent',
      );
      for (const number of [1, 2, 3])
        for (const { intent } of await starter.begin([prepared(deployment.plan, number)]))
          await starter.recordResult(intent, 'done', said);
      await deployment.owner(
        ...setBack('batch-1'),
        'ALTER TABLE paycli.unsent RENAME TO gone',
        'CREATE VIEW paycli.unsent AS SELECT batch, number, proof, written AS xmin, id AS tableoid FROM paycli.kept',
        'CREATE FUNCTION paycli.nodel() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN OLD; END $$',
        'CREATE TRIGGER nodel INSTEAD OF DELETE ON paycli.unsent FOR EACH ROW EXECUTE FUNCTION paycli.nodel()',
        'GRANT ALL ON paycli.unsent, paycli.kept TO paycli_worker',
      );
      await expectStopped({ ...deployment, starter }, 3, /cannot be verified|plain table/);
    });

  test('cannot have a process send again what it sent itself, whatever the tables say', async () => {
    const deployment = await openDeployment();
    await pastFirst(deployment);
    for (const { intent } of await deployment.starter.begin([prepared(deployment.plan, 3)]))
      await deployment.starter.recordResult(intent, 'done', said);
    // A second one, with the key, that gives the permits anew from what the tables say.
    await deployment.owner(...setBack('batch-1'));
    const careful = await start(deployment.plan, deployment.planners, { afterRestore: true });
    await careful.confirmServer();
    await expect(deployment.starter.begin([prepared(deployment.plan, 3)])).rejects.toMatchObject(
      refusedAs(/cannot be verified/),
    );
  });

  test('cannot bring a batch back that was moved away', async () => {
    const deployment = await openDeployment();
    await pastFirst(deployment);
    await deployment.starter.close();
    await deployment.owner(
      'UPDATE paycli.workers SET lease_until = clock_timestamp()',
      'CREATE TABLE public.copy AS SELECT * FROM paycli.batches',
      'CREATE TABLE public.leave AS SELECT * FROM paycli.unsent',
    );
    const access = {
      address: readDatabaseAddress(deployment.planners, 'batch move'),
      password: undefined,
      ca: undefined,
    };
    const view = await GateView.open(deployment.plan.head.id, access);
    await view.closeBatch(deployment.plan.head, rowKey, 'this machine');
    await view.close();
    await deployment.owner('UPDATE paycli.batches SET moved_to = NULL');
    await expect(deployment.worker()).rejects.toMatchObject(refusedAs(unproven));
    await deployment.owner(
      'UPDATE paycli.batches SET proof = copy.proof FROM public.copy',
      'INSERT INTO paycli.unsent SELECT * FROM public.leave',
    );
    const worker = await deployment.worker();
    const numbers = await worker.next(9);
    await expect(worker.begin(numbers.map((number) => prepared(deployment.plan, number)))).rejects.toMatchObject(
      refusedAs(/cannot be verified/),
    );
  });

  test('cannot have a sent row go along as unsent when the batch is moved', async () => {
    const deployment = await openDeployment();
    await pastFirst(deployment);
    await deployment.starter.close();
    await deployment.owner(
      switchedOff,
      "UPDATE paycli.gate SET state = 'planned', attempts = 0 WHERE number = 1",
      switchedOn,
    );
    const access = {
      address: readDatabaseAddress(deployment.planners, 'batch move'),
      password: undefined,
      ca: undefined,
    };
    const view = await GateView.open(deployment.plan.head.id, access);
    await deployment.owner('UPDATE paycli.workers SET lease_until = clock_timestamp()');
    await expect(view.closeBatch(deployment.plan.head, rowKey, 'this machine')).rejects.toMatchObject(
      refusedAs(/cannot be verified/),
    );
    // Nor when the owner says that it left already.
    await deployment.owner("UPDATE paycli.batches SET moved_to = 'this machine'");
    await expect(view.closeBatch(deployment.plan.head, rowKey, 'this machine')).rejects.toMatchObject(
      refusedAs(/cannot be verified/),
    );
    await view.close();
  });

  if (isEvery)
    test('cannot make workers faster than is proven', async () => {
      const database = await server.newDatabase();
      const plan = planOf({ count: 1 });
      await (await start(plan, server.url(database), { rate: 4 })).close();
      await server.query('UPDATE paycli.paces SET per_second = 100000, tokens = 100000', database);
      const worker = await join(plan.head.id, server.url(database));
      const from = performance.now();
      for (let count = 0; count < 4; count += 1) await worker.pace(new AbortController().signal);
      expect(performance.now() - from).toBeGreaterThan(600);
    });
});

describe('what may go on', () => {
  test('a row that is proven not to have left gets its leave back, and is sent again', async () => {
    const deployment = await openDeployment();
    await pastFirst(deployment);
    const worker = await deployment.worker();
    for (const { intent } of await worker.begin([prepared(deployment.plan, 3)]))
      await worker.recordResult(intent, 'not_sent', said);
    const later = await deployment.worker();
    expect(ways(await later.begin([prepared(deployment.plan, 3)]))).toEqual(['3 send']);
    expect(await server.query('SELECT number FROM paycli.unsent ORDER BY number', deployment.database)).toEqual([
      { number: 4 },
    ]);
  });

  test('a batch that was changed, once every row was asked about by whoever has the plan', async () => {
    const deployment = await openDeployment();
    await pastFirst(deployment);
    await deployment.starter.close();
    await deployment.owner(
      switchedOff,
      head('operation', '"CAPTURE"'),
      "UPDATE paycli.gate SET state = 'planned', attempts = 0 WHERE number = 1",
      switchedOn,
    );
    await expect(start(deployment.plan, deployment.planners)).rejects.toMatchObject(refusedAs(unproven));
    const careful = await start(deployment.plan, deployment.planners, { afterRestore: true });
    // As it is done when the gateway has it: begun and settled without being sent.
    for (const { intent } of await careful.begin([prepared(deployment.plan, 1)]))
      await careful.recordResult(intent, 'done', said);
    await careful.confirmServer();
    const worker = await deployment.worker();
    expect(worker.head).toEqual(deployment.plan.head);
    expect(ways(await worker.begin([prepared(deployment.plan, 3), prepared(deployment.plan, 4)]))).toEqual([
      '3 send',
      '4 send',
    ]);
    expect(ways(await worker.begin([prepared(deployment.plan, 1)]))).toEqual(['1 show']);
  });

  if (isEvery)
    test('tables of the version before, once every row was asked about', async () => {
      const deployment = await openDeployment();
      await pastFirst(deployment);
      await deployment.starter.close();
      await deployment.owner(
        'ALTER TABLE paycli.batches DROP COLUMN proof, DROP COLUMN rate, DROP COLUMN approvals',
        'DROP TABLE paycli.unsent',
        'UPDATE paycli.meta SET version = 2',
      );
      await expect(deployment.worker()).rejects.toMatchObject({
        code: 'STORAGE',
        message: expect.stringContaining('lacks permission for this'),
      });
      await expect(start(deployment.plan, deployment.planners)).rejects.toMatchObject(
        refusedAs(/an earlier version of paycli stored it/),
      );
      const careful = await start(deployment.plan, deployment.planners, { afterRestore: true });
      await careful.confirmServer();
      await as('paycli_planner', deployment.database, ...afterFirstRun);
      const worker = await deployment.worker();
      expect(await worker.next(9)).toEqual([3, 4]);
      expect(ways(await worker.begin([prepared(deployment.plan, 3)]))).toEqual(['3 send']);
    });

  if (isEvery)
    test('captures and returns of the version before stay with it, for no status answer tells about them', async () => {
      const deployment = await openDeployment({ count: 2, operation: 'CAPTURE' });
      await deployment.starter.close();
      await deployment.owner('UPDATE paycli.meta SET version = 3');
      await expect(start(deployment.plan, deployment.planners)).rejects.toMatchObject(
        refusedAs(/batch-1, which an earlier version/),
      );
      expect(await server.query('SELECT version FROM paycli.meta', deployment.database)).toEqual([{ version: 3 }]);
      expect(await server.query('SELECT 1 FROM paycli.unsent', deployment.database)).toHaveLength(2);
    });

  if (isEvery)
    test('permits of the version before, which did not name their table, once every row was asked about', async () => {
      const deployment = await openDeployment();
      await pastFirst(deployment);
      await deployment.starter.close();
      await deployment.owner('UPDATE paycli.meta SET version = 3');
      await expect(start(deployment.plan, deployment.planners)).rejects.toMatchObject(
        refusedAs(/an earlier version of paycli stored it/),
      );
      await expect(deployment.worker()).rejects.toMatchObject(refusedAs(/an earlier version of paycli stored it/));
      const careful = await start(deployment.plan, deployment.planners, { afterRestore: true });
      await careful.confirmServer();
      const worker = await deployment.worker();
      expect(await worker.next(9)).toEqual([3, 4]);
      expect(ways(await worker.begin([prepared(deployment.plan, 3)]))).toEqual(['3 send']);
    });

  const head = (path: string, value: string) =>
    `UPDATE paycli.batches SET head = jsonb_set(head::jsonb, '{${path}}', '${value}')::text`;
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
