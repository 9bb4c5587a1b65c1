import type { Step } from '../../spec/lifecycle.js';
import { text } from '../columns.js';
import type { DueSource } from '../due.js';
import { record } from '../events.js';
import { changeStep, transactionsOf } from './transactions.js';

// A customer who is sent to the bank and never comes back has left the form as well.
const waiting: readonly Step[] = ['form', 'method', 'frictionless', 'challenge', 'pareq', 'simplified'];

/** A32: hosted forms nobody finished. */
export const abandonedForms: DueSource = {
  due: 'SELECT min(expires_at) FROM visits WHERE expires_at IS NOT NULL',
  run(store, at) {
    const rows = store.database.all('UPDATE visits SET expires_at = NULL WHERE expires_at <= ? RETURNING order_id', at);
    return rows.flatMap((row) => {
      const orderId = text(row, 'order_id');
      const [opening] = transactionsOf(store, orderId);
      if (opening === undefined || opening.status !== 'processing' || !waiting.includes(opening.step)) return [];
      changeStep(store, opening, { step: 'none', outcome: 'form-expired', dueAt: at });
      record(store, { kind: 'page', orderId, title: 'hosted form expired' });
      return [{ at, what: `the hosted form of order ${orderId} expired` }];
    });
  },
};
