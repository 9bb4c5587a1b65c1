import { fail } from '../errors/index.js';
import type { PostgresConnection, PostgresFault, PostgresPool, SqlRow } from '../runtime/ports.js';
import { ask, type Change, postgresDialect, type Statement } from './dialect.js';
import { openJournal } from './journal.js';
import type { Newest } from './mark.js';
import type { Journal } from './port.js';
import { type JournalPorts, type Made, newMeta, openStore, type Store, type Tables } from './store.js';
import { postgresTablesSql } from './tables.js';
import { change } from './working-set.js';

const nowSql = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
/** The lock that makes one transaction wait for the other. */
const lockSql = "pg_advisory_xact_lock(hashtext('paycli journal'))";
/** How long a change is tried on new connections where it did not happen for sure. */
const patienceMs = 10_000;
const pauseMs = 250;

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
    return openJournal(await openDatabase(ports, tables));
  } catch (error) {
    await tables.close();
    throw error;
  }
}

async function openDatabase(ports: PostgresPorts, tables: PostgresTables): Promise<Store> {
  const { shown: place } = ports;
  const meta = await tables.prepare(postgresTablesSql, newMeta(ports));
  const [user] = await tables.read({ sql: 'SELECT session_user AS role', values: [] });
  const store = openStore(ports, { tables, role: String(user?.['role']), meta, place });
  // Nothing is changed: this tells whether it may forget, and whether it was restored.
  await change(store, (set) => set.load());
  return store;
}

/** The tables of a journal in PostgreSQL. All that writes waits for one lock, so that transactions follow each other. */
class PostgresTables implements Tables {
  readonly dialect = postgresDialect;
  readonly #ports: PostgresPorts;
  #identitySql = '';

  constructor(ports: PostgresPorts) {
    this.#ports = ports;
  }

  /** Makes the tables where there are none; `meta` gives what is kept with them. */
  async prepare(sql: string, meta: Readonly<Record<string, string>>): Promise<ReadonlyMap<string, string>> {
    const rows = await this.#guard(() =>
      this.#on(async (connection) => {
        const [may] = await connection.query("SELECT has_function_privilege('pg_control_system()', 'execute') AS may");
        this.#identitySql = identitySql(String(may?.['may']) === 'true');
        await connection.query(`BEGIN; SELECT ${lockSql}`);
        const [found] = await connection.query("SELECT to_regclass('meta') IS NOT NULL AS found");
        if (String(found?.['found']) !== 'true') {
          await connection.query(sql);
          for (const [name, value] of Object.entries(meta))
            await connection.query('INSERT INTO meta VALUES ($1, $2)', [name, value]);
          await connection.query(`INSERT INTO meta VALUES ('identity', ${this.#identitySql})`);
        }
        await connection.query('COMMIT');
        return connection.query('SELECT name, value FROM meta');
      }),
    );
    return new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  }

  async change<Result extends Made>(work: (now: number, isOther: boolean) => Change<Result>): Promise<Result> {
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

  async #transaction<Result extends Made>(
    connection: PostgresConnection,
    work: (now: number, isOther: boolean) => Change<Result>,
  ): Promise<Result> {
    const [entry = {}] = await connection.query(this.#enterSql());
    this.#assertKept(entry);
    const isOther = !isSameIdentity(String(entry['identity']), String(entry['stored']));
    const result = await run(connection, work(Number(entry['now']), isOther));
    try {
      await connection.query('COMMIT');
    } catch (error) {
      // It may have been committed all the same.
      if (!isFault(error, 'lost') || !(await this.#hasHappened(result.newest, error))) throw error;
    }
    return result;
  }

  /** Settings hold for this transaction alone, whatever a pooler between does with those of a session. */
  #enterSql(): string {
    return `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT set_config('lock_timeout', '20s', true),
      set_config('statement_timeout', '40s', true), set_config('idle_in_transaction_session_timeout', '5s', true),
      current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits,
      ${this.#identitySql} AS identity, (SELECT value FROM meta WHERE name = 'identity') AS stored,
      ${lockSql}, ${nowSql} AS now`;
  }

  #assertKept({ fsync, commits }: SqlRow): void {
    if (fsync === 'on' && ['on', 'remote_apply'].includes(String(commits))) return;
    throw fail('STORAGE', {
      what: this.#ports.shown,
      why: 'its fsync or synchronous_commit is off, so the record of a payment may be lost',
      how: 'nothing was sent; set both to on for this database, then repeat the command',
    });
  }

  /** Waits until the transaction has ended, then looks for its event. Throws where it cannot be told. */
  async #hasHappened(newest: Newest | undefined, cause: unknown): Promise<boolean> {
    const { clock, shown } = this.#ports;
    const until = clock.monotonic() + patienceMs;
    for (;;) {
      try {
        if (newest === undefined) throw cause;
        return await this.#on(async (connection) => {
          await connection.query(`BEGIN; SELECT set_config('lock_timeout', '20s', true), ${lockSql}`);
          const [row] = await connection.query('SELECT nonce FROM event WHERE id = $1', [newest.event]);
          await connection.query('ROLLBACK');
          return row?.['nonce'] === newest.nonce;
        });
      } catch (error) {
        const why = 'the connection was lost while it was recorded, and whether it is recorded is not known';
        const how = 'nothing was sent; once its server answers, repeat the command: it goes by what is recorded';
        if (newest === undefined || !isFault(error, 'lost') || clock.monotonic() >= until)
          throw fail('STORAGE', { what: shown, why, how }, { cause: error });
        await clock.sleep(pauseMs);
      }
    }
  }

  read({ sql, values }: Statement): Promise<readonly SqlRow[]> {
    const attempt = () => this.#on((connection) => connection.query(numbered(sql, 0), values));
    // Once more on a new connection, as the one that was idle may have been closed by the server.
    return this.#guard(() => attempt().catch((error) => (isFault(error, 'lost') ? attempt() : Promise.reject(error))));
  }

  *accept(): Change<void> {
    yield* ask(`UPDATE meta SET value = ${this.#identitySql} WHERE name = 'identity' RETURNING 1 AS done`);
  }

  check(): Promise<readonly string[]> {
    return Promise.resolve([]);
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
      if (!isFault(error, 'lost', 'other')) throw error;
      const how = 'nothing more is sent; check `journal` in the profile and its server, then repeat the command';
      throw fail('STORAGE', { what: this.#ports.shown, why: error.why, how }, { cause: error });
    }
  }
}

/** The server, its timeline, the database and the table: a copy that was restored differs in one of them. */
function identitySql(mayControl: boolean): string {
  const system = mayControl ? '(SELECT system_identifier::text FROM pg_control_system())' : "'-'";
  return `concat_ws('/', ${system}, left(pg_walfile_name(pg_current_wal_lsn()), 8),
    (SELECT oid::text FROM pg_database WHERE datname = current_database()), to_regclass('event')::oid::text)`;
}

/** What one of the two was not allowed to see is not compared. */
function isSameIdentity(one: string, other: string): boolean {
  const [parts, others] = [one.split('/'), other.split('/')];
  return parts.every((part, at) => part === others[at] || [part, others[at]].includes('-'));
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
  const [only] = statements;
  if (only !== undefined && statements.length === 1)
    return [await connection.query(numbered(only.sql, 0), only.values)];
  let count = 0;
  const parts = statements.map(({ sql, values }, at) => {
    const part = `s${at} AS (${numbered(sql, count)})`;
    count += values.length;
    return part;
  });
  const results = statements.map((_, at) => `(SELECT json_agg(s${at}) FROM s${at}) AS s${at}`);
  const values = statements.flatMap((statement) => statement.values);
  const [row = {}] = await connection.query(`WITH ${parts.join(', ')} SELECT ${results.join(', ')}`, values);
  return statements.map((_, at) => JSON.parse(String(row[`s${at}`] ?? '[]')) as readonly SqlRow[]);
}

/** `?` are `$1` and so on. */
function numbered(sql: string, from: number): string {
  let count = from;
  return sql.replaceAll('?', () => {
    count += 1;
    return `$${count}`;
  });
}

function isFault(error: unknown, ...kinds: readonly PostgresFault['fault'][]): error is PostgresFault {
  return error instanceof Error && 'fault' in error && kinds.some((kind) => kind === error.fault);
}
