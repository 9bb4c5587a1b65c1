import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import type { Clock, Env, Files, Runtime } from '../runtime/ports.js';
import { lastEventId } from '../sandbox/log.js';
import { lastTransactionId } from '../sandbox/orders.js';
import { decodeForm } from '../wire/form.js';
import { type DriverRun, noAnswer, runDriver } from './driver.js';
import { type GatewayPorts, openGateway, type ScenarioGateway } from './gateway.js';
import { type Judgement, judge } from './judge.js';
import { type DriverOrder, driverOrder, type EarlierPayment, prepare, shopNumber } from './order.js';
import { visitBank } from './payer.js';
import type { Moment, Scenario } from './scenario.js';

export type ScenarioRuntime = Pick<Runtime, 'env' | 'clock' | 'files' | 'processes' | 'random'>;

/** How COMMAND is run. */
export interface RunSettings {
  /** How long it waits for a reply, and for an outcome, in seconds; both are told to it. */
  readonly timeout: number;
  readonly patience: number;
  readonly command: readonly string[];
  /** The address of its callback handler; undefined where it may open one itself. */
  readonly handler: string | undefined;
  /** It is killed at a random moment in every scenario that runs it once, and run again. */
  readonly isRestarted: boolean;
  /** Random moments are the same with the same seed. */
  readonly seed: string;
}

// What is still processing becomes final before it is judged: a client that gave up early is told by what came later.
const untilFinalMs = 2 * 3_600_000;

/** Runs COMMAND through one scenario, in a gateway and a folder of its own, and judges it. */
export async function runScenario(
  scenario: Scenario,
  number: number,
  settings: RunSettings,
  ports: GatewayPorts,
  runtime: ScenarioRuntime,
  stop: AbortSignal,
): Promise<Judgement> {
  const { clock, files } = runtime;
  const startedAt = clock.monotonic();
  const scratch = files.scratch();
  let earlier: EarlierPayment | undefined;
  const gateway = await openGateway(scenario, number, ports, (sandbox, state) => {
    earlier = prepare(scenario.setUp?.prepared, shopNumber(scenario), sandbox, state);
  });
  const payer = await openPayer(gateway, scenario);
  try {
    const { store } = gateway.state;
    const before = { transaction: lastTransactionId(store), event: lastEventId(store) };
    const year = new Date(clock.now()).getUTCFullYear();
    const second = scenario.runs?.kind === 'twice' ? [scenario.runs.second] : [];
    const orders = [scenario.order, ...second].map((order) => driverOrder(scenario, order, earlier, year));
    const env = {
      ...cleanEnv(runtime.env),
      ...connectionEnv(gateway, scratch.path, files),
      CERTIFY_SCENARIO: scenario.name,
      CERTIFY_STATE: scratch.path,
      CERTIFY_TIMEOUT: String(settings.timeout),
      CERTIFY_PATIENCE: String(settings.patience),
      CERTIFY_PAYER_URL: payer.url,
    };
    const during = carryOutAll(scenario, gateway, clock);
    const runs = await runAll(scenario, orders, { env, settings, gateway, runtime, stop });
    await Promise.race([during, clock.sleep(50)]);
    await gateway.advance(untilFinalMs);
    return judge({ scenario, gateway, orders, runs, before, ms: Math.round(clock.monotonic() - startedAt) });
  } finally {
    await payer.close();
    await gateway.close();
    scratch.remove();
  }
}

/** What is done to the gateway meanwhile; resolves after the last of it. */
async function carryOutAll({ setUp = {} }: Scenario, gateway: ScenarioGateway, clock: Clock): Promise<void> {
  const { awayMs, moments = [] } = setUp;
  const away = awayMs === undefined ? [] : [gateway.leave(awayMs)];
  await Promise.all([...away, ...moments.map((moment) => carryOut(moment, gateway, clock))]);
}

interface Surroundings {
  readonly env: Env;
  readonly settings: RunSettings;
  readonly gateway: ScenarioGateway;
  readonly runtime: ScenarioRuntime;
  readonly stop: AbortSignal;
}

async function runAll(
  scenario: Scenario,
  [order, second]: readonly DriverOrder[],
  around: Surroundings,
): Promise<readonly DriverRun[]> {
  const runs = scenario.runs ?? { kind: 'once' };
  const once = (given: DriverOrder | undefined, kill?: AbortSignal) => runOnce(given, kill, around);
  const { gateway, runtime, settings } = around;
  const killedAt = async (moment: Promise<void>) => {
    const killing = new AbortController();
    void moment.then(() => killing.abort());
    const killed = await once(order, killing.signal);
    return killed.ended === 'killed' ? [killed, await once(order)] : [killed];
  };
  switch (runs.kind) {
    case 'at-once':
      return Promise.all([once(order), once(order)]);
    case 'twice':
      return [await once(order), await once(second)];
    case 'killed':
      return killedAt(gateway.firstPayment.then(() => runtime.clock.sleep(runs.afterMs)));
    case 'killed-anywhere':
      return killedAt(runtime.clock.sleep(killMoment(settings.seed, scenario, runs.withinMs)));
    default:
      return settings.isRestarted
        ? killedAt(runtime.clock.sleep(killMoment(settings.seed, scenario, restartMs)))
        : [await once(order)];
  }
}

/** How many milliseconds after its start a client is killed. */
function killMoment(seed: string, { name }: Pick<Scenario, 'name'>, withinMs: number): number {
  return createHash('sha256').update(`${seed} ${name}`).digest().readUInt32BE() % withinMs;
}

/** With `--restart`: when a client is killed, at the latest. */
const restartMs = 800;

async function runOnce(
  order: DriverOrder | undefined,
  kill: AbortSignal | undefined,
  { env, settings, gateway, runtime, stop }: Surroundings,
): Promise<DriverRun> {
  if (stop.aborted) return { ...noAnswer, exit: 0, ms: 0, ended: 'killed', errors: [] };
  const { command } = settings;
  const signals = kill === undefined ? [stop] : [stop, kill];
  // A free one for each run: two at once may both open a handler.
  const callbackUrl = settings.handler ?? `http://127.0.0.1:${await freePort(runtime.random)}/callback`;
  return runDriver(
    {
      command,
      env: { ...env, PAYCLI_CALLBACK_URL: callbackUrl, CERTIFY_ORDER: JSON.stringify(order) },
      folder: runtime.files.folders.working,
      kill: AbortSignal.any(signals),
      limitMs: limitSeconds(settings) * 1000,
      secrets: [gateway.state.identity().controlKey],
    },
    { processes: runtime.processes, clock: runtime.clock },
  );
}

/** After so long a run of COMMAND is ended. */
function limitSeconds({ timeout, patience }: RunSettings): number {
  return 3 * (timeout + patience);
}

/** Nothing of the user's own profiles: COMMAND must never reach another gateway than this one. */
function cleanEnv(env: Env): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:PAYCLI|CERTIFY)_/.test(name)));
}

async function carryOut({ afterRequestMs, act }: Moment, gateway: ScenarioGateway, clock: Clock): Promise<void> {
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
async function freePort({ below }: Pick<Runtime['random'], 'below'>): Promise<number> {
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
