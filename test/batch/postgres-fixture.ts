import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { ChunkQueue } from '../../src/batch/engines/postgres/chunk-queue.js';
import { openDatabase } from '../../src/batch/engines/postgres/database.js';
import type { PostgresEngine } from '../../src/batch/engines/postgres/engine.js';
import {
  joinOnPostgres,
  type PostgresOptions,
  readDatabaseAddress,
  startOnPostgres,
} from '../../src/batch/engines/postgres/index.js';
import { install } from '../../src/batch/engines/postgres/schema.js';
import type { PlanStore } from '../../src/batch/plan.js';
import { systemClock } from '../../src/runtime/clock.js';
import { systemRandom } from '../../src/runtime/random.js';
import { Secret } from '../../src/wire/mask.js';
import type { EngineUnderTest, Worker } from './engine-suite.js';
import type { PostgresServer } from './postgres.js';

const rowKey = new Secret(randomBytes(32).toString('hex'));
let processes = 0;

export function optionsFor(url: string, more: Partial<PostgresOptions> = {}): PostgresOptions {
  processes += 1;
  return {
    address: readDatabaseAddress(url, 'batch work'),
    ...{
      password: undefined,
      ca: undefined,
      rowKey,
      rate: undefined,
      clock: systemClock,
      random: systemRandom,
      command: 'batch work',
    },
    sender: { host: 'here', pid: processes, version: 'test' },
    stop: new AbortController().signal,
    ...more,
  };
}

/** Closed when the test is over. */
export async function start(
  plan: PlanStore,
  url: string,
  more: Partial<PostgresOptions> = {},
): Promise<PostgresEngine> {
  return closedAtEnd(await startOnPostgres(plan, optionsFor(url, more)));
}

export async function join(
  id: string | undefined,
  url: string,
  more: Partial<PostgresOptions> = {},
): Promise<PostgresEngine> {
  return closedAtEnd(await joinOnPostgres(id, optionsFor(url, more)));
}

function closedAtEnd(engine: PostgresEngine): PostgresEngine {
  onTestFinished(() => engine.close().catch(() => undefined));
  return engine;
}

const withTables = new WeakMap<PostgresServer, Promise<string>>();

/**
 * A database that has the tables already, for tests of what is done in them: making them costs more than most of these
 * tests. That they are made at first use is tested by all others.
 */
export async function newDatabaseWithTables(server: PostgresServer): Promise<string> {
  const template = withTables.get(server) ?? databaseForCopies(server);
  withTables.set(server, template);
  return server.newDatabase(await template);
}

async function databaseForCopies(server: PostgresServer): Promise<string> {
  const name = await server.newDatabase();
  const database = await openDatabase(optionsFor(server.url(name)));
  await install(database);
  await ChunkQueue.open(database, 'none', true);
  await database.close();
  return name;
}

/** PostgreSQL under the suite: every worker has the plan, so that none waits for the first row. */
export function postgresUnderTest(server: () => PostgresServer): EngineUnderTest {
  return {
    isShared: true,
    async open(plan, perSecond) {
      const database = await newDatabaseWithTables(server());
      return {
        async worker(): Promise<Worker> {
          const engine = await start(plan, server().url(database), { rate: perSecond });
          const [newest] = await server().query('SELECT max(id) AS id FROM paycli.workers', database);
          const over = "UPDATE paycli.workers SET lease_until = clock_timestamp() - interval '1 s' WHERE id = $1";
          return { engine, lapse: async () => void (await server().query(over, database, [newest?.['id']])) };
        },
      };
    },
  };
}
