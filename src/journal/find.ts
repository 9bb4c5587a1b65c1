import type { SqlValue } from '../runtime/ports.js';
import type { AskPause, Event, Filter, NewRequest, Page, Request, SeenOrder, Total } from './port.js';
import { assignments, eventFrom, insertSql, requestFrom, rowFrom, stateFrom, sumFrom, valuesOf } from './rows.js';
import { pendingSql } from './schema.js';
import { inDoubtStates, pendingStates, reachedStates, spentStates } from './states.js';
import type { Store } from './store.js';

type Condition = readonly [sql: string, ...values: (SqlValue | undefined)[]];

const among = 'IN (SELECT value FROM json_each(?))';
const list = (values: readonly unknown[] | undefined) => (values === undefined ? undefined : JSON.stringify(values));
const quoted = (words: readonly string[]) => words.map((word) => `'${word}'`).join(', ');

const unitsSql = `CAST(minor AS INTEGER) *
  CASE digits WHEN 0 THEN 10000 WHEN 1 THEN 1000 WHEN 2 THEN 100 WHEN 3 THEN 10 ELSE 1 END`;

/** See `Filter.isOrder`; the payment of an order may not have its id yet. */
const isOrderSql = `(kind = 'payment' OR (kind = 'follow-up' AND order_id IS NOT NULL
  AND state IN (${quoted(reachedStates)}) AND NOT EXISTS (SELECT 1 FROM request AS other
    WHERE other.base = request.base AND other.order_id = request.order_id AND (other.kind = 'payment'
      OR (other.kind = 'follow-up' AND other.id < request.id AND other.state IN (${quoted(reachedStates)}))))
  AND NOT EXISTS (SELECT 1 FROM request AS made WHERE made.client_order_id = request.client_order_id
    AND made.base = request.base AND made.login = request.login AND made.kind = 'payment')))`;

const askAtSql = 'coalesce(ask_at, changed_at)';

interface FilterSql {
  readonly where: string;
  readonly values: readonly SqlValue[];
}

/** The condition of a filter, with its values. */
function filterSql(filter: Filter, table: 'request' | 'seen' = 'request'): FilterSql {
  const { base, login, profile, clientOrderIds, orderIds, order, amount, card, from, until, text } = filter;
  const [time, why] = table === 'request' ? ['created_at', 'reason'] : ['at', 'status'];
  const searched = `order_id, client_order_id, ${why}, (SELECT group_concat(value, char(10)) FROM json_each(outcome))`;
  const conditions: readonly Condition[] = [
    ['base = ?', base],
    ['login = ?', login],
    ['profile = ?', profile],
    [`client_order_id ${among}`, list(clientOrderIds)],
    [`order_id ${among}`, list(orderIds)],
    ['(order_id = ? OR client_order_id = ?)', order, order],
    ['substr(card4, -length(?)) = ?', card, card],
    ['currency = ?', amount?.currency],
    [`${unitsSql} BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)`, amount?.min, amount?.max],
    [`${time} >= ?`, from],
    [`${time} < ?`, until],
    [`instr(lower(concat_ws(char(10), ${searched})), lower(?)) > 0`, text],
    ...(table === 'request' ? requestConditions(filter) : []),
  ];
  const applied = conditions.filter(([, value]) => value !== undefined);
  return {
    where: ['true', ...applied.map(([sql]) => sql)].join(' AND '),
    values: applied.flatMap(([, ...values]) => values).filter((value) => value !== undefined),
  };
}

function requestConditions(filter: Filter): readonly Condition[] {
  const { ids, states, kinds, operation, batch, numbers, isOrder } = filter;
  const arePending = states?.every((state) => pendingStates.includes(state)) === true;
  return [
    [`id ${among}`, list(ids)],
    [`${pendingSql} AND ?`, arePending ? 1 : undefined],
    [`state ${among}`, list(states)],
    [`kind ${among}`, list(kinds)],
    ['operation = ?', operation],
    ['batch = ?', batch],
    [`number ${among}`, list(numbers)],
    [`${isOrderSql} = ?`, isOrder === true ? 1 : undefined],
  ];
}

/** Throws where there is none: ids come from the journal itself. */
export function readRequest({ database }: Store, id: number): Request {
  const row = database.get('SELECT * FROM request WHERE id = ?', id);
  if (row === undefined) throw new Error(`the journal has no request ${id}`);
  return requestFrom(row);
}

export function findRequests({ database }: Store, filter: Filter, page: Page): readonly Request[] {
  const { where, values } = filterSql(filter);
  const paged = pageSql(filter.batch === undefined ? 'id' : 'number', page);
  return database.all(`SELECT * FROM request WHERE ${where} ${paged.sql}`, ...values, ...paged.values).map(requestFrom);
}

function pageSql(key: string, { before, after, limit }: Page) {
  if (after !== undefined) return { sql: `AND ${key} > ? ORDER BY ${key} LIMIT ?`, values: [after, limit] };
  const below = before ?? Number.MAX_SAFE_INTEGER;
  return { sql: `AND ${key} < ? ORDER BY ${key} DESC LIMIT ?`, values: [below, limit] };
}

/** Within a change. */
export function takeToAsk(store: Store, filter: Filter, limit: number, pause: AskPause): readonly Request[] {
  const now = store.now();
  const { where, values } = filterSql({ states: ['unknown', 'accepted'], ...filter });
  const sql = `UPDATE request SET ask_at = ? + CAST(min(max((? - max(changed_at, ?)) / 4, ?), ?) AS INTEGER) WHERE id IN (
    SELECT id FROM request WHERE ${where} AND ${askAtSql} <= ? - iif(ask_at IS NULL AND state = 'accepted', ?, 0)
    ORDER BY ${askAtSql}, id LIMIT ?) RETURNING *`;
  const { least, most, since } = pause;
  return store.database.all(sql, now, now, since, least, most, ...values, now, least, limit).map(requestFrom);
}

export function totalRequests({ database }: Store, filter: Filter): readonly Total[] {
  const { where, values } = filterSql(filter);
  const sql = `SELECT state, reason, currency, digits, count(*) AS count,
      CAST(sum(CAST(minor AS INTEGER)) AS TEXT) AS minor
    FROM request WHERE ${where} GROUP BY state, reason, currency, digits ORDER BY state, reason, currency, digits`;
  return database.all(sql, ...values).map((row) => ({
    state: stateFrom(row['state']),
    reason: String(row['reason']),
    count: Number(row['count']),
    sum: sumFrom(row),
  }));
}

/**
 * The requests that this one would repeat, newest first, at most two. Only what moves money repeats what does, so that a
 * payout repeats no check of one. Without a card or an account equal content counts, but only while it is in doubt: equal
 * forms may be of different payers. What no operation describes is repeated, besides, by the same content under the same
 * client order id, whenever it was sent.
 */
export function findEqualTo({ database }: Store, request: NewRequest, since: number, exceptId = 0): readonly Request[] {
  const { base, login, payment, content, operation, effect, clientOrderId = null } = request;
  const isRepeat = `base = ? AND id <> ? AND NOT (kind = 'payment' AND client_order_id IS ? AND client_order_id IS NOT NULL
    AND login = ?)`;
  const common = [base, exceptId, clientOrderId, login] as const;
  const newest = 'ORDER BY id DESC LIMIT 2';
  const counts = `(state IN (${quoted([...inDoubtStates, 'accepted'])}) OR (state = 'done' AND changed_at >= ?))`;
  const found =
    payment === undefined
      ? database.all(
          `SELECT * FROM request WHERE payment IS NULL AND content = ? AND ${isRepeat} AND operation = ?
             AND (state IN (${quoted(inDoubtStates)}) OR (state IN (${quoted(spentStates)}) AND kind = 'other'
               AND client_order_id IS ? AND login = ?)) ${newest}`,
          ...[content, ...common, operation, clientOrderId, login],
        )
      : database.all(
          `SELECT * FROM request WHERE payment = ? AND ${isRepeat} AND effect IN ('money', ?) AND ${counts} ${newest}`,
          ...[payment, ...common, effect, since],
        );
  return found.map(requestFrom);
}

export function readEvents(
  { database }: Store,
  { request, batch }: { readonly request?: number; readonly batch?: string },
): readonly Event[] {
  const about =
    request === undefined
      ? database.all("SELECT * FROM event WHERE request IS NULL AND facts ->> 'batch' IS ? ORDER BY id", batch ?? null)
      : database.all('SELECT * FROM event WHERE request = ? ORDER BY id', request);
  return about.map(eventFrom);
}

/** Orders of which there is no request. */
export function findSeenOrders({ database }: Store, filter: Filter, page: Page): readonly SeenOrder[] {
  const { where, values } = filterSql(filter, 'seen');
  const isOwn = `EXISTS (SELECT 1 FROM request WHERE request.base = seen.base AND (request.order_id = seen.order_id
    OR (request.client_order_id = seen.client_order_id AND request.login = seen.login AND request.kind = 'payment')))`;
  const paged = pageSql('id', page);
  const sql = `SELECT * FROM seen WHERE ${where} AND NOT ${isOwn} ${paged.sql}`;
  return database.all(sql, ...values, ...paged.values).map(rowFrom<SeenOrder>);
}

const seenFields = `base orderId login profile class clientOrderId status type minor currency digits card4 at
  outcome`.split(/\s+/);
const seeSql = `${insertSql('seen', seenFields)} ON CONFLICT (base, order_id) DO UPDATE
  SET ${assignments(seenFields, 'excluded')}, id = (SELECT max(id) + 1 FROM seen) WHERE excluded.at >= seen.at`;

/** Within a change. */
export function saveSeen({ database }: Store, orders: readonly SeenOrder[]): void {
  for (const order of orders) database.run(seeSql, ...valuesOf(seenFields, order));
}
