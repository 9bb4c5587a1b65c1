import type { Pool, PoolClient, PoolConfig } from 'pg';
import { fail, isPaycliError, type PaycliError } from '../../../errors/index.js';
import type { Secret } from '../../../wire/secret.js';

/** Where a PostgreSQL database is, and how far its certificate is checked. */
interface DatabaseAddress {
  /** A name, an address, or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly tls: 'none' | 'chain' | 'full';
  /** Path of the authorities to trust instead of the usual ones. */
  readonly authorities: string | undefined;
  /** Fit for messages. */
  readonly shown: string;
}

const sslModes: Readonly<Record<string, DatabaseAddress['tls']>> = {
  disable: 'none',
  'verify-ca': 'chain',
  'verify-full': 'full',
};
const parameters = ['sslmode', 'sslrootcert'];

/** True for the text of an address of PostgreSQL. */
export function isDatabaseAddress(text: string): boolean {
  return /^postgres(ql)?:/i.test(text);
}

/**
 * Reads `postgres://user@host:port/database`. The text is never repeated in a message: a password may stand in it.
 * Throws USAGE.
 */
export function readDatabaseAddress(text: string, command: string): DatabaseAddress {
  const wrong = (why: string): PaycliError => fail('USAGE', { why: `--engine: ${why}`, command });
  if (!isDatabaseAddress(text) || !URL.canParse(text))
    throw wrong('is not an address such as postgres://user@host/database');
  const url = new URL(text);
  if (url.password !== '' || url.searchParams.has('password'))
    throw wrong(
      'holds a password, which other users and the history of the shell see; use --engine-password-file, PGPASSWORD or ~/.pgpass, and clear this line from the history',
    );
  for (const name of url.searchParams.keys())
    if (!parameters.includes(name)) throw wrong(`may have the parameters ${parameters.join(', ')} and no others`);
  const host = decodeURIComponent(url.hostname.replace(/^\[|\]$/g, ''));
  const [user, database] = [decodeURIComponent(url.username), decodeURIComponent(url.pathname.slice(1))];
  if (host === '' || user === '' || database === '' || database.includes('/'))
    throw wrong('needs a user, a host and a database, as in postgres://user@host/database');
  const port = url.port === '' ? 5432 : Number(url.port);
  const tls = tlsOf(url.searchParams.get('sslmode'), host, wrong);
  const authorities = url.searchParams.get('sslrootcert') || undefined;
  // Any host with a certificate of any authority would pass.
  if (tls === 'chain' && authorities === undefined)
    throw wrong(
      'sslmode=verify-ca needs sslrootcert=FILE, the only authority to trust; without one use sslmode=verify-full',
    );
  return { host, port, user, database, tls, authorities, shown: `postgres://${user}@${host}:${port}/${database}` };
}

function tlsOf(mode: string | null, host: string, wrong: (why: string) => PaycliError): DatabaseAddress['tls'] {
  const isHere = /^(127\.\d+\.\d+\.\d+|::1|localhost|\/.*)$/.test(host);
  if (mode === null) return isHere ? 'none' : 'full';
  const tls = Object.hasOwn(sslModes, mode) ? sslModes[mode] : undefined;
  if (tls === undefined)
    throw wrong('sslmode is verify-full or verify-ca (or disable on this machine); the others check no certificate');
  if (tls === 'none' && !isHere) throw wrong('sslmode=disable is for databases on this machine only');
  return tls;
}

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

  constructor(pool: Pool, shown: string) {
    this.#pool = pool;
    this.#shown = shown;
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
   * All or nothing. When it rejects, the commit may have happened all the same. Failures named in `repeatable` come as
   * they are.
   */
  transaction<T>(work: (query: Query) => Promise<T>, repeatable: readonly string[] = []): Promise<T> {
    return this.guard(async () => {
      const client = await this.#pool.connect();
      try {
        const result = await inTransaction(client, work);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        const code = codeOf(error);
        throw repeatable.includes(code) ? new DatabaseFailure(code, error) : error;
      }
    });
  }

  async guard<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (isPaycliError(error) || error instanceof DatabaseFailure || error instanceof TypeError) throw error;
      throw storageError(this.#shown, error);
    }
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }
}

/** Names without a schema are those of PostgreSQL itself, whatever the owner of the database set for it. */
const searchPath = 'pg_catalog,pg_temp';

/**
 * In a transaction: code in the database, as that of a trigger, may have set another path meanwhile. It has to be said
 * before a statement that decides, for the names in it are looked up when it begins.
 */
export async function pinSearchPath(query: Query): Promise<void> {
  await query(`SET LOCAL search_path = ${searchPath}`);
}

async function inTransaction<T>(client: PoolClient, work: (query: Query) => Promise<T>): Promise<T> {
  // A connection that breaks between two statements; the next one fails.
  const ignoreErrors = () => {};
  client.on('error', ignoreErrors);
  await client.query(`BEGIN; SET LOCAL search_path = ${searchPath}`);
  try {
    const result = await work(async (sql, values = []) => {
      const { rows }: { rows: Row[] } = await client.query(sql, [...values]);
      return rows;
    });
    await client.query('COMMIT');
    client.off('error', ignoreErrors);
    return result;
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

/** Connects. Throws STORAGE. */
export async function openDatabase(access: DatabaseAccess): Promise<PostgresDatabase> {
  const { address } = access;
  const { Pool: Opened } = await import('pg').catch((cause: unknown) => {
    throw packagesMissing(cause);
  });
  const database = new PostgresDatabase(new Opened(poolConfig(access)), address.shown);
  try {
    const [path] = await database.raw(`SELECT pg_catalog.current_setting('search_path') AS set`);
    if (path?.['set'] !== searchPath) throw searchPathLost(address.shown);
  } catch (error) {
    await database.close();
    if (isPaycliError(error)) throw error;
    throw codeOf(error) === connectionLost
      ? connectionFailed(address.shown, error)
      : storageError(address.shown, error);
  }
  return database;
}

/** Something between here and the server, such as a connection pooler, left the option out. */
function searchPathLost(shown: string): PaycliError {
  const how = 'connect to the server itself, or let the connection pooler pass `options` on';
  return fail('STORAGE', {
    what: shown,
    why: 'it does not take the search_path that paycli sets',
    how: `nothing was sent; ${how}`,
  });
}

/** pg tells a missing password by words alone. */
function connectionFailed(shown: string, cause: unknown): PaycliError {
  const how =
    'see that the server runs, and give its password with --engine-password-file, PGPASSWORD or ~/.pgpass where it wants one';
  return fail('STORAGE', { what: shown, why: 'no connection came about', how }, { cause });
}

export function packagesMissing(cause: unknown): PaycliError {
  const how =
    'install them beside paycli with `npm install --global pg@8.23.1 pg-boss@10.4.2`, then repeat the command';
  return fail('STORAGE', { what: 'PostgreSQL', why: 'the packages pg and pg-boss are not installed', how }, { cause });
}

function poolConfig({ address, password, ca }: DatabaseAccess): PoolConfig {
  const { host, port, user, database, tls } = address;
  // The host by name: pg leaves out an address, and the certificate would be held against `localhost`.
  const checked = { host, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  return {
    ...{ host, port, user, database, max: 8 },
    options: `-c search_path=${searchPath}`,
    ...(password === undefined ? {} : { password: password.open() }),
    // Said even when it is false: pg would look into the environment.
    ssl: tls === 'none' ? false : tls === 'chain' ? { ...checked, checkServerIdentity: () => undefined } : checked,
    ...{
      application_name: 'paycli',
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      statement_timeout: 60_000,
      query_timeout: 90_000,
    },
  };
}

/** pg has no code for a connection that ended. */
const connectionLost = 'LOST';

const reasons: readonly (readonly [code: RegExp, why: string, how: string])[] = [
  [/^ECONNREFUSED$/, 'nothing answers there', 'see that the server runs and that host and port are right'],
  [/^(ENOTFOUND|EAI_AGAIN)$/, 'there is no host of that name', 'correct --engine'],
  [
    /^28/,
    'user or password were not accepted',
    'correct the user in --engine, or give the password with --engine-password-file or PGPASSWORD',
  ],
  [/^3D000$/, 'there is no such database', 'make it with `createdb`, or correct --engine'],
  [
    /^42501$/,
    'the user may not do this there',
    'let the owner of the database run the first command, and grant the schemas to this user',
  ],
  [/^(57014|55P03)$/, 'it took too long to answer', 'see what keeps it busy, then `paycli batch resume`'],
  [/^53100$/, 'its disk is full', 'make room there, then `paycli batch resume`'],
  [
    /^(57P0\d|08\w{3}|ECONNRESET|EPIPE|ETIMEDOUT|LOST)$/,
    'the connection was lost',
    'nothing more is sent; see that the server runs, then `paycli batch resume`',
  ],
  [
    /^(ERR_TLS_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/,
    'its certificate was not accepted',
    'name the authority with sslrootcert=FILE in --engine',
  ],
];

function storageError(shown: string, error: unknown): PaycliError {
  const code = codeOf(error);
  const [, why = `it failed with code ${code}`, how = 'look into the log of the server, then `paycli batch resume`'] =
    reasons.find(([pattern]) => pattern.test(code)) ?? [];
  return fail('STORAGE', { what: shown, why, how }, { cause: error });
}

function codeOf(error: unknown): string {
  if (error instanceof DatabaseFailure) return error.code;
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : connectionLost;
}
