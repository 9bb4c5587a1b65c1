import { isPaycliError } from '../errors/index.js';
import type { OrderIds } from './core/order-requests.js';
import { callbacksPath, openCallbackHistory } from './core/user-stores.js';
import type { GatewayContext } from './gateway.js';

export interface CallbackWatcher {
  /** Ends early when a callback about the order is stored. */
  sleep(ms: number): Promise<void>;
  close(): void;
}

const checkEveryMs = 250;

/**
 * Lets a callback end the pause between two status queries. Callbacks stored before the call do not count: the first
 * query comes after them. A listener may start, and create the file, at any time. Without callbacks, status is polled
 * at its usual pace.
 */
export async function watchCallbacks(
  { runtime, session, report, stop }: GatewayContext,
  { orderId, clientOrderId }: OrderIds,
): Promise<CallbackWatcher> {
  const { clock, files } = runtime;
  const ids = [orderId, clientOrderId].filter((id) => id !== undefined);
  let history: Awaited<ReturnType<typeof openCallbackHistory>> | undefined;
  let lastId = 0;
  let isOver = false;
  const hasNew = async () => {
    if (isOver || (history === undefined && !files.exists(callbacksPath(runtime)))) return false;
    try {
      history ??= await openCallbackHistory(runtime);
      const store = history;
      const found = ids.flatMap((order) => store.list({ order, place: session.gatewayBase, after: lastId }));
      lastId = Math.max(lastId, ...found.map(({ id }) => id));
      // Anyone can send a callback with a wrong checksum.
      return found.some(({ verified }) => verified !== 'wrong');
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      isOver = true;
      report.warn([`callbacks cannot end this wait early: ${error.message}`]);
      return false;
    }
  };
  await hasNew();
  return {
    async sleep(ms) {
      const end = clock.monotonic() + ms;
      for (;;) {
        // The wait has been aborted: never resolve, so that no further query is sent.
        if (stop.signal.aborted) return new Promise(() => undefined);
        const remaining = end - clock.monotonic();
        if ((await hasNew()) || remaining <= 0) return;
        await clock.sleep(Math.min(remaining, checkEveryMs));
      }
    },
    close() {
      isOver = true;
      history?.close();
      history = undefined;
    },
  };
}
