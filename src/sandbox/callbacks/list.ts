import type { SqlRow } from '../../runtime/ports.js';
import { number, optionalNumber, optionalText, text } from '../columns.js';
import type { Store } from '../store.js';

/** One attempt in the delivery log. */
export interface AttemptFacts {
  /** On the sandbox clock, and on the machine's. */
  readonly at: string;
  readonly machineAt: string;
  readonly status: number | null;
  readonly reply: string | null;
  readonly reason: string | null;
  readonly milliseconds: number | null;
}

export interface CallbackRow {
  readonly id: number;
  readonly orderId: string;
  readonly clientOrderId: string;
  readonly status: string;
  readonly url: string;
  readonly script: string;
  readonly state: string;
  readonly madeAt: string;
  /** When the next attempt is due; null when none is. */
  readonly dueAt: string | null;
  readonly attempts: readonly AttemptFacts[];
}

/** The outbox with its delivery log, oldest first; of one order when its id, or its client order id, is given. */
export function listCallbacks({ database }: Store, order?: string): CallbackRow[] {
  const all = 'SELECT callbacks.*, orders.client_order_id FROM callbacks JOIN orders ON orders.id = callbacks.order_id';
  const rows =
    order === undefined
      ? database.all(`${all} ORDER BY callbacks.id`)
      : database.all(`${all} WHERE orders.id = ? OR orders.client_order_id = ? ORDER BY callbacks.id`, order, order);
  return rows.map((row) => ({
    id: number(row, 'id'),
    orderId: text(row, 'order_id'),
    clientOrderId: text(row, 'client_order_id'),
    status: text(row, 'status'),
    url: text(row, 'url'),
    script: text(row, 'script'),
    state: text(row, 'state'),
    madeAt: timeText(number(row, 'made_at')),
    dueAt: row['due_at'] === null ? null : timeText(number(row, 'due_at')),
    attempts: database.all('SELECT * FROM callback_attempts WHERE callback_id = ? ORDER BY id', number(row, 'id')).map(attemptFrom),
  }));
}

function attemptFrom(row: SqlRow): AttemptFacts {
  return {
    at: timeText(number(row, 'at')),
    machineAt: timeText(number(row, 'machine_at')),
    status: optionalNumber(row, 'status') ?? null,
    reply: optionalText(row, 'reply') ?? null,
    reason: optionalText(row, 'reason') ?? null,
    milliseconds: optionalNumber(row, 'duration_ms') ?? null,
  };
}

/** A moment as RFC 3339, without needless zeros. */
export function timeText(time: number): string {
  return new Date(time).toISOString().replace('.000Z', 'Z');
}
