import { fail } from '../../errors/index.js';
import type { BatchEvent, PlanHead } from '../plan.js';
import { factsIn } from '../plan-file.js';
import type { PostgresDatabase, Query, Row } from './postgres-database.js';
import type { RowSeal } from './postgres-seal.js';
import { type ServerIdentity, serverIn } from './postgres-server.js';

/** A batch as the database knows it. */
export interface KnownBatch {
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
  /** The facts of its approvals, each signed; proven by nothing else. */
  readonly approvals: readonly BatchEvent['facts'][];
}

/** Undefined when no batch of this id was put in. */
export async function findBatch({ query }: { readonly query: Query }, id: string): Promise<KnownBatch | undefined> {
  const [found] = await query('SELECT * FROM paycli.batches WHERE id = $1', [id]);
  return found === undefined ? undefined : knownIn(found);
}

/** Those with rows left, newest first. */
export async function openBatches(database: PostgresDatabase): Promise<KnownBatch[]> {
  const rows = await database.query(`SELECT * FROM paycli.batches WHERE moved_to IS NULL AND EXISTS (SELECT FROM paycli.gate
    WHERE batch = batches.id AND state IN ('planned', 'not_sent', 'sending', 'unknown', 'accepted')) ORDER BY made_at DESC`);
  return rows.map(knownIn);
}

function knownIn(row: Row): KnownBatch {
  const headText = String(row['head']);
  const text = (name: string) => (typeof row[name] === 'string' ? row[name] : undefined);
  const rate = typeof row['rate'] === 'number' ? row['rate'] : undefined;
  return {
    ...{ head: headIn(headText, String(row['id'])), headText, server: serverIn(row), keyCheck: String(row['key_check']) },
    ...{ movedTo: text('moved_to'), proof: text('proof'), rate, approvals: approvalsIn(text('approvals')) },
  };
}

/** Not proven yet, so that it may be anything. Throws STORAGE. */
function headIn(text: string, id: string): PlanHead {
  try {
    const head: PlanHead = JSON.parse(text);
    if (head.id === id && typeof head.digest === 'string') return head;
  } catch (cause) {
    throw unproven('its head cannot be read', cause);
  }
  throw unproven('its head is that of another batch');
}

function approvalsIn(text: string | undefined): KnownBatch['approvals'] {
  try {
    const all: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(all) ? all.map((each) => factsIn(JSON.stringify(each))) : [];
  } catch {
    return [];
  }
}

/** What the proof of a batch is over. */
type Provable = Pick<KnownBatch, 'headText' | 'server' | 'rate'>;

export function factsOf({ headText, server, rate }: Provable): readonly (string | number | null)[] {
  return [headText, server.systemId, server.timeline, server.database, rate ?? null];
}

export function isProven(known: KnownBatch, seal: RowSeal): boolean {
  return known.proof !== undefined && seal.isProven(factsOf(known), known.proof);
}

/** Throws STORAGE where nothing proves that the head is the one that the holder of the key put in. */
export function checkProof(known: KnownBatch, seal: RowSeal): void {
  if (known.proof === undefined)
    throw unproven('nothing proves what it is to send: an earlier version of paycli put it in, or its proof was removed');
  if (!isProven(known, seal)) throw unproven('what it is to send was changed in the database');
}

export function unproven(why: string, cause?: unknown): Error {
  const how =
    'nothing more is sent; find out who changed it; `paycli batch resume PLAN --engine … --after-restore`, on the machine that planned it, asks the gateway about every row and then puts it right';
  return fail('STORAGE', { what: 'the batch in the database', why, how }, { cause });
}
