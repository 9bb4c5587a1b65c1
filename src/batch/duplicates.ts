import { type Intent, isEqual, type Journal, type State, wordsOf } from '../journal/index.js';
import { entryKind, journalEntryOf } from '../payments/journal-entry.js';
import type { Database } from '../runtime/ports.js';
import type { Operation } from '../spec/index.js';
import { type CheckedRow, composeRow, type Gateway } from './check-row.js';
import { textsIn } from './plan-file.js';

/**
 * What two rows share that are one payment: the client order id of an opening operation, however it is spelt; all that decides
 * another, whatever client order id or comment stands beside it.
 */
export function samenessOf(row: Operation, { values, endpointId, sum }: CheckedRow, keys: readonly string[]): string {
  const { clientOrderId } = values;
  if (row.opens) return plainId(clientOrderId ?? '');
  const { clientOrderId: _, amount, ...rest } = values;
  // A question by the client order id alone is about that id.
  const order = rest['orderId'] ?? plainId(clientOrderId ?? '');
  const decisive = keys.filter((key) => row.fields[key]?.incidental !== true);
  return JSON.stringify([endpointId, sum?.minor ?? amount ?? '', order, ...decisive.map((key) => rest[key] ?? '')]);
}

/** An id without what a gateway, a database or a spreadsheet may not tell apart. */
export function plainId(id: string): string {
  return /^[\x21-\x7e]*$/.test(id)
    ? id.toLowerCase()
    : id
        .normalize('NFKC')
        .replace(/[\s\p{Z}]/gu, '')
        .toLowerCase();
}

/**
 * Tells whether something about a row may stand in the journal. Where rows open orders, their ids tell: those of all `rows` are looked up
 * at once, and nobody has used most of them.
 */
export function mayBeKnown(row: Operation, rows: readonly HasValues[], journal: Pick<Journal, 'used'>): (one: HasValues) => boolean {
  if (!row.opens) return () => true;
  const idOf = ({ values }: HasValues) => values['clientOrderId'] ?? '';
  const used = journal.used(rows.map(idOf));
  return (one) => idOf(one) === '' || used.has(idOf(one));
}

type HasValues = Pick<CheckedRow, 'values'>;

export interface Before {
  /** `sent`: it would be sent a second time. `other`: its id belongs to another payment. */
  readonly is: 'sent' | 'other';
  readonly intent: Intent;
}

/** The gateway took it, or may have. */
export const overOrOpen: readonly State[] = ['sending', 'unknown', 'accepted', 'done', 'declined', 'conflict'];

/** What the journal knows that stands in the way of a row; undefined when it may be sent. */
export function metBefore(
  row: Operation,
  checked: Pick<CheckedRow, 'values' | 'endpointId'>,
  gateway: Pick<Gateway, 'base' | 'login' | 'profile' | 'class' | 'target'>,
  journal: Journal,
): Before | undefined {
  const { values, endpointId } = checked;
  const { clientOrderId, orderId } = values;
  const kind = entryKind(row, orderId);
  const { base, login, profile } = gateway;
  if (row.effect === 'read') return undefined;
  const met = journal.before({ kind, base, endpointId, operation: row.id, clientOrderId, orderId: row.opens ? undefined : orderId });
  if (met.length === 0) return undefined;
  const wanted = journalEntryOf(composeRow(row, checked, gateway), { base, login, profile, class: gateway.class }, (parts) =>
    journal.hash(parts),
  );
  const isSame = (intent: Intent) => wanted !== undefined && isEqual(intent, wanted);
  const sent = met.findLast((intent) => isSame(intent) && overOrOpen.includes(intent.state));
  if (sent !== undefined) return { is: 'sent', intent: sent };
  const other = kind === 'opening' ? met.find((intent) => !isSame(intent) && intent.state !== 'refused') : undefined;
  return other === undefined ? undefined : { is: 'other', intent: other };
}

/** Why a row is a second one, in words that fit after its line. */
export function sentText({ changedAt, state, ...rest }: Intent): string {
  const words = wordsOf({ changedAt, state, ...rest });
  return `${words} is in the journal already, ${state} since ${new Date(changedAt).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** A row that another plan holds as well. */
export interface Shared extends Pick<CheckedRow, 'values' | 'endpointId'> {
  readonly number: number;
  readonly line: number;
  /** As it stands in that plan. */
  readonly theirs: Pick<CheckedRow, 'values' | 'endpointId'>;
}

/** Rows of a draft that another plan's file holds too, after this number. */
export function sharedWith(database: Database, path: string, after: number, most: number): readonly Shared[] {
  database.run('ATTACH DATABASE ? AS other', path);
  try {
    return database
      .all(
        `SELECT mine.number, mine.line, mine.endpoint_id, mine.content, theirs.endpoint_id AS their_endpoint, theirs.content AS their_content
         FROM main.rows AS mine JOIN other.rows AS theirs ON theirs.same = mine.same WHERE mine.number > ? ORDER BY mine.number LIMIT ?`,
        ...[after, most],
      )
      .map((row) => ({
        number: Number(row['number']),
        line: Number(row['line']),
        endpointId: String(row['endpoint_id']),
        values: textsIn(String(row['content'])),
        theirs: { endpointId: String(row['their_endpoint']), values: textsIn(String(row['their_content'])) },
      }));
  } finally {
    database.exec('DETACH DATABASE other');
  }
}
