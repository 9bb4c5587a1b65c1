import { isFinal, type StatusWord } from '../../spec/index.js';
import { outcomeOf } from '../outcomes.js';
import { type Store, timeText } from '../store.js';
import { integer, numberedOnce, optional, Table, text } from '../table.js';
import { type ScriptName, scriptFor } from './scripts.js';

/** `pending` while an attempt is planned or running, then one of the others permanently. */
export type CallbackState = 'pending' | 'delivered' | 'given-up' | 'withheld';

export const callbacks = new Table(
  'callbacks',
  {
    id: numberedOnce,
    transactionId: integer,
    orderId: text,
    login: text,
    url: text,
    status: text,
    script: text,
    state: text,
    madeAt: integer,
    dueAt: optional(integer),
    attempts: integer,
  },
  [
    'INDEX callbacks_due ON @ (due_at) WHERE due_at IS NOT NULL',
    'INDEX callbacks_of_order ON @ (order_id, id)',
    'INDEX callbacks_of_transaction ON @ (transaction_id)',
  ],
);

/** One attempt in the delivery log: on both clocks, with the answer or why there was none. */
export const callbackAttempts = new Table(
  'callback_attempts',
  {
    id: numberedOnce,
    callbackId: integer,
    at: integer,
    machineAt: integer,
    status: optional(integer),
    reply: optional(text),
    reason: optional(text),
    durationMs: optional(integer),
  },
  ['INDEX attempts_of_callback ON @ (callback_id, id)'],
);

/** What is read of an order and of its transaction; both modules cannot know each other. */
type ToldOrder = Readonly<
  Record<'id' | 'login' | 'clientOrderId', string> & Record<'callbackUrl' | 'notifyUrl', string | undefined>
>;
type ToldTransaction = Readonly<Record<'kind' | 'outcome', string> & { id: number; status: StatusWord }>;

/** Between two callbacks of which the first counts as unanswered. */
const againAfterMs = 1000;
const delays: Partial<Readonly<Record<ScriptName, number>>> = { swapped: 10_000, late: 3_600_000 };

/**
 * Writes the callbacks about a transaction that was just planned or has become final, in the same database transaction,
 * so that ending the process loses none. Returns a line for each.
 */
export function queueCallbacks(store: Store, order: ToldOrder, transaction: ToldTransaction, at: number): string[] {
  const first = 'SELECT min(id) AS id FROM transactions WHERE order_id = ?';
  const isFirst = () => store.database.get(first, order.id)?.['id'] === transaction.id;
  const { notifyUrl, callbackUrl } = order;
  const wanted = [callbackUrl !== undefined && isFirst() ? callbackUrl : undefined, notifyUrl];
  const urls = new Set(wanted.filter((url) => url !== undefined));
  if (urls.size === 0) return [];
  const chosen = scriptFor(store, order.login, order.clientOrderId);
  const planned = transaction.status === 'processing' ? early(transaction, chosen) : final(store, transaction, chosen);
  if (planned === undefined) return [];
  const { status, script, times = [0] } = planned;
  const state: CallbackState = script === 'never' ? 'withheld' : 'pending';
  if (script === 'before-response') store.early.add(order.id);
  return [...urls].flatMap((url) =>
    times.map((after) => {
      const dueAt = script === 'never' ? undefined : at + after + (delays[script] ?? 0);
      const about = { transactionId: transaction.id, orderId: order.id, login: order.login };
      callbacks.insert(store, { ...about, url, status, script, state, madeAt: at, dueAt, attempts: 0 });
      return `order ${order.id}: a callback (${status}) is ${state}`;
    }),
  );
}

interface Planned {
  readonly status: string;
  readonly script: ScriptName;
  /** How long after the event. */
  readonly times?: readonly number[];
}

/** Under `before-response` the callback reports the planned outcome, if that is final; a forged one an approval. */
function early({ kind, outcome }: ToldTransaction, script: ScriptName): Planned | undefined {
  if (script === 'forged' || script === 'other-order') return { status: 'approved', script };
  const { status } = outcomeOf(outcome);
  // A29: a check that succeeds is not the end of a payout.
  const isEnd = isFinal(status) && !(kind === 'payout-check' && status === 'approved');
  return script === 'before-response' && isEnd ? { status, script } : undefined;
}

function final(store: Store, { id, status }: ToldTransaction, chosen: ScriptName): Planned | undefined {
  if (!isFinal(status)) return undefined;
  const sent = "WHERE transaction_id = ? AND script = 'before-response' AND status = ?";
  if (callbacks.get(store, sent, id, status) !== undefined) return undefined;
  // What an attacker sent before changes nothing about the true one.
  const script = chosen === 'forged' || chosen === 'other-order' ? 'normal' : chosen;
  const times = script === 'twice' ? [0, 0] : script === 'again' ? [0, againAfterMs] : [0];
  return { status, script, times };
}

/** The outbox with its delivery log, oldest first; of one order when its id, or its client order id, is given. */
export function listCallbacks(store: Store, order?: string) {
  const rows =
    order === undefined
      ? callbacks.all(store, 'ORDER BY id')
      : callbacks.all(
          store,
          'JOIN orders o ON o.id = order_id WHERE o.id = ? OR o.client_order_id = ? ORDER BY callbacks.id',
          order,
          order,
        );
  const names = 'SELECT client_order_id FROM orders WHERE id = ?';
  return rows.map(({ id, orderId, status, url, script, state, madeAt, dueAt }) => ({
    id,
    orderId,
    clientOrderId: String(store.database.get(names, orderId)?.['client_order_id']),
    status,
    url,
    script,
    state,
    madeAt: timeText(madeAt),
    /** When the next attempt is due; null when none is. */
    dueAt: dueAt === undefined ? null : timeText(dueAt),
    attempts: callbackAttempts.all(store, 'WHERE callback_id = ? ORDER BY id', id).map((attempt) => ({
      at: timeText(attempt.at),
      machineAt: timeText(attempt.machineAt),
      status: attempt.status ?? null,
      reply: attempt.reply ?? null,
      reason: attempt.reason ?? null,
      milliseconds: attempt.durationMs ?? null,
    })),
  }));
}

export type StoredCallback = ReturnType<typeof listCallbacks>[number];
