import { fail } from '../../../errors/index.js';
import type { EngineIdentity } from '../../engine-binding.js';
import { type PostgresDatabase, type Query, type Row, readOnlyServer } from './database.js';

const askAboutEveryRow = 'nothing more is sent; `{recover}` queries the gateway about every row before it continues';

/**
 * Which database of which server this is, and on which timeline of PostgreSQL: a standby that takes over begins a new
 * timeline, and may lack the newest state changes. A copy of a database has a number of its own, even under the old
 * name.
 */
export interface ServerIdentity {
  /** The number that PostgreSQL gave the server when it was set up; its standbys have the same. */
  readonly systemId: string;
  readonly timeline: string;
  /** Its number (oid) on its server, which no other database gets there; or `unverifiedDatabase`. */
  readonly database: string;
}

/** What tells this database apart from the engines of other batches. */
export async function databaseIdentity(database: PostgresDatabase): Promise<EngineIdentity> {
  const [found] = await database.query(`SELECT ${databaseColumns}`);
  const { systemId: system, database: number } = serverIdentityFrom(found);
  return { kind: 'postgres', system, database: number, schema: 'paycli' };
}

/** Columns that a standby can answer as well. */
const databaseColumns = `
  (SELECT system_identifier::text FROM pg_control_system()) AS system_id,
  (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database_oid`;

/** Columns for statements that check the server beside their own work; all are cheap. The timeline needs a primary. */
export const serverColumns = `${databaseColumns},
  left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline`;

/** In a statement: whether what is committed outlasts a crash; `requireDurableServer` says why it does not. */
export const isDurableSql =
  "(current_setting('fsync') = 'on' AND current_setting('synchronous_commit') IN ('on', 'remote_apply'))";

/** Refuses a server whose commits may get lost. Throws STORAGE. */
export async function requireDurableServer(query: Query): Promise<ServerIdentity> {
  const [found] =
    await query(`SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only,
    current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits`);
  if (found?.['standby'] === true || found?.['read_only'] === 'on') throw fail('STORAGE', readOnlyServer);
  if (found?.['fsync'] !== 'on')
    throw fail('STORAGE', {
      what: 'the PostgreSQL server',
      why: 'fsync is off, so the record of a payment in progress may be lost',
      how: 'nothing was sent; set fsync = on in postgresql.conf and reload it',
    });
  if (found['commits'] !== 'on' && found['commits'] !== 'remote_apply')
    throw fail('STORAGE', {
      what: 'the PostgreSQL server',
      why: `synchronous_commit is ${String(found['commits'])}, so the record of a payment in progress may be lost`,
      how: 'nothing was sent; set it to on for this database, for example with `ALTER DATABASE name SET synchronous_commit = on`',
      setting: String(found['commits']),
    });
  const [identity] = await query(`SELECT ${serverColumns}`);
  return serverIdentityFrom(identity);
}

/** Reads a result that has `serverColumns`. */
export function serverIdentityFrom(row: Row | undefined): ServerIdentity {
  return {
    systemId: String(row?.['system_id']),
    timeline: String(row?.['timeline']),
    database: String(row?.['database_oid']),
  };
}

/**
 * Stands for the database of a batch whose rows have to be queried at the gateway before one of them may be sent:
 * nobody has confirmed yet that this is the database it was put into. A stored word.
 */
export const unverifiedDatabase = 'unasked';

/** Throws STORAGE when the batch was put into another server or database, or into this one before a failover. */
export function checkIdentity(batch: ServerIdentity, server: ServerIdentity): void {
  const isServer = batch.systemId === server.systemId;
  if (isServer && batch.timeline === server.timeline && batch.database === server.database) return;
  if (!isServer)
    throw fail('STORAGE', {
      what: 'the batch database',
      why: 'the batch was stored on another server, and this one is a copy of it',
      how: askAboutEveryRow,
    });
  const isUnverified = batch.database === unverifiedDatabase;
  if (isUnverified && batch.timeline === server.timeline)
    throw fail('STORAGE', {
      what: 'the batch database',
      why: 'it was restored, and may be a copy',
      how: askAboutEveryRow,
    });
  if (!isUnverified && batch.database !== server.database)
    throw fail('STORAGE', {
      what: 'the batch database',
      why: 'the batch was stored in another database, and this one is a copy of it',
      how: askAboutEveryRow,
    });
  throw fail('STORAGE', {
    what: 'the batch database',
    why: `another server has taken over since the batch began (timeline ${server.timeline}; the batch began on timeline ${batch.timeline}), so rows that were sent may look unsent`,
    how: askAboutEveryRow,
  });
}
