import { fail } from '../errors/index.js';
import type { PostgresConnection, PostgresFault, PostgresPool, SqlRow } from '../runtime/ports.js';
import { ask, type Change, postgresDialect, type Statement } from './dialect.js';
import { openJournal } from './journal.js';
import type { Journal } from './port.js';
import { type JournalPorts, newMeta, openStore, type Tables } from './store.js';
import { postgresTablesSql } from './tables.js';
import { change } from './working-set.js';

/** The lock that makes one transaction wait for the other. */
const lockSql = "pg_advisory_xact_lock(hashtext('paycli journal'))";
/** How long, and how often, a change is tried on new connections where it did not happen for sure. */
const [patienceMs, pauseMs] = [10_000, 250];

export interface PostgresPorts extends JournalPorts {
  readonly pool: PostgresPool;
  /** The address of the database, as it may be shown. */
  readonly shown: string;
}

/**
 * Opens the journal of a team, whose tables are made at first use. Throws STORAGE where the database cannot be reached or
 * may forget what it was told, and SECRET_UNREADABLE where the key is another one than the journal was made with.
 */
export async function openPostgresJournal(ports: PostgresPorts): Promise<Journal> {
  const tables = new PostgresTables(ports);
  try {
    const meta = await tables.prepare(newMeta(ports));
    const [user] = await tables.read({ sql: 'SELECT session_user AS role', values: [] });
    const store = openStore(ports, ports.shown, meta, tables, String(user?.['role']));
    // Nothing is changed: this tells whether it may forget, and whether it was restored.
    await change(store, (set) => set.load());
    return openJournal(store);
  } catch (error) {
    await tables.close();
    throw error;
  }
}

/** The server, its timeline, the database and the table: a copy that was restored differs in one of them. */
const identitySql = `concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
  left(pg_walfile_name(pg_current_wal_lsn()), 8),
  (SELECT oid FROM pg_database WHERE datname = current_database()), to_regclass('event')::oid)`;

/** Settings hold for this transaction alone, whatever a pooler between does with those of a session. */
const enterSql = `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT set_config('lock_timeout', '20s', true),
  set_config('statement_timeout', '40s', true), set_config('idle_in_transaction_session_timeout', '5s', true),
  current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits,
  (SELECT value = ${identitySql} FROM meta WHERE name = 'identity') AS same,
  ${lockSql}, (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now`;

/** The tables of a journal in PostgreSQL. All that writes waits for one lock, so that transactions follow each other. */
class PostgresTables implements Tables {
  readonly dialect = postgresDialect;
  readonly momentMs = 10;
  readonly #ports: PostgresPorts;

  constructor(ports: PostgresPorts) {
    this.#ports = ports;
  }

  /** Makes the tables where there are none; `meta` gives what is kept with them. */
  async prepare(meta: ReadonlyMap<string, string>): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#guard(() =>
      this.#on(async (connection) => {
        await connection.query(`BEGIN; SELECT ${lockSql}`);
        const [found] = await connection.query("SELECT to_regclass('meta') IS NOT NULL AS found");
        if (String(found?.['found']) !== 'true') {
          await connection.query(postgresTablesSql);
          for (const [name, value] of meta) await connection.query('INSERT INTO meta VALUES ($1, $2)', [name, value]);
          await connection.query(`INSERT INTO meta VALUES ('identity', ${identitySql})`);
        }
        await connection.query('COMMIT');
        return connection.query('SELECT name, value FROM meta');
      }),
    );
    return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  }

  async change<Result>(work: (now: number, isOther: boolean) => Change<Result>): Promise<Result> {
    const { clock } = this.#ports;
    const until = clock.monotonic() + patienceMs;
    return this.#guard(async () => {
      for (;;) {
        try {
          return await this.#on((connection) => this.#transaction(connection, work));
        } catch (error) {
          if (!isFault(error, 'lost', 'disturbed') || clock.monotonic() > until) throw error;
          await clock.sleep(pauseMs);
        }
      }
    });
  }

  async #transaction<Result>(
    connection: PostgresConnection,
    work: (now: number, isOther: boolean) => Change<Result>,
  ): Promise<Result> {
    const what = this.#ports.shown;
    const [entry = {}] = await connection.query(enterSql);
    if (entry['fsync'] !== 'on' || !['on', 'remote_apply'].includes(String(entry['commits']))) {
      const why = 'its fsync or synchronous_commit is off, so the record of a payment may be lost';
      const how = 'nothing was sent; set both to on for this database, then repeat the command';
      throw fail('STORAGE', { what, why, how });
    }
    const result = await run(connection, work(Number(entry['now']), String(entry['same']) !== 'true'));
    await connection.query('COMMIT').catch((cause: unknown) => {
      // It may have been committed all the same: it is not tried again.
      if (!isFault(cause, 'lost')) throw cause;
      const why = 'the connection was lost while it was recorded, and whether it is recorded is not known';
      const how = 'nothing more is sent; once its server answers, repeat the command: it goes by what is recorded';
      throw fail('STORAGE', { what, why, how }, { cause });
    });
    return result;
  }

  read({ sql, values }: Statement): Promise<readonly SqlRow[]> {
    const attempt = () => this.#on((connection) => connection.query(numbered(sql), values));
    // Once more on a new connection, as the one that was idle may have been closed by the server.
    return this.#guard(() => attempt().catch((error) => (isFault(error, 'lost') ? attempt() : Promise.reject(error))));
  }

  *disown(): Change<void> {
    yield* ask("UPDATE meta SET value = 'restored' WHERE name = 'identity' RETURNING 1 AS done");
  }

  *accept(): Change<void> {
    yield* ask(`UPDATE meta SET value = ${identitySql} WHERE name = 'identity' RETURNING 1 AS done`);
  }

  async close(): Promise<void> {
    await this.#ports.pool.end();
  }

  async #on<Result>(work: (connection: PostgresConnection) => Promise<Result>): Promise<Result> {
    const connection = await this.#ports.pool.connect();
    try {
      const result = await work(connection);
      connection.release(false);
      return result;
    } catch (error) {
      // What was not committed goes with the connection, and so does the lock.
      connection.release(true);
      throw error;
    }
  }

  async #guard<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      // A broken rule of the tables passes through: the rows of a group are then tried one by one.
      if (!isFault(error, 'lost', 'disturbed', 'other')) throw error;
      const how = 'nothing more is sent; check `journal` in the profile and its server, then repeat the command';
      throw fail('STORAGE', { what: this.#ports.shown, why: error.why, how }, { cause: error });
    }
  }
}

async function run<Result>(connection: PostgresConnection, change: Change<Result>): Promise<Result> {
  let step = change.next([]);
  while (step.done !== true) step = change.next(await together(connection, step.value));
  return step.value;
}

/** Several statements as one: they do not depend on each other. */
async function together(
  connection: PostgresConnection,
  statements: readonly Statement[],
): Promise<readonly (readonly SqlRow[])[]> {
  const parts = statements.map(({ sql }, at) => `s${at} AS (${sql})`);
  const results = statements.map((_, at) => `(SELECT json_agg(s${at}) FROM s${at}) AS s${at}`);
  const values = statements.flatMap((statement) => statement.values);
  const [row = {}] = await connection.query(numbered(`WITH ${parts.join(', ')} SELECT ${results.join(', ')}`), values);
  return statements.map((_, at) => JSON.parse(String(row[`s${at}`] ?? '[]')) as readonly SqlRow[]);
}

/** `?` are `$1` and so on. */
function numbered(sql: string): string {
  const [first = '', ...others] = sql.split('?');
  return others.reduce((done, part, at) => `${done}$${at + 1}${part}`, first);
}

function isFault(error: unknown, ...kinds: readonly PostgresFault['fault'][]): error is PostgresFault {
  return error instanceof Error && 'fault' in error && kinds.some((kind) => kind === error.fault);
}
