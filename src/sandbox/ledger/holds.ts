import { decimalText } from '../../wire/amount.js';
import { text } from '../columns.js';
import type { DueSource } from '../due.js';
import { record } from '../events.js';
import type { Store } from '../store.js';
import { accountOf, holdLifeMs } from './account.js';
import { orderOfId } from './orders.js';
import { transactionsOf } from './transactions.js';

// A33: the account of an order says by itself that a hold expired; these rows only make it happen at its time.
export const holdTables = `
  CREATE TABLE holds (order_id TEXT PRIMARY KEY, lapses_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX holds_due ON holds (lapses_at);
`;

/** For a preauth that was just approved. */
export function beginHold({ database }: Store, orderId: string, at: number): void {
  database.run('INSERT OR REPLACE INTO holds VALUES (?, ?)', orderId, at + holdLifeMs + 1);
}

/** Holds that expire with something left in them. */
export const holds: DueSource = {
  due: 'SELECT min(lapses_at) FROM holds',
  run(store, at) {
    const due = store.database.all('SELECT order_id FROM holds WHERE lapses_at <= ? ORDER BY lapses_at, order_id', at);
    store.database.run('DELETE FROM holds WHERE lapses_at <= ?', at);
    return due.flatMap((row) => lapse(store, text(row, 'order_id'))).map((what) => ({ at, what }));
  },
};

function lapse(store: Store, orderId: string): string[] {
  const order = orderOfId(store, orderId);
  if (order === undefined) return [];
  const transactions = transactionsOf(store, orderId);
  const { capturable } = accountOf(order, transactions);
  const isVoided = transactions.some(({ kind, status }) => kind === 'void' && status === 'approved');
  if (capturable <= 0n || isVoided) return [];
  const left = `${decimalText(capturable, order.digits)} ${order.currency ?? ''}`.trim();
  record(store, { kind: 'stage', login: order.login, orderId, title: `the hold expired with ${left} left in it` });
  return [`order ${orderId}: the hold expired with ${left} left in it`];
}
