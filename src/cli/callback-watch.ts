import type { CallbackStore } from '../callbacks/store.js';
import { isPaycliError } from '../errors/index.js';
import type { OrderIds } from './core/order-requests.js';
import { callbacksPath, openCallbackHistory } from './core/user-stores.js';
import type { GatewayContext } from './gateway.js';

export interface CallbackWatcher {
  /** Ends early when a callback about the order is stored. */
  sleep(ms: number): Promise<void>;
  /** What ended the last sleep. */
  wokenBy(): 'callback' | 'poll';
  close(): void;
}

const checkEveryMs = 250;

/**
 * Lets a callback end the pause between two status queries. Callbacks stored before the call do not count: the first
 * query comes after them.
 */
export async function watchCallbacks(gateway: GatewayContext, order: OrderIds): Promise<CallbackWatcher> {
  const { clock } = gateway.runtime;
  const feed = new CallbackFeed(gateway, order);
  await feed.hasNew();
  let by: 'callback' | 'poll' = 'poll';
  return {
    async sleep(ms) {
      const end = clock.monotonic() + ms;
      for (;;) {
        // The wait has been aborted: never resolve, so that no further query is sent.
        if (gateway.stop.signal.aborted) return new Promise(() => undefined);
        by = (await feed.hasNew()) ? 'callback' : 'poll';
        const remaining = end - clock.monotonic();
        if (by === 'callback' || remaining <= 0) return;
        await clock.sleep(Math.min(remaining, checkEveryMs));
      }
    },
    wokenBy: () => by,
    close: () => feed.close(),
  };
}

/** Callbacks about an order stored since the last check. A listener may start, and create the file, at any time. */
class CallbackFeed {
  readonly #gateway: GatewayContext;
  readonly #ids: readonly string[];
  #history: CallbackStore | undefined;
  #lastId = 0;
  #isOver = false;

  constructor(gateway: GatewayContext, { orderId, clientOrderId }: OrderIds) {
    this.#gateway = gateway;
    this.#ids = [orderId, clientOrderId].filter((id) => id !== undefined);
  }

  /** True when there is a new one. Never fails: without callbacks, status is polled at its usual pace. */
  async hasNew(): Promise<boolean> {
    const { runtime, session, report } = this.#gateway;
    if (this.#isOver || (this.#history === undefined && !runtime.files.exists(callbacksPath(runtime)))) return false;
    try {
      this.#history ??= await openCallbackHistory(runtime);
      const history = this.#history;
      const found = this.#ids.flatMap((order) =>
        history.list({ order, place: session.gatewayBase, after: this.#lastId }),
      );
      this.#lastId = Math.max(this.#lastId, ...found.map(({ id }) => id));
      // Anyone can send a callback with a wrong checksum.
      return found.some(({ verified }) => verified !== 'wrong');
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      this.#isOver = true;
      report.warn([`callbacks cannot end this wait early: ${error.message}`]);
      return false;
    }
  }

  close(): void {
    this.#isOver = true;
    this.#history?.close();
    this.#history = undefined;
  }
}
