// @module-tag postgres
import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { PostgresEngine } from '../../src/batch/engines/postgres/engine.js';
import { readDatabaseAddress } from '../../src/batch/engines/postgres/index.js';
import type { PlanStore } from '../../src/batch/plan.js';
import { Secret } from '../../src/wire/mask.js';
import { eventually } from '../e2e/home.js';
import { databaseProxy } from './database-proxy.js';
import { openOf, planOf, prepared, ways } from './engine-suite.js';
import { PostgresServer, tool } from './postgres.js';
import { join, newDatabaseWithTables, start } from './postgres-fixture.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
}, 60_000);

afterAll(() => server.remove());

const said = { reason: 'said so' };
const storage = (why: RegExp) => ({ code: 'STORAGE', message: expect.stringMatching(why) });
const all = (plan: PlanStore) => plan.rows(1, plan.head.count).map(({ number }) => prepared(plan, number));

/** The first two rows are done, so that every worker may begin. */
async function pastFirst(engine: PostgresEngine, plan: PlanStore): Promise<void> {
  for (const { intent } of await engine.begin([prepared(plan, 1), prepared(plan, 2)]))
    await engine.recordResult(intent, 'done', said);
}

describe('the address', () => {
  const read = (text: string) => readDatabaseAddress(text, 'batch work');

  test('is read into its parts; the port has its usual value', () => {
    expect(read('postgres://ada@db.example/pay')).toMatchObject({
      host: 'db.example',
      port: 5432,
      user: 'ada',
      database: 'pay',
      tls: 'full',
    });
    expect(read('postgresql://ada%40x@[::1]:6000/pay%2Dnow')).toMatchObject({
      host: '::1',
      port: 6000,
      user: 'ada@x',
      database: 'pay-now',
    });
    expect(read('postgres://ada@%2Fvar%2Frun%2Fpostgresql/pay')).toMatchObject({
      host: '/var/run/postgresql',
      tls: 'none',
    });
  });

  test.each([
    ['postgres://ada:s3cret@db.example/pay', 'password'],
    ['postgres://ada@db.example/pay?password=s3cret', 'password'],
    ['postgres://ada@db.example/pay?sslmode=require', 'sslmode'],
    ['postgres://ada@db.example/pay?sslmode=disable', 'sslmode=disable'],
    ['postgres://ada@db.example/pay?options=-csynchronous_commit%3Doff', 'parameters'],
    ['postgres://db.example/pay', 'needs a user'],
    ['postgres://ada@db.example/', 'needs a user'],
    ['mysql://ada@db.example/pay', 'use an address'],
  ])('%s is refused', (text, why) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'USAGE', message: expect.stringContaining(why) }));
    expect(() => read(text)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('s3cret') }));
  });

  test.each([
    ['postgres://ada@127.0.0.1/pay', 'none'],
    ['postgres://ada@localhost/pay', 'none'],
    ['postgres://ada@127.0.0.1/pay?sslmode=verify-full', 'full'],
    ['postgres://ada@10.0.0.7/pay', 'full'],
    ['postgres://ada@localhost.example/pay', 'full'],
    ['postgres://ada@db.example/pay?sslmode=verify-ca&sslrootcert=ca.pem', 'chain'],
  ])('%s: checks of the certificate are %s', (text, tls) => {
    expect(read(text).tls).toBe(tls);
  });
});

describe('a server that may forget', () => {
  test('is refused with fsync off', async () => {
    onTestFinished(() => server.set('fsync', 'on'));
    await server.set('fsync', 'off');
    const database = await server.newDatabase();
    await expect(start(planOf({ count: 1 }), server.url(database))).rejects.toMatchObject(storage(/fsync is off/));
  });

  test('is refused with a weaker synchronous_commit, by whoever starts and whoever joins', async () => {
    const database = await server.newDatabase();
    const plan = planOf({ count: 1 });
    await (await start(plan, server.url(database))).close();
    for (const word of ['off', 'local', 'remote_write']) {
      await server.query(`ALTER DATABASE ${database} SET synchronous_commit = ${word}`);
      await expect(start(plan, server.url(database))).rejects.toMatchObject(
        storage(new RegExp(`synchronous_commit is ${word}`)),
      );
      await expect(join(plan.head.id, server.url(database))).rejects.toMatchObject(
        storage(new RegExp(`synchronous_commit is ${word}`)),
      );
    }
  });

  test('is told apart from one that is not there', async () => {
    const away = 'postgres://postgres@127.0.0.1:1/batch';
    await expect(start(planOf({ count: 1 }), away)).rejects.toMatchObject({
      ...storage(/nothing answers there/),
      exit: 13,
    });
    await expect(start(planOf({ count: 1 }), server.url('no_such'))).rejects.toMatchObject(
      storage(/the database does not exist/),
    );
    await expect(start(planOf({ count: 1 }), server.url('postgres', 'nobody_known'))).rejects.toMatchObject(
      storage(/was not accepted/),
    );
  });
});

describe('who the server is, and who we are', () => {
  const open = (database: string, parameters: string, ca?: string) =>
    start(planOf({ count: 1 }), `${server.url(database)}?${parameters}`, { ca }).then((engine) => engine.close());

  test('a certificate nobody vouches for, or of another host, is refused', { tags: 'openssl' }, async () => {
    const database = await server.newDatabase();
    const ca = await server.useTls('IP:127.0.0.1');
    await expect(open(database, 'sslmode=verify-full')).rejects.toMatchObject({
      ...storage(/certificate was not accepted/),
      exit: 13,
    });
    await open(database, 'sslmode=verify-full', ca);
    const other = await server.useTls('DNS:localhost,DNS:db.example');
    await server.query('SELECT pg_reload_conf()');
    await expect(open(database, 'sslmode=verify-full', other)).rejects.toMatchObject(
      storage(/certificate was not accepted/),
    );
    await open(database, 'sslmode=verify-ca&sslrootcert=ca.pem', other);
    await expect(open(database, 'sslmode=verify-ca&sslrootcert=ca.pem', ca)).rejects.toMatchObject(
      storage(/certificate was not accepted/),
    );
  });

  test('a password comes from its own place and shows nowhere', async () => {
    const database = await server.newDatabase();
    await server.addUser('payer', 's3cret-word');
    const url = server.url(database, 'payer');
    const plan = planOf({ count: 1 });
    await (await start(plan, url, { password: new Secret('s3cret-word') })).close();
    const wrong = await start(plan, url, { password: new Secret('another') }).catch((error: unknown) => error);
    expect(wrong).toMatchObject(storage(/was not accepted/));
    expect(JSON.stringify(wrong)).not.toContain('another');
    await expect(start(plan, url)).rejects.toMatchObject(storage(/no connection could be made/));
  });
});

describe('what lies in the database', () => {
  test('names and accounts cannot be read there, ids and money can', async () => {
    const database = await newDatabaseWithTables(server);
    await start(planOf({ count: 3 }), server.url(database));
    const dump = spawnSync(
      tool('pg_dump'),
      ['-h', '127.0.0.1', '-p', String(server.port), '-U', 'postgres', '--inserts', database],
      {
        encoding: 'utf8',
      },
    );
    expect(dump.status, dump.stderr).toBe(0);
    expect(dump.stdout).toContain('order-2');
    expect(dump.stdout).toContain('1042');
    // Four digits alone stand in a ciphertext or an id by chance.
    for (const secret of ['Lovelace', 'Ada', 'DE-2', "'8934'", '…893']) {
      expect(dump.stdout).not.toContain(secret);
      expect(dump.stdout).not.toContain(Buffer.from(secret).toString('hex'));
    }
  });

  test('a worker without the plan reads its rows with the shared key', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 5 });
    const first = await start(plan, server.url(database));
    await pastFirst(first, plan);
    const { plan: read, next, head } = await joined(plan, database);
    expect(head).toEqual(plan.head);
    const numbers = await next(9);
    expect(numbers).toEqual([3, 4, 5]);
    expect(numbers.map((number) => read.row(number))).toEqual(numbers.map((number) => plan.row(number)));
  });

  async function joined(plan: PlanStore, database: string) {
    const engine = await join(plan.head.id, server.url(database));
    return { plan: engine.plan, head: engine.head, next: (max: number) => engine.next(max) };
  }

  test('another key is refused before anything is begun', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 1 });
    await start(plan, server.url(database));
    const other = { rowKey: new Secret('ab'.repeat(32)) };
    for (const open of [
      () => start(plan, server.url(database), other),
      () => join(plan.head.id, server.url(database), other),
    ])
      await expect(open()).rejects.toMatchObject({ code: 'SECRET_UNREADABLE', exit: 3 });
    await expect(start(plan, server.url(database), { rowKey: new Secret('short') })).rejects.toMatchObject({
      code: 'SECRET_UNREADABLE',
    });
  });

  const changes: readonly (readonly [of: string, sql: string])[] = [
    ['amount', 'minor = 999999'],
    ['sealed part of another row', 'sealed = (SELECT sealed FROM paycli.gate WHERE number = 2)'],
    ['currency', "currency = 'USD'"],
    ['endpoint', "endpoint_id = '4002'"],
  ];
  test.each(changes)('a row whose %s was changed behind the rules opens for nobody', async (_, change) => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 3 });
    const first = await start(plan, server.url(database));
    await pastFirst(first, plan);
    await server.query(
      `SET session_replication_role = replica; UPDATE paycli.gate SET ${change} WHERE number = 3`,
      database,
    );
    const engine = await join(plan.head.id, server.url(database));
    await expect(engine.next(1)).rejects.toMatchObject(storage(/was changed in the database/));
  });

  test('these changes are refused by the database itself', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 2 });
    const engine = await start(plan, server.url(database));
    for (const { intent } of await engine.begin([prepared(plan, 1)]))
      await engine.recordResult(intent, 'unknown', said);
    // Each is refused, so one database serves them all.
    for (const [sql, why] of [
      ["UPDATE paycli.gate SET state = 'planned' WHERE number = 1", 'no row moves from unknown to planned'],
      ["UPDATE paycli.gate SET state = 'sending' WHERE number = 1", 'no row moves from unknown to sending'],
      ["UPDATE paycli.gate SET state = 'done' WHERE number = 2", 'no row moves from planned to done'],
    ] as const)
      await expect(server.query(sql, database), sql).rejects.toThrow(why);
  });

  test('every move is recorded with who made it', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 1 });
    const engine = await start(plan, server.url(database), { sender: { host: 'laptop', pid: 77, version: '9' } });
    for (const { intent } of await engine.begin([prepared(plan, 1)])) {
      await engine.recordResult(intent, 'accepted', { reason: 'taken', orderId: '900' });
      await engine.remark(intent, 'no record', 'not yet');
    }
    const moves = await server.query(
      "SELECT from_state, to_state, reason, facts->>'host' AS host, facts->>'pid' AS pid FROM paycli.moves ORDER BY id",
      database,
    );
    const own = { host: 'laptop', pid: '77' };
    expect(moves).toEqual([
      { from_state: 'planned', to_state: 'sending', reason: '', ...own },
      { from_state: 'sending', to_state: 'accepted', reason: 'taken', ...own },
      { from_state: 'accepted', to_state: 'accepted', reason: 'no record', ...own },
    ]);
  });
});

describe('putting a plan in', () => {
  test('happens once, whoever starts it again', async () => {
    const database = await server.newDatabase();
    const plan = planOf({ count: 1234 });
    await Promise.all([
      start(plan, server.url(database)),
      start(plan, server.url(database)),
      start(plan, server.url(database)),
    ]);
    const [counts] = await server.query(
      'SELECT count(*)::int AS rows, (SELECT count(*)::int FROM paycli_jobs.job) AS jobs FROM paycli.gate',
      database,
    );
    expect(counts).toEqual({ rows: 1234, jobs: 50 });
  });

  test('chunks are never handed out a second time by the queue itself', async () => {
    const database = await newDatabaseWithTables(server);
    await start(planOf({ count: 60 }), server.url(database));
    const jobs = await server.query('SELECT retry_limit, data FROM paycli_jobs.job ORDER BY priority DESC', database);
    expect(jobs).toEqual([
      { retry_limit: 0, data: { first: 1, last: 25 } },
      { retry_limit: 0, data: { first: 26, last: 50 } },
      { retry_limit: 0, data: { first: 51, last: 60 } },
    ]);
    expect(await server.query('SELECT retry_limit FROM paycli_jobs.queue', database)).toEqual([{ retry_limit: 0 }]);
  });

  test('rows that stand in another batch are refused, unless the gateway refused them', async () => {
    const database = await newDatabaseWithTables(server);
    const first = planOf({ count: 2 });
    const engine = await start(first, server.url(database));
    const again = planOf({ count: 1, id: 'batch-2', orders: ['order-2'] });
    await expect(start(again, server.url(database))).rejects.toMatchObject({
      exit: 10,
      message: 'row 1 is already in batch batch-1, where it is planned',
    });
    expect(await server.query("SELECT 1 FROM paycli.gate WHERE batch = 'batch-2'", database)).toEqual([]);
    for (const { intent } of await engine.begin([prepared(first, 2)]))
      await engine.recordResult(intent, 'refused', said);
    const { begin } = await start(again, server.url(database)).then((opened) => ({ begin: opened.begin.bind(opened) }));
    expect(ways(await begin([prepared(again, 1)]))).toEqual(['1 send']);
  });

  test('an equal follow-up of another batch is refused, one of another amount is not', async () => {
    const database = await newDatabaseWithTables(server);
    await start(planOf({ count: 1, operation: 'CAPTURE', orders: ['900'] }), server.url(database));
    const equal = planOf({ count: 1, operation: 'CAPTURE', id: 'batch-2', orders: ['900'] });
    await expect(start(equal, server.url(database))).rejects.toMatchObject({ exit: 10 });
    const other = planOf({
      count: 2,
      operation: 'CAPTURE',
      id: 'batch-3',
      orders: ['900', '900'],
      sums: [
        ['1', 'EUR'],
        ['2', 'EUR'],
      ],
    });
    await start(other, server.url(database));
    const rows = await server.query(
      "SELECT sequence FROM paycli.gate WHERE batch = 'batch-3' ORDER BY number",
      database,
    );
    expect(rows).toEqual([{ sequence: 2 }, { sequence: 3 }]);
  });

  test.each([
    ['capture of an order', { operation: 'CAPTURE', orders: ['900'] }],
    ['payout under an id', { operation: 'PAYOUT', orders: ['900'] }],
  ] as const)('an equal %s to another endpoint of the same gateway is refused', async (_, wish) => {
    const database = await newDatabaseWithTables(server);
    await start(planOf({ count: 1, ...wish }), server.url(database));
    const again = planOf({ count: 1, id: 'batch-2', ...wish, endpoints: ['4002'] });
    await expect(start(again, server.url(database))).rejects.toMatchObject({
      exit: 10,
      message: 'row 1 is already in batch batch-1, where it is planned',
    });
  });

  test('a follow-up that did not leave may leave yet: an equal one of another batch is refused', async () => {
    const database = await newDatabaseWithTables(server);
    const first = planOf({ count: 1, operation: 'CAPTURE', orders: ['900'] });
    const engine = await start(first, server.url(database));
    for (const { intent } of await engine.begin(all(first))) await engine.recordResult(intent, 'not_sent', said);
    const again = planOf({ count: 1, operation: 'CAPTURE', id: 'batch-2', orders: ['900'] });
    await expect(start(again, server.url(database))).rejects.toMatchObject({
      message: 'row 1 is already in batch batch-1, where it was not sent',
    });
  });

  test('follow-ups on one order are counted whatever endpoint each goes to', async () => {
    const database = await newDatabaseWithTables(server);
    await start(planOf({ count: 1, operation: 'CAPTURE', orders: ['900'] }), server.url(database));
    const sums = [
      ['1', 'EUR'],
      ['2', 'EUR'],
    ] as const;
    const wish = { operation: 'CAPTURE', id: 'batch-2', orders: ['900', '900'], endpoints: ['4002', '4001'] } as const;
    await start(planOf({ count: 2, ...wish, sums }), server.url(database));
    const rows = await server.query('SELECT sequence FROM paycli.gate ORDER BY batch, number', database);
    expect(rows).toEqual([{ sequence: 1 }, { sequence: 2 }, { sequence: 3 }]);
  });

  test('the same batch with different content is refused', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 1 });
    await start(plan, server.url(database));
    const changed: PlanStore = { ...plan, head: { ...plan.head, digest: 'another' } };
    await expect(start(changed, server.url(database))).rejects.toMatchObject({
      exit: 10,
      message: expect.stringContaining('different content'),
    });
  });

  test('card numbers and questions stay on one machine', async () => {
    const plan = planOf({ count: 1 });
    const cards: PlanStore = { ...plan, head: { ...plan.head, hasCards: true } };
    const questions: PlanStore = { ...plan, head: { ...plan.head, operation: 'STATUS' } };
    for (const refused of [cards, questions])
      await expect(start(refused, server.url('postgres'))).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('joining', () => {
  test('without a name takes the only batch that has rows left, and tells when there is none or several', async () => {
    const database = await newDatabaseWithTables(server);
    await expect(join(undefined, server.url(database))).rejects.toMatchObject({
      exit: 2,
      message: expect.stringContaining('no batch'),
    });
    const plan = planOf({ count: 1 });
    const engine = await start(plan, server.url(database));
    expect((await join(undefined, server.url(database))).head.id).toBe('batch-1');
    await start(planOf({ count: 1, id: 'batch-2', orders: ['other'] }), server.url(database));
    await expect(join(undefined, server.url(database))).rejects.toMatchObject({
      message: expect.stringMatching(/batch-2, batch-1/),
    });
    for (const { intent } of await engine.begin([prepared(plan, 1)])) await engine.recordResult(intent, 'done', said);
    expect((await join(undefined, server.url(database))).head.id).toBe('batch-2');
    await expect(join('batch-9', server.url(database))).rejects.toMatchObject({ exit: 2 });
  });

  test('nobody begins before the first row has its final status', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 3 });
    const starter = await start(plan, server.url(database));
    const stop = new AbortController();
    const joiner = await join(plan.head.id, server.url(database), { stop: stop.signal });
    const [first] = await starter.begin([prepared(plan, 1)]);
    const [second] = await starter.begin([prepared(plan, 2)]);
    if (first === undefined || second === undefined) throw new Error('two rows are free');
    await starter.recordResult(first.intent, 'unknown', said);
    const waiting = joiner.next(1);
    expect(await Promise.race([waiting, new Promise((done) => setTimeout(() => done('waits'), 300))])).toBe('waits');
    await starter.recordResult(second.intent, 'done', said);
    expect(await waiting).toEqual([3]);
    const stopped = joiner.next(1);
    stop.abort();
    expect(await stopped).toEqual([]);
  });
});

describe('faults', () => {
  const lapseAll = "UPDATE paycli.workers SET lease_until = clock_timestamp() - interval '1 s'";

  test('F47: the connection dies between the commit of a claim and its acknowledgement: nothing may leave, and the row is unknown later', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 2 });
    const proxy = await databaseProxy(server.port);
    const engine = await start(plan, `postgres://postgres@127.0.0.1:${proxy.port}/${database}`);
    proxy.cutAfter('COMMIT');
    await expect(engine.begin([prepared(plan, 1)])).rejects.toMatchObject({
      ...storage(/connection was lost/),
      exit: 13,
    });
    expect(proxy.cuts).toBe(1);
    const [row] = await server.query('SELECT state, attempts FROM paycli.gate WHERE number = 1', database);
    expect(row).toEqual({ state: 'sending', attempts: 1 });
    await server.query(lapseAll, database);
    const next = await start(plan, server.url(database));
    expect((await openOf(next)).map(({ number, intent }) => [number, intent.state])).toEqual([[1, 'unknown']]);
    expect(ways(await next.begin(all(plan)))).toEqual(['1 ask', '2 send']);
  });

  test('F47: backends killed while rows are begun and settled: no row is given twice', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 200 });
    const sent: number[] = [];
    let kills = 0;
    for (let round = 0; round < 6; round += 1) {
      const engine = await start(plan, server.url(database));
      const over = new AbortController();
      const killing = killBackends(database, over.signal);
      try {
        for (let numbers = await engine.next(2); numbers.length > 0; numbers = await engine.next(2))
          for (const { row, do: way, intent } of await engine.begin(numbers.map((number) => prepared(plan, number)))) {
            if (way === 'send') sent.push(row.number);
            await engine.recordResult(intent, 'done', said);
          }
      } catch (error) {
        expect(error).toMatchObject({ code: 'STORAGE' });
        kills += 1;
      }
      over.abort();
      await killing;
      await server.query(lapseAll, database);
    }
    expect(kills).toBeGreaterThan(0);
    expect(new Set(sent).size).toBe(sent.length);
    const tally = await (await start(plan, server.url(database))).tally();
    expect(tally.reduce((sum, { count }) => sum + count, 0)).toBe(200);
  });

  test('F49: a chunk that is handed out twice is sent once; its rows are asked about', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 3 });
    const first = await start(plan, server.url(database));
    expect(await first.next(9)).toEqual([1, 2, 3]);
    expect(ways(await first.begin(all(plan)))).toEqual(['1 send', '2 send', '3 send']);
    await server.query("UPDATE paycli_jobs.job SET state = 'created'", database);
    const second = await start(plan, server.url(database));
    expect(await second.next(9)).toEqual([]);
    expect(await second.begin(all(plan))).toEqual([]);
    await server.query(lapseAll, database);
    await server.query("UPDATE paycli_jobs.job SET state = 'created'", database);
    const third = await start(plan, server.url(database));
    expect(await third.next(9)).toEqual([]);
    expect(ways(await third.begin(all(plan)))).toEqual(['1 ask', '2 ask', '3 ask']);
    expect(await first.begin(all(plan))).toEqual([]);
  });

  test('a chunk that got lost with its worker is found by looking into the gate', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 40 });
    const lost = await start(plan, server.url(database));
    await lost.next(1);
    await server.query(lapseAll, database);
    await server.query('DELETE FROM paycli_jobs.job', database);
    const engine = await start(plan, server.url(database));
    const numbers = [...(await engine.next(25)), ...(await engine.next(25))];
    expect(numbers).toEqual(Array.from({ length: 40 }, (_, at) => at + 1));
  });

  test('F48: an older standby takes over: nothing more is begun, by those who run and those who come', async () => {
    const own = await PostgresServer.start();
    onTestFinished(() => own.remove());
    const database = await own.newDatabase();
    const plan = planOf({ count: 3 });
    const engine = await start(plan, own.url(database));
    await own.stop();
    own.keepCopy();
    await own.start();
    // Lost on the standby, where this row still looks as if nobody had begun it.
    expect(ways(await engine.begin([prepared(plan, 1)]))).toEqual(['1 send']);
    await own.stop();
    await own.failOver();
    await eventually('the standby is promoted', async () =>
      (await own.query('SELECT pg_is_in_recovery() AS is'))[0]?.['is'] === false ? true : undefined,
    );
    expect(await own.query('SELECT state FROM paycli.gate WHERE number = 1', database)).toEqual([{ state: 'planned' }]);
    await expect(engine.begin([prepared(plan, 2)])).rejects.toMatchObject({
      ...storage(/another server has taken over/),
      exit: 13,
    });
    await expect(start(plan, own.url(database))).rejects.toMatchObject(storage(/another server has taken over/));
    await expect(join(plan.head.id, own.url(database))).rejects.toMatchObject(storage(/another server has taken over/));
    // Who says so may go on, and asks about every row; the others wait until it did.
    const careful = await start(plan, own.url(database), { afterRestore: true });
    expect(ways(await careful.begin([prepared(plan, 1)]))).toEqual(['1 send']);
    await expect(join(plan.head.id, own.url(database))).rejects.toMatchObject(storage(/another server has taken over/));
    await careful.confirmServer();
    await join(plan.head.id, own.url(database));
  }, 60_000);
});

async function killBackends(database: string, over: AbortSignal): Promise<void> {
  const kill = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}' AND pid <> pg_backend_pid()`;
  while (!over.aborted) {
    await new Promise((done) => setTimeout(done, 20 + Math.random() * 60));
    await server.query(kill);
  }
}
