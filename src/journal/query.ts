import type { Database, SqlRow, SqlValue } from '../runtime/ports.js';
import { sumIn } from './facts.js';
import { type Intent, intentFrom, type Sum } from './intent.js';
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

/**
 * Minor units a profile sent since then, one intent left out if need be; refusals and what was proven not sent do not count.
 * An intent counts by its newest attempt, with what was written down for it.
 */
export function spentSince(database: Database, profile: string, since: number, currency: string, except?: number): bigint {
  const rows = database.all(
    `SELECT intents.id, intents.minor, intents.currency, moves.facts FROM moves JOIN intents ON intents.id = moves.intent_id
     WHERE moves.to_state = 'sending' AND moves.from_state <> 'sending' AND moves.at >= ? AND intents.profile = ?
     AND intents.effect = 'money' AND intents.state IN (${quoted(spentStates)}) ORDER BY moves.id`,
    since,
    profile,
  );
  const newest = new Map(rows.map((row) => [Number(row['id']), countedIn(row)]));
  return [...newest]
    .filter(([id, sum]) => id !== except && sum?.currency === currency)
    .reduce((total, [, sum]) => total + BigInt(sum?.minor ?? 0), 0n);
}

function countedIn({ facts, minor, currency }: SqlRow): Sum | undefined {
  const noted = sumIn(JSON.parse(String(facts)), 'counts');
  if (noted !== undefined || typeof minor !== 'string' || typeof currency !== 'string') return noted;
  return { minor, currency };
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(', ');
}
