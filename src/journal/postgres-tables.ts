import { fail } from '../errors/index.js';
import type { Clock, PostgresConnection, PostgresPool, SqlRow } from '../runtime/ports.js';
import { ask, type Change, postgresDialect, type Statement } from './dialect.js';
import type { Newest } from './mark.js';
import type { Restored } from './port.js';
import { isDisturbed, isLost, storageError } from './postgres-faults.js';
import type { Tables } from './store.js';

const nowSql = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint';
/** The lock that makes one transaction wait for the other. */
const lockSql = "pg_advisory_xact_lock(hashtext('paycli journal'))";
/** How long a change is tried on new connections where it did not happen for sure. */
const patienceMs = 10_000;
const pauseMs = 250;

interface TablesPorts {
  readonly pool: PostgresPool;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  /** The address, as it may be shown. */
  readonly shown: string;
}

/** The tables of a journal in PostgreSQL. All that writes waits for one lock, so that transactions follow each other. */
export class PostgresTables implements Tables {
  readonly dialect = postgresDialect;
  /** The store is not the one that this process knew. */
  onRestored: (restored: Restored) => void = () => {};
  /** The newest event of this machine, as far as this process knows. */
  known: Newest | undefined;
  readonly #ports: TablesPorts;
  #identitySql = '';

  constructor(ports: TablesPorts) {
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

  async change<Result>(work: (now: number) => Change<Result>): Promise<Result> {
    const until = this.#ports.clock.monotonic() + patienceMs;
    return this.#guard(async () => {
      for (;;) {
        try {
          return await this.#on((connection) => this.#transaction(connection, work));
        } catch (error) {
          if ((!isLost(error) && !isDisturbed(error)) || this.#ports.clock.monotonic() > until) throw error;
          await this.#ports.clock.sleep(pauseMs);
        }
      }
    });
  }

  async #transaction<Result>(connection: PostgresConnection, work: (now: number) => Change<Result>): Promise<Result> {
    // Another transaction of this process may end while this one waits for the lock.
    const { known } = this;
    const [entry = {}] = await connection.query(this.#enterSql(known));
    this.#check(entry, known);
    const result = await run(connection, work(Number(entry['now'])));
    const newest = newestIn(result);
    try {
      await connection.query('COMMIT');
    } catch (error) {
      if (!isLost(error)) throw error;
      // It may have been committed all the same.
      if (!(await this.#hasHappened(newest, error))) throw error;
    }
    this.known = newest ?? this.known;
    return result;
  }

  /** Settings hold for this transaction alone, whatever a pooler between does with those of a session. */
  #enterSql(known: Newest | undefined): string {
    const marked = known === undefined ? 'NULL' : `(SELECT nonce FROM event WHERE id = ${known.event})`;
    return `BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; SELECT set_config('lock_timeout', '20s', true),
      set_config('statement_timeout', '40s', true), set_config('idle_in_transaction_session_timeout', '5s', true),
      current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits,
      ${this.#identitySql} AS identity, (SELECT value FROM meta WHERE name = 'identity') AS stored,
      ${marked} AS nonce, ${lockSql}, ${nowSql} AS now`;
  }

  #check({ fsync, commits, identity, stored, nonce }: SqlRow, known: Newest | undefined): void {
    const setting =
      fsync !== 'on' ? 'fsync' : ['on', 'remote_apply'].includes(String(commits)) ? undefined : 'synchronous_commit';
    if (setting !== undefined)
      throw fail('STORAGE', {
        what: this.#ports.shown,
        why: `its ${setting} is off, so the record of a payment may be lost`,
        how: `nothing was sent; set ${setting} to on for this database, then repeat the command`,
      });
    const marked = known && { event: known.event, at: known.at };
    const isOther = !isSameIdentity(String(identity), String(stored));
    const isMissing = known !== undefined && nonce !== known.nonce;
    if (isOther || isMissing)
      this.onRestored({
        ...{ why: isOther ? 'other-store' : 'event-missing', marked },
        newest: { event: 0, at: undefined },
      });
  }

  /** Waits until the transaction has ended, then looks for its event. Throws where it cannot be told. */
  async #hasHappened(newest: Newest | undefined, cause: unknown): Promise<boolean> {
    const until = this.#ports.clock.monotonic() + patienceMs;
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
        if (newest !== undefined && isLost(error) && this.#ports.clock.monotonic() < until) {
          await this.#ports.clock.sleep(pauseMs);
          continue;
        }
        throw fail(
          'STORAGE',
          {
            what: this.#ports.shown,
            why: 'the connection was lost while it was recorded, and whether it is recorded is not known',
            how: 'nothing was sent; once its server answers, repeat the command: it goes by what is recorded',
          },
          { cause: error },
        );
      }
    }
  }

  read({ sql, values }: Statement): Promise<readonly SqlRow[]> {
    const attempt = () => this.#on((connection) => connection.query(numbered(sql, 0), values));
    // Once more on a new connection, as the one that was idle may have been closed by the server.
    return this.#guard(() => attempt().catch((error) => (isLost(error) ? attempt() : Promise.reject(error))));
  }

  async now(): Promise<number> {
    const [row] = await this.read({ sql: `SELECT ${nowSql} AS now`, values: [] });
    return Number(row?.['now']);
  }

  *accept(): Change<void> {
    yield* ask(`UPDATE meta SET value = ${this.#identitySql} WHERE name = 'identity' RETURNING 1 AS done`);
  }

  async check(): Promise<readonly string[]> {
    const sql = `SELECT name FROM unnest(ARRAY['one_payment_per_id', 'one_follow_up_in_doubt']) AS name
      WHERE NOT EXISTS (SELECT 1 FROM pg_index WHERE indexrelid = to_regclass(name) AND indisvalid AND indisunique)`;
    const rows = await this.read({ sql, values: [] });
    return rows.map(({ name }) => `index ${name} is missing`);
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
      throw storageError(this.#ports.shown, error);
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

/** The newest event that a change added: see `change` in the working set. */
function newestIn(result: unknown): Newest | undefined {
  return (result as { readonly newest?: Newest } | undefined)?.newest;
}
