import type { Pool, PoolClient, PoolConfig } from 'pg';
import { fail, isPaycliError, type PaycliError } from '../../../errors/index.js';
import type { Secret } from '../../../wire/mask.js';
import { type DatabaseAddress, postgresPackagesMissing } from './database-address.js';
import { Outage, type OutageSettings } from './outage.js';
import { isTransient } from './transient-errors.js';

export type Values = readonly (
  | string
  | number
  | boolean
  | null
  | Uint8Array
  | readonly (string | number | null | Uint8Array)[]
)[];
export type Row = Readonly<Record<string, unknown>>;
/** One statement, on whatever connection. */
export type Query = (sql: string, values?: Values) => Promise<Row[]>;

export interface DatabaseAccess {
  readonly address: DatabaseAddress;
  /** PGPASSWORD and ~/.pgpass count when left out. */
  readonly password: Secret | undefined;
  /** PEM text of the authorities to trust. */
  readonly ca: string | undefined;
}

/** A failure of the database that its caller can do something about. */
export class DatabaseFailure extends Error {
  /** SQLSTATE, or a code of the system. */
  readonly code: string;

  constructor(code: string, cause: unknown) {
    super(`the database failed with ${code}`, { cause });
    this.code = code;
  }
}

/**
 * Connections to one PostgreSQL database. What goes wrong is STORAGE, with no text of the server: it may repeat what a
 * row holds.
 */
export class PostgresDatabase {
  readonly #pool: Pool;
  readonly #shown: string;
  readonly #outage: Outage | undefined;

  /** Without settings for outages no outage is waited for. */
  constructor(pool: Pool, shown: string, outage?: OutageSettings) {
    this.#pool = pool;
    this.#shown = shown;
    this.#outage = outage === undefined ? undefined : new Outage(outage);
    // A connection that breaks while nobody uses it; who uses the next one learns of it.
    pool.on('error', () => {});
  }

  readonly query: Query = (sql, values) => this.guard(() => this.raw(sql, values));

  /** Its failures come as they are. */
  async raw(sql: string, values: Values = []): Promise<Row[]> {
    const { rows }: { rows: Row[] } = await this.#pool.query(sql, [...values]);
    return rows;
  }

  /**
   * All or nothing. When it rejects, the commit may have happened all the same. Where an outage is waited for, all of
   * it is done again.
   */
  transaction<T>(work: (query: Query) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    return this.guard(async () => {
      const client = await this.#pool.connect();
      try {
        const result = await inTransaction(client, work, options.onDoubt);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        const code = codeOf(error);
        throw options.repeatable?.includes(code) === true ? new DatabaseFailure(code, error) : error;
      }
    });
  }

  /** The same, done again where it met another one: what fails with these codes changed nothing. */
  async repeatedTransaction<T>(work: (query: Query) => Promise<T>, onDoubt?: () => void): Promise<T> {
    for (let left = 4; ; left -= 1) {
      try {
        return await this.transaction(work, { repeatable: left > 0 ? metAnother : [], ...(onDoubt && { onDoubt }) });
      } catch (error) {
        if (!(error instanceof DatabaseFailure) || left === 0) throw error;
      }
    }
  }

  /** Work that may be done twice: where an outage is waited for, it is done again after it. */
  async guard<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        const result = await work();
        this.#outage?.statementSucceeded();
        return result;
      } catch (error) {
        if (isPaycliError(error) || error instanceof DatabaseFailure || error instanceof TypeError) throw error;
        if (this.#outage === undefined || !isTransient(error) || !(await this.#outage.waitToRetry()))
          throw storageError(this.#shown, error);
      }
    }
  }

  /** From here on no outage is waited for. */
  stopWaiting(): void {
    this.#outage?.stopWaiting();
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

interface TransactionOptions {
  /** Failures with these codes come as they are. */
  readonly repeatable?: readonly string[];
  /** Told when nobody knows whether the commit happened: the connection ended after it was asked for. */
  readonly onDoubt?: () => void;
}

/** The code of PostgreSQL for a transaction whose data another one changed meanwhile. */
export const serializationFailure = '40001';

/** A row of the same key, changed data, a deadlock: the next try sees what the other transaction did. */
const metAnother = ['23505', serializationFailure, '40P01'];

/** Of the tables that this program makes; each connection says it, and the rules of the gate read it. */
export const tablesVersion = 10;

/** Names without a schema are those of PostgreSQL itself, whatever the owner of the database set for it. */
const searchPath = 'pg_catalog,pg_temp';

async function inTransaction<T>(
  client: PoolClient,
  work: (query: Query) => Promise<T>,
  onDoubt: (() => void) | undefined,
): Promise<T> {
  // A connection that breaks between two statements; the next one fails.
  const ignoreErrors = () => {};
  client.on('error', ignoreErrors);
  await client.query(`BEGIN; SET LOCAL search_path = ${searchPath}`);
  let isCommitting = false;
  try {
    const result = await work(async (sql, values = []) => {
      const { rows }: { rows: Row[] } = await client.query(sql, [...values]);
      return rows;
    });
    isCommitting = true;
    await client.query('COMMIT');
    client.off('error', ignoreErrors);
    return result;
  } catch (error) {
    // A connection that is gone takes what it did not commit with it.
    if (!isTransient(error)) await client.query('ROLLBACK').catch(() => undefined);
    else if (isCommitting) onDoubt?.();
    throw error;
  }
}

/** Connects. Throws STORAGE. */
export async function openDatabase(access: DatabaseAccess, outage?: OutageSettings): Promise<PostgresDatabase> {
  const { address } = access;
  const { Pool: Opened } = await import('pg').catch((cause: unknown) => {
    throw postgresPackagesMissing({ cause });
  });
  const database = new PostgresDatabase(new Opened(poolConfig(access)), address.shown, outage);
  try {
    const [path] = await database.raw(`SELECT pg_catalog.current_setting('search_path') AS set`);
    // Something between here and the server, such as a connection pooler, left the option out.
    if (path?.['set'] !== searchPath)
      throw fail('STORAGE', {
        what: address.shown,
        why: 'it does not accept the search_path that paycli sets',
        how: 'nothing was sent; connect to the server itself, or let the connection pooler pass `options` on',
      });
  } catch (error) {
    await database.close();
    if (isPaycliError(error)) throw error;
    // pg tells a missing password by words alone.
    throw codeOf(error) === connectionLost
      ? fail(
          'STORAGE',
          {
            what: address.shown,
            why: 'no connection could be made',
            how: 'check that the server is running, and give its password with --engine-password-file, PGPASSWORD or ~/.pgpass if it needs one',
          },
          { cause: error },
        )
      : storageError(address.shown, error);
  }
  return database;
}

/**
 * A machine that is gone, asleep or cut off in the middle of a transaction holds locks that the others wait for: its
 * connection ends within seconds.
 */
const leaveQuickly =
  '-c idle_in_transaction_session_timeout=15s -c tcp_keepalives_idle=5 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3 -c tcp_user_timeout=20000';

function poolConfig({ address, password, ca }: DatabaseAccess): PoolConfig {
  const { host, port, user, database, tls } = address;
  // The host by name: pg leaves out an address, and the certificate would be held against `localhost`.
  const checked = { host, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  return {
    ...{ host, port, user, database, max: 8 },
    options: `-c search_path=${searchPath} -c paycli.tables=${tablesVersion} ${leaveQuickly}`,
    ...(password === undefined ? {} : { password: password.open() }),
    // Said even when it is false: pg would look into the environment.
    ssl: tls === 'none' ? false : tls === 'chain' ? { ...checked, checkServerIdentity: () => undefined } : checked,
    application_name: 'paycli',
    keepAlive: true,
    connectionTimeoutMillis: 10_000,
    statement_timeout: 60_000,
    query_timeout: 65_000,
  };
}

/** pg has no code for a connection that ended. */
const connectionLost = 'LOST';

/** Where nothing can be recorded. */
export const readOnlyServer = {
  what: 'the PostgreSQL server',
  why: 'it is a standby or read-only',
  how: 'nothing was sent; name the primary server in --engine',
} as const;

interface Fault {
  readonly code: RegExp;
  readonly what?: string;
  readonly why: string;
  readonly how: string;
}

const faults: readonly Fault[] = [
  {
    code: /^ECONNREFUSED$/,
    why: 'nothing answers there',
    how: 'check that the server is running and that host and port are right',
  },
  { code: /^(ENOTFOUND|EAI_AGAIN)$/, why: 'no host has that name', how: 'correct --engine' },
  {
    code: /^28/,
    why: 'the user or password was not accepted',
    how: 'correct the user in --engine, or give the password with --engine-password-file or PGPASSWORD',
  },
  { code: /^3D000$/, why: 'the database does not exist', how: 'create it with `createdb`, or correct --engine' },
  {
    code: /^42501$/,
    why: 'the user lacks permission for this',
    how: 'have the owner of the tables run the first command, then grant this user what `paycli help batches` lists; only the owner can run `paycli batch archive`',
  },
  { code: /^(55000|25006)$/, ...readOnlyServer },
  {
    code: /^(57014|55P03)$/,
    why: 'it took too long to answer',
    how: 'see what keeps it busy, then `{again}`',
  },
  { code: /^53100$/, why: 'its disk is full', how: 'free some space there, then `{again}`' },
  {
    code: /^(57P0\d|25P03|08\w{3}|ECONNRESET|EPIPE|ETIMEDOUT|LOST)$/,
    why: 'the connection was lost',
    how: 'nothing more is sent; check that the server is running, then `{again}`',
  },
  {
    code: /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/,
    why: 'its certificate was not accepted',
    how: 'name the CA certificate with sslrootcert=FILE in --engine',
  },
];

function storageError(shown: string, error: unknown): PaycliError {
  const code = codeOf(error);
  const {
    what = shown,
    why,
    how,
  } = faults.find((fault) => fault.code.test(code)) ?? {
    why: `it failed with code ${code}`,
    how: 'check the log of the server, then `{again}`',
  };
  return fail('STORAGE', { what, why, how }, { cause: error });
}

function codeOf(error: unknown): string {
  if (error instanceof DatabaseFailure) return error.code;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : connectionLost;
}
