import { advance, nextDue } from '../advance.js';
import { text } from '../columns.js';
import type { Store } from '../store.js';
import { type Resolve, systemResolve } from './address.js';
import { type Attempt, beginAttempt, endAttempt, ordersDue, resumeAttempts } from './attempts.js';
import { payloadOf, requestFor } from './payload.js';
import { type Answer, sendCallback } from './send.js';

export interface DeliveryOptions {
  /** Hosts besides this machine that may be called, as `callbackHost` writes them. */
  readonly allowed?: readonly string[] | undefined;
  /** A24: GET or POST. */
  readonly form?: string | undefined;
  readonly resolve?: Resolve | undefined;
  /** Told about faults of the storage. */
  readonly onFault?: ((error: unknown) => void) | undefined;
}

/** Delivers callbacks while a sandbox listens. Without one they stay in the file, pending. */
export interface Deliverer {
  /** Delivers until it is stopped, each callback when the sandbox clock says so. */
  start(): void;
  /** Cuts off what is under way, which is then sent anew after the next start. */
  stop(): Promise<void>;
  /** Sends everything that is due now, and what becomes due meanwhile. */
  deliverDue(): Promise<void>;
  /** Settles once the callbacks that are to arrive before a reply have been tried; undefined when there are none. */
  beforeReply(): Promise<void> | undefined;
}

const pollMs = 100;
// Callbacks of one order go one after the other, those of different orders side by side.
const mostAtOnce = 16;
const stopped = 'the sandbox was stopped';

export function openDeliverer(store: Store, options: DeliveryOptions = {}): Deliverer {
  const busy = new Map<string, Promise<void>>();
  const ending = new AbortController();
  let loop: Promise<void> | undefined;

  const begin = (orders: readonly string[]) => {
    for (const orderId of orders) {
      if (ending.signal.aborted || busy.has(orderId) || busy.size >= mostAtOnce) continue;
      busy.set(
        orderId,
        deliverOrder(store, orderId, ending.signal, options).finally(() => busy.delete(orderId)),
      );
    }
  };
  const deliverDue = async () => {
    for (;;) {
      bringUpToDate(store);
      begin(ordersDue(store));
      if (busy.size === 0) return;
      await Promise.race(busy.values());
    }
  };
  return {
    deliverDue,
    start() {
      resumeAttempts(store, 'the sandbox ended before the reply');
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

async function poll(store: Store, begin: (orders: readonly string[]) => void, ending: AbortSignal, { onFault }: DeliveryOptions) {
  while (!ending.aborted) {
    try {
      bringUpToDate(store);
      begin(ordersDue(store));
    } catch (error) {
      onFault?.(error);
    }
    await store.machine.sleep(pollMs);
  }
}

/** What is due happens at its time even when no request comes. */
function bringUpToDate(store: Store): void {
  const due = nextDue(store);
  if (due !== undefined && due <= store.clock.now()) store.database.transaction(() => advance(store));
}

async function deliverOrder(store: Store, orderId: string, ending: AbortSignal, options: DeliveryOptions): Promise<void> {
  try {
    for (;;) {
      const attempt = ending.aborted ? undefined : beginAttempt(store, orderId);
      if (attempt === undefined) return;
      const answer = await answerTo(store, attempt, ending, options);
      // Cut off by us: the attempt stays open and is taken up again.
      if (answer.reason === stopped && ending.aborted) return;
      endAttempt(store, attempt, answer);
    }
  } catch (error) {
    options.onFault?.(error);
  }
}

async function answerTo(store: Store, attempt: Attempt, signal: AbortSignal, options: DeliveryOptions): Promise<Answer> {
  const fields = payloadOf(store, attempt);
  if (fields === undefined) return { status: undefined, reply: undefined, reason: 'the order was forgotten' };
  const { allowed = [], resolve = systemResolve, form = 'GET' } = options;
  return sendCallback(requestFor(attempt.url, fields, form), { allowed, resolve, signal });
}

/** None when they cannot be read: the reply is ready and says the truth without them. */
function earlyOrders(store: Store, { onFault }: DeliveryOptions): string[] {
  const { database } = store;
  try {
    if (database.get('SELECT id FROM callback_notes LIMIT 1') !== undefined) bringUpToDate(store);
    const early = "SELECT DISTINCT order_id FROM callbacks WHERE due_at IS NOT NULL AND script = 'before-response' AND attempts = 0";
    return database.all(early).map((row) => text(row, 'order_id'));
  } catch (error) {
    onFault?.(error);
    return [];
  }
}
