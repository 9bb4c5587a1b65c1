import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Env, Files, Runtime } from '../runtime/ports.js';
import { lastEventId } from '../sandbox/log.js';
import { lastTransactionId } from '../sandbox/orders.js';
import { decodeForm } from '../wire/form.js';
import type { DriverRun } from './driver.js';
import { type GatewayPorts, openGateway, type ScenarioGateway } from './gateway.js';
import { type Judgement, judge } from './judge.js';
import { type DriverOrder, driverOrder, type EarlierPayment, prepare } from './order.js';
import { visitBank } from './payer.js';
import type { Moment, Scenario } from './scenario.js';

export type ScenarioRuntime = Pick<Runtime, 'env' | 'clock' | 'files' | 'processes' | 'random'>;

/** How long a client waits for a reply, and for an outcome, in seconds; both are told to it. */
export interface ToldTimes {
  readonly timeout: number;
  readonly patience: number;
}

/** A scenario that is set up, before and while a client goes through it. */
export interface ScenarioSession {
  readonly gateway: ScenarioGateway;
  /** In the order they are handed over. */
  readonly orders: readonly DriverOrder[];
  /** What a client needs to know, but the order. */
  readonly env: Env;
  /** Starts what is done to the gateway meanwhile; resolves after the last of it. */
  begin(): Promise<void>;
  /** Lets everything become final, and compares. */
  judge(runs: readonly DriverRun[]): Promise<Judgement>;
  close(): Promise<void>;
}

// What is still processing becomes final before it is judged: a client that gave up early is told by what came later.
const untilFinalMs = 2 * 3_600_000;

/** Sets a scenario up, in a gateway and a folder of its own. */
export async function openScenario(
  scenario: Scenario,
  number: number,
  { timeout, patience }: ToldTimes,
  ports: GatewayPorts,
  { clock, files }: ScenarioRuntime,
): Promise<ScenarioSession> {
  const startedAt = clock.monotonic();
  const scratch = files.scratch();
  let earlier: EarlierPayment | undefined;
  const gateway = await openGateway(scenario, number, ports, (sandbox, state) => {
    earlier = prepare(scenario.setUp?.prepared, `certify-${scenario.name}`, sandbox, state);
  });
  const payer = await openPayer(gateway, scenario);
  const { store } = gateway.state;
  const before = { transaction: lastTransactionId(store), event: lastEventId(store) };
  const year = new Date(clock.now()).getUTCFullYear();
  const second = scenario.runs?.kind === 'twice' ? [scenario.runs.second] : [];
  const orders = [scenario.order, ...second].map((order) => driverOrder(scenario, order, earlier, year));
  return {
    gateway,
    orders,
    env: {
      ...connectionEnv(gateway, scratch.path, files),
      CERTIFY_SCENARIO: scenario.name,
      CERTIFY_STATE: scratch.path,
      CERTIFY_TIMEOUT: String(timeout),
      CERTIFY_PATIENCE: String(patience),
      CERTIFY_PAYER_URL: payer.url,
    },
    async begin() {
      const { awayMs, moments = [] } = scenario.setUp ?? {};
      const away = awayMs === undefined ? [] : [gateway.leave(awayMs)];
      await Promise.all([...away, ...moments.map((moment) => carryOut(moment, gateway, clock))]);
    },
    async judge(runs) {
      await gateway.advance(untilFinalMs);
      const ms = Math.round(clock.monotonic() - startedAt);
      return judge({ scenario, gateway, orders, runs, before, ms });
    },
    async close() {
      await payer.close();
      await gateway.close();
      scratch.remove();
    },
  };
}

async function carryOut(
  { afterRequestMs, act }: Moment,
  gateway: ScenarioGateway,
  clock: ScenarioRuntime['clock'],
): Promise<void> {
  await gateway.firstPayment;
  await clock.sleep(afterRequestMs);
  if (act.kind === 'advance-clock') await gateway.advance(act.ms);
  else await gateway.leave(act.ms);
}

function connectionEnv({ url, state, caPem }: ScenarioGateway, folder: string, files: Files): Env {
  const { login, endpointId, controlKey } = state.identity();
  const keys = join(folder, '.keys');
  const write = (name: string, content: string) => {
    files.writeText(join(keys, name), content);
    return join(keys, name);
  };
  return {
    PAYCLI_BASE_URL: url,
    PAYCLI_LOGIN: login,
    PAYCLI_ENDPOINT_ID: endpointId,
    PAYCLI_CONTROL_KEY_FILE: write('control.key', `${controlKey}\n`),
    PAYCLI_PRIVATE_KEY_FILE: write('private-key.pem', state.builtinPrivateKey()),
    PAYCLI_STATE_DIR: join(folder, '.paycli/state'),
    PAYCLI_CONFIG_DIR: join(folder, '.paycli/config'),
    ...(caPem === undefined ? {} : { CERTIFY_CA_FILE: write('ca.pem', caPem) }),
  };
}

/** The browser of the payer: a driver posts to it what the shop's page would post to the bank. */
async function openPayer(
  gateway: ScenarioGateway,
  { setUp }: Scenario,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((incoming, response) => {
    const pieces: Buffer[] = [];
    incoming.on('data', (piece: Buffer) => pieces.push(piece));
    incoming.once('end', () => {
      const form = decodeForm(Buffer.concat(pieces).toString('utf8'));
      const back = visitBank(gateway, setUp?.payer ?? 'challenge', form);
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(back));
    });
  });
  const port = await listenOn(server, 0);
  return {
    url: `http://127.0.0.1:${port}/`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * A port that is free now. Below those that systems take for outgoing connections, of which one could have it before a
 * client opens it.
 */
export async function freePort({ below }: Pick<Runtime['random'], 'below'>): Promise<number> {
  const server = createServer();
  const port = await listenOn(server, firstPort + below(portCount)).catch(() => 0);
  if (port === 0) return freePort({ below });
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}

const firstPort = 20_000;
const portCount = 12_000;

/** 0 for any port. */
function listenOn(server: Server, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : wanted);
    });
  });
}
