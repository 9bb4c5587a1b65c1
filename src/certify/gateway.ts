import type { ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Clock, DatabaseOpener, KeyRandom } from '../runtime/ports.js';
import { judgeSignature } from '../sandbox/audit/examine.js';
import { type CallbackDeliverer, openDeliverer } from '../sandbox/callbacks/delivery.js';
import { setScriptForAll } from '../sandbox/callbacks/scripts.js';
import { moveClockBy } from '../sandbox/clock.js';
import { listen, type RunningServer } from '../sandbox/http.js';
import { createSandbox, openSandboxState, type Sandbox, type SandboxState, seededRandom } from '../sandbox/index.js';
import type { SandboxReply, SandboxRequest } from '../sandbox/request.js';
import { assumeDefaults, operations } from '../spec/index.js';
import { otherHost } from './other-host.js';
import type { Scenario, SetUp } from './scenario.js';

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
  scenario: Scenario,
  number: number,
  ports: GatewayPorts,
  prepare: (sandbox: Sandbox, state: SandboxState) => void,
): Promise<ScenarioGateway> {
  const { setUp = {} } = scenario;
  const state = openState(setUp, number, ports, prepare);
  const seen: SeenRequest[] = [];
  const { firstPayment, note } = watchRequests(seen, ports);
  const deliverer = openDeliverer(state.store, { allowed: ports.callbackHosts });
  let sandbox: Sandbox | undefined;
  const create = (pagesBase: string) => {
    sandbox ??= watched(sandboxOf(state, setUp, pagesBase, ports), note);
    return sandbox;
  };
  const isOtherHost = setUp.isOtherHost === true;
  const front = new Front(create, ports, deliverer, isOtherHost);
  await front.open();
  deliverer.start();
  let isClosed = false;
  return {
    url: front.url,
    caPem: isOtherHost ? otherHost.cert : undefined,
    state,
    sandbox: create(front.url),
    seen,
    firstPayment,
    async advance(ms) {
      if (isClosed) return;
      moveClockBy(state.store, ms);
      await deliverer.deliverDue();
    },
    leave: (ms) => front.leave(ms),
    async close() {
      isClosed = true;
      await front.close();
      await deliverer.stop();
      state.store.database.close();
    },
  };
}

/** Notes what comes in `seen`. */
function watchRequests(seen: SeenRequest[], { clock }: GatewayPorts) {
  let cameFirst: () => void = () => undefined;
  const firstPayment = new Promise<void>((resolve) => {
    cameFirst = resolve;
  });
  const note = (request: SandboxRequest, reply: SandboxReply) => {
    const path = new URL(request.url).pathname.replace(/^\/gateway/, '').replace(/\/[^/]*$/, '');
    seen.push({ at: clock.now(), operation: path, url: request.url, status: reply.status });
    if (moneyOperations.has(path)) cameFirst();
  };
  return { firstPayment, note };
}

/** What is in the sandbox before a client comes. */
function openState(
  setUp: SetUp,
  number: number,
  { database: opener, clock, rsa }: GatewayPorts,
  prepare: (sandbox: Sandbox, state: SandboxState) => void,
): SandboxState {
  const database = opener.open(':memory:');
  const state = openSandboxState({ database, clock, random: seededRandom('certify', { rsaPem: () => rsa }) });
  database.run("UPDATE counters SET value = value + ? WHERE name = 'order'", number * idsPerScenario);
  state.builtinPrivateKey();
  prepare(createSandbox(state, { assume: assumeDefaults, settleMs: 0 }), state);
  if (setUp.callbacks !== undefined) setScriptForAll(state.store, setUp.callbacks);
  if (setUp.fault !== undefined) state.queueOutcome(setUp.fault);
  return state;
}

/** Only OAuth looks at the clock of the machine. */
function sandboxOf(state: SandboxState, setUp: SetUp, pagesBase: string, { clock, timeoutMs }: GatewayPorts): Sandbox {
  const machine = { ...clock, now: () => clock.now() + (setUp.clockAheadMs ?? 0) };
  return createSandbox(
    { ...state, store: { ...state.store, machine } },
    {
      assume: { ...assumeDefaults, ...setUp.assume },
      settleMs: setUp.settleMs ?? settleMs,
      pagesBase,
      judgeSignature,
      lateMs: timeoutMs * lateFactor,
    },
  );
}

/** A late reply comes when the client has stopped waiting for it. */
const lateFactor = 1.5;

/** The listener of a gateway, which can go away and come back at the same port. */
class Front {
  readonly #create: (pagesBase: string) => Sandbox;
  readonly #ports: GatewayPorts;
  readonly #deliverer: CallbackDeliverer;
  readonly #isOtherHost: boolean;
  #server: RunningServer | undefined;
  #port: number;
  #isClosed = false;

  constructor(
    create: (pagesBase: string) => Sandbox,
    ports: GatewayPorts,
    deliverer: CallbackDeliverer,
    isOtherHost: boolean,
  ) {
    this.#create = create;
    this.#ports = ports;
    this.#deliverer = deliverer;
    this.#isOtherHost = isOtherHost;
    this.#port = ports.port;
  }

  get url(): string {
    return `${this.#isOtherHost ? 'https' : 'http'}://127.0.0.1:${this.#port}/gateway`;
  }

  async open(): Promise<void> {
    const { beforeReply } = this.#deliverer;
    const createServer = this.#isOtherHost
      ? (options: ServerOptions) => createTlsServer({ ...options, ...otherHost })
      : undefined;
    const server = await listen(this.#create, { port: this.#port, beforeReply, createServer });
    // Closed before there was anything to close.
    if (this.#isClosed) return server.close();
    this.#server = server;
    this.#port = server.port;
  }

  async leave(ms: number): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
    await this.#ports.clock.sleep(ms);
    // The client may have ended meanwhile.
    if (!this.#isClosed) await this.open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#server?.close();
  }
}

function watched(sandbox: Sandbox, note: (request: SandboxRequest, reply: SandboxReply) => void): Sandbox {
  return {
    ...sandbox,
    handle(request) {
      const reply = sandbox.handle(request);
      note(request, reply);
      return reply;
    },
  };
}
