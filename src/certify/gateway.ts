import type { ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Clock, DatabaseOpener, KeyRandom } from '../runtime/ports.js';
import { type CallbackDeliverer, openDeliverer } from '../sandbox/callbacks/delivery.js';
import type { SandboxReply, SandboxRequest } from '../sandbox/checks/request.js';
import { moveClock } from '../sandbox/effects/clock.js';
import { createSandbox, openSandboxState, type Sandbox, type SandboxState, seededRandom } from '../sandbox/index.js';
import { setScriptForAll } from '../sandbox/ledger/callback-outbox.js';
import { listen, type RunningServer } from '../sandbox/server/listen.js';
import { type OtherHost, otherHostCertificate } from '../sandbox/server/other-host.js';
import { assumeDefaults, operations } from '../spec/index.js';
import type { Scenario } from './scenario.js';

/** What all gateways of a run share. */
export interface GatewayPorts {
  readonly clock: Clock;
  readonly database: DatabaseOpener;
  /** Control keys and RSA keys of all scenarios are the same, so that one callback handler can verify all. */
  readonly rsa: ReturnType<KeyRandom['rsaPem']>;
  /** 0 for any free one. */
  readonly port: number;
  /** How long the client waits for a reply. */
  readonly timeoutMs: number;
  /** Hosts besides this machine that get callbacks. */
  readonly callbackHosts: readonly string[];
}

/** A request for a money operation, with the time of the machine. */
export interface SeenRequest {
  readonly at: number;
  readonly operation: string;
  readonly url: string;
  readonly status: number;
}

/** The sandbox of one scenario, listening. */
export interface ScenarioGateway {
  /** What operation paths follow. */
  readonly url: string;
  /** PEM that a client has to trust; undefined where it speaks plain HTTP. */
  readonly caPem: string | undefined;
  readonly state: SandboxState;
  readonly sandbox: Sandbox;
  /** Every request for an operation, the preparing ones left out. */
  readonly seen: readonly SeenRequest[];
  /** Resolves once the first request came that may move money. */
  readonly firstPayment: Promise<void>;
  /** Applies what is due, moves the sandbox clock, and delivers the callbacks that are due then. */
  advance(ms: number): Promise<void>;
  /** Refuses connections for so long. */
  leave(ms: number): Promise<void>;
  close(): Promise<void>;
}

const settleMs = 60;
const moneyOperations: ReadonlySet<string> = new Set(
  operations.filter(({ effect }) => effect === 'money').map(({ path }) => path),
);
/** Gateway ids differ between scenarios: one handler, or one database of a client, may see all of them. */
const idsPerScenario = 1000;

/** Opens the gateway of a scenario; `number` is its place in the table. */
export async function openGateway(
  { setUp = {} }: Scenario,
  number: number,
  ports: GatewayPorts,
  prepare: (sandbox: Sandbox, state: SandboxState) => void,
): Promise<ScenarioGateway> {
  const database = ports.database.open(':memory:');
  const random = { ...seededRandom('certify', { rsaPem: () => ports.rsa }) };
  const state = openSandboxState({ database, clock: ports.clock, random });
  const ahead = setUp.clockAheadMs ?? 0;
  const store = {
    ...state.store,
    machine: { ...ports.clock, now: () => ports.clock.now() + ahead },
  };
  database.run("UPDATE counters SET value = value + ? WHERE name = 'order'", number * idsPerScenario);
  state.builtinPrivateKey();
  const assume = { ...assumeDefaults, ...setUp.assume };
  const create = (pagesBase: string) =>
    createSandbox(
      { ...state, store },
      { assume, settleMs: setUp.settleMs ?? settleMs, pagesBase, lateMs: ports.timeoutMs * 1.5 },
    );
  prepare(createSandbox(state, { assume, settleMs: 0 }), state);
  if (setUp.callbacks !== undefined) setScriptForAll(store, setUp.callbacks);
  for (const outcome of [setUp.outcome, setUp.fault]) if (outcome !== undefined) state.queueOutcome(outcome);

  const seen: SeenRequest[] = [];
  let cameFirst = () => undefined as void;
  const firstPayment = new Promise<void>((resolve) => {
    cameFirst = resolve;
  });
  const note = (request: SandboxRequest, reply: SandboxReply) => {
    const path = new URL(request.url).pathname.replace(/^\/gateway/, '').replace(/\/[^/]*$/, '');
    seen.push({ at: ports.clock.now(), operation: path, url: request.url, status: reply.status });
    if (moneyOperations.has(path)) cameFirst();
  };
  const deliverer = openDeliverer(state.store, { allowed: ports.callbackHosts, form: assume['callback-form'] });
  let served: Sandbox | undefined;
  const front = new Front(
    (pagesBase) => {
      served ??= watched(create(pagesBase), note);
      return served;
    },
    ports,
    deliverer,
    setUp.isOtherHost === true ? otherHostCertificate(ports.rsa, ports.clock.now()) : undefined,
  );
  await front.open();
  deliverer.start();
  return {
    url: front.url,
    caPem: front.certificate,
    state,
    get sandbox() {
      return served ?? create(front.url);
    },
    seen,
    firstPayment,
    async advance(ms) {
      moveClock(state.store, state.store.clock.now() + ms);
      await deliverer.deliverDue();
    },
    leave: (ms) => front.leave(ms),
    async close() {
      await front.close();
      await deliverer.stop();
      database.close();
    },
  };
}

/** The listener of a gateway, which can go away and come back at the same port. */
class Front {
  readonly #create: (pagesBase: string) => Sandbox;
  readonly #ports: GatewayPorts;
  readonly #deliverer: CallbackDeliverer;
  readonly #otherHost: OtherHost | undefined;
  #server: RunningServer | undefined;
  #port: number;

  constructor(
    create: (pagesBase: string) => Sandbox,
    ports: GatewayPorts,
    deliverer: CallbackDeliverer,
    otherHost: OtherHost | undefined,
  ) {
    this.#create = create;
    this.#ports = ports;
    this.#deliverer = deliverer;
    this.#otherHost = otherHost;
    this.#port = ports.port;
  }

  get url(): string {
    return `${this.#otherHost === undefined ? 'http' : 'https'}://127.0.0.1:${this.#port}/gateway`;
  }

  get certificate(): string | undefined {
    return this.#otherHost?.cert;
  }

  async open(): Promise<void> {
    const { beforeReply } = this.#deliverer;
    const otherHost = this.#otherHost;
    const make =
      otherHost === undefined
        ? {}
        : { createServer: (options: ServerOptions) => createTlsServer({ ...options, ...otherHost }) };
    this.#server = await listen(this.#create, { port: this.#port, beforeReply, ...make });
    this.#port = this.#server.port;
  }

  async leave(ms: number): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
    await this.#ports.clock.sleep(ms);
    await this.open();
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }
}

function watched(sandbox: Sandbox, note: (request: SandboxRequest, reply: SandboxReply) => void): Sandbox {
  return {
    ...sandbox,
    handleAll(requests) {
      const replies = sandbox.handleAll(requests);
      for (const [at, request] of requests.entries()) {
        const reply = replies[at];
        if (reply !== undefined) note(request, reply);
      }
      return replies;
    },
  };
}
