import type { SqlRow } from '../runtime/ports.js';
import type { Dialect, Statement } from './dialect.js';
import type { NewRequest, Request } from './port.js';
import { inDoubtStates, quoted, type State, spentStates } from './states.js';

/** A request, and which others it would repeat: see `Begin.equalSince`. */
export interface Wanted {
  readonly request: NewRequest;
  readonly since: number;
  /** Itself. */
  readonly exceptId?: number | undefined;
}

const openStates: readonly State[] = [...inDoubtStates, 'accepted'];

/**
 * Whether a request would repeat another one. Only what moves money repeats what does, so that a payout repeats no check
 * of one. Without a card or an account equal content counts, but only while it is in doubt: equal forms may be of
 * different payers. What no operation describes is repeated, besides, by the same content under the same client order id,
 * whenever it was sent.
 */
export function repeats({ request, since, exceptId }: Wanted, other: Request): boolean {
  const { base, login, payment, content, operation, effect, clientOrderId } = request;
  const { state } = other;
  const hasSameName = other.clientOrderId === clientOrderId && other.login === login;
  if (other.base !== base || other.id === exceptId || other.payment !== payment) return false;
  if (other.kind === 'payment' && hasSameName && clientOrderId !== undefined) return false;
  if (payment !== undefined) {
    if (other.effect !== 'money' && other.effect !== effect) return false;
    return openStates.includes(state) || (state === 'done' && other.changedAt >= since);
  }
  if (other.content !== content || other.operation !== operation) return false;
  return inDoubtStates.includes(state) || (spentStates.includes(state) && other.kind === 'other' && hasSameName);
}

const columns = 'place base login payment content operation effect client_order_id since except_id'.split(' ');

/** The same of what is stored: the newest for each that is wanted, with its `place` in the list. */
export function equalStatements(dialect: Dialect, wanted: readonly Wanted[], limit: number): readonly Statement[] {
  const rows = wanted.map(({ request, since, exceptId = 0 }, place) => {
    const { base, login, payment, content, operation, effect, clientOrderId } = request;
    const client_order_id = clientOrderId ?? null;
    return { place, base, login, payment, content, operation, effect, client_order_id, since, except_id: exceptId };
  });
  const isOther = `other.base = wanted.base AND other.id <> wanted.except_id AND NOT (other.kind = 'payment'
    AND other.client_order_id = wanted.client_order_id AND other.client_order_id IS NOT NULL
    AND wanted.client_order_id IS NOT NULL AND other.login = wanted.login)`;
  const byPayment = `other.payment = wanted.payment AND ${isOther} AND other.effect IN ('money', wanted.effect)
    AND (other.state IN (${quoted(openStates)}) OR (other.state = 'done' AND other.changed_at >= wanted.since))`;
  const byContent = `other.payment IS NULL AND other.content = wanted.content AND ${isOther}
    AND other.operation = wanted.operation
    AND (other.state IN (${quoted(inDoubtStates)}) OR (other.state IN (${quoted(spentStates)}) AND other.kind = 'other'
      AND other.client_order_id IS NOT DISTINCT FROM wanted.client_order_id AND other.login = wanted.login))`;
  const statement = (condition: string, isWanted: (row: (typeof rows)[number]) => boolean): readonly Statement[] => {
    const some = rows.filter(isWanted);
    const sql = `SELECT request.*, wanted.place FROM ${dialect.rows('wanted', columns)} ${dialect.newest(condition, limit)}`;
    return some.length === 0 ? [] : [{ sql, values: [JSON.stringify(some)] }];
  };
  return [
    ...statement(byPayment, ({ payment }) => payment !== undefined),
    ...statement(byContent, ({ payment }) => payment === undefined),
  ];
}

/** In which place each row was wanted. */
export function placesIn(rows: readonly SqlRow[]): readonly number[] {
  return rows.map(({ place }) => Number(place));
}
