import { optionalNumber } from '../columns.js';
import type { DueSource } from '../due.js';
import { settleDue } from './transactions.js';

/** How long a transaction stays processing where nobody said otherwise. */
export const usualSettleMs = 300;

/** Transactions that come to what they were planned to come to. */
export const settlements: DueSource = {
  nextDue: ({ database }) =>
    optionalNumber(database.get('SELECT min(due_at) AS due FROM transactions WHERE due_at IS NOT NULL') ?? {}, 'due'),
  run: (store, _at, until) => settleDue(store, until),
};
