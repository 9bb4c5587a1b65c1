import type { SqlRow } from '../../runtime/ports.js';
import { number, text } from '../columns.js';
import { record } from '../events.js';
import type { Store } from '../store.js';
import type { CallbackState } from './outbox.js';
import type { Answer } from './send.js';

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
// A25: how long after each failed attempt the next one comes; after the last of these it comes daily.
const gaps = [
  10 * second,
  30 * second,
  ...[2, 5, 10, 20, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12, 18].map((hours) => hours * hour),
];
const mostAttempts = 30;
const mostAge = 14 * day;

/** One attempt at a callback, marked in the file before anything is sent. */
export interface Attempt {
  readonly id: number;
  readonly callbackId: number;
  readonly login: string;
  readonly orderId: string;
  readonly transactionId: number;
  readonly url: string;
  readonly status: string;
  readonly script: string;
  /** 1 for the first attempt. */
  readonly count: number;
  readonly began: number;
}

/** Orders with a callback that is due, the longest waiting first. */
export function ordersDue({ database, clock }: Store): string[] {
  const due = 'SELECT order_id, min(due_at) AS due FROM callbacks WHERE due_at <= ? GROUP BY order_id ORDER BY due, order_id';
  return database.all(due, clock.now()).map((row) => text(row, 'order_id'));
}

/** Takes the next due callback of an order; under `swapped` the newest, although it may be due a little later. */
export function beginAttempt(store: Store, orderId: string): Attempt | undefined {
  const { database, clock, machine } = store;
  const now = clock.now();
  return database.transaction(() => {
    const oldest = database.get('SELECT * FROM callbacks WHERE order_id = ? AND due_at <= ? ORDER BY due_at, id', orderId, now);
    if (oldest === undefined) return undefined;
    const newest =
      "SELECT * FROM callbacks WHERE order_id = ? AND script = 'swapped' AND state = 'pending' AND attempts = 0 ORDER BY id DESC";
    const row = text(oldest, 'script') === 'swapped' ? (database.get(newest, orderId) ?? oldest) : oldest;
    const callbackId = number(row, 'id');
    const count = number(row, 'attempts') + 1;
    const next = nextTime(row, count, now);
    database.run('UPDATE callbacks SET attempts = ?, due_at = ? WHERE id = ?', count, next ?? null, callbackId);
    const insert = 'INSERT INTO callback_attempts (callback_id, at, machine_at) VALUES (?, ?, ?) RETURNING id';
    const made = database.get(insert, callbackId, now, machine.now()) ?? {};
    return {
      id: number(made, 'id'),
      callbackId,
      login: text(row, 'login'),
      orderId,
      transactionId: number(row, 'transaction_id'),
      url: text(row, 'url'),
      status: text(row, 'status'),
      script: text(row, 'script'),
      count,
      began: machine.monotonic(),
    };
  });
}

function nextTime(row: SqlRow, count: number, now: number): number | undefined {
  const next = now + (gaps[count - 1] ?? day);
  return count >= mostAttempts || next > number(row, 'made_at') + mostAge ? undefined : next;
}

/** Writes down what became of an attempt. */
export function endAttempt(store: Store, attempt: Attempt, { status, reply, reason }: Answer): void {
  const { database, machine } = store;
  const took = Math.round(machine.monotonic() - attempt.began);
  database.transaction(() => {
    const result = 'UPDATE callback_attempts SET status = ?, reply = ?, reason = ?, duration_ms = ? WHERE id = ?';
    database.run(result, status ?? null, reply ?? null, reason ?? null, took, attempt.id);
    const isDelivered = status === 200 && reason === undefined;
    const end = "UPDATE callbacks SET state = ?, due_at = NULL WHERE id = ? AND state = 'pending'";
    const given: CallbackState = isDelivered ? 'delivered' : 'given-up';
    if (isDelivered) database.run(end, given, attempt.callbackId);
    else database.run(`${end} AND due_at IS NULL`, given, attempt.callbackId);
    const came = isDelivered ? 'was delivered' : `was not delivered: ${[status, reason].filter((part) => part !== undefined).join(', ')}`;
    const title = `callback about ${attempt.status} ${came} (attempt ${attempt.count})`;
    const detail = { url: attempt.url, status: String(status ?? ''), reply: reply ?? '', reason: reason ?? '', milliseconds: String(took) };
    record(store, { kind: 'callback', login: attempt.login, orderId: attempt.orderId, title, detail });
  });
}

/** An attempt that did not end with its process may or may not have arrived: its callback is due again at once. */
export function resumeAttempts({ database, clock }: Store, reason: string): void {
  database.transaction(() => {
    const open = 'SELECT callback_id FROM callback_attempts WHERE status IS NULL AND reason IS NULL';
    database.run(`UPDATE callbacks SET due_at = ? WHERE state = 'pending' AND id IN (${open})`, clock.now());
    database.run('UPDATE callback_attempts SET reason = ? WHERE status IS NULL AND reason IS NULL', reason);
  });
}
