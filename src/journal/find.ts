import type { SqlValue } from '../runtime/ports.js';
import { fromUnits, startOfDay } from './caps.js';
import { ask, type Change, type Dialect } from './dialect.js';
import { equalStatements, placesIn } from './equal.js';
import type { AskPause, Event, Filter, NewRequest, Page, Request, SeenOrder, Sum, Total } from './port.js';
import { assignments, columnNames, eventFrom, requestFrom, rowFrom, stateFrom, sumFrom, valuesOf } from './rows.js';
import { pendingSql } from './schema.js';
import { pendingStates, quoted, reachedStates } from './states.js';
import { read, type Store } from './store.js';

type Condition = readonly [isApplied: boolean, sql: string, ...values: (SqlValue | undefined)[]];

const unitsSql = `CAST(minor AS numeric) *
  CASE digits WHEN 0 THEN 10000 WHEN 1 THEN 1000 WHEN 2 THEN 100 WHEN 3 THEN 10 ELSE 1 END`;

/** See `Filter.isOrder`; the payment of an order may not have its id yet. */
const isOrderSql = `(kind = 'payment' OR (kind = 'follow-up' AND order_id IS NOT NULL
  AND state IN (${quoted(reachedStates)}) AND NOT EXISTS (SELECT 1 FROM request AS other
    WHERE other.base = request.base AND other.order_id = request.order_id AND (other.kind = 'payment'
      OR (other.kind = 'follow-up' AND other.id < request.id AND other.state IN (${quoted(reachedStates)}))))
  AND NOT EXISTS (SELECT 1 FROM request AS made WHERE made.client_order_id = request.client_order_id
    AND made.base = request.base AND made.login = request.login AND made.kind = 'payment')))`;

interface FilterSql {
  readonly where: string;
  readonly values: readonly SqlValue[];
}

/** The condition of a filter, with its values. */
function filterSql(dialect: Dialect, filter: Filter, table: 'request' | 'seen' = 'request'): FilterSql {
  const { base, login, profile, clientOrderIds, orderIds, order, amount, card, from, until, text } = filter;
  const [time, why] = table === 'request' ? ['created_at', 'reason'] : ['at', 'status'];
  const searched = `concat_ws(' ', order_id, client_order_id, ${why}, ${dialect.outcomeText})`;
  const conditions: readonly Condition[] = [
    is('base = ?', base),
    is('login = ?', login),
    is('profile = ?', profile),
    isAmong(dialect.among('client_order_id'), clientOrderIds),
    isAmong(dialect.among('order_id'), orderIds),
    is('(order_id = ? OR client_order_id = ?)', order, order),
    is("card4 LIKE '%' || ?", card),
    is('currency = ?', amount?.currency),
    is(`${unitsSql} BETWEEN CAST(? AS numeric) AND CAST(? AS numeric)`, amount?.min, amount?.max),
    is(`${time} >= ?`, from),
    is(`${time} < ?`, until),
    is(`${dialect.position}(lower(${searched}), lower(?)) > 0`, text),
    ...(table === 'request' ? requestConditions(dialect, filter) : []),
  ];
  const applied = conditions.filter(([isApplied]) => isApplied);
  return {
    where: ['true', ...applied.map(([, sql]) => sql)].join(' AND '),
    values: applied.flatMap(([, , ...values]) => values).filter((value) => value !== undefined),
  };
}

function requestConditions(dialect: Dialect, filter: Filter): readonly Condition[] {
  const { ids, states, kinds, operation, batch, numbers, isOrder } = filter;
  return [
    isAmong(dialect.among('id', 'bigint'), ids),
    [states?.every((state) => pendingStates.includes(state)) === true, pendingSql],
    isAmong(dialect.among('state'), states),
    isAmong(dialect.among('kind'), kinds),
    is('operation = ?', operation),
    is('batch = ?', batch),
    isAmong(dialect.among('number', 'bigint'), numbers),
    [isOrder === true, isOrderSql],
  ];
}

function is(sql: string, ...values: readonly (SqlValue | undefined)[]): Condition {
  return [values[0] !== undefined, sql, ...values];
}

function isAmong(sql: string, values: readonly unknown[] | undefined): Condition {
  return [values !== undefined, sql, JSON.stringify(values)];
}

export async function findRequests(store: Store, filter: Filter, page: Page): Promise<readonly Request[]> {
  const { where, values } = filterSql(store.tables.dialect, filter);
  const paged = pageSql(filter.batch === undefined ? 'id' : 'number', page);
  const sql = `SELECT * FROM request WHERE ${where} ${paged.sql}`;
  return (await read(store, sql, ...values, ...paged.values)).map(requestFrom);
}

function pageSql(key: string, { before, after, limit }: Page) {
  if (after !== undefined) return { sql: `AND ${key} > ? ORDER BY ${key} LIMIT ?`, values: [after, limit] };
  const below = before ?? Number.MAX_SAFE_INTEGER;
  return { sql: `AND ${key} < ? ORDER BY ${key} DESC LIMIT ?`, values: [below, limit] };
}

const askAtSql = 'coalesce(ask_at, changed_at)';

export function* takeToAsk(
  { dialect }: Store['tables'],
  now: number,
  { filter, limit, pause }: { readonly filter: Filter; readonly limit: number; readonly pause: AskPause },
): Change<readonly Request[]> {
  const { where, values } = filterSql(dialect, { states: ['unknown', 'accepted'], ...filter });
  const { least, most, since } = pause;
  const waited = `(CAST(? AS BIGINT) - ${dialect.greatest}(changed_at, ?)) / 4`;
  const pauseSql = `CAST(${dialect.least}(${dialect.greatest}(${waited}, ?), ?) AS BIGINT)`;
  const sql = `UPDATE request SET ask_at = CAST(? AS BIGINT) + ${pauseSql} WHERE id IN (SELECT id FROM request WHERE ${where}
      AND ${askAtSql} <= CAST(? AS BIGINT) - CASE WHEN ask_at IS NULL AND state = 'accepted' THEN ? ELSE 0 END
      ORDER BY ${askAtSql}, id LIMIT ?) RETURNING *`;
  const rows = yield* ask(sql, now, now, since, least, most, ...values, now, least, limit);
  return rows.map(requestFrom);
}

export async function totalRequests(store: Store, filter: Filter): Promise<readonly Total[]> {
  const { where, values } = filterSql(store.tables.dialect, filter);
  const sql = `SELECT state, reason, currency, digits, count(*) AS count,
      CAST(sum(CAST(minor AS numeric)) AS TEXT) AS minor
    FROM request WHERE ${where} GROUP BY state, reason, currency, digits ORDER BY state, reason, currency, digits`;
  return (await read(store, sql, ...values)).map((row) => ({
    state: stateFrom(row['state']),
    reason: String(row['reason']),
    count: Number(row['count']),
    sum: sumFrom(row),
  }));
}

export async function findEqual(
  store: Store,
  requests: readonly NewRequest[],
  since: number,
): Promise<readonly (readonly Request[])[]> {
  const found: Request[][] = requests.map(() => []);
  const wanted = requests.map((request) => ({ request, since }));
  for (const statement of equalStatements(store.tables.dialect, wanted, 2)) {
    const rows = await store.tables.read(statement);
    const places = placesIn(rows);
    for (const [at, request] of rows.map(requestFrom).entries()) found[places[at] ?? 0]?.push(request);
  }
  return found.map((each) => each.sort((one, other) => other.id - one.id));
}

export async function readEvents(
  store: Store,
  { request, batch }: { readonly request?: number; readonly batch?: string },
): Promise<readonly Event[]> {
  const ofBatch = "SELECT * FROM event WHERE request IS NULL AND facts ->> 'batch' IS NOT DISTINCT FROM ? ORDER BY id";
  const about =
    request === undefined
      ? await read(store, ofBatch, batch ?? null)
      : await read(store, 'SELECT * FROM event WHERE request = ? ORDER BY id', request);
  return about.map(eventFrom);
}

/** What a merchant sent on the day of this time, by currency. */
export async function readSpent(
  store: Store,
  { base, login }: Pick<NewRequest, 'base' | 'login'>,
  at: number,
): Promise<readonly Sum[]> {
  // As text: units may be more than a number of JavaScript holds exactly.
  const sql = `SELECT currency, CAST(units AS TEXT) AS units FROM spent WHERE base = ? AND login = ? AND day = ?
    ORDER BY currency`;
  const rows = await read(store, sql, base, login, startOfDay(at));
  return rows.map(({ currency, units }) => fromUnits(BigInt(String(units)), String(currency)));
}

/** Orders of which there is no request. */
export async function findSeenOrders(store: Store, filter: Filter, page: Page): Promise<readonly SeenOrder[]> {
  const { where, values } = filterSql(store.tables.dialect, filter, 'seen');
  const isOwn = `EXISTS (SELECT 1 FROM request WHERE request.base = seen.base AND (request.order_id = seen.order_id
    OR (request.client_order_id = seen.client_order_id AND request.login = seen.login AND request.kind = 'payment')))`;
  const paged = pageSql('id', page);
  const sql = `SELECT * FROM seen WHERE ${where} AND NOT ${isOwn} ${paged.sql}`;
  return (await read(store, sql, ...values, ...paged.values)).map(rowFrom<SeenOrder>);
}

const seenFields = `base orderId login profile class clientOrderId status type minor currency digits card4 at
  outcome`.split(/\s+/);
const nextSeenSql = '(SELECT coalesce(max(id), 0) + 1 FROM seen)';
const seeSql = `INSERT INTO seen (id, ${columnNames(seenFields)}) VALUES (${nextSeenSql}, ${seenFields.map(() => '?').join(', ')})
  ON CONFLICT (base, order_id) DO UPDATE SET ${assignments(seenFields, 'excluded')}, id = ${nextSeenSql}
  WHERE excluded.at >= seen.at RETURNING 1 AS done`;

export function* saveSeen(orders: readonly SeenOrder[]): Change<void> {
  for (const order of orders) yield* ask(seeSql, ...valuesOf(seenFields, order));
}
