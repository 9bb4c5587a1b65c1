import {
  cardReplyFields,
  type Intent,
  type Sender,
  type State,
  searchedFields,
  statusReason,
} from '../../../journal/index.js';
import type { StateTotal } from '../../engine.js';
import type { BatchRow, PlanHead } from '../../plan.js';
import type { Query } from './database.js';
import type { RowCipher } from './row-encryption.js';
import { intentColumns, intentFrom, RemotePlan, stateOf } from './rows.js';

/** What became of these rows, by their numbers; those nobody began are left out. */
export async function begunIntents(
  query: Query,
  batch: string,
  rows: readonly Pick<BatchRow, 'number'>[],
): Promise<ReadonlyMap<number, Intent>> {
  const found = await query(
    `SELECT ${intentColumns} FROM paycli.gate WHERE batch = $1 AND number = ANY($2::int[]) AND attempts > 0`,
    [batch, rows.map(({ number }) => number)],
  );
  return new Map(found.map((row) => [Number(row['number']), intentFrom(row)]));
}

/** Count and money by state and currency. */
export async function tallyOf(query: Query, batch: string): Promise<readonly StateTotal[]> {
  const rows = await query(
    `SELECT state, currency, count(*)::int AS count, coalesce(sum(minor), 0)::text AS minor FROM paycli.gate WHERE batch = $1
     GROUP BY state, currency ORDER BY state, currency`,
    [batch],
  );
  return rows.map((row) => {
    const currency = row['currency'] === null ? undefined : String(row['currency']);
    return { state: stateOf(row), currency, count: Number(row['count']), minor: String(row['minor']) };
  });
}

/** Every intent on an order at the gateway of this one, whatever batch it is of and whatever endpoint it went to. */
export async function intentsOnOrder(query: Query, { base }: Intent, orderId: string): Promise<readonly Intent[]> {
  const rows = await query(`SELECT ${intentColumns} FROM paycli.gate WHERE base = $1 AND order_id = $2 ORDER BY id`, [
    base,
    orderId,
  ]);
  return rows.map(intentFrom);
}

/** A process at a batch, and the rows that are its. */
export interface WorkerView {
  readonly host: string;
  readonly pid: number;
  /** Its lease holds. */
  readonly isAlive: boolean;
  readonly sending: number;
  /** Sent, and their end is open. */
  readonly open: number;
}

/** Those that live, and those that left rows behind. */
export async function workersAt(query: Query, batch: string): Promise<readonly WorkerView[]> {
  const rows = await query(
    `SELECT host, pid, lease_until > clock_timestamp() AS alive, coalesce(own.sending, 0)::int AS sending,
       coalesce(own.open, 0)::int AS open
     FROM paycli.workers LEFT JOIN (
       SELECT worker, count(*) FILTER (WHERE state = 'sending') AS sending,
         count(*) FILTER (WHERE state IN ('unknown', 'accepted')) AS open
       FROM paycli.gate WHERE batch = $1 AND state IN ('sending', 'unknown', 'accepted') GROUP BY worker
     ) AS own ON own.worker = workers.id
     WHERE batch = $1 AND (lease_until > clock_timestamp() OR own.sending > 0) ORDER BY workers.id`,
    [batch],
  );
  return rows.map((row) => ({
    ...{ host: String(row['host']), pid: Number(row['pid']), isAlive: row['alive'] === true },
    ...{ sending: Number(row['sending']), open: Number(row['open']) },
  }));
}

/** Every begun row at a gateway about an order of one of these names, whatever batch it is of. */
export async function intentsNamed(query: Query, base: string, names: readonly string[]): Promise<readonly Intent[]> {
  const rows = await query(
    `SELECT ${intentColumns} FROM paycli.gate WHERE base = $1 AND attempts > 0
     AND (client_order_id = ANY($2::text[]) OR order_id = ANY($2::text[])) ORDER BY id`,
    [base, names],
  );
  return rows.map(intentFrom);
}

/** Begun rows of all batches at a gateway in one of these states, oldest first. */
export async function intentsIn(query: Query, base: string, states: readonly State[]): Promise<readonly Intent[]> {
  const rows = await query(
    `SELECT ${intentColumns} FROM paycli.gate WHERE base = $1 AND state = ANY($2::text[]) ORDER BY id`,
    [base, states],
  );
  return rows.map(intentFrom);
}

/** Which rows that make an order are wanted; what is left out does not matter. */
export interface OrderFilter {
  readonly states?: readonly State[] | undefined;
  readonly operation?: string | undefined;
  readonly profile?: string | undefined;
  /** Milliseconds since 1970; from included, until not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** Last digits of a card that a reply named (see `cardOf`). */
  readonly card?: string | undefined;
  /** Part of an id, or of the reason (see `searchedFields`). */
  readonly text?: string | undefined;
}

/** The newest begun rows that make an order, newest first, of all batches; only those older than the row `before`. */
export async function newestOpenings(
  query: Query,
  { states, operation, profile, from, until, card, text }: OrderFilter,
  max: number,
  before?: number,
): Promise<readonly Intent[]> {
  const rows = await query(
    `SELECT ${intentColumns} FROM paycli.gate WHERE kind = 'opening' AND attempts > 0
       AND ($11::bigint IS NULL OR id < $11)
       AND ($1::text[] IS NULL OR state = ANY($1)) AND ($2::text IS NULL OR operation = $2)
       AND ($3::text IS NULL OR profile = $3) AND ($4::float8 IS NULL OR made_at >= to_timestamp($4 / 1000))
       AND ($5::float8 IS NULL OR made_at < to_timestamp($5 / 1000))
       AND ($6::text IS NULL OR strpos(lower(concat_ws(E'\\n', order_id, client_order_id,
         CASE WHEN reason LIKE '${statusReason}' THEN '' ELSE reason END,
         (SELECT string_agg(value, E'\\n') FROM jsonb_each_text(outcome) WHERE key = ANY($8)))), lower($6)) > 0)
       AND ($9::text IS NULL OR EXISTS (SELECT FROM jsonb_each_text(outcome)
         WHERE key = ANY($10) AND value ~ '^[0-9]{4}$' AND right(value, length($9)) = $9))
     ORDER BY id DESC LIMIT $7`,
    [
      ...[states ?? null, operation ?? null, profile ?? null, from ?? null, until ?? null, text ?? null, max],
      ...[searchedFields, card ?? null, cardReplyFields, before ?? null],
    ],
  );
  return rows.map(intentFrom);
}

/** What happened to a row, oldest first. */
export async function movesOf(query: Query, { id }: Intent): Promise<readonly RowMove[]> {
  const rows = await query(
    `SELECT from_state, to_state, (extract(epoch FROM at) * 1000)::bigint AS at, reason, facts FROM paycli.moves
     WHERE gate = $1 ORDER BY id`,
    [id],
  );
  return rows.map((row) => ({
    ...{ from: String(row['from_state']), to: String(row['to_state']), at: Number(row['at']) },
    ...{ reason: String(row['reason']), facts: JSON.stringify(row['facts']) },
  }));
}

export interface RowMove {
  readonly from: string;
  readonly to: string;
  /** Milliseconds since 1970, by the clock of the database. */
  readonly at: number;
  readonly reason: string;
  /** JSON. */
  readonly facts: string;
}

interface Remark {
  readonly what: string;
  readonly why: string;
  /** Null for a command that is no worker. */
  readonly worker: string | null;
  readonly sender: Sender;
}

/** Notes something about a row that does not move it. */
export async function addRemark(
  query: Query,
  intent: Intent,
  { what, why, worker, sender: { host, pid, version } }: Remark,
): Promise<void> {
  await query(
    `INSERT INTO paycli.moves (gate, from_state, to_state, at, worker, reason, facts)
     SELECT id, state, state, clock_timestamp(), $2, $3, $4::jsonb FROM paycli.gate WHERE id = $1`,
    [intent.id, worker, what, JSON.stringify({ why, host, pid, version })],
  );
}

/** Whether the gateway gave a row its final status. */
export async function hasFinalRow(query: Query, batch: string): Promise<boolean> {
  const [found] = await query(
    `SELECT EXISTS (SELECT FROM paycli.gate WHERE batch = $1 AND state IN ('done', 'declined')) AS found`,
    [batch],
  );
  return found?.['found'] === true;
}

/** Of the rows that may still be sent, the one of the largest amount for each currency and endpoint. */
export async function largestRows(query: Query, head: PlanHead, cipher: RowCipher): Promise<readonly BatchRow[]> {
  const found = await query(
    `SELECT DISTINCT ON (endpoint_id, currency) number FROM paycli.gate WHERE batch = $1 AND state IN ('planned', 'not_sent')
     ORDER BY endpoint_id, currency, minor DESC`,
    [head.id],
  );
  const rows = new RemotePlan(head, cipher);
  await rows.load(
    found.map(({ number }) => Number(number)),
    query,
  );
  return rows.rows(1, found.length);
}

/** Rows of a batch by state. */
export async function countsOf(query: Query, batch: string): Promise<Map<State, number>> {
  const rows = await query(
    'SELECT state, count(*)::int AS count FROM paycli.gate WHERE batch = $1 GROUP BY state ORDER BY state',
    [batch],
  );
  return new Map(rows.map((row) => [stateOf(row), Number(row['count'])]));
}
