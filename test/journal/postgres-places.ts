import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { Journal } from '../../src/journal/port.js';
import { openPostgresJournal, type PostgresPorts } from '../../src/journal/postgres.js';
import { readJournalAddress } from '../../src/journal/postgres-address.js';
import { openFiles } from '../../src/runtime/files.js';
import type { PostgresPool } from '../../src/runtime/ports.js';
import { openPostgres } from '../../src/runtime/postgres.js';
import type { PostgresServer } from '../support/postgres.js';
import { newFolder, type OpenOptions, type Place, StoreClock } from './support.js';

let count = 0;
const letters = (length: number): string => {
  count += 1;
  return `${count}`.padStart(length, 'r');
};

/** Closed when the test is over. */
export function poolFor(url: string): PostgresPool {
  const pool = openPostgres(readJournalAddress(url, 'shop'));
  if (pool === undefined) throw new Error('pg is not installed');
  let ended: Promise<void> | undefined;
  const end = () => {
    ended ??= pool.end();
    return ended;
  };
  onTestFinished(end);
  return { connect: () => pool.connect(), end };
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

export function portsFor(
  url: string,
  folder: string,
  { clock = new StoreClock(), pid = 1, isDead, ...options }: OpenOptions = {},
): PostgresPorts {
  return {
    pool: timed(poolFor(url), clock),
    files: openFiles({}, { home: folder, working: folder }),
    clock,
    random: { letters },
    process: {
      ...{ pid, host: 'here', identity: { boot: options.boot ?? 'b', namespace: 'n', started: '1' } },
      isAlive: (other) => isDead?.(other) !== true,
      startOf: () => '1',
    },
    shown: url,
    markPath: options.isSandbox === true ? undefined : join(folder, 'config', 'marks.json'),
    key: options.key ?? 'the key of this team',
    who: 'tester',
  };
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
