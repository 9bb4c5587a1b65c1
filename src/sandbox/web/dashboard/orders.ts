import type { SqlRow, SqlValue } from '../../../runtime/ports.js';
import { commandOf, statuses } from '../../../spec/index.js';
import { transactionKinds } from '../../../spec/lifecycle.js';
import { stepText, transactionText } from '../../../spec/transaction-words.js';
import { decimalText } from '../../../wire/amount.js';
import { maskedEnding } from '../../../wire/mask.js';
import { auditOrder, type Finding } from '../../audit/report.js';
import { cardById } from '../../ledger/cards.js';
import { eventFrom, type LoggedEvent } from '../../ledger/events.js';
import { number, optionalNumber, optionalText, type Store, text } from '../../ledger/store.js';
import { transactionById, transactionsOf } from '../../ledger/transactions.js';

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
  /** Operation and status of that transaction, as the command line names them. */
  readonly words: string;
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

const perPage = 25;
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

function conditionOf({ status, operation, merchant, search }: OrderFilter): {
  readonly where: string;
  readonly values: SqlValue[];
} {
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
function lineFrom(store: Store, row: SqlRow): OrderLine {
  const newest = transactionById(store, number(row, 'newest'));
  const amount = optionalText(row, 'amount');
  return {
    id: text(row, 'id'),
    clientOrderId: text(row, 'client_order_id'),
    login: text(row, 'login'),
    operation: commandOf(text(row, 'operation')) ?? text(row, 'operation'),
    amount: amount === undefined ? undefined : decimalText(BigInt(amount), number(row, 'digits')),
    currency: optionalText(row, 'currency'),
    status: newest.status,
    words: transactionText(newest.kind, newest.status, newest.step),
    madeAt: number(row, 'made_at'),
  };
}

export interface TransactionLine {
  readonly operation: string;
  readonly amount: string | undefined;
  readonly status: string;
  /** While it waits or is checked. */
  readonly waitsFor: string | undefined;
  readonly madeAt: number;
  readonly doneAt: number | undefined;
}

/** A callback about the order, with its last attempt. */
export interface CallbackLine {
  readonly status: string;
  readonly url: string;
  readonly state: string;
  readonly attempts: number;
  /** What the handler answered last; undefined before the first answer. */
  readonly answer: string | undefined;
}

/** Everything the page of one order shows. */
export interface OrderView extends OrderLine {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly transactions: readonly TransactionLine[];
  readonly callbacks: readonly CallbackLine[];
  /** What the client did wrong with this order. */
  readonly findings: readonly Finding[];
  readonly events: readonly LoggedEvent[];
  /** True when the oldest events are not shown. */
  readonly isCut: boolean;
}

const maxEvents = 500;

export function viewOrder(store: Store, id: string): OrderView | undefined {
  const { database } = store;
  const row = database.get(
    'SELECT o.*, (SELECT max(id) FROM transactions WHERE order_id = o.id) AS newest FROM orders o WHERE o.id = ?',
    id,
  );
  if (row === undefined) return undefined;
  const digits = number(row, 'digits');
  const events = database
    .all('SELECT * FROM events WHERE order_id = ? ORDER BY id DESC LIMIT ?', id, maxEvents + 1)
    .map(eventFrom);
  const optional: readonly (readonly [string, string | undefined])[] = [
    ['Endpoint', text(row, 'endpoint_id')],
    ['Description', optionalText(row, 'description')],
    ['Card', cardText(store, row['card_id'])],
    ['Receiving card', cardText(store, row['destination_id'])],
    ['Redirect URL', optionalText(row, 'redirect_url')],
    ['Callback address', optionalText(row, 'callback_url')],
    ['Notification address', optionalText(row, 'notify_url')],
  ];
  return {
    ...lineFrom(store, row),
    facts: optional.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const])),
    transactions: transactionsOf(store, id).map(({ kind, amount, status, step, madeAt, doneAt }) => ({
      operation: transactionKinds[kind].name,
      amount: amount === undefined ? undefined : decimalText(amount, digits),
      status,
      waitsFor: status === 'processing' ? stepText(step) : undefined,
      madeAt,
      doneAt,
    })),
    callbacks: callbacksOf(store, id),
    findings: auditOrder(store, {
      login: text(row, 'login'),
      orderId: id,
      clientOrderId: text(row, 'client_order_id'),
    }),
    events: events.slice(0, maxEvents).reverse(),
    isCut: events.length > maxEvents,
  };
}

function callbacksOf({ database }: Store, id: string): CallbackLine[] {
  const last = 'SELECT max(id) FROM callback_attempts WHERE callback_id = c.id';
  return database
    .all(
      `SELECT c.*, a.status AS answered, a.reason FROM callbacks c LEFT JOIN callback_attempts a ON a.id = (${last}) WHERE c.order_id = ? ORDER BY c.id`,
      id,
    )
    .map((row) => ({
      status: text(row, 'status'),
      url: text(row, 'url'),
      state: text(row, 'state'),
      attempts: number(row, 'attempts'),
      answer: answerOf(optionalNumber(row, 'answered'), optionalText(row, 'reason')),
    }));
}

function answerOf(status: number | undefined, reason: string | undefined): string | undefined {
  const parts = [status === undefined ? undefined : `HTTP ${status}`, reason].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

function cardText(store: Store, id: unknown): string | undefined {
  const card = typeof id === 'number' ? cardById(store, id) : undefined;
  if (card === undefined) return undefined;
  const expiry = card.month === undefined ? '' : `, ${card.month.padStart(2, '0')}/${card.year ?? ''}`;
  return `${card.brand} ${maskedEnding(card.lastFour)}${expiry}`;
}
