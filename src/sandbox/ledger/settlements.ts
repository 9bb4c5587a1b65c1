import { stageOf } from '../../spec/lifecycle.js';
import { number, optionalNumber } from '../columns.js';
import type { DueSource } from '../due.js';
import { settleDue, type Transaction, transactionById } from './transactions.js';

/** How long a transaction stays processing where nobody said otherwise. */
export const usualSettleMs = 300;

/** Transactions that come to what they were planned to come to. */
export const settlements: DueSource = {
  nextDue: ({ database }) =>
    optionalNumber(database.get('SELECT min(due_at) AS due FROM transactions WHERE due_at IS NOT NULL') ?? {}, 'due'),
  run(store, at) {
    const due = store.database.all('SELECT id FROM transactions WHERE due_at <= ? ORDER BY due_at, id', at);
    settleDue(store, at);
    return due.map((row) => lineOf(transactionById(store, number(row, 'id'))));
  },
};

function lineOf({ orderId, kind, status, step }: Transaction): string {
  return `order ${orderId}: ${stageOf(kind, status, step)}`;
}
