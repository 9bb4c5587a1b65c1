import type { SqlRow, SqlValue } from '../../runtime/ports.js';
import { statuses } from '../../spec/index.js';
import { stageOf } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { number, optionalText, text } from '../columns.js';
import { transactionById } from '../ledger/transactions.js';
import type { Store } from '../store.js';

export interface OrderFilter {
  readonly status: string;
  readonly operation: string;
  readonly merchant: string;
  /** Part of an order id of either side. */
  readonly search: string;
  /** From 1. */
  readonly page: number;
}

/** One line of the list. */
export interface OrderLine {
  readonly id: string;
  readonly clientOrderId: string;
  readonly login: string;
  readonly operation: string;
  readonly amount: string | undefined;
  readonly currency: string | undefined;
  /** Those of its newest transaction. */
  readonly status: string;
  readonly stage: string;
  readonly madeAt: number;
}

export interface OrderList {
  readonly lines: readonly OrderLine[];
  /** Without paging. */
  readonly total: number;
  readonly pages: number;
  /** Without filters. */
  readonly isEmpty: boolean;
  readonly operations: readonly string[];
  readonly merchants: readonly string[];
}

export const perPage = 25;
export const statusWords: readonly string[] = Object.keys(statuses);

/** Newest first. */
export function listOrders(store: Store, filter: OrderFilter): OrderList {
  const { database } = store;
  const { where, values } = conditionOf(filter);
  const from = `FROM orders o JOIN transactions t ON t.id = (SELECT max(id) FROM transactions WHERE order_id = o.id) ${where}`;
  const total = number(database.get(`SELECT count(*) AS n ${from}`, ...values) ?? {}, 'n');
  // Ids grow, and have eight digits for as long as anybody will use one sandbox.
  const rows = database.all(
    `SELECT o.*, t.id AS newest ${from} ORDER BY o.id DESC LIMIT ${perPage} OFFSET ?`,
    ...values,
    (filter.page - 1) * perPage,
  );
  const distinct = (column: 'operation' | 'login') =>
    database.all(`SELECT DISTINCT ${column} AS word FROM orders ORDER BY word`).map((row) => text(row, 'word'));
  return {
    lines: rows.map((row) => lineFrom(store, row)),
    total,
    pages: Math.max(1, Math.ceil(total / perPage)),
    isEmpty: database.get('SELECT 1 FROM orders LIMIT 1') === undefined,
    operations: distinct('operation'),
    merchants: distinct('login'),
  };
}

function conditionOf({ status, operation, merchant, search }: OrderFilter): { readonly where: string; readonly values: SqlValue[] } {
  const parts: readonly (readonly [condition: string, value: string])[] = [
    ['t.status = ?', status],
    ['o.operation = ?', operation],
    ['o.login = ?', merchant],
  ];
  const given = parts.filter(([, value]) => value !== '');
  const like = `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  const conditions = given.map(([condition]) => condition);
  if (search !== '') conditions.push("(o.id LIKE ? ESCAPE '\\' OR o.client_order_id LIKE ? ESCAPE '\\')");
  return {
    where: conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`,
    values: [...given.map(([, value]) => value), ...(search === '' ? [] : [like, like])],
  };
}

/** `newest` is the id of its newest transaction. */
export function lineFrom(store: Store, row: SqlRow): OrderLine {
  const newest = transactionById(store, number(row, 'newest'));
  const amount = optionalText(row, 'amount');
  return {
    id: text(row, 'id'),
    clientOrderId: text(row, 'client_order_id'),
    login: text(row, 'login'),
    operation: text(row, 'operation'),
    amount: amount === undefined ? undefined : decimalText(BigInt(amount), number(row, 'digits')),
    currency: optionalText(row, 'currency'),
    status: newest.status,
    stage: stageOf(newest.kind, newest.status, newest.step),
    madeAt: number(row, 'made_at'),
  };
}
