import type { Database, SqlRow } from '../../../runtime/ports.js';
import { commandOf } from '../../../spec/index.js';
import { decodeForm, type Pair } from '../../../wire/form.js';
import { eventFrom, type LoggedEvent } from '../../ledger/events.js';
import { number, type Store } from '../../ledger/store.js';

/** A request as the log has it: what was asked, and what the sandbox answered. */
export interface RequestView {
  readonly id: number;
  /** On the sandbox clock. */
  readonly at: number;
  /** As the command line calls it; the address where it names no operation. */
  readonly operation: string;
  readonly login: string | undefined;
  readonly orderId: string | undefined;
  readonly isRefused: boolean;
  readonly title: string;
  readonly httpStatus: string;
  readonly signature: string | undefined;
  /** Masked. */
  readonly fields: readonly Pair[];
  /** Masked and shortened; empty when the request was refused. */
  readonly reply: readonly Pair[];
}

/** A request, or status queries of one order with no other request of it in between. */
export interface RequestLine {
  readonly newest: RequestView;
  /** How many requests it stands for. */
  readonly count: number;
  /** Of several, those shown, newest first; empty for a single one. */
  readonly queries: readonly RequestView[];
  /** Of the oldest, on the sandbox clock, and its number. */
  readonly since: number;
  readonly oldest: number;
}

export interface RequestList {
  readonly lines: readonly RequestLine[];
  /** Every request, those in one line among them. */
  readonly total: number;
  readonly pages: number;
}

const perPage = 50;
const maxQueries = 100;
const ofRequests = "FROM events WHERE kind IN ('request', 'refusal')";
const ofRefusals = "FROM events WHERE kind = 'refusal'";

/** One row for each line: status queries are told apart by how many other requests of their order came before. */
const linesOf = (from: string) => `WITH asked AS (
    SELECT id, order_id, kind = 'request' AND order_id IS NOT NULL
      AND coalesce(json_extract(detail, '$.operation') = 'STATUS', 0) AS is_query ${from}
  ), runs AS (
    SELECT *, CASE WHEN is_query THEN sum(NOT is_query) OVER (PARTITION BY order_id ORDER BY id) ELSE id END AS run
    FROM asked
  ), lines AS (
    SELECT max(id) AS newest, min(id) AS oldest, count(*) AS n FROM runs
    GROUP BY is_query, CASE WHEN is_query THEN order_id END, run
  )`;

/** Newest first, of all merchants. `page` counts from 1. */
export function listRequests({ database }: Store, page: number, onlyRefused: boolean): RequestList {
  const lines = linesOf(onlyRefused ? ofRefusals : ofRequests);
  const sums = database.get(`${lines} SELECT count(*) AS n, coalesce(sum(n), 0) AS total FROM lines`) ?? {};
  const rows = database.all(
    `${lines} SELECT e.*, l.oldest, l.n, (SELECT at FROM events WHERE id = l.oldest) AS since
     FROM lines l JOIN events e ON e.id = l.newest ORDER BY l.newest DESC LIMIT ${perPage} OFFSET ?`,
    (page - 1) * perPage,
  );
  return {
    lines: rows.map((row) => lineFrom(database, row)),
    total: number(sums, 'total'),
    pages: Math.max(1, Math.ceil(number(sums, 'n') / perPage)),
  };
}

function lineFrom(database: Database, row: SqlRow): RequestLine {
  const newest = requestFrom(eventFrom(row));
  const [count, oldest] = [number(row, 'n'), number(row, 'oldest')];
  const ofRun = `SELECT * ${ofRequests} AND order_id = ? AND id BETWEEN ? AND ? ORDER BY id DESC LIMIT ${maxQueries}`;
  const queries = count === 1 ? [] : database.all(ofRun, newest.orderId ?? '', oldest, newest.id);
  return {
    ...{ newest, count, oldest, since: number(row, 'since') },
    queries: queries.map((each) => requestFrom(eventFrom(each))),
  };
}

/** Undefined when there is none of that number, or no longer. */
export function viewRequest({ database }: Store, id: number): RequestView | undefined {
  const row = database.get(`SELECT * ${ofRequests} AND id = ?`, id);
  return row === undefined ? undefined : requestFrom(eventFrom(row));
}

function requestFrom({ id, at, kind, login, orderId, title, detail, fields }: LoggedEvent): RequestView {
  return {
    id,
    at,
    operation: commandOf(detail['operation']) ?? detail['path'] ?? '–',
    login,
    orderId,
    isRefused: kind === 'refusal',
    title,
    httpStatus: detail['status'] ?? '–',
    signature: detail['signature'],
    fields,
    reply: decodeForm(detail['reply'] ?? ''),
  };
}
