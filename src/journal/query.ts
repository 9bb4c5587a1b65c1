import type { Database, SqlValue } from '../runtime/ports.js';
import { type Intent, intentFrom, keyOf, type NewIntent } from './intent.js';
import type { State } from './states.js';

export interface Filter {
  readonly states?: readonly State[] | undefined;
  readonly operation?: string | undefined;
  /** Milliseconds since 1970; from included, until not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
  /** In minor units, both ends included. */
  readonly sum?: { readonly currency: string; readonly least?: bigint | undefined; readonly most?: bigint | undefined } | undefined;
  /** Either id of an order. */
  readonly order?: string | undefined;
  readonly base?: string | undefined;
  readonly endpointId?: string | undefined;
  /** Only entries with a higher number, and at most so many. */
  readonly after?: number | undefined;
  readonly most?: number | undefined;
}

// Each half by its index; an OR would go through every intent of the endpoint.
const ofOrderThere = `SELECT id FROM intents WHERE client_order_id = ?
  UNION ALL SELECT id FROM intents WHERE base = ? AND endpoint_id = ? AND order_id = ?`;

/** Oldest first. */
export function intentsIn(database: Database, filter: Filter): Intent[] {
  const { states, operation, from, until, sum, order, base, endpointId, after, most } = filter;
  const conditions: (readonly [sql: string, ...values: (SqlValue | undefined)[]])[] = [
    ['operation = ?', operation],
    ['made_at >= ?', from],
    ['made_at < ?', until],
    order === undefined || base === undefined || endpointId === undefined
      ? ['(order_id = ? OR client_order_id = ?)', order, order]
      : [`id IN (${ofOrderThere})`, order, base, endpointId, order],
    // Most intents have the same ones: the plus keeps SQLite from choosing their index.
    ['+base = ?', base],
    ['+endpoint_id = ?', endpointId],
    ['currency = ?', sum?.currency],
    ['id > ?', after],
  ];
  const asked = conditions.filter(([, value]) => value !== undefined);
  const where = ['true', ...asked.map(([sql]) => sql), ...(states === undefined ? [] : [`state IN (${quoted(states)})`])];
  const values = asked.flatMap(([, ...own]) => own).filter((value) => value !== undefined);
  const limit = most === undefined ? '' : ` LIMIT ${most}`;
  const found = database.all(`SELECT * FROM intents WHERE ${where.join(' AND ')} ORDER BY id${limit}`, ...values).map(intentFrom);
  return sum === undefined ? found : found.filter((intent) => isWithin(intent, sum));
}

/** What a new request would meet: the intent under its key, or those of its kind on the same order. Oldest first. */
export function intentsBefore(database: Database, wanted: Place): Intent[] {
  const { kind, base, endpointId, orderId } = wanted;
  const rows =
    kind === 'opening'
      ? database.all('SELECT * FROM intents WHERE key = ?', keyOf(wanted, 1))
      : database.all(
          'SELECT * FROM intents WHERE base = ? AND endpoint_id = ? AND order_id = ? AND kind = ? ORDER BY id',
          ...[base, endpointId, orderId ?? null, kind],
        );
  return rows.map(intentFrom);
}

/** Which of these ids somebody used for an order here, at whatever gateway. */
export function usedIds(database: Database, clientOrderIds: readonly string[]): ReadonlySet<string> {
  const sql = 'SELECT DISTINCT client_order_id AS id FROM intents WHERE client_order_id IN (SELECT value FROM json_each(?))';
  return new Set(database.all(sql, JSON.stringify(clientOrderIds)).map(({ id }) => String(id)));
}

/** What tells where an intent belongs. */
export type Place = Pick<NewIntent, 'kind' | 'base' | 'endpointId' | 'operation' | 'clientOrderId' | 'orderId'>;

// Not in SQL: sixteen digits do not fit into its numbers.
function isWithin({ sum }: Intent, { least, most }: NonNullable<Filter['sum']>): boolean {
  const minor = sum === undefined ? undefined : BigInt(sum.minor);
  return minor !== undefined && (least === undefined || minor >= least) && (most === undefined || minor <= most);
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
