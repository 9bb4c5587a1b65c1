import type { Step } from '../../spec/lifecycle.js';
import { text } from '../columns.js';
import type { DueSource } from '../due.js';
import { record } from '../events.js';
import { isHosted, orderOfId } from './orders.js';
import { changeStep, transactionsOf } from './transactions.js';

// A customer who is sent to the bank and never comes back has left the form as well.
const waiting: readonly Step[] = ['form', 'method', 'frictionless', 'challenge', 'pareq', 'simplified'];

/** A32: hosted forms nobody finished, and payments nobody took through 3-D Secure. */
export const abandonedPayers: DueSource = {
  due: 'SELECT min(expires_at) FROM visits WHERE expires_at IS NOT NULL',
  run(store, at) {
    const rows = store.database.all('UPDATE visits SET expires_at = NULL WHERE expires_at <= ? RETURNING order_id', at);
    return rows.flatMap((row) => {
      const orderId = text(row, 'order_id');
      const [opening] = transactionsOf(store, orderId);
      if (opening === undefined || opening.status !== 'processing' || !waiting.includes(opening.step)) return [];
      const order = orderOfId(store, orderId);
      const isForm = order !== undefined && isHosted(order);
      // UNKNOWN: the authentication was not done.
      const end = isForm ? ({ outcome: 'form-expired' } as const) : ({ outcome: 'unauthenticated', tdsResult: 'UNKNOWN' } as const);
      changeStep(store, opening, { step: 'none', ...end, dueAt: at });
      record(store, { kind: 'page', orderId, title: isForm ? 'hosted form expired' : '3-D Secure was not finished in time' });
      return [
        { at, what: isForm ? `the hosted form of order ${orderId} expired` : `order ${orderId}: 3-D Secure was not finished in time` },
      ];
    });
  },
};
