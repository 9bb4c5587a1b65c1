import type { Dialect, Statement } from './dialect.js';
import type { NewRequest } from './port.js';
import { inDoubtStates, quoted, spentStates } from './states.js';

/** A request, and which others it would repeat: see `Begin.equalSince`. */
interface Wanted {
  readonly request: NewRequest;
  readonly since: number;
  /** Itself. */
  readonly exceptId?: number | undefined;
}

const columns = `place bigint, base text, login text, payment text, content text, operation text, effect text,
  client_order_id text, since bigint, except_id bigint`;

const hasSameName = `other.client_order_id IS NOT DISTINCT FROM wanted.client_order_id AND other.login = wanted.login`;

const isOther = `other.base = wanted.base AND other.id <> wanted.except_id
  AND NOT (other.kind = 'payment' AND other.client_order_id IS NOT NULL AND ${hasSameName})`;

const byPayment = `other.payment = wanted.payment AND ${isOther} AND other.effect IN ('money', wanted.effect)
  AND (other.state IN ('accepted', ${quoted(inDoubtStates)})
    OR (other.state = 'done' AND other.changed_at >= wanted.since))`;

const byContent = `other.payment IS NULL AND other.content = wanted.content AND ${isOther}
  AND other.operation = wanted.operation AND (other.state IN (${quoted(inDoubtStates)})
    OR (other.state IN (${quoted(spentStates)}) AND other.kind = 'other' AND ${hasSameName}))`;

/**
 * The newest requests that each of these would repeat, with its `place` in the list. Only what moves money repeats what
 * does, so that a payout repeats no check of one. Without a card or an account equal content counts, but only while it is
 * in doubt: equal forms may be of different payers. What no operation describes is repeated, besides, by the same content
 * under the same client order id, whenever it was sent.
 */
export function findRepeated(dialect: Dialect, wanted: readonly Wanted[], limit: number): readonly Statement[] {
  const rows = wanted.map(({ request, since, exceptId = 0 }, place) => {
    const { base, login, payment, content, operation, effect, clientOrderId: client_order_id } = request;
    return { place, base, login, payment, content, operation, effect, client_order_id, since, except_id: exceptId };
  });
  const [named, unnamed] = [true, false].map((is) => rows.filter(({ payment }) => (payment !== undefined) === is));
  const find = (condition: string, some: readonly object[] = []): readonly Statement[] => {
    const sql = `SELECT request.*, wanted.place FROM ${dialect.rows('wanted', columns)} ${dialect.newest(condition, limit)}`;
    return some.length === 0 ? [] : [{ sql, values: [JSON.stringify(some)] }];
  };
  return [...find(byPayment, named), ...find(byContent, unnamed)];
}
