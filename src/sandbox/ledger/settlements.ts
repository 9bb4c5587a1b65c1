import { isFinal } from '../../spec/index.js';
import { stageOf } from '../../spec/lifecycle.js';
import { noteForCallback } from '../callbacks/notes.js';
import { number, text } from '../columns.js';
import type { DueSource, Happened } from '../due.js';
import { record } from '../events.js';
import { outcomeOf, outcomes } from '../outcomes.js';
import type { Store } from '../store.js';
import { beginHold } from './holds.js';
import { kindFrom } from './transactions.js';

/** How long a transaction stays processing where nobody said otherwise. */
export const usualSettleMs = 300;

/** Transactions that come to what they were planned to come to. */
export const settlements: DueSource = {
  due: 'SELECT min(due_at) FROM transactions WHERE due_at IS NOT NULL',
  run: (store, _at, until) => settleDue(store, until),
};

const dueSql = 'SELECT id, order_id, login, kind, outcome, is_told, due_at FROM transactions WHERE due_at <= ? ORDER BY due_at, id';
const choices = Object.keys(outcomes).map((name) => `WHEN '${name}' THEN '${outcomeOf(name).status}'`);
const statusSql = `CASE outcome ${choices.join(' ')} ELSE '${outcomeOf('').status}' END`;
// A29: a check that succeeds is not the end of a payout.
const checkedSql = `kind = 'payout-check' AND ${statusSql} = 'approved'`;
// All at once: a server under load settles as many as it takes in.
const settleSql = `
  UPDATE transactions SET
    status = iif(${checkedSql}, status, ${statusSql}), step = iif(${checkedSql}, 'validated', 'none'),
    done_at = iif(${checkedSql}, done_at, due_at), due_at = NULL
  WHERE due_at <= ?
`;

/** Makes everything final whose time has come by `until`, each at its own time and in that order; says what happened. */
function settleDue(store: Store, until: number): Happened[] {
  const { database } = store;
  const rows = database.all(dueSql, until);
  database.run(settleSql, until);
  return rows.map((row) => {
    const [at, orderId, kind] = [number(row, 'due_at'), text(row, 'order_id'), kindFrom(row)];
    const word = outcomeOf(text(row, 'outcome')).status;
    const isChecked = kind === 'payout-check' && word === 'approved';
    if (kind === 'preauth' && word === 'approved') beginHold(store, orderId, at);
    if (row['is_told'] === 1 && isFinal(word) && !isChecked) noteForCallback(store, 'final', number(row, 'id'), at);
    const stage = isChecked ? stageOf(kind, 'processing', 'validated') : stageOf(kind, word, 'none');
    record(store, { kind: 'stage', at, login: text(row, 'login'), orderId, title: stage });
    return { at, what: `order ${orderId}: ${stage}` };
  });
}
