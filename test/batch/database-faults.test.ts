// @module-tag postgres
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tablesVersion } from '../../src/batch/engines/postgres/database.js';
import type { PostgresOptions } from '../../src/batch/engines/postgres/index.js';
import { eventually } from '../e2e/home.js';
import { databaseProxy } from './database-proxy.js';
import { planOf, prepared, ways } from './engine-suite.js';
import { PostgresServer } from './postgres.js';
import { newDatabaseWithTables, start } from './postgres-fixture.js';

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
}, 60_000);

afterAll(() => server.remove());

const said = { reason: 'said so' };
const storage = (why: RegExp) => ({ code: 'STORAGE', message: expect.stringMatching(why) });

/** What a worker is told of outages: true when one begins. */
function waiting(ms = 60_000): { readonly told: boolean[]; readonly more: Partial<PostgresOptions> } {
  const told: boolean[] = [];
  return { told, more: { outage: { maxMs: ms, onChange: (isAway) => void told.push(isAway) } } };
}

const through = (port: number, database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`;

const rowsIn = (database: string) =>
  server.query('SELECT number, state, attempts FROM paycli.gate ORDER BY number', database);
const sendings = async (database: string) =>
  (await server.query("SELECT gate FROM paycli.moves WHERE to_state = 'sending'", database)).length;

describe('a connection that ends when a claim is committed', () => {
  test.each([
    ['after the server did, which is looked up', 'cutAfter'],
    ['before the server heard of it', 'cutBefore'],
  ] as const)('%s: the row is begun once, and may be sent', async (_, cut) => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 2 });
    const proxy = await databaseProxy(server.port);
    const { told, more } = waiting();
    const engine = await start(plan, through(proxy.port, database), more);
    proxy[cut]('COMMIT');
    const asked: number[] = [];
    const begun = await engine.begin([prepared(plan, 1)], () => void asked.push(performance.now()));
    expect([ways(begun), proxy.cuts, told, asked.length]).toEqual([['1 send'], 1, [true, false], 2]);
    expect(await rowsIn(database)).toMatchObject([{ state: 'sending', attempts: 1 }, { state: 'planned' }]);
    expect(await sendings(database)).toBe(1);
    // What was given out is not given out again.
    expect(await engine.begin([prepared(plan, 1)])).toEqual([]);
    const [claimed] = begun;
    if (claimed === undefined) throw new Error('nothing was begun');
    proxy[cut]('UPDATE paycli.gate');
    expect(await engine.recordResult(claimed.intent, 'done', said)).toMatchObject({ state: 'done' });
    expect([proxy.cuts, await sendings(database)]).toEqual([2, 1]);
  });

  test('and whose row another worker took over since: it is not sent', async () => {
    const database = await newDatabaseWithTables(server);
    const plan = planOf({ count: 1 });
    const proxy = await databaseProxy(server.port);
    const { told, more } = waiting();
    const engine = await start(plan, through(proxy.port, database), more);
    proxy.cutAfter('COMMIT');
    const beginning = engine.begin([prepared(plan, 1)]);
    await eventually('the row is begun', async () => ((await sendings(database)) === 1 ? true : undefined));
    proxy.block();
    await server.query('UPDATE paycli.workers SET lease_until = clock_timestamp()', database);
    const other = await start(plan, server.url(database));
    for await (const { intent } of other.open()) await other.recordResult(intent, 'declined', said);
    proxy.open();
    expect(ways(await beginning)).toEqual(['1 show']);
    expect([told[0], await sendings(database)]).toEqual([true, 1]);
  });
});

test('a database that is killed and started again is waited for, and no row is begun twice', async () => {
  const database = await newDatabaseWithTables(server);
  const plan = planOf({ count: 60 });
  const { told, more } = waiting();
  const engine = await start(plan, server.url(database), more);
  const sent: number[] = [];
  const work = async () => {
    for (let numbers = await engine.next(4); numbers.length > 0; numbers = await engine.next(4))
      for (const { row, do: way, intent } of await engine.begin(numbers.map((number) => prepared(plan, number)))) {
        if (way === 'send') sent.push(row.number);
        await engine.recordResult(intent, 'done', said);
      }
  };
  const working = work();
  await eventually('25 rows are sent', () => (sent.length >= 25 ? true : undefined));
  await server.stop('SIGKILL');
  await server.start();
  await working;
  expect(sent.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 60 }, (_, at) => at + 1));
  expect(told.length % 2).toBe(0);
  expect(told.length).toBeGreaterThan(0);
  expect(await rowsIn(database)).toEqual(
    Array.from({ length: 60 }, (_, at) => ({ number: at + 1, state: 'done', attempts: 1 })),
  );
}, 60_000);

test('a database that nobody reaches for longer than a worker waits ends its work with 13', async () => {
  const database = await newDatabaseWithTables(server);
  const plan = planOf({ count: 1 });
  const proxy = await databaseProxy(server.port);
  const { told, more } = waiting(700);
  const engine = await start(plan, through(proxy.port, database), more);
  proxy.close();
  await expect(engine.begin([prepared(plan, 1)])).rejects.toMatchObject({ ...storage(/nothing answers/), exit: 13 });
  expect([told, await sendings(database)]).toEqual([[true], 0]);
});

test('a stopped worker waits no longer', async () => {
  const database = await newDatabaseWithTables(server);
  const plan = planOf({ count: 1 });
  const proxy = await databaseProxy(server.port);
  const stop = new AbortController();
  const engine = await start(plan, through(proxy.port, database), { ...waiting().more, stop: stop.signal });
  proxy.close();
  const beginning = engine.begin([prepared(plan, 1)]);
  stop.abort();
  await expect(beginning).rejects.toMatchObject({ exit: 13 });
});

test('rows that were held when the connection ended are handed out after all', async () => {
  const database = await newDatabaseWithTables(server);
  const plan = planOf({ count: 30 });
  const proxy = await databaseProxy(server.port);
  const engine = await start(plan, through(proxy.port, database), waiting().more);
  proxy.cutAfter('SET worker = $2 WHERE id IN');
  const numbers = [...(await engine.next(25)), ...(await engine.next(25))];
  expect(numbers.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 30 }, (_, at) => at + 1));
  expect(proxy.cuts).toBe(1);
});

test('a server that no longer waits for its disk is refused in the middle of the work', async () => {
  const database = await newDatabaseWithTables(server);
  const plan = planOf({ count: 2 });
  const engine = await start(plan, server.url(database));
  expect(ways(await engine.begin([prepared(plan, 1)]))).toEqual(['1 send']);
  await server.query(`ALTER DATABASE ${database} SET synchronous_commit = off`);
  const killed = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${database}'`;
  await server.query(killed);
  await expect(
    eventually('a new connection', () =>
      engine.begin([prepared(plan, 2)]).catch((error) => {
        if (/connection was lost/.test(String(error))) return undefined;
        throw error;
      }),
    ),
  ).rejects.toMatchObject(storage(/synchronous_commit/));
});

test('a worker that was made for other tables begins no row', async () => {
  const database = await newDatabaseWithTables(server);
  const plan = planOf({ count: 2 });
  const engine = await start(plan, server.url(database));
  const begin = "UPDATE paycli.gate SET state = 'sending' WHERE number = 2";
  const [earlier, own, later] = [tablesVersion - 1, tablesVersion, tablesVersion + 1];
  for (const said of ['', `SET paycli.tables = '${earlier}';`, `SET paycli.tables = '${later}';`])
    await expect(server.query(`${said} ${begin}`, database)).rejects.toThrow(`these tables are of version ${own}`);
  // Nor one that runs on while another paycli makes them anew.
  const [now] = await server.query("SELECT pg_get_functiondef('paycli.forward'::regproc) AS text", database);
  await server.query(String(now?.['text']).replaceAll(`'${own}'`, `'${later}'`), database);
  await expect(engine.begin([prepared(plan, 1)])).rejects.toMatchObject({ code: 'STORAGE', exit: 13 });
  expect(await sendings(database)).toBe(0);
});
