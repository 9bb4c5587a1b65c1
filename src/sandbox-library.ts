/** The sandbox for test suites in Node: what `paycli/sandbox` gives, and nothing else. */
import { sqlite } from './runtime/database.js';
import { systemClock, systemRandom } from './runtime/machine.js';
import { judgeSignature } from './sandbox/audit/examine.js';
import { audit } from './sandbox/audit/report.js';
import { openDeliverer } from './sandbox/callbacks/delivery.js';
import { isScriptName, scripts, setScript } from './sandbox/callbacks/scripts.js';
import { moveClockBy, parseDuration } from './sandbox/clock.js';
import { listen } from './sandbox/http.js';
import { inProcessFetch } from './sandbox/in-process.js';
import { createSandbox, openSandboxState, type Sandbox, seededRandom } from './sandbox/index.js';
import { readEvents } from './sandbox/log.js';
import { queueableOutcomes } from './sandbox/outcomes.js';
import { payOrder } from './sandbox/pages/pay.js';
import type {
  MerchantOfSandbox,
  OrderOfSandbox,
  RequestOfSandbox,
  SandboxForTests,
  StartOptions,
} from './sandbox-library-types.js';
import { assumeDefaults, type TestCard, testCards } from './spec/index.js';

export type * from './sandbox-library-types.js';

/** Never resolved: a client that was not given `fetch` reaches nothing else. */
const unreachable = 'http://sandbox.invalid';

/**
 * Starts a gateway of its own in this process, in memory. It listens on 127.0.0.1 at any free port; with `listen:
 * false` it opens none, and only its `fetch` reaches it. Many may run side by side. Stop it at the end, or the process
 * does not end by itself.
 *
 * @throws {RangeError} For a port, outcome, script or duration that there is not.
 */
export async function startSandbox(options: StartOptions = {}): Promise<SandboxForTests> {
  const { port, listen: isListening = true, settleMs = 0, seed } = options;
  if (!isListening && port !== undefined) throw new RangeError('a sandbox that does not listen has no port');
  const database = sqlite.open(':memory:');
  const random = seed === undefined ? systemRandom : seededRandom(seed, systemRandom);
  const state = openSandboxState({ database, clock: systemClock, random });
  const { store } = state;
  const deliverer = openDeliverer(store);
  const { beforeReply } = deliverer;
  let sandbox: Sandbox | undefined;
  const create = (pagesBase: string) =>
    (sandbox ??= createSandbox(state, { assume: assumeDefaults, settleMs, pagesBase, judgeSignature }));
  const server = isListening ? await listen(create, { port: port ?? 0, beforeReply }) : undefined;
  deliverer.start();
  const origin = server === undefined ? unreachable : `http://127.0.0.1:${server.port}`;
  const stopping = new AbortController();
  const merchant = merchantOf(state);
  const inProcess = { origin, beforeReply, sleep: systemClock.sleep, stopped: stopping.signal };
  return {
    url: `${origin}/gateway`,
    fetch: inProcessFetch(create(origin), inProcess),
    merchant,
    outcomes: {
      next(name, order) {
        known('outcome', name, queueableOutcomes);
        state.queueOutcome(name, order === undefined ? {} : { clientOrderId: order });
      },
    },
    clock: {
      now: () => new Date(store.clock.now()),
      async advance(duration) {
        moveClockBy(store, parseDuration(duration));
        await deliverer.deliverDue();
      },
    },
    callbacks: {
      script(name, order) {
        known('script', name, scripts);
        if (isScriptName(name)) setScript(store, merchant.login, order, name);
      },
    },
    pay: (order, { does = 'confirm', testCard = 'approved' } = {}) =>
      void payOrder(store, order, { card: testCardNamed(testCard), does }, settleMs),
    orders: () => ordersOf(store),
    requests: () => requestsOf(store),
    audit: () => audit(store).map(({ rule, title, fix, detail, count }) => ({ rule, title, fix, detail, count })),
    reset: () => state.reset(),
    async stop() {
      if (stopping.signal.aborted) return;
      stopping.abort();
      await server?.close();
      await deliverer.stop();
      database.close();
    },
  };
}

type Store = ReturnType<typeof openSandboxState>['store'];

function merchantOf(state: ReturnType<typeof openSandboxState>): MerchantOfSandbox {
  const { login, controlKey } = state.identity();
  const endpoints = state.merchants().find((merchant) => merchant.login === login)?.endpoints ?? [];
  return {
    login,
    controlKey,
    endpoints: endpoints.map(({ id }) => id),
    get privateKey() {
      return state.builtinPrivateKey();
    },
  };
}

function testCardNamed(name: string): TestCard {
  const card = testCards.find((each) => each.name === name);
  if (card === undefined) throw new RangeError(`there is no test card ${name}`);
  return card;
}

function known(what: string, name: string, names: Readonly<Record<string, unknown>>): void {
  if (!Object.hasOwn(names, name))
    throw new RangeError(`there is no ${what} ${name}; there are ${Object.keys(names).join(', ')}`);
}

function ordersOf({ database }: Store): readonly OrderOfSandbox[] {
  const newest = `SELECT o.*, t.status, t.kind FROM orders o JOIN transactions t ON t.id =
    (SELECT max(id) FROM transactions WHERE order_id = o.id) ORDER BY o.made_at, o.id`;
  return database.all(newest).map((row) => ({
    orderId: String(row['id']),
    clientOrderId: String(row['client_order_id']),
    operation: String(row['operation']),
    latest: String(row['kind']),
    status: String(row['status']),
    minor: row['amount'] === null ? undefined : BigInt(String(row['amount'])),
    currency: row['currency'] === null ? undefined : String(row['currency']),
  }));
}

const maxRequests = 1000;

function requestsOf(store: Store): readonly RequestOfSandbox[] {
  return readEvents(store, { limit: maxRequests })
    .filter(({ kind }) => kind === 'request' || kind === 'refusal')
    .map(({ kind, title, machineAt, orderId, detail, fields }) => ({
      at: new Date(machineAt),
      operation: detail['operation'],
      title,
      isRefused: kind === 'refusal',
      httpStatus: Number(detail['status']),
      orderId,
      fields: Object.fromEntries(fields),
    }));
}
