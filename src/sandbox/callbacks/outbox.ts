import { isFinal } from '../../spec/index.js';
import { number } from '../columns.js';
import type { DueSource } from '../due.js';
import { type Order, orderOfId } from '../ledger/orders.js';
import { type Transaction, transactionById, transactionsOf } from '../ledger/transactions.js';
import { outcomeOf } from '../outcomes.js';
import type { Store } from '../store.js';
import { type ScriptName, scriptFor } from './scripts.js';

export const callbackTables = `
  CREATE TABLE callbacks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, transaction_id INTEGER NOT NULL, order_id TEXT NOT NULL, login TEXT NOT NULL, url TEXT NOT NULL,
    status TEXT NOT NULL, script TEXT NOT NULL, state TEXT NOT NULL, made_at INTEGER NOT NULL, due_at INTEGER, attempts INTEGER NOT NULL
  );
  CREATE INDEX callbacks_due ON callbacks (due_at) WHERE due_at IS NOT NULL;
  CREATE INDEX callbacks_of_order ON callbacks (order_id, id);
  CREATE TABLE callback_attempts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, callback_id INTEGER NOT NULL, at INTEGER NOT NULL, machine_at INTEGER NOT NULL,
    status INTEGER, reply TEXT, reason TEXT, duration_ms INTEGER
  );
  CREATE INDEX attempts_of_callback ON callback_attempts (callback_id, id);
`;

/** `pending` while an attempt is planned or under way, then one of the others for good. */
export type CallbackState = 'pending' | 'delivered' | 'given-up' | 'withheld';

/** Turns the notes of final transactions into callbacks, by the script of their order. */
export const callbackQueue: DueSource = {
  due: 'SELECT min(at) FROM callback_notes',
  run(store, at) {
    const notes = store.database.all('SELECT * FROM callback_notes WHERE at <= ? ORDER BY at, id', at);
    store.database.run('DELETE FROM callback_notes WHERE at <= ?', at);
    const lines = notes.flatMap((note) => {
      const transaction = transactionById(store, number(note, 'transaction_id'));
      const order = orderOfId(store, transaction.orderId);
      if (order === undefined) return [];
      return note['stage'] === 'final' ? enqueue(store, order, transaction, at) : enqueueEarly(store, order, transaction, at);
    });
    return lines.map((what) => ({ at, what }));
  },
};

function enqueue(store: Store, order: Order, transaction: Transaction, at: number): string[] {
  const script = scriptFor(store, order.login, order.clientOrderId);
  const { status } = transaction;
  const early = 'SELECT id FROM callbacks WHERE transaction_id = ? AND script = ? AND status = ?';
  if (store.database.get(early, transaction.id, 'before-response', status) !== undefined) return [];
  return addressesFor(store, order, transaction).flatMap((url) => {
    const copies = script === 'twice' ? [url, url] : [url];
    return copies.map((copy) => add(store, order, { transaction, url: copy, status, script, at }));
  });
}

/** Under `before-response` the callback tells what the transaction will come to, provided that this is final. */
function enqueueEarly(store: Store, order: Order, transaction: Transaction, at: number): string[] {
  if (transaction.status !== 'processing' || scriptFor(store, order.login, order.clientOrderId) !== 'before-response') return [];
  const { status } = outcomeOf(transaction.outcome);
  // A29: a check that succeeds is not the end of a payout.
  if (!isFinal(status) || (transaction.kind === 'payout-check' && status === 'approved')) return [];
  return addressesFor(store, order, transaction).map((url) =>
    add(store, order, { transaction, url, status, script: 'before-response', at }),
  );
}

/** The first transaction of an order is told to both addresses, a later one to `notify_url` only. */
function addressesFor(store: Store, { id, callbackUrl, notifyUrl }: Order, transaction: Transaction): string[] {
  const isFirst = transactionsOf(store, id)[0]?.id === transaction.id;
  const addresses = [isFirst ? callbackUrl : undefined, notifyUrl].filter((url) => url !== undefined);
  return [...new Set(addresses)];
}

interface NewCallback {
  readonly transaction: Transaction;
  readonly url: string;
  readonly status: string;
  readonly script: ScriptName;
  readonly at: number;
}

const delays: Partial<Readonly<Record<ScriptName, number>>> = { swapped: 10_000, late: 3_600_000 };

function add({ database }: Store, { id, login }: Order, { transaction, url, status, script, at }: NewCallback): string {
  const state: CallbackState = script === 'never' ? 'withheld' : 'pending';
  database.run(
    'INSERT INTO callbacks (transaction_id, order_id, login, url, status, script, state, made_at, due_at, attempts) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 0)',
    transaction.id,
    id,
    login,
    url,
    status,
    script,
    state,
    at,
    script === 'never' ? null : at + (delays[script] ?? 0),
  );
  return `order ${id}: a callback about ${status} is ${state}`;
}
