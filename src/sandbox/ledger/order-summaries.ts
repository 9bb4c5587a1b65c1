import type { Clock, Database } from '../../runtime/ports.js';
import { assumeDefaults, type OperationId } from '../../spec/index.js';
import { legality } from '../../spec/lifecycle.js';
import { factsOf } from './balance.js';
import { cardState } from './cards.js';
import { type Order, orderById } from './orders.js';
import { outcomeOf } from './outcomes.js';
import { builtinLogin, movedClock, number, type Store, text } from './store.js';
import { type Transaction, transactionsOf } from './transactions.js';

/** An order of the built-in merchant and its state, for lists. */
export interface OrderSummary {
  readonly order: Order;
  /** Such as `preauth approved`. */
  readonly state: string;
}

const maxOrders = 100;

/**
 * Orders that allow an operation, newest first; every order when none is named. Read-only: what is due counts as done,
 * and nothing is written.
 */
export function listOrderSummaries(
  database: Database,
  machine: Clock,
  operation: OperationId | undefined,
): OrderSummary[] {
  const store = { database, clock: movedClock(database, machine), machine, random: noRandom } satisfies Store;
  const now = store.clock.now();
  const newest = `SELECT id FROM orders WHERE login = ? ORDER BY made_at DESC, id DESC LIMIT ${maxOrders}`;
  return database.all(newest, builtinLogin).flatMap((row) => {
    const order = orderById(store, builtinLogin, text(row, 'id'));
    if (order === undefined) return [];
    const facts = factsOf(order, asOfNow(store, order, now), now, cardState(store, order));
    const isLegal = operation === undefined || legality(operation, facts, assumeDefaults) === undefined;
    return isLegal ? [{ order, state: `${facts.opened} ${facts.status}` }] : [];
  });
}

/** The transactions of an order as the next request would find them. */
function asOfNow(store: Store, order: Order, now: number): Transaction[] {
  const due = store.database.all(
    'SELECT id, due_at FROM transactions WHERE order_id = ? AND due_at <= ?',
    order.id,
    now,
  );
  const dueAt = new Map(due.map((row) => [number(row, 'id'), number(row, 'due_at')]));
  return transactionsOf(store, order.id).map((transaction) => {
    const doneAt = dueAt.get(transaction.id);
    if (doneAt === undefined) return transaction;
    const { status } = outcomeOf(transaction.outcome);
    // A29: a check that succeeds is not the end of a payout.
    if (transaction.kind === 'payout-check' && status === 'approved') return { ...transaction, step: 'validated' };
    return { ...transaction, status, step: 'none', doneAt };
  });
}

const noRandomValue = (): never => {
  throw new Error('looking at orders takes no random values');
};
const noRandom = { letters: noRandomValue, uuid: noRandomValue, below: noRandomValue, rsaPem: noRandomValue };
