import { advance, nextDueTime } from '../clock.js';
import { recordEvent } from '../log.js';
import type { Store } from '../store.js';
import type { Row } from '../table.js';
import { callbackAttempts, callbacks } from './outbox.js';
import { payloadOf, requestFor } from './payload.js';
import { type CallbackReply, sendCallback } from './send.js';

export interface DeliveryOptions {
  /** Hosts besides this machine that may be called, as a URL writes them. */
  readonly allowed?: readonly string[] | undefined;
  /** A24: GET or POST. */
  readonly form?: string | undefined;
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
      loop ??= poll(store, begin, ending.signal);
    },
    async stop() {
      ending.abort();
      await Promise.all([loop, ...busy.values()]);
      resumeAttempts(store, stopped);
    },
    beforeReply() {
      const early = [...store.early];
      if (early.length === 0) return undefined;
      store.early.clear();
      begin(early);
      return Promise.all(early.map((orderId) => busy.get(orderId))).then(() => undefined);
    },
  };
}

async function poll(store: Store, begin: (orders: readonly string[]) => void, ending: AbortSignal) {
  while (!ending.aborted) {
    try {
      advanceIfDue(store);
      begin(ordersDue(store));
    } catch {
      // The file cannot be used: tried again at the next look.
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
  } catch {
    // What was not written down is sent again.
  }
}

async function sendAttempt(
  store: Store,
  { callback }: Attempt,
  signal: AbortSignal,
  options: DeliveryOptions,
): Promise<CallbackReply> {
  const fields = payloadOf(store, callback);
  if (fields === undefined) return { status: undefined, reply: undefined, reason: 'the order no longer exists' };
  const { allowed = [], form = 'GET' } = options;
  return sendCallback(requestFor(callback.url, fields, form), allowed, signal);
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
interface Attempt {
  readonly id: number;
  /** With this attempt counted. */
  readonly callback: Row<typeof callbacks>;
  /** On the machine's monotonic clock. */
  readonly startedAt: number;
}

/** Orders with a callback that is due, the longest waiting first. */
function ordersDue({ database, clock }: Store): string[] {
  const due =
    'SELECT order_id, min(due_at) AS due FROM callbacks WHERE due_at <= ? GROUP BY order_id ORDER BY due, order_id';
  return database.all(due, clock.now()).map((row) => String(row['order_id']));
}

/** Takes the next due callback of an order; under `swapped` the newest, although it may be due a little later. */
function beginAttempt(store: Store, orderId: string): Attempt | undefined {
  const { clock, machine } = store;
  const now = clock.now();
  return store.database.transaction(() => {
    const oldest = callbacks.get(store, 'WHERE order_id = ? AND due_at <= ? ORDER BY due_at, id', orderId, now);
    if (oldest === undefined) return undefined;
    const newest =
      "WHERE order_id = ? AND script = 'swapped' AND state = 'pending' AND attempts = 0 ORDER BY id DESC LIMIT 1";
    const callback = oldest.script === 'swapped' ? (callbacks.get(store, newest, orderId) ?? oldest) : oldest;
    const attempts = callback.attempts + 1;
    const next = now + (retryDelays[attempts - 1] ?? day);
    const dueAt = attempts >= maxAttempts || next > callback.madeAt + maxAge ? undefined : next;
    callbacks.update(store, callback.id, { attempts, dueAt });
    const { lastId } = callbackAttempts.insert(store, { callbackId: callback.id, at: now, machineAt: machine.now() });
    return { id: lastId, callback: { ...callback, attempts }, startedAt: machine.monotonic() };
  });
}

/** Records the result of an attempt. */
function endAttempt(store: Store, { id, callback, startedAt }: Attempt, answer: CallbackReply): void {
  const { status, reply, reason } = answer;
  const { login, orderId, url } = callback;
  const durationMs = Math.round(store.machine.monotonic() - startedAt);
  store.database.transaction(() => {
    callbackAttempts.update(store, id, { status, reply, reason, durationMs });
    const isDelivered = status === 200 && reason === undefined;
    const open = callbacks.get(store, "WHERE id = ? AND state = 'pending'", callback.id);
    if (open !== undefined && isDelivered) callbacks.update(store, open.id, { state: 'delivered', dueAt: undefined });
    if (open !== undefined && !isDelivered && open.dueAt === undefined)
      callbacks.update(store, open.id, { state: 'given-up' });
    const why = [status, reason].filter((part) => part !== undefined).join(', ');
    const title = `callback (${callback.status}) ${isDelivered ? 'was delivered' : `was not delivered: ${why}`}, attempt ${callback.attempts}`;
    const detail = {
      url,
      status: String(status ?? ''),
      reply: reply ?? '',
      reason: reason ?? '',
      milliseconds: String(durationMs),
    };
    recordEvent(store, { kind: 'callback', login, orderId, title, detail });
  });
}

/** An attempt cut off with its process may or may not have arrived: its callback is due again at once. */
function resumeAttempts({ database, clock }: Store, reason: string): void {
  database.transaction(() => {
    const open = 'SELECT callback_id FROM callback_attempts WHERE status IS NULL AND reason IS NULL';
    database.run(`UPDATE callbacks SET due_at = ? WHERE state = 'pending' AND id IN (${open})`, clock.now());
    database.run('UPDATE callback_attempts SET reason = ? WHERE status IS NULL AND reason IS NULL', reason);
  });
}
