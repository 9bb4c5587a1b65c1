// @module-tag postgres
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Journal } from '../../src/journal/port.js';
import { openPostgresJournal } from '../../src/journal/postgres.js';
import { systemClock, systemRandom } from '../../src/runtime/machine.js';
import type { PostgresPool } from '../../src/runtime/ports.js';
import { openPostgres } from '../../src/runtime/postgres.js';
import { systemProcesses } from '../../src/runtime/processes.js';
import { databaseProxy } from '../support/database-proxy.js';
import { PostgresServer } from '../support/postgres.js';
import { describeJournal } from './behaviour.js';
import { addressFrom, placeOn, poolFor, portsFor } from './postgres-places.js';
import { begin, end, newFolder, refusal, sale, saleOf, usd } from './support.js';

/** How often two machines try one id; 1000 in .ci/nightly. */
const rounds = Number(process.env['POSTGRES_ROUNDS'] ?? 20);

let server: PostgresServer;

beforeAll(async () => {
  server = await PostgresServer.start();
});

afterAll(() => server.remove());

describeJournal('PostgreSQL', () => placeOn(server), false);

/** Of one team: each machine has a folder of its own, and the clock of this one. */
function openOn(url: string, { folder = newFolder() } = {}): Promise<Journal> {
  const ports = portsFor(url, folder);
  return openPostgresJournal({
    ...ports,
    pool: poolFor(url),
    clock: systemClock,
    random: systemRandom,
    process: systemProcesses,
  });
}

/** As it stands in a message. */
const commit = 'COMMIT\0';

const storage = { code: 'STORAGE', exit: 13 };

describe('a connection that ends', () => {
  test.each(['after', 'before'])('%s the server heard of the commit: nothing may be sent, 13', async (when) => {
    const user = await server.newUser();
    const proxy = await databaseProxy(server.port);
    const journal = await openOn(server.url(user, 'postgres', proxy.port));
    if (when === 'after') proxy.cutAfter(commit);
    else proxy.cutBefore(commit);
    await expect(begin(journal, sale)).rejects.toMatchObject(storage);
    // Where it was recorded, it is found by whoever repeats it, and is in doubt once its process is gone.
    const other = await openOn(server.url(user));
    expect(await refusal(other, { request: sale })).toBe(when === 'after' ? 'used-id' : undefined);
    expect(await begin(journal, saleOf('next'))).toMatchObject({ state: 'sending' });
    expect(journal.restored).toBeUndefined();
  });

  test('again and again, as an administrator ends it: what has begun and ended is recorded, once', async () => {
    const user = await server.newUser();
    const journals = await Promise.all([1, 2].map(() => openOn(server.url(user))));
    let isOver = false;
    const kill = async () => {
      while (!isOver) {
        await server.query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${user}'`);
        await systemClock.sleep(100);
      }
    };
    const ended: number[] = [];
    const work = async (journal: Journal, name: string) => {
      for (let at = 0; at < 10; at += 1) {
        try {
          const begun = await begin(journal, saleOf(`${name}-${at}`));
          ended.push((await end(journal, begun, 'done')).id);
        } catch (error) {
          // Its commit was lost.
          expect(error).toMatchObject(storage);
        }
      }
    };
    const killing = kill();
    await Promise.all(journals.map((journal, at) => work(journal, `w${at}`)));
    isOver = true;
    await killing;
    const all = await (await openOn(server.url(user))).find({}, { limit: 200 });
    const done = all.filter(({ id }) => ended.includes(id));
    expect(ended.length).toBeGreaterThan(0);
    expect(done.map(({ state, attempt }) => `${state} ${attempt}`)).toEqual(Array(ended.length).fill('done 1'));
    expect(new Set(all.map(({ clientOrderId }) => clientOrderId)).size).toBe(all.length);
  });
});

describe('many machines', () => {
  test('one id at the same moment is begun once', async () => {
    const user = await server.newUser();
    const journals = await Promise.all([1, 2].map(() => openOn(server.url(user))));
    for (let round = 0; round < rounds; round += 1) {
      const answers = await Promise.all(journals.map((journal) => refusal(journal, { request: saleOf(`r-${round}`) })));
      expect(answers.map(String).sort(), `${round}`).toEqual(['undefined', 'used-id']);
    }
  });

  test('a cap holds for four of them together', async () => {
    const user = await server.newUser();
    const journals = await Promise.all([1, 2, 3, 4].map(() => openOn(server.url(user))));
    const answers = await Promise.all(
      journals.flatMap((journal, worker) =>
        Array.from({ length: 25 }, (_, at) =>
          refusal(journal, { request: saleOf(`c${worker}-${at}`, { sum: usd('100') }), dayCap: usd('5000') }),
        ),
      ),
    );
    expect(answers.filter((why) => why === undefined)).toHaveLength(50);
    expect(answers.filter((why) => why === 'over-cap')).toHaveLength(50);
  });

  test('one that stops in the middle of a change holds the others for seconds only', async () => {
    const user = await server.newUser();
    const url = server.url(user);
    const journal = await openOn(url);
    const pool = await openPostgres(addressFrom(url));
    if (pool === undefined) throw new Error('pg is not installed');
    const stopped: PostgresPool = {
      ...pool,
      async connect() {
        const connection = await pool.connect();
        const query: typeof connection.query = (sql, values) =>
          sql === 'COMMIT' && isStopped ? new Promise(() => {}) : connection.query(sql, values);
        return { ...connection, query };
      },
    };
    let isStopped = false;
    const ports = portsFor(url, newFolder());
    const other = await openPostgresJournal({ ...ports, pool: stopped, clock: systemClock, random: systemRandom });
    isStopped = true;
    void begin(other, saleOf('stopped')).catch(() => {});
    await systemClock.sleep(300);
    const from = systemClock.monotonic();
    expect(await refusal(journal, { request: saleOf('stopped') })).toBeUndefined();
    expect(systemClock.monotonic() - from).toBeLessThan(10_000);
  });
});

describe('a server that may forget', () => {
  test('is refused with fsync off, and with synchronous_commit off, also once it is open', async () => {
    const user = await server.newUser();
    const url = server.url(user);
    const journal = await openOn(url);
    onTestFinished(() => server.set('fsync', 'on'));
    await server.set('fsync', 'off');
    await expect(begin(journal, sale)).rejects.toMatchObject(storage);
    await expect(openOn(url)).rejects.toMatchObject(storage);
    await server.set('fsync', 'on');
    await server.query(`ALTER ROLE ${user} SET synchronous_commit = off`);
    await expect(openOn(url)).rejects.toMatchObject(storage);
  });
});

describe('a dump that was restored', () => {
  test.each(['under another name', 'in its own place'])('%s is a restored store for everybody', async (where) => {
    const name = await server.newDatabase();
    const folder = newFolder();
    const url = (database: string) => server.url('postgres', database);
    const journal = await openOn(url(name), { folder });
    await begin(journal, saleOf('before'));
    const file = `${folder}/dump`;
    server.run('pg_dump', '-Fc', '-f', file, name);
    await begin(journal, saleOf('after'));
    await journal.close();
    const target = where === 'in its own place' ? name : await server.newDatabase();
    server.run('pg_restore', '--clean', '--if-exists', '-d', target, file);
    // The machine that wrote to it, and one that never did.
    const [known, fresh] = [await openOn(url(target), { folder }), await openOn(url(target))];
    for (const each of [known, fresh]) {
      expect(each.restored).toBeDefined();
      await expect(begin(each, saleOf('after'))).rejects.toMatchObject(storage);
    }
    await known.acceptRestored({});
    expect(await refusal(known, { request: saleOf('after') })).toBeUndefined();
    expect((await openOn(url(target))).restored).toBeUndefined();
  });
});

test('an older copy in the very place of the store stops every machine until one accepts it', async () => {
  const name = await server.newDatabase();
  const folders = [newFolder(), newFolder(), newFolder()];
  const open = (at: number) => openOn(server.url('postgres', name), { folder: folders[at] ?? '' });
  const bystander = await open(0);
  await begin(bystander, saleOf('before'));
  // Two machines write what the copy lacks.
  for (const at of [1, 2]) {
    const journal = await open(at);
    await begin(journal, saleOf(`after-${at}`));
    await journal.close();
  }
  await server.query('DELETE FROM event WHERE id > 1; DELETE FROM request WHERE id > 1', name);
  expect(await refusal(bystander, { request: saleOf('unaware') })).toBeUndefined();
  const loser = await open(1);
  await expect(begin(loser, saleOf('after-1'))).rejects.toMatchObject(storage);
  await expect(begin(bystander, saleOf('aware'))).rejects.toMatchObject(storage);
  await loser.acceptRestored({});
  for (const journal of [loser, await open(0), await open(2)])
    expect(await begin(journal, saleOf(`then-${journal.worker}`))).toMatchObject({ state: 'sending' });
});

describe('what an administrator adds to the tables', () => {
  test('a trigger that keeps every change, and rules about rows, change nothing', async () => {
    const user = await server.newUser();
    const journal = await openOn(server.url(user));
    await server.query(
      `CREATE TABLE audit (at timestamptz DEFAULT now(), was json, is_now json);
       CREATE FUNCTION keep() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN INSERT INTO audit (was, is_now) VALUES (to_json(OLD), to_json(NEW)); RETURN NULL; END $$;
       CREATE TRIGGER audit AFTER INSERT OR UPDATE ON request FOR EACH ROW EXECUTE FUNCTION keep();
       ALTER TABLE request ENABLE ROW LEVEL SECURITY;
       ALTER TABLE request FORCE ROW LEVEL SECURITY;
       CREATE POLICY own ON request USING (login = 'shop')`,
      'postgres',
      user,
    );
    const begun = await begin(journal, sale);
    expect(await end(journal, begun, 'done')).toMatchObject({ state: 'done' });
    expect(await server.query('SELECT count(*)::int AS n FROM audit', 'postgres', user)).toEqual([{ n: 2 }]);
    // What the rules hide cannot be recorded, and so not be sent.
    await expect(begin(journal, { ...sale, login: 'other' })).rejects.toMatchObject(storage);
  });
});
