import type { CallbackStore } from '../../callbacks/store.js';
import { isPaycliError } from '../../errors/index.js';
import type { Clock } from '../../runtime/ports.js';
import type { GatewayContext } from './gateway-context.js';
import type { OrderIds } from './order-query.js';
import { callbacksPath, openCallbackHistory } from './user-stores.js';

export interface CallbackWatcher {
  /** The clock a wait sleeps by: its sleep ends early when a callback about the order was stored. */
  readonly clock: Clock;
  /** What ended the newest sleep. */
  wokenBy(): 'callback' | 'poll';
  close(): void;
}

const lookEveryMs = 250;

/**
 * Lets a callback end the pauses between questions. What is stored already wakes nobody: the first question comes after
 * it.
 */
export async function watchCallbacks(
  gateway: Pick<GatewayContext, 'runtime' | 'session' | 'report' | 'stop'>,
  order: OrderIds,
): Promise<CallbackWatcher> {
  const { runtime, stop } = gateway;
  const { clock } = runtime;
  const news = new CallbackFeed(gateway, order);
  await news.came();
  let by: 'callback' | 'poll' = 'poll';
  const sleep = async (ms: number): Promise<void> => {
    const end = clock.monotonic() + ms;
    for (;;) {
      // Whoever waited was told already, so nothing may be asked any more.
      if (stop.signal.aborted) return new Promise(() => undefined);
      by = (await news.came()) ? 'callback' : 'poll';
      const left = end - clock.monotonic();
      if (by === 'callback' || left <= 0) return;
      await clock.sleep(Math.min(left, lookEveryMs));
    }
  };
  return {
    clock: { now: () => clock.now(), monotonic: () => clock.monotonic(), sleep },
    wokenBy: () => by,
    close: () => news.close(),
  };
}

/** What is stored about an order since the last look. A listener may begin, and make the file, at any time. */
class CallbackFeed {
  readonly #talk: Pick<GatewayContext, 'runtime' | 'session' | 'report'>;
  readonly #ids: readonly string[];
  #history: CallbackStore | undefined;
  #seen = 0;
  #isOver = false;

  constructor(gateway: Pick<GatewayContext, 'runtime' | 'session' | 'report'>, { orderId, clientOrderId }: OrderIds) {
    this.#talk = gateway;
    this.#ids = [orderId, clientOrderId].filter((id) => id !== undefined);
  }

  /** True when there is something new. Never fails: without callbacks the questions come at their own pace. */
  async came(): Promise<boolean> {
    const { runtime, session, report } = this.#talk;
    if (this.#isOver || (this.#history === undefined && !runtime.files.exists(callbacksPath(runtime)))) return false;
    try {
      this.#history ??= await openCallbackHistory(runtime);
      const history = this.#history;
      const found = this.#ids.flatMap((order) => history.list({ order, place: session.place, after: this.#seen }));
      this.#seen = Math.max(this.#seen, ...found.map(({ id }) => id));
      // Anybody may send one whose checksum does not fit.
      return found.some(({ verified }) => verified !== 'wrong');
    } catch (error) {
      if (!isPaycliError(error)) throw error;
      this.#isOver = true;
      report.warn([`callbacks cannot shorten this wait: ${error.message}`]);
      return false;
    }
  }

  close(): void {
    this.#isOver = true;
    this.#history?.close();
    this.#history = undefined;
  }
}
