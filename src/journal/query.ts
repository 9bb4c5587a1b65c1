import type { Database, SqlValue } from '../runtime/ports.js';
import { type Intent, intentFrom } from './intent.js';
import { type State, spentStates } from './states.js';

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
}

/** Oldest first. */
export function intentsIn(database: Database, filter: Filter): Intent[] {
  const { states, operation, from, until, sum, order, base, endpointId } = filter;
  const conditions: (readonly [sql: string, ...values: (SqlValue | undefined)[]])[] = [
    ['operation = ?', operation],
    ['made_at >= ?', from],
    ['made_at < ?', until],
    ['(order_id = ? OR client_order_id = ?)', order, order],
    ['base = ?', base],
    ['endpoint_id = ?', endpointId],
    ['currency = ?', sum?.currency],
  ];
  const asked = conditions.filter(([, value]) => value !== undefined);
  const where = ['true', ...asked.map(([sql]) => sql), ...(states === undefined ? [] : [`state IN (${quoted(states)})`])];
  const values = asked.flatMap(([, ...own]) => own).filter((value) => value !== undefined);
  const found = database.all(`SELECT * FROM intents WHERE ${where.join(' AND ')} ORDER BY id`, ...values).map(intentFrom);
  return sum === undefined ? found : found.filter((intent) => isWithin(intent, sum));
}

// Not in SQL: sixteen digits do not fit into its numbers.
function isWithin({ sum }: Intent, { least, most }: NonNullable<Filter['sum']>): boolean {
  const minor = sum === undefined ? undefined : BigInt(sum.minor);
  return minor !== undefined && (least === undefined || minor >= least) && (most === undefined || minor <= most);
}

/** Minor units a profile sent since then; refusals and what was proven not sent left out. */
export function spentSince(database: Database, profile: string, since: number, currency: string): bigint {
  const rows = database.all(
    `SELECT minor FROM intents WHERE profile = ? AND effect = 'money' AND currency = ? AND changed_at >= ? AND state IN (${quoted(spentStates)})`,
    profile,
    currency,
    since,
  );
  return rows.reduce((sum, row) => sum + BigInt(String(row['minor'] ?? 0)), 0n);
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
