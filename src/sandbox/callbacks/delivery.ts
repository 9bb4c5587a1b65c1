import type { SqlRow } from '../../runtime/ports.js';
import { advance, nextDueTime } from '../effects/clock.js';
import type { CallbackState } from '../ledger/callback-outbox.js';
import { recordEvent } from '../ledger/events.js';
import { number, type Store, text } from '../ledger/store.js';
import { payloadOf, requestFor } from './payload.js';
import { type CallbackReply, type Resolve, sendCallback, systemResolve } from './send.js';

export interface DeliveryOptions {
  /** Hosts besides this machine that may be called, as `callbackHost` writes them. */
  readonly allowed?: readonly string[] | undefined;
  /** A24: GET or POST. */
  readonly form?: string | undefined;
  readonly resolve?: Resolve | undefined;
  /** Called for storage errors. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** Delivers callbacks while a sandbox listens. Otherwise they stay pending in the file. */
export interface CallbackDeliverer {
  /** Delivers until it is stopped, each callback when the sandbox clock says so. */
  start(): void;
  /** Aborts running attempts, which are repeated after the next start. */
  stop(): Promise<void>;
  /** Sends everything that is due now, and what becomes due meanwhile. */
  deliverDue(): Promise<void>;
  /** Resolves once the callbacks that must arrive before a reply were tried; undefined when there are none. */
  beforeReply(): Promise<void> | undefined;
}

const pollMs = 100;
// Callbacks of one order are sent in sequence, those of different orders in parallel.
const maxConcurrentOrders = 16;
const stopped = 'the sandbox was stopped';

export function openDeliverer(store: Store, options: DeliveryOptions = {}): CallbackDeliverer {
  const busy = new Map<string, Promise<void>>();
  const ending = new AbortController();
  let loop: Promise<void> | undefined;

  const begin = (orders: readonly string[]) => {
    for (const orderId of orders) {
      if (ending.signal.aborted || busy.has(orderId) || busy.size >= maxConcurrentOrders) continue;
      busy.set(
        orderId,
        deliverOrder(store, orderId, ending.signal, options).finally(() => busy.delete(orderId)),
      );
    }
  };
  const deliverDue = async () => {
    for (;;) {
      advanceIfDue(store);
      begin(ordersDue(store));
      if (busy.size === 0) return;
      await Promise.race(busy.values());
    }
  };
  return {
    deliverDue,
    start() {
      resumeAttempts(store, 'the sandbox stopped before the reply arrived');
      loop ??= poll(store, begin, ending.signal, options);
    },
    async stop() {
      ending.abort();
      await Promise.all([loop, ...busy.values()]);
      resumeAttempts(store, stopped);
    },
    beforeReply() {
      const early = earlyOrders(store, options);
      if (early.length === 0) return undefined;
      begin(early);
      return Promise.all(early.map((orderId) => busy.get(orderId))).then(() => undefined);
    },
  };
}

async function poll(
  store: Store,
  begin: (orders: readonly string[]) => void,
  ending: AbortSignal,
  { onFault }: DeliveryOptions,
) {
  while (!ending.aborted) {
    try {
      advanceIfDue(store);
      begin(ordersDue(store));
    } catch (error) {
      onFault?.(error);
    }
    await store.machine.sleep(pollMs);
  }
}

/** Applies due changes on time even when no request comes. */
function advanceIfDue(store: Store): void {
  const due = nextDueTime(store);
  if (due !== undefined && due <= store.clock.now()) store.database.transaction(() => advance(store));
}

async function deliverOrder(
  store: Store,
  orderId: string,
  ending: AbortSignal,
  options: DeliveryOptions,
): Promise<void> {
  try {
    for (;;) {
      const attempt = ending.aborted ? undefined : beginAttempt(store, orderId);
      if (attempt === undefined) return;
      const answer = await sendAttempt(store, attempt, ending, options);
      // Aborted by us: the attempt stays open and is resumed later.
      if (answer.reason === stopped && ending.aborted) return;
      endAttempt(store, attempt, answer);
    }
  } catch (error) {
    options.onFault?.(error);
  }
}

async function sendAttempt(
  store: Store,
  attempt: Attempt,
  signal: AbortSignal,
  options: DeliveryOptions,
): Promise<CallbackReply> {
  const fields = payloadOf(store, attempt);
  if (fields === undefined) return { status: undefined, reply: undefined, reason: 'the order no longer exists' };
  const { allowed = [], resolve = systemResolve, form = 'GET' } = options;
  return sendCallback(requestFor(attempt.url, fields, form), { allowed, resolve, signal });
}

/** None when they cannot be read: the reply is correct without them. */
function earlyOrders(store: Store, { onFault }: DeliveryOptions): string[] {
  const { database } = store;
  try {
    if (database.get('SELECT id FROM callback_notes LIMIT 1') !== undefined) advanceIfDue(store);
    const early =
      "SELECT DISTINCT order_id FROM callbacks WHERE due_at IS NOT NULL AND script = 'before-response' AND attempts = 0";
    return database.all(early).map((row) => text(row, 'order_id'));
  } catch (error) {
    onFault?.(error);
    return [];
  }
}

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
// A25: how long after each failed attempt the next one comes; after the last of these it comes daily.
const retryDelays = [
  10 * second,
  30 * second,
  ...[2, 5, 10, 20, 30].map((minutes) => minutes * minute),
  ...[1, 2, 3, 6, 12, 18].map((hours) => hours * hour),
];
const maxAttempts = 30;
const maxAge = 14 * day;

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
  readonly startedAt: number;
}

/** Orders with a callback that is due, the longest waiting first. */
export function ordersDue({ database, clock }: Store): string[] {
  const due =
    'SELECT order_id, min(due_at) AS due FROM callbacks WHERE due_at <= ? GROUP BY order_id ORDER BY due, order_id';
  return database.all(due, clock.now()).map((row) => text(row, 'order_id'));
}

/** Takes the next due callback of an order; under `swapped` the newest, although it may be due a little later. */
export function beginAttempt(store: Store, orderId: string): Attempt | undefined {
  const { database, clock, machine } = store;
  const now = clock.now();
  return database.transaction(() => {
    const oldest = database.get(
      'SELECT * FROM callbacks WHERE order_id = ? AND due_at <= ? ORDER BY due_at, id',
      orderId,
      now,
    );
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
      startedAt: machine.monotonic(),
    };
  });
}

function nextTime(row: SqlRow, count: number, now: number): number | undefined {
  const next = now + (retryDelays[count - 1] ?? day);
  return count >= maxAttempts || next > number(row, 'made_at') + maxAge ? undefined : next;
}

/** Records the result of an attempt. */
export function endAttempt(store: Store, attempt: Attempt, { status, reply, reason }: CallbackReply): void {
  const { database, machine } = store;
  const took = Math.round(machine.monotonic() - attempt.startedAt);
  database.transaction(() => {
    const result = 'UPDATE callback_attempts SET status = ?, reply = ?, reason = ?, duration_ms = ? WHERE id = ?';
    database.run(result, status ?? null, reply ?? null, reason ?? null, took, attempt.id);
    const isDelivered = status === 200 && reason === undefined;
    const end = "UPDATE callbacks SET state = ?, due_at = NULL WHERE id = ? AND state = 'pending'";
    const given: CallbackState = isDelivered ? 'delivered' : 'given-up';
    if (isDelivered) database.run(end, given, attempt.callbackId);
    else database.run(`${end} AND due_at IS NULL`, given, attempt.callbackId);
    const received = isDelivered
      ? 'was delivered'
      : `was not delivered: ${[status, reason].filter((part) => part !== undefined).join(', ')}`;
    const title = `callback (${attempt.status}) ${received}, attempt ${attempt.count}`;
    const detail = {
      url: attempt.url,
      status: String(status ?? ''),
      reply: reply ?? '',
      reason: reason ?? '',
      milliseconds: String(took),
    };
    recordEvent(store, { kind: 'callback', login: attempt.login, orderId: attempt.orderId, title, detail });
  });
}

/** An attempt cut off with its process may or may not have arrived: its callback is due again at once. */
export function resumeAttempts({ database, clock }: Store, reason: string): void {
  database.transaction(() => {
    const open = 'SELECT callback_id FROM callback_attempts WHERE status IS NULL AND reason IS NULL';
    database.run(`UPDATE callbacks SET due_at = ? WHERE state = 'pending' AND id IN (${open})`, clock.now());
    database.run('UPDATE callback_attempts SET reason = ? WHERE status IS NULL AND reason IS NULL', reason);
  });
}
