import { fail } from '../../../errors/index.js';
import { isFacts, type State } from '../../../journal/index.js';
import type { EngineIdentity } from '../../engine-binding.js';
import type { BatchEvent, PlanHead } from '../../plan.js';
import type { PostgresDatabase, Query, Row } from './database.js';
import type { RowCipher } from './row-encryption.js';
import { stateOf } from './rows.js';

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

/** A batch as the database knows it. */
export interface BatchRecord {
  readonly head: PlanHead;
  readonly server: ServerIdentity;
  readonly keyCheck: string;
  /** Where it was moved to, in words; nothing of it is sent from here any more then. */
  readonly movedTo: string | undefined;
  /** The head as it stands there, which its proof is over. */
  readonly headText: string;
  /** Undefined where an earlier version put it in. */
  readonly proof: string | undefined;
  /** Requests in a second, as proven with the head. */
  readonly rate: number | undefined;
  /** What holds over all workers, as text, proven with the head; undefined for none. */
  readonly limitsText: string | undefined;
  /** The facts of its approvals, each signed; proven by nothing else. */
  readonly approvals: readonly BatchEvent['facts'][];
}

/** Undefined when no batch of this id was put in. */
export async function findBatch({ query }: { readonly query: Query }, id: string): Promise<BatchRecord | undefined> {
  const [found] = await query('SELECT * FROM paycli.batches WHERE id = $1', [id]);
  return found === undefined ? undefined : recordFrom(found);
}

/** Those with rows left, newest first. */
export async function openBatches(database: PostgresDatabase): Promise<BatchRecord[]> {
  const rows =
    await database.query(`SELECT * FROM paycli.batches WHERE moved_to IS NULL AND EXISTS (SELECT FROM paycli.gate
    WHERE batch = batches.id AND state IN ('planned', 'not_sent', 'sending', 'unknown', 'accepted')) ORDER BY made_at \
DESC`);
  return rows.map(recordFrom);
}

/** A batch with its rows by state. */
export interface BatchSummary {
  readonly known: BatchRecord;
  readonly states: ReadonlyMap<State, number>;
  /** As it stands there; proven by nothing here. `running` for one that nobody ever stopped. */
  readonly state: string;
}

/** All of them, oldest first. */
export async function batchSummaries(
  query: Query,
  newest: ReadonlyMap<string, string>,
): Promise<readonly BatchSummary[]> {
  const batches = await query('SELECT * FROM paycli.batches ORDER BY made_at');
  const counts = await query('SELECT batch, state, count(*)::int AS count FROM paycli.gate GROUP BY 1, 2 ORDER BY 2');
  return batches.map((batch) => {
    const own = counts.filter((row) => row['batch'] === batch['id']);
    const states = new Map(own.map((row) => [stateOf(row), Number(row['count'])]));
    return { known: recordFrom(batch), states, state: newest.get(String(batch['id'])) ?? 'running' };
  });
}

function recordFrom(row: Row): BatchRecord {
  const headText = String(row['head']);
  const text = (name: string) => (typeof row[name] === 'string' ? row[name] : undefined);
  const rate = typeof row['rate'] === 'number' ? row['rate'] : undefined;
  return {
    head: parseHead(headText, String(row['id'])),
    ...{ headText, server: serverFrom(row), keyCheck: String(row['key_check']) },
    ...{ movedTo: text('moved_to'), proof: text('proof'), rate, limitsText: text('limits') },
    approvals: parseApprovals(text('approvals')),
  };
}

/** Not proven yet, so that it may be anything. Throws STORAGE. */
function parseHead(text: string, id: string): PlanHead {
  try {
    const head: PlanHead = JSON.parse(text);
    if (head.id === id && typeof head.digest === 'string') return head;
  } catch (cause) {
    throw fail('batchHeadUnreadable', {}, { cause });
  }
  throw fail('batchHeadOfAnother');
}

function parseApprovals(text: string | undefined): BatchRecord['approvals'] {
  try {
    const all: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(all) ? all.map((each) => (isFacts(each) ? each : {})) : [];
  } catch {
    return [];
  }
}

/** What the proof of a batch is over. */
type Provable = Pick<BatchRecord, 'headText' | 'server' | 'rate' | 'limitsText'>;

export function provenFacts({ headText, server, rate, limitsText }: Provable): readonly (string | number | null)[] {
  const limits = limitsText === undefined ? [] : [limitsText];
  return [headText, server.systemId, server.timeline, server.database, rate ?? null, ...limits];
}

export function isProven(known: BatchRecord, cipher: RowCipher): boolean {
  return known.proof !== undefined && cipher.isProven(provenFacts(known), known.proof);
}

/** Throws STORAGE where nothing proves that the head is the one that the holder of the key put in. */
export function checkProof(known: BatchRecord, cipher: RowCipher): void {
  if (known.proof === undefined) throw fail('batchProofMissing');
  if (!isProven(known, cipher)) throw fail('batchChangedInDatabase');
}
