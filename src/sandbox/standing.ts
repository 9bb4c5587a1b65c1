import type { Clock, Database } from '../runtime/ports.js';
import { assumeDefaults, type OperationId } from '../spec/index.js';
import { legality } from '../spec/lifecycle.js';
import { cardFact } from './cards.js';
import { movedClock } from './clock.js';
import { number, text } from './columns.js';
import { builtinLogin } from './identity.js';
import { factsOf } from './ledger/account.js';
import { type Order, orderById } from './ledger/orders.js';
import { type Transaction, transactionsOf } from './ledger/transactions.js';
import { outcomeOf } from './outcomes.js';
import type { Store } from './store.js';

/** An order of the built-in merchant and where it stands, for lists. */
export interface Standing {
  readonly order: Order;
  /** Such as `preauth approved`. */
  readonly state: string;
}

const most = 100;

/**
 * Orders an operation may follow on, newest first; every order when no operation is named. Only looks: what is due counts
 * as done, and nothing is written.
 */
export function standingOrders(database: Database, machine: Clock, operation: OperationId | undefined): Standing[] {
  const store = { database, clock: movedClock(database, machine), machine, random: noRandom } satisfies Store;
  const now = store.clock.now();
  const newest = `SELECT id FROM orders WHERE login = ? ORDER BY made_at DESC, id DESC LIMIT ${most}`;
  return database.all(newest, builtinLogin).flatMap((row) => {
    const order = orderById(store, builtinLogin, text(row, 'id'));
    if (order === undefined) return [];
    const facts = factsOf(order, present(store, order, now), now, cardFact(store, order));
    const isLegal = operation === undefined || legality(operation, facts, assumeDefaults) === undefined;
    return isLegal ? [{ order, state: `${facts.opened} ${facts.status}` }] : [];
  });
}

/** The transactions of an order as they will be written when somebody acts next. */
function present(store: Store, order: Order, now: number): Transaction[] {
  const due = store.database.all('SELECT id, due_at FROM transactions WHERE order_id = ? AND due_at <= ?', order.id, now);
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

const neverAsked = (): never => {
  throw new Error('looking at orders takes no random values');
};
const noRandom = { letters: neverAsked, uuid: neverAsked, below: neverAsked };
