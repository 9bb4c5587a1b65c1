import { createServer } from 'node:http';
import { join } from 'node:path';
import type { Env, Runtime } from '../runtime/ports.js';
import { numberIn } from '../sandbox/store.js';
import { type DriverRun, noAnswer, runDriver } from './driver.js';
import { type GatewayPorts, openGateway, type ScenarioGateway } from './gateway.js';
import { type Judgement, judge } from './judge.js';
import { type DriverOrder, driverOrder, type EarlierPayment, prepare } from './order.js';
import { listenOn, openPayer } from './payer.js';
import type { Scenario } from './scenario.js';

export type ScenarioRuntime = Pick<Runtime, 'env' | 'clock' | 'files' | 'processes' | 'random'>;

/** How COMMAND is run. */
export interface RunSettings {
  /** How long it waits for a reply, and for an outcome, in seconds; both are told to it. */
  readonly timeout: number;
  readonly patience: number;
  readonly command: readonly string[];
  /** The address of its callback handler; undefined where it may open one itself. */
  readonly handler: string | undefined;
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
  // At most 20 characters, of which some gateways allow no more.
  const reference = `certify-${number + 1}`;
  let earlier: EarlierPayment | undefined;
  const gateway = await openGateway(scenario, number, ports, (sandbox, state) => {
    earlier = prepare(scenario.setUp?.prepared, reference, sandbox, state);
  });
  const payer = await openPayer(gateway, scenario.setUp?.payer ?? 'challenge');
  try {
    const { store } = gateway.state;
    const before = numberIn(store.database.get('SELECT max(id) AS id FROM transactions'), 'id');
    const given = scenario.runs?.kind === 'twice' ? [scenario.order, scenario.runs.second] : [scenario.order];
    const orders = given.map((order) => driverOrder(scenario, order, reference, earlier, clock.now()));
    const env = {
      ...connectionEnv(gateway, scratch.path, runtime),
      CERTIFY_SCENARIO: scenario.name,
      CERTIFY_STATE: scratch.path,
      CERTIFY_TIMEOUT: String(settings.timeout),
      CERTIFY_PATIENCE: String(settings.patience),
      CERTIFY_PAYER_URL: payer.url,
    };
    const during = carryOutAll(scenario, gateway, runtime);
    const runs = await runAll(scenario, orders, { env, settings, gateway, runtime, stop });
    await Promise.race([during, clock.sleep(50)]);
    await gateway.advance(untilFinalMs);
    return judge({ scenario, gateway, orders, runs, before, ms: Math.round(clock.monotonic() - startedAt) });
  } finally {
    payer.close();
    await gateway.close();
    scratch.remove();
  }
}

/** What is done to the gateway meanwhile; resolves after the last of it. */
async function carryOutAll({ setUp = {} }: Scenario, gateway: ScenarioGateway, { clock }: ScenarioRuntime) {
  const { awayMs, moment } = setUp;
  if (awayMs !== undefined) await gateway.leave(awayMs);
  if (moment === undefined) return;
  await gateway.firstPayment;
  await clock.sleep(moment.afterRequestMs);
  if (moment.act === 'advance-clock') await gateway.advance(moment.ms);
  else await gateway.leave(moment.ms);
}

interface Surroundings {
  readonly env: Env;
  readonly settings: RunSettings;
  readonly gateway: ScenarioGateway;
  readonly runtime: ScenarioRuntime;
  readonly stop: AbortSignal;
}

async function runAll(
  { runs = { kind: 'once' } }: Scenario,
  [order, second]: readonly DriverOrder[],
  around: Surroundings,
): Promise<readonly DriverRun[]> {
  const { gateway, runtime } = around;
  const once = (given = order, kill?: AbortSignal) => runOnce(given, kill, around);
  const killedAfter = async (moment: Promise<void>) => {
    const killing = new AbortController();
    void moment.then(() => killing.abort());
    const killed = await once(order, killing.signal);
    return killed.ended === 'killed' ? [killed, await once()] : [killed];
  };
  if (runs.kind === 'at-once') return Promise.all([once(), once()]);
  if (runs.kind === 'twice') return [await once(), await once(second)];
  if (runs.kind === 'killed') return killedAfter(gateway.firstPayment.then(() => runtime.clock.sleep(runs.afterMs)));
  if (runs.kind === 'killed-anywhere') return killedAfter(runtime.clock.sleep(runtime.random.below(runs.withinMs)));
  return [await once()];
}

async function runOnce(
  order: DriverOrder | undefined,
  kill: AbortSignal | undefined,
  { env, settings, gateway, runtime, stop }: Surroundings,
): Promise<DriverRun> {
  if (stop.aborted) return { ...noAnswer, exit: 0, ms: 0, ended: 'killed', errors: [] };
  const { command, handler, timeout, patience } = settings;
  // A free one for each run: two at once may both open a handler.
  const callbackUrl = handler ?? `http://127.0.0.1:${await freePort()}/callback`;
  const given = { ...env, PAYCLI_CALLBACK_URL: callbackUrl, CERTIFY_ORDER: JSON.stringify(order) };
  const ending = kill === undefined ? stop : AbortSignal.any([stop, kill]);
  const limitMs = 3 * (timeout + patience) * 1000;
  return runDriver(command, given, gateway.state.identity().controlKey, limitMs, ending, runtime);
}

/** Nothing of the user's own profiles: COMMAND must never reach another gateway than this one. */
function connectionEnv({ url, state, caPem }: ScenarioGateway, folder: string, { env, files }: ScenarioRuntime): Env {
  const { login, endpointId, controlKey } = state.identity();
  const write = (name: string, content: string) => {
    const path = join(folder, '.keys', name);
    files.writeText(path, content);
    return path;
  };
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:PAYCLI|CERTIFY)_/.test(name))),
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

async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listenOn(server);
  await new Promise<void>((resolve) => server.close(() => resolve()));
  return port;
}
