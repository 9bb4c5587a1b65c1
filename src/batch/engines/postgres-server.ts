import { fail } from '../../errors/index.js';
import type { EngineIdentity } from '../binding.js';
import type { PostgresDatabase, Row } from './postgres-database.js';

/**
 * Which database of which server this is, and on which timeline: a standby that takes over begins a new one, and may lack the newest
 * moves. A copy of a database has a number of its own, also where it has the name of the old one.
 */
export interface ServerIdentity {
  readonly systemId: string;
  readonly timeline: string;
  /** Its number on its server, which no other gets there. */
  readonly database: string;
}

/** The database as engines are told apart: the number it has on its server, which no other gets there. */
export async function databaseIdentity(database: PostgresDatabase): Promise<EngineIdentity> {
  const [found] = await database.query(`SELECT ${databaseColumns}`);
  const { systemId: system, database: number } = serverIn(found);
  return { kind: 'postgres', system, database: number, schema: 'paycli' };
}

/** What a standby can tell as well. */
const databaseColumns = `
  (SELECT system_identifier::text FROM pg_control_system()) AS system_id,
  (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database_oid`;

/** For statements that check it on their way; all are cheap. */
export const serverColumns = `${databaseColumns},
  left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline`;

/** Refuses a server whose commits may get lost. Throws STORAGE. */
export async function checkServer(database: PostgresDatabase): Promise<ServerIdentity> {
  const [found] = await database.query(`SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only,
    current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits`);
  const refuse = (why: string, how: string) => fail('STORAGE', { what: 'the PostgreSQL server', why, how: `nothing was sent; ${how}` });
  if (found?.['standby'] === true || found?.['read_only'] === 'on')
    throw refuse('it is a standby or read-only', 'name the primary server in --engine');
  if (found?.['fsync'] !== 'on')
    throw refuse('fsync is off, so a payment that was begun may be forgotten', 'set fsync = on in postgresql.conf and reload it');
  if (found['commits'] !== 'on' && found['commits'] !== 'remote_apply')
    throw refuse(
      `synchronous_commit is ${String(found['commits'])}, so a payment that was begun may be forgotten`,
      'set it to on for this database, as with `ALTER DATABASE name SET synchronous_commit = on`',
    );
  const [identity] = await database.query(`SELECT ${serverColumns}`);
  return serverIn(identity);
}

/** From the columns of these names. */
export function serverIn(row: Row | undefined): ServerIdentity {
  return { systemId: String(row?.['system_id']), timeline: String(row?.['timeline']), database: String(row?.['database_oid']) };
}

/** Stands for the database of a batch whose rows have to be asked about before one of them may leave. */
export const unasked = 'unasked';

/** Throws STORAGE when the batch was put into another server or database, or into this one before a failover. */
export function checkIdentity(batch: ServerIdentity, server: ServerIdentity): void {
  const isServer = batch.systemId === server.systemId;
  if (isServer && batch.timeline === server.timeline && batch.database === server.database) return;
  const why = !isServer
    ? 'the batch was put into another server, and this one is a copy of it'
    : batch.database === unasked && batch.timeline === server.timeline
      ? 'it was restored, or put in by an earlier version that did not say into which database: it may be a copy'
      : batch.database !== server.database && batch.database !== unasked
        ? 'the batch was put into another database, and this one is a copy of it'
        : `another server took over since the batch began (timeline ${server.timeline}, it began on ${batch.timeline}), so rows may look unsent that were sent`;
  const how =
    'nothing more is sent; `paycli batch resume PLAN --engine … --after-restore` asks the gateway about every row before it goes on';
  throw fail('STORAGE', { what: 'the batch database', why, how });
}
