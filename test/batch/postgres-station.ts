import { randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';
import type { PostgresEngine } from '../../src/batch/engines/postgres/engine.js';
import {
  joinOnPostgres,
  type PostgresOptions,
  readDatabaseAddress,
  startOnPostgres,
} from '../../src/batch/engines/postgres/index.js';
import type { PlanStore } from '../../src/batch/plan.js';
import { systemClock } from '../../src/runtime/clock.js';
import { systemRandom } from '../../src/runtime/random.js';
import { Secret } from '../../src/wire/secret.js';
import type { EngineUnderTest, Worker } from './engine-suite.js';
import type { PostgresServer } from './postgres.js';

export const rowKey = new Secret(randomBytes(32).toString('hex'));
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

/** PostgreSQL under the suite: every worker has the plan, so that none waits for the first row. */
export function postgresUnderTest(server: () => PostgresServer): EngineUnderTest {
  return {
    isShared: true,
    async station(plan, perSecond) {
      const database = await server().newDatabase();
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
