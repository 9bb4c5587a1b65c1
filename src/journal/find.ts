import type { SqlValue } from '../runtime/ports.js';
import { fromUnits } from '../wire/amount.js';
import { startOfDay } from '../wire/time.js';
import { ask, type Change, type Dialect, type Statement } from './dialect.js';
import type { Event, Filter, Journal, NewRequest, Page, Request, SeenOrder } from './port.js';
import { inDoubtStates, pendingStates, quoted, reachedStates, spentStates } from './states.js';
import { read, type Store } from './store.js';
import { insert, pendingSql, recordFrom, replacing, requestFrom, stateFrom, sumFrom } from './tables.js';
import { change } from './working-set.js';

export function findMethods(store: Store) {
  const { tables } = store;
  return {
    find: async (filter, page) => {
      const { where, values } = filterSql(tables.dialect, filter);
      const paged = pageSql(filter.batch === undefined ? 'id' : 'number', page);
      const sql = `SELECT * FROM request WHERE ${where} ${paged.sql}`;
      return (await read(store, sql, ...values, ...paged.values)).map(requestFrom);
    },
    count: async (filter) => {
      const { where, values } = filterSql(tables.dialect, filter);
      const rows = await read(
        store,
        `SELECT state, count(*) AS count FROM request WHERE ${where} GROUP BY state`,
        ...values,
      );
      return new Map(rows.map(({ state, count }) => [stateFrom(state), Number(count)]));
    },
    total: async (filter) => {
      const { where, values } = filterSql(tables.dialect, filter);
      const groups = 'state, currency, digits';
      const sql = `SELECT ${groups}, count(*) AS count, CAST(sum(CAST(minor AS numeric)) AS TEXT) AS minor
        FROM request WHERE ${where} GROUP BY ${groups} ORDER BY ${groups}`;
      const rows = await read(store, sql, ...values);
      return rows.map((row) => ({ state: stateFrom(row['state']), count: Number(row['count']), sum: sumFrom(row) }));
    },
    findEqual: async (requests, since) => {
      const found: Request[][] = requests.map(() => []);
      for (const statement of findRepeated(tables.dialect, requests, since, 2))
        for (const row of await tables.read(statement)) found[Number(row['place'])]?.push(requestFrom(row));
      return found.map((each) => each.sort((one, other) => other.id - one.id));
    },
    events: async ({ request, batch }) => {
      const about = `request IS NULL AND facts ->> 'batch' IS NOT DISTINCT FROM ?`;
      const sql = `SELECT * FROM event WHERE ${request === undefined ? about : 'request = ?'} ORDER BY id`;
      return (await read(store, sql, request ?? batch ?? null)).map(recordFrom<Event>);
    },
    spent: async ({ base, login }, at) => {
      // As text: units may be more than a number of JavaScript holds exactly.
      const sql = `SELECT currency, CAST(units AS TEXT) AS units FROM spent WHERE base = ? AND login = ? AND day = ?
        ORDER BY currency`;
      const rows = await read(store, sql, base, login, startOfDay(at));
      return rows.map(({ currency, units }) => fromUnits(BigInt(String(units)), String(currency)));
    },
    takeToAsk: (...wanted) => change(store, ({ now }) => takeToAsk(now, wanted)),
    see: (orders) => change(store, () => saveSeen(tables.dialect, orders)),
    findSeen: async (filter, page) => {
      const { where, values } = filterSql(tables.dialect, filter, 'seen');
      const paged = pageSql('id', page);
      const sql = `SELECT * FROM seen WHERE ${where} AND ${isElsewhereSql} ${paged.sql}`;
      return (await read(store, sql, ...values, ...paged.values)).map(recordFrom<SeenOrder>);
    },
    countSeen: async (filter) => {
      const { where, values } = filterSql(tables.dialect, filter, 'seen');
      const sql = `SELECT status, count(*) AS count FROM seen WHERE ${where} AND ${isElsewhereSql} GROUP BY status`;
      const rows = await read(store, sql, ...values);
      return new Map(rows.map(({ status, count }) => [String(status), Number(count)]));
    },
  } satisfies Partial<Journal>;
}

const unitsSql = `CAST(minor AS numeric) *
  CASE digits WHEN 0 THEN 10000 WHEN 1 THEN 1000 WHEN 2 THEN 100 WHEN 3 THEN 10 ELSE 1 END`;

/** See `Filter.isFirst`; the payment of an order may not have its id yet. */
const isFirstSql = `(kind = 'follow-up' AND order_id IS NOT NULL
  AND state IN (${quoted(reachedStates)}) AND NOT EXISTS (SELECT 1 FROM request AS other
    WHERE other.base = request.base AND other.order_id = request.order_id AND (other.kind = 'payment'
      OR (other.kind = 'follow-up' AND other.id < request.id AND other.state IN (${quoted(reachedStates)}))))
  AND NOT EXISTS (SELECT 1 FROM request AS made WHERE made.client_order_id = request.client_order_id
    AND made.base = request.base AND made.login = request.login AND made.kind = 'payment'))`;

const isElsewhereSql = `NOT EXISTS (SELECT 1 FROM request WHERE request.base = seen.base
  AND (request.order_id = seen.order_id
    OR (request.client_order_id = seen.client_order_id AND request.login = seen.login AND request.kind = 'payment')))`;

/** A condition with its values; it does not apply where one of them is undefined. */
type Condition = readonly [sql: string, ...values: (SqlValue | undefined)[]];

function filterSql(dialect: Dialect, filter: Filter, table: 'request' | 'seen' = 'request') {
  const { states, order, amount } = filter;
  const [time, why] = table === 'request' ? ['created_at', 'reason'] : ['at', 'status'];
  const searched = `lower(concat_ws(' ', order_id, client_order_id, ${why}, ${dialect.outcomeText}))`;
  const followed = `id IN (SELECT made.id FROM request AS later
    JOIN request AS made ON made.order_id = later.order_id AND made.base = later.base
    WHERE later.kind = 'follow-up' AND later.state = 'done' AND ${dialect.among('later.operation')})`;
  const isPending = states?.every((state) => pendingStates.includes(state)) === true;
  const conditions: readonly Condition[] = [
    [dialect.among('id', 'bigint'), list(filter.ids)],
    ...(isPending ? [[pendingSql] as const] : []),
    [dialect.among('state'), list(states)],
    [dialect.among('kind'), list(filter.kinds)],
    ['operation = ?', filter.operation],
    ['base = ?', filter.base],
    ['login = ?', filter.login],
    ['profile = ?', filter.profile],
    ['batch = ?', filter.batch],
    [dialect.among('client_order_id'), list(filter.clientOrderIds)],
    [dialect.among('order_id'), list(filter.orderIds)],
    ['(order_id = ? OR client_order_id = ?)', order, order],
    ["card4 LIKE '%' || ?", filter.card],
    ['currency = ?', amount?.currency],
    [`${unitsSql} BETWEEN CAST(? AS numeric) AND CAST(? AS numeric)`, amount?.min, amount?.max],
    [`${time} >= ?`, filter.from],
    [`${time} < ?`, filter.until],
    [`${searched} LIKE '%' || lower(?) || '%'`, filter.text],
    [followed, list(filter.followedBy)],
    [dialect.among('status'), list(filter.statuses)],
    ...(filter.isFirst === true ? [[isFirstSql] as const] : []),
  ];
  const applied = conditions.filter((condition) => !condition.includes(undefined));
  return {
    where: ['true', ...applied.map(([sql]) => sql)].join(' AND '),
    values: applied.flatMap(([, ...values]) => values).filter((value) => value !== undefined),
  };
}

function list(values: readonly unknown[] | undefined): string | undefined {
  return values && JSON.stringify(values);
}

function pageSql(key: string, { before = Number.MAX_SAFE_INTEGER, after, limit }: Page) {
  return after === undefined
    ? { sql: `AND ${key} < ? ORDER BY ${key} DESC LIMIT ?`, values: [before, limit] }
    : { sql: `AND ${key} > ? ORDER BY ${key} LIMIT ?`, values: [after, limit] };
}

const wantedColumns = `place bigint, base text, login text, payment text, content text, operation text, effect text,
  client_order_id text, since bigint, except_id bigint`;

const hasSameName = `other.client_order_id IS NOT DISTINCT FROM wanted.client_order_id AND other.login = wanted.login`;

const isOther = `other.base = wanted.base AND other.id <> wanted.except_id
  AND NOT (other.kind = 'payment' AND other.client_order_id IS NOT NULL AND ${hasSameName})`;

const byPayment = `other.payment = wanted.payment AND ${isOther} AND other.effect IN ('money', wanted.effect)
  AND (other.state IN ('accepted', ${quoted(inDoubtStates)})
    OR (other.state = 'done' AND other.changed_at >= wanted.since))`;

const byContent = `wanted.payment IS NULL AND other.payment IS NULL AND other.content = wanted.content AND ${isOther}
  AND other.operation = wanted.operation AND (other.state IN (${quoted(inDoubtStates)})
    OR (other.state IN (${quoted(spentStates)}) AND other.kind = 'other' AND ${hasSameName}))`;

/**
 * The newest requests that each of these would repeat (see `Begin.equalSince`), with its `place` in the list. Only what
 * moves money repeats what does, so that a payout repeats no check of one. Without a card or an account equal content
 * counts, but only while it is in doubt: equal forms may be of different payers. What no operation describes is repeated,
 * besides, by the same content under the same client order id, whenever it was sent.
 */
export function findRepeated(
  dialect: Dialect,
  wanted: readonly NewRequest[],
  since: number,
  limit: number,
  except_id = 0,
): readonly Statement[] {
  const rows = wanted.map((request, place) => {
    return { ...request, client_order_id: request.clientOrderId, place, since, except_id };
  });
  return [byPayment, byContent].map((condition) => ({
    sql: `SELECT request.*, wanted.place FROM ${dialect.rows('wanted', wantedColumns)} ${dialect.newest(condition, limit)}`,
    values: [JSON.stringify(rows)],
  }));
}

/** The longer it waits, the more rarely, down to once a minute; what was accepted waits a pause before the first time. */
function* takeToAsk(
  now: number,
  [batch, limit, pauseMs]: Parameters<Journal['takeToAsk']>,
): Change<readonly Request[]> {
  const age = 'CAST(? AS BIGINT) - changed_at';
  const dueAt = `CASE WHEN ask_at IS NULL AND state = 'accepted' THEN changed_at + ? ELSE coalesce(ask_at, changed_at) END`;
  const sql = `UPDATE request SET ask_at = CAST(? + CASE WHEN ${age} < 240000 THEN ? + (${age}) / 4 ELSE 60000 END AS BIGINT)
    WHERE id IN (SELECT id FROM request WHERE batch = ? AND ${pendingSql} AND state <> 'sending' AND ${dueAt} <= ?
      ORDER BY ${dueAt}, id LIMIT ?) RETURNING *`;
  return (yield* ask(sql, now, now, pauseMs, now, batch, pauseMs, now, pauseMs, limit)).map(requestFrom);
}

function* saveSeen(dialect: Dialect, orders: readonly SeenOrder[]): Change<void> {
  for (const order of orders) {
    const [row] = yield* ask('SELECT coalesce(max(id), 0) + 1 AS next FROM seen');
    const end = `ON CONFLICT (base, order_id) ${replacing('seen')} WHERE excluded.at >= seen.at`;
    yield [insert(dialect, 'seen', [{ ...order, id: row?.['next'] }], end)];
  }
}

const pageSize = 500;

/** Everything that there is, oldest first, a page in memory at a time: all of it may not fit. */
export async function* walkPages<Row>(
  find: (page: Page) => Promise<readonly Row[]>,
  keyOf: (row: Row) => number | undefined,
): AsyncGenerator<readonly Row[]> {
  for (let after: number | undefined = 0; after !== undefined; ) {
    const page: readonly Row[] = await find({ after, limit: pageSize });
    if (page.length > 0) yield page;
    const last = page[pageSize - 1];
    after = last && keyOf(last);
    // A file is read without waiting for anything, so that without this no signal would be heard.
    if (after !== undefined) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Everything that a filter finds. */
export function findPages(journal: Pick<Journal, 'find'>, filter: Filter): AsyncGenerator<readonly Request[]> {
  const key = filter.batch === undefined ? 'id' : 'number';
  return walkPages(
    (page) => journal.find(filter, page),
    (request) => request[key],
  );
}

/** Request by request. */
export async function* findAll(journal: Pick<Journal, 'find'>, filter: Filter): AsyncGenerator<Request> {
  for await (const page of findPages(journal, filter)) yield* page;
}

/** All of it at once, where it is shown in one piece. */
export function listAll(journal: Pick<Journal, 'find'>, filter: Filter): Promise<readonly Request[]> {
  return journal.find(filter, { after: 0, limit: Number.MAX_SAFE_INTEGER });
}

/** How many a filter finds, whatever their state. */
export async function countAll(journal: Pick<Journal, 'count'>, filter: Filter): Promise<number> {
  const counts = await journal.count(filter);
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
