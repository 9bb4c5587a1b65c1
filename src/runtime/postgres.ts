import type * as Pg from 'pg';
import type { SqlRow, SqlValue } from './database.js';
import { hasCode } from './machine.js';

export interface PostgresAddress {
  /** Or the folder of a socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  /** `none` is for this machine only. */
  readonly tls: 'none' | 'full';
  /** PEM text of the authorities to trust instead of the usual ones. */
  readonly ca?: string | undefined;
  readonly password?: string | undefined;
}

/**
 * `lost`: the connection is gone, or cannot be made for now; what was not committed did not happen. `disturbed`: another
 * transaction was in the way, and nothing happened. `rule`: a row breaks a rule of its table.
 */
export interface PostgresFault extends Error {
  readonly fault: 'lost' | 'disturbed' | 'rule' | 'other';
  /** Nothing that may repeat what a row holds. */
  readonly why: string;
}

/**
 * Undefined where the package is not installed: only who shares a journal needs it. Connecting and querying throw a
 * `PostgresFault`.
 */
export async function openPostgres(address: PostgresAddress) {
  const pg = await import('pg').catch((error: unknown) => {
    if (!hasCode(error, 'ERR_MODULE_NOT_FOUND', 'MODULE_NOT_FOUND')) throw error;
  });
  if (pg === undefined) return undefined;
  const { host, port, user, database, tls, ca, password } = address;
  const pool = new pg.Pool({
    ...{ host, port, user, database, password, max: 4, keepAlive: true, allowExitOnIdle: true },
    // Said even when it is false: pg would look into the environment. The host by name, as the certificate names it.
    ssl: tls === 'none' ? false : { host, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) },
    application_name: 'paycli',
    connectionTimeoutMillis: 10_000,
    // A server that swallows every packet; its own limits are shorter.
    query_timeout: 60_000,
    types: { getTypeParser: (type: number) => parserFor(pg, type) },
  });
  // A connection that breaks; who uses it, or the next one, learns of it.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    async connect() {
      const client = await pool.connect().catch((cause: unknown) => {
        throw faultOf(cause);
      });
      return {
        /** Without values it may be several statements; the rows are those of the last one. Whole numbers are numbers. */
        async query(sql: string, values: readonly SqlValue[] = []): Promise<readonly SqlRow[]> {
          type Result = Pg.QueryResult<SqlRow>;
          const result: Result | Result[] = await client.query(sql, values.map(storable)).catch((cause: unknown) => {
            throw faultOf(cause);
          });
          return (Array.isArray(result) ? result.at(-1)?.rows : result.rows) ?? [];
        },
        release: (isBroken: boolean) => client.release(isBroken),
      };
    },
    end: () => pool.end(),
  };
}

const faults: readonly (readonly [code: RegExp, fault: PostgresFault['fault']])[] = [
  [/^(57P..|25P..|08...|53300|E[A-Z]+|LOST)$/, 'lost'],
  [/^(40001|40P01)$/, 'disturbed'],
  [/^23/, 'rule'],
];

/** About who may connect and what may be done: the text of the server repeats nothing of a row. */
const aboutAccess = /^(28...|3D000|42501|ERR_TLS_\w+|CERT_\w+|UNABLE_TO_\w+|SELF_SIGNED_\w+|DEPTH_ZERO_\w+)$/;

/** pg has no code for a connection that ended. */
function faultOf(cause: unknown): PostgresFault {
  const code = cause instanceof Error && 'code' in cause && typeof cause.code === 'string' ? cause.code : 'LOST';
  const [, fault = 'other'] = faults.find(([each]) => each.test(code)) ?? [];
  const lost = fault === 'lost' ? 'no connection could be made, or it was lost' : `it failed with code ${code}`;
  const why = cause instanceof Error && aboutAccess.test(code) ? cause.message : lost;
  return Object.assign(new Error(`PostgreSQL failed with ${code}`, { cause }), { fault, why });
}

const [bigint, json, jsonb] = [20, 114, 3802];

/** Numbers of the journal are exact as numbers of JavaScript; JSON stays the text it is. */
function parserFor(pg: typeof Pg, type: number): (text: string) => unknown {
  if (type === bigint) return Number;
  return type === json || type === jsonb ? (text) => text : pg.types.getTypeParser(type);
}

/** PostgreSQL keeps no character 0 and no half of a surrogate pair, which a gateway may send. */
function storable(value: SqlValue): SqlValue {
  if (typeof value !== 'string') return value;
  return value.replaceAll('\0', '\uFFFD').replace(/\\u(?:0000|d[89a-f]..)/gi, '\\ufffd');
}
