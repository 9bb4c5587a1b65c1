import { fail } from '../../../errors/index.js';
import type { EngineIdentity } from '../../engine-binding.js';
import type { PostgresDatabase, Query, Row } from './database.js';

/**
 * Which database of which server this is, and on which timeline: a standby that takes over begins a new one, and may
 * lack the newest moves. A copy of a database has a number of its own, also where it has the name of the old one.
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
  const { systemId: system, database: number } = serverFrom(found);
  return { kind: 'postgres', system, database: number, schema: 'paycli' };
}

/** What a standby can tell as well. */
const databaseColumns = `
  (SELECT system_identifier::text FROM pg_control_system()) AS system_id,
  (SELECT oid::text FROM pg_database WHERE datname = current_database()) AS database_oid`;

/** For statements that check it on their way; all are cheap. */
export const serverColumns = `${databaseColumns},
  left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline`;

/** In a statement: whether what is committed stays, as `checkServer` says in full. */
export const isDurableSql = `(current_setting('fsync') = 'on' AND current_setting('synchronous_commit') IN ('on', \
'remote_apply'))`;

/** Refuses a server whose commits may get lost. Throws STORAGE. */
export async function checkServer(query: Query): Promise<ServerIdentity> {
  const [found] =
    await query(`SELECT pg_is_in_recovery() AS standby, current_setting('transaction_read_only') AS read_only,
    current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits`);
  if (found?.['standby'] === true || found?.['read_only'] === 'on') throw fail('databaseReadOnly');
  if (found?.['fsync'] !== 'on') throw fail('databaseWithoutFsync');
  if (found['commits'] !== 'on' && found['commits'] !== 'remote_apply')
    throw fail('databaseCommitsTooEarly', { setting: String(found['commits']) });
  const [identity] = await query(`SELECT ${serverColumns}`);
  return serverFrom(identity);
}

/** From the columns of these names. */
export function serverFrom(row: Row | undefined): ServerIdentity {
  return {
    systemId: String(row?.['system_id']),
    timeline: String(row?.['timeline']),
    database: String(row?.['database_oid']),
  };
}

/** Stands for the database of a batch whose rows have to be asked about before one of them may leave. */
export const unverifiedDatabase = 'unasked';

/** Throws STORAGE when the batch was put into another server or database, or into this one before a failover. */
export function checkIdentity(batch: ServerIdentity, server: ServerIdentity): void {
  const isServer = batch.systemId === server.systemId;
  if (isServer && batch.timeline === server.timeline && batch.database === server.database) return;
  if (!isServer) throw fail('databaseOnAnotherServer');
  const isUnverified = batch.database === unverifiedDatabase;
  if (isUnverified && batch.timeline === server.timeline) throw fail('databaseRestored');
  if (!isUnverified && batch.database !== server.database) throw fail('databaseCopied');
  throw fail('databaseServerReplaced', { timeline: server.timeline, begun: batch.timeline });
}

/**
 * The newest move of a database, as a text that no other move ever has: moves are only added, so a database that lacks
 * one which somebody saw is older than it was then, whatever name, number and timeline it has.
 */
const markSql = "id || ' ' || (extract(epoch FROM at) * 1000000)::bigint";

/** In a statement: the mark as it is now; null before the first move. */
export const newestMarkSql = `(SELECT ${markSql} FROM paycli.moves ORDER BY id DESC LIMIT 1)`;

/** In a statement: whether a mark, given as this parameter, is still there; true for none. */
export const holdsMarkSql = (parameter: string) =>
  `(${parameter}::text IS NULL OR EXISTS (SELECT FROM paycli.moves WHERE id = split_part(${parameter}, ' ', 1)::bigint \
AND ${markSql} = ${parameter}))`;

export async function readNewestMark(query: Query): Promise<string | undefined> {
  const [found] = await query(`SELECT ${newestMarkSql} AS mark`);
  return typeof found?.['mark'] === 'string' ? found['mark'] : undefined;
}

/** Whether the database still holds a move that was seen in it. */
export async function hasMark(query: Query, mark: string): Promise<boolean> {
  const [found] = await query(`SELECT ${holdsMarkSql('$1')} AS held`, [mark]);
  return found?.['held'] === true;
}
