import { isFinal } from '../../spec/index.js';
import { type Step, stageOf } from '../../spec/lifecycle.js';
import { decimalText } from '../../wire/amount.js';
import { balanceOf, holdLifetimeMs } from './balance.js';
import { recordEvent } from './events.js';
import { isHosted, orderOfAnyMerchant } from './orders.js';
import { outcomeOf, outcomes } from './outcomes.js';
import { number, type Store, text } from './store.js';
import { addCallbackNote, changeStep, kindFrom, transactionsOf } from './transactions.js';

/** Something that happens by itself once the sandbox clock reaches its time. */
export interface DueSource {
  /** Query for the time of the next such change; NULL when none is planned. */
  readonly due: string;
  /** The same without endless schedules; `due` when left out. */
  readonly finiteDue?: string;
  /**
   * Applies everything due by `at`, the time of the store's clock. May continue up to `until`, each change at its own
   * time, since no other source is due before that. Returns a line per change.
   */
  run(store: Store, at: number, until: number): readonly ClockEvent[];
}

export interface ClockEvent {
  readonly at: number;
  readonly what: string;
}

/** How long a transaction stays processing unless set otherwise. */
export const defaultSettleMs = 300;

/** Transactions that reach their planned outcome. */
export const plannedOutcomes: DueSource = {
  due: 'SELECT min(due_at) FROM transactions WHERE due_at IS NOT NULL',
  run: (store, _at, until) => finishDue(store, until),
};

const dueSql =
  'SELECT id, order_id, login, kind, outcome, is_told, due_at FROM transactions WHERE due_at <= ? ORDER BY due_at, id';
const choices = Object.keys(outcomes).map((name) => `WHEN '${name}' THEN '${outcomeOf(name).status}'`);
const statusSql = `CASE outcome ${choices.join(' ')} ELSE '${outcomeOf('').status}' END`;
// A29: a check that succeeds is not the end of a payout.
const checkedSql = `kind = 'payout-check' AND ${statusSql} = 'approved'`;
// All in one statement: a server under load makes as many final as it receives.
const finishSql = `
  UPDATE transactions SET
    status = iif(${checkedSql}, status, ${statusSql}), step = iif(${checkedSql}, 'validated', 'none'),
    done_at = iif(${checkedSql}, done_at, due_at), due_at = NULL
  WHERE due_at <= ?
`;

/**
 * Makes every transaction final that is due by `until`, each at its own time and in that order; returns what happened.
 */
function finishDue(store: Store, until: number): ClockEvent[] {
  const { database } = store;
  const rows = database.all(dueSql, until);
  database.run(finishSql, until);
  return rows.map((row) => {
    const [at, orderId, kind] = [number(row, 'due_at'), text(row, 'order_id'), kindFrom(row)];
    const word = outcomeOf(text(row, 'outcome')).status;
    const isChecked = kind === 'payout-check' && word === 'approved';
    if (kind === 'preauth' && word === 'approved') scheduleHoldExpiry(store, orderId, at);
    if (row['is_told'] === 1 && isFinal(word) && !isChecked) addCallbackNote(store, 'final', number(row, 'id'), at);
    const stage = isChecked ? stageOf(kind, 'processing', 'validated') : stageOf(kind, word, 'none');
    recordEvent(store, { kind: 'stage', at, login: text(row, 'login'), orderId, title: stage });
    return { at, what: `order ${orderId}: ${stage}` };
  });
}

// A33: the balance already accounts for an expired hold; these rows only log it at its time.
export const holdTables = `
  CREATE TABLE holds (order_id TEXT PRIMARY KEY, lapses_at INTEGER NOT NULL) WITHOUT ROWID;
  CREATE INDEX holds_due ON holds (lapses_at);
`;

/** For a preauth that was just approved. */
function scheduleHoldExpiry({ database }: Store, orderId: string, at: number): void {
  database.run('INSERT OR REPLACE INTO holds VALUES (?, ?)', orderId, at + holdLifetimeMs + 1);
}

/** Holds that expire before they were fully captured. */
export const holdExpiries: DueSource = {
  due: 'SELECT min(lapses_at) FROM holds',
  run(store, at) {
    const due = store.database.all('SELECT order_id FROM holds WHERE lapses_at <= ? ORDER BY lapses_at, order_id', at);
    store.database.run('DELETE FROM holds WHERE lapses_at <= ?', at);
    return due.flatMap((row) => expireHold(store, text(row, 'order_id'))).map((what) => ({ at, what }));
  },
};

function expireHold(store: Store, orderId: string): string[] {
  const order = orderOfAnyMerchant(store, orderId);
  if (order === undefined) return [];
  const transactions = transactionsOf(store, orderId);
  const { capturable } = balanceOf(order, transactions);
  const isVoided = transactions.some(({ kind, status }) => kind === 'void' && status === 'approved');
  if (capturable <= 0n || isVoided) return [];
  const left = `${decimalText(capturable, order.digits)} ${order.currency ?? ''}`.trim();
  recordEvent(store, {
    kind: 'stage',
    login: order.login,
    orderId,
    title: `the hold expired with ${left} left uncaptured`,
  });
  return [`order ${orderId}: the hold expired with ${left} left uncaptured`];
}

// A customer who never comes back from the bank has left the form as well.
const payerSteps: readonly Step[] = ['form', 'method', 'frictionless', 'challenge', 'pareq', 'simplified'];

/** A32: hosted forms that were not finished, and payments whose 3-D Secure step was not. */
export const abandonedPayers: DueSource = {
  due: 'SELECT min(expires_at) FROM visits WHERE expires_at IS NOT NULL',
  run(store, at) {
    const rows = store.database.all('UPDATE visits SET expires_at = NULL WHERE expires_at <= ? RETURNING order_id', at);
    return rows.flatMap((row) => {
      const orderId = text(row, 'order_id');
      const [opening] = transactionsOf(store, orderId);
      if (opening === undefined || opening.status !== 'processing' || !payerSteps.includes(opening.step)) return [];
      const order = orderOfAnyMerchant(store, orderId);
      const isForm = order !== undefined && isHosted(order);
      // UNKNOWN: the authentication was not completed.
      const end = isForm
        ? ({ outcome: 'form-expired' } as const)
        : ({ outcome: 'unauthenticated', tdsResult: 'UNKNOWN' } as const);
      changeStep(store, opening, { step: 'none', ...end, dueAt: at });
      recordEvent(store, {
        kind: 'page',
        orderId,
        title: isForm ? 'hosted form expired' : '3-D Secure was not completed in time',
      });
      return [
        {
          at,
          what: isForm
            ? `the hosted form of order ${orderId} expired`
            : `order ${orderId}: 3-D Secure was not completed in time`,
        },
      ];
    });
  },
};
