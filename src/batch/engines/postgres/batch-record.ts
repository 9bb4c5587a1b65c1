import { fail, type PaycliError } from '../../../errors/index.js';
import { isFacts, type State } from '../../../journal/index.js';
import type { BatchEvent, PlanHead } from '../../plan.js';
import type { PostgresDatabase, Query, Row } from './database.js';
import { type ServerIdentity, serverIdentityFrom } from './identity.js';
import { stateOf } from './rows.js';

const findWhoChangedBatch =
  'nothing more is sent; find out who changed it; `{recover}`, on the machine that planned it, queries the gateway about every row and then corrects the database';

/** A batch as the database knows it. */
export interface BatchRecord {
  readonly head: PlanHead;
  readonly server: ServerIdentity;
  readonly keyCheck: string;
  /** Where it was moved to, in words; nothing of it is sent from here any more then. */
  readonly movedTo: string | undefined;
  /** The head as it stands there. */
  readonly headText: string;
  /** Requests in a second. */
  readonly rate: number | undefined;
  /** What holds over all workers, as text; undefined for none. */
  readonly limitsText: string | undefined;
  /** The facts of its approvals, each signed. */
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
    WHERE batch = batches.id AND state IN ('planned', 'not_sent', 'sending', 'unknown', 'accepted')) ORDER BY made_at DESC`);
  return rows.map(recordFrom);
}

/** A batch with its rows by state. */
export interface BatchSummary {
  readonly known: BatchRecord;
  readonly states: ReadonlyMap<State, number>;
  /** `running` for one that nobody ever stopped. */
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
    ...{ headText, server: serverIdentityFrom(row), keyCheck: String(row['key_check']) },
    ...{ movedTo: text('moved_to'), rate, limitsText: text('limits') },
    approvals: parseApprovals(text('approvals')),
  };
}

/** Throws STORAGE. */
function parseHead(text: string, id: string): PlanHead {
  try {
    const head: PlanHead = JSON.parse(text);
    if (head.id === id && typeof head.digest === 'string') return head;
  } catch (cause) {
    throw fail(
      'STORAGE',
      { what: 'the batch in the database', why: 'its header cannot be read', how: findWhoChangedBatch },
      { cause },
    );
  }
  throw fail('STORAGE', {
    what: 'the batch in the database',
    why: 'its header belongs to another batch',
    how: findWhoChangedBatch,
  });
}

function parseApprovals(text: string | undefined): BatchRecord['approvals'] {
  try {
    const all: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(all) ? all.map((each) => (isFacts(each) ? each : {})) : [];
  } catch {
    return [];
  }
}

/** The database would send something else than the plan. */
export function batchChangedInDatabase(): PaycliError {
  return fail('STORAGE', {
    what: 'the batch in the database',
    why: 'what it should send was changed in the database',
    how: findWhoChangedBatch,
  });
}
