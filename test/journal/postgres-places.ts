import { expect, onTestFinished } from 'vitest';
import type { Journal } from '../../src/journal/port.js';
import { openPostgresJournal, type PostgresPorts } from '../../src/journal/postgres.js';

import type { PostgresPool } from '../../src/runtime/ports.js';
import { openPostgres } from '../../src/runtime/postgres.js';
import type { PostgresServer } from '../support/postgres.js';
import { newFolder, type OpenOptions, type Place, portsIn, type StoreClock } from './support.js';

export const addressFrom = (url: string) => {
  const { hostname: host, port, username: user, pathname } = new URL(url);
  return { host, port: Number(port), user, database: pathname.slice(1), tls: 'none' } as const;
};

/** Closed when the test is over. */
export function poolFor(url: string): PostgresPool {
  const opened = openPostgres(addressFrom(url)).then((pool) => pool ?? expect.unreachable('pg is not installed'));
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= opened.then((pool) => pool.end());
    return ended;
  };
  onTestFinished(end);
  return { connect: async () => (await opened).connect(), end };
}

/** The clock of the server is that of the test. */
function timed(pool: PostgresPool, clock: StoreClock): PostgresPool {
  const now = () => `to_timestamp(${clock.time} / 1000.0)`;
  return {
    async connect() {
      const connection = await pool.connect();
      const query: typeof connection.query = (sql, values) =>
        connection.query(sql.replaceAll('clock_timestamp()', now()), values);
      return { ...connection, query };
    },
    end: () => pool.end(),
  };
}

export function portsFor(url: string, folder: string, options?: OpenOptions): PostgresPorts {
  const ports = portsIn(folder, options);
  return { ...ports, pool: timed(poolFor(url), ports.clock), shown: url };
}

const tables = ['meta', 'batch', 'approval', 'request', 'payload', 'event', 'seen', 'spent', 'worker'];

/** A schema of its own; a copy holds the rows, as a dump of the data alone. */
export function placeOn(server: PostgresServer, folder = newFolder()): Place {
  const made = server.newUser();
  const as = async (sql: string) => {
    const user = await made;
    await server.query(sql, 'postgres', user);
  };
  return {
    async open(options): Promise<Journal> {
      return openPostgresJournal(portsFor(server.url(await made), folder, options));
    },
    async copy() {
      const user = await made;
      await as(tables.map((name) => `CREATE TABLE kept_${name} AS SELECT * FROM ${name}`).join(';'));
      const back = tables.map(
        (name) => `INSERT INTO ${name} OVERRIDING SYSTEM VALUE SELECT * FROM ${user}.kept_${name}`,
      );
      return () => as([`TRUNCATE ${tables.join(', ')}`, ...back].join(';'));
    },
    remove: () => as(`DROP TABLE ${tables.join(', ')} CASCADE`),
  };
}
