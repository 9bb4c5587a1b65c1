import { createServer as createTlsServer } from 'node:https';
import type { Clock, DatabaseOpener, Random } from '../runtime/ports.js';
import { judgeSignature } from '../sandbox/audit/examine.js';
import { type CallbackDeliverer, openDeliverer } from '../sandbox/callbacks/delivery.js';
import { setScriptForAll } from '../sandbox/callbacks/scripts.js';
import { moveClockBy } from '../sandbox/clock.js';
import { listen, type RunningServer } from '../sandbox/http.js';
import { createSandbox, openSandboxState, type Sandbox, type SandboxState, seededRandom } from '../sandbox/index.js';
import { allOperations, assumeDefaults } from '../spec/index.js';
import { otherHost } from './other-host.js';
import type { Scenario, SetUp } from './scenario.js';

/** What all gateways of a run share. */
export interface GatewayPorts {
  readonly clock: Clock;
  readonly database: DatabaseOpener;
  /** Control keys and RSA keys of all scenarios are the same, so that one callback handler can verify all. */
  readonly rsa: ReturnType<Random['rsaPem']>;
  /** 0 for any free one. */
  readonly port: number;
  /** How long the client waits for a reply. */
  readonly timeoutMs: number;
  /** Hosts besides this machine that get callbacks. */
  readonly callbackHosts: readonly string[];
  /** Takes what programs of this family send against the description. */
  readonly isCompatible: boolean;
}

/** A request for an operation, with the time of the machine. */
interface SeenRequest {
  readonly at: number;
  readonly operation: string;
  readonly url: string;
}

type Prepare = (sandbox: Sandbox, state: SandboxState) => void;

const settleMs = 60;
/** Gateway ids differ between scenarios: one handler, or one database of a client, may see all of them. */
const idsPerScenario = 1000;
/** A late reply comes when the client has stopped waiting for it. */
const lateFactor = 1.5;

/** Opens the gateway of a scenario; `number` is its place in the table. */
export async function openGateway(
  { setUp = {} }: Scenario,
  number: number,
  ports: GatewayPorts,
  prepare: Prepare,
): Promise<ScenarioGateway> {
  const gateway = new ScenarioGateway(setUp, openState(setUp, number, ports, prepare), ports);
  await gateway.open();
  gateway.deliverer.start();
  return gateway;
}

/** The sandbox of one scenario, listening; it can go away and come back at the same port. */
export class ScenarioGateway {
  readonly state: SandboxState;
  readonly sandbox: Sandbox;
  readonly deliverer: CallbackDeliverer;
  /** Every request for an operation, the preparing ones left out. */
  readonly seen: SeenRequest[] = [];
  /** Resolves once the first request came that may move money. */
  readonly firstPayment: Promise<void>;
  readonly #setUp: SetUp;
  readonly #clock: Clock;
  #server: RunningServer | undefined;
  #port: number;
  #isClosed = false;

  constructor(
    setUp: SetUp,
    state: SandboxState,
    { clock, timeoutMs, isCompatible, port, callbackHosts }: GatewayPorts,
  ) {
    const { clockAheadMs = 0, assume, settleMs: processingMs = settleMs } = setUp;
    this.#setUp = setUp;
    this.#clock = clock;
    this.#port = port;
    this.state = state;
    this.deliverer = openDeliverer(state.store, { allowed: callbackHosts });
    // Only OAuth looks at the clock of the machine.
    const machine = { ...clock, now: () => clock.now() + clockAheadMs };
    const sandbox = createSandbox(
      { ...state, store: { ...state.store, machine } },
      {
        ...{ assume: { ...assumeDefaults, ...assume }, settleMs: processingMs },
        ...{ judgeSignature, lateMs: timeoutMs * lateFactor, isCompatible },
      },
    );
    let cameFirst: () => void = () => undefined;
    this.firstPayment = new Promise((resolve) => {
      cameFirst = resolve;
    });
    const handle: Sandbox['handle'] = (request) => {
      const reply = sandbox.handle(request);
      const operation = /\/api\/.*?(?=(?:\/group)?\/[^/]*$)/.exec(new URL(request.url).pathname)?.[0] ?? '';
      this.seen.push({ at: clock.now(), operation, url: request.url });
      if (allOperations.some(({ path, effect }) => path === operation && effect === 'money')) cameFirst();
      return reply;
    };
    this.sandbox = { ...sandbox, handle };
  }

  /** What operation paths follow. */
  get url(): string {
    return `${this.#setUp.isOtherHost ? 'https' : 'http'}://127.0.0.1:${this.#port}/gateway`;
  }

  /** PEM that a client has to trust; undefined where it speaks plain HTTP. */
  get caPem(): string | undefined {
    return this.#setUp.isOtherHost ? otherHost.cert : undefined;
  }

  async open(): Promise<void> {
    const server = await listen(() => this.sandbox, {
      port: this.#port,
      beforeReply: this.deliverer.beforeReply,
      createServer: this.#setUp.isOtherHost ? (options) => createTlsServer({ ...options, ...otherHost }) : undefined,
    });
    this.#port = server.port;
    // Closed before there was anything to close.
    if (this.#isClosed) return server.close();
    this.#server = server;
  }

  /** Applies what is due, moves the sandbox clock, and delivers the callbacks that are due then. */
  async advance(ms: number): Promise<void> {
    if (this.#isClosed) return;
    moveClockBy(this.state.store, ms);
    await this.deliverer.deliverDue();
  }

  /** Refuses connections for so long. */
  async leave(ms: number): Promise<void> {
    await this.#server?.close();
    this.#server = undefined;
    await this.#clock.sleep(ms);
    // The client may have ended meanwhile.
    if (!this.#isClosed) await this.open();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#server?.close();
    await this.deliverer.stop();
    this.state.store.database.close();
  }
}

/** What is in the sandbox before a client comes. */
function openState(
  setUp: SetUp,
  number: number,
  { database: opener, clock, rsa }: GatewayPorts,
  prepare: Prepare,
): SandboxState {
  const database = opener.open(':memory:');
  const state = openSandboxState({ database, clock, random: seededRandom('certify', { rsaPem: () => rsa }) });
  database.run("UPDATE counters SET value = value + ? WHERE name = 'order'", number * idsPerScenario);
  prepare(createSandbox(state, { assume: assumeDefaults, settleMs: 0 }), state);
  if (setUp.callbacks !== undefined) setScriptForAll(state.store, setUp.callbacks);
  if (setUp.fault !== undefined) state.queueOutcome(setUp.fault);
  return state;
}
