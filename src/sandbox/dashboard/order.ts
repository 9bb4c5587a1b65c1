import { stageOf } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { cardById } from '../cards.js';
import { number, optionalText, text } from '../columns.js';
import { transactionsOf } from '../ledger/transactions.js';
import { eventFrom, type LoggedEvent } from '../log/read.js';
import type { Store } from '../store.js';
import { lineFrom, type OrderLine } from './orders.js';

export interface TransactionLine {
  readonly kind: string;
  readonly amount: string | undefined;
  readonly status: string;
  readonly stage: string;
  readonly madeAt: number;
  readonly doneAt: number | undefined;
}

/** Everything the page of one order shows. */
export interface OrderView extends OrderLine {
  readonly facts: readonly (readonly [name: string, value: string])[];
  readonly transactions: readonly TransactionLine[];
  readonly events: readonly LoggedEvent[];
  /** True when the oldest events are not shown. */
  readonly isCut: boolean;
}

const mostEvents = 500;

export function viewOrder(store: Store, id: string): OrderView | undefined {
  const { database } = store;
  const row = database.get(
    'SELECT o.*, (SELECT max(id) FROM transactions WHERE order_id = o.id) AS newest FROM orders o WHERE o.id = ?',
    id,
  );
  if (row === undefined) return undefined;
  const digits = number(row, 'digits');
  const events = database.all('SELECT * FROM events WHERE order_id = ? ORDER BY id DESC LIMIT ?', id, mostEvents + 1).map(eventFrom);
  const optional: readonly (readonly [string, string | undefined])[] = [
    ['Endpoint', text(row, 'endpoint_id')],
    ['Description', optionalText(row, 'description')],
    ['Card', cardText(store, row['card_id'])],
    ['Receiving card', cardText(store, row['destination_id'])],
    ['Customer comes back to', optionalText(row, 'redirect_url')],
    ['Callback address', optionalText(row, 'callback_url')],
    ['Notification address', optionalText(row, 'notify_url')],
  ];
  return {
    ...lineFrom(store, row),
    facts: optional.flatMap(([name, value]) => (value === undefined || value === '' ? [] : [[name, value] as const])),
    transactions: transactionsOf(store, id).map(({ kind, amount, status, step, madeAt, doneAt }) => ({
      kind,
      amount: amount === undefined ? undefined : decimalText(amount, digits),
      status,
      stage: stageOf(kind, status, step),
      madeAt,
      doneAt,
    })),
    events: events.slice(0, mostEvents).reverse(),
    isCut: events.length > mostEvents,
  };
}

function cardText(store: Store, id: unknown): string | undefined {
  const card = typeof id === 'number' ? cardById(store, id) : undefined;
  if (card === undefined) return undefined;
  const expiry = card.month === undefined ? '' : `, ${card.month.padStart(2, '0')}/${card.year ?? ''}`;
  return `${card.brand} ${card.bin}••••••${card.lastFour}${expiry}`;
}
