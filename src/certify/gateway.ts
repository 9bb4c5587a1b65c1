import type { ServerOptions } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Clock, DatabaseOpener, Random } from '../runtime/ports.js';
import { judgeSignature } from '../sandbox/audit/examine.js';
import { openDeliverer } from '../sandbox/callbacks/delivery.js';
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

const usualSettleMs = 60;
/** Gateway ids differ between scenarios: one handler, or one database of a client, may see all of them. */
const idsPerScenario = 1000;
/** A late reply comes when the client has stopped waiting for it. */
const lateFactor = 1.5;

export type ScenarioGateway = Awaited<ReturnType<typeof openGateway>>;

/**
 * Opens the sandbox of a scenario, listening; it can go away and come back at the same port. `number` is the scenario's
 * place in the table.
 */
export async function openGateway({ setUp = {} }: Scenario, number: number, ports: GatewayPorts, prepare: Prepare) {
  const { clock } = ports;
  const state = openState(setUp, number, ports, prepare);
  const deliverer = openDeliverer(state.store, { allowed: ports.callbackHosts });
  const { sandbox, seen, firstPayment } = watched(openSandbox(state, setUp, ports), clock);
  const tls = setUp.isOtherHost ? otherHost : undefined;
  let { port } = ports;
  let server: RunningServer | undefined;
  let isClosed = false;
  const open = async () => {
    const createServer = tls && ((options: ServerOptions) => createTlsServer({ ...options, ...tls }));
    const opened = await listen(() => sandbox, { port, beforeReply: deliverer.beforeReply, createServer });
    port = opened.port;
    // Closed before there was anything to close.
    if (isClosed) return opened.close();
    server = opened;
  };
  await open();
  deliverer.start();
  return {
    state,
    /** Every request for an operation, the preparing ones left out. */
    seen,
    /** Resolves once the first request came that may move money. */
    firstPayment,
    /** What operation paths follow. */
    url: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}/gateway`,
    /** PEM that a client has to trust; undefined where it speaks plain HTTP. */
    caPem: tls?.cert,
    /** Applies what is due, moves the sandbox clock, and delivers the callbacks that are due then. */
    async advance(ms: number): Promise<void> {
      if (isClosed) return;
      moveClockBy(state.store, ms);
      await deliverer.deliverDue();
    },
    /** Refuses connections for so long. */
    async leave(ms: number): Promise<void> {
      await server?.close();
      server = undefined;
      await clock.sleep(ms);
      // The client may have ended meanwhile.
      if (!isClosed) await open();
    },
    async close(): Promise<void> {
      isClosed = true;
      await server?.close();
      await deliverer.stop();
      state.store.database.close();
    },
  };
}

function openSandbox(state: SandboxState, setUp: SetUp, { clock, timeoutMs, isCompatible }: GatewayPorts): Sandbox {
  const { clockAheadMs = 0, assume, settleMs = usualSettleMs } = setUp;
  // Only OAuth looks at the clock of the machine.
  const machine = { ...clock, now: () => clock.now() + clockAheadMs };
  return createSandbox(
    { ...state, store: { ...state.store, machine } },
    {
      ...{ assume: { ...assumeDefaults, ...assume }, settleMs },
      ...{ judgeSignature, lateMs: timeoutMs * lateFactor, isCompatible },
    },
  );
}

/** The sandbox, with what it is asked. */
function watched(sandbox: Sandbox, clock: Clock) {
  const seen: SeenRequest[] = [];
  let cameFirst: () => void = () => undefined;
  const firstPayment = new Promise<void>((resolve) => {
    cameFirst = resolve;
  });
  const handle: Sandbox['handle'] = (request) => {
    const reply = sandbox.handle(request);
    const operation = /\/api\/.*?(?=(?:\/group)?\/[^/]*$)/.exec(new URL(request.url).pathname)?.[0] ?? '';
    seen.push({ at: clock.now(), operation, url: request.url });
    if (allOperations.some(({ path, effect }) => path === operation && effect === 'money')) cameFirst();
    return reply;
  };
  return { sandbox: { ...sandbox, handle }, seen, firstPayment };
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
