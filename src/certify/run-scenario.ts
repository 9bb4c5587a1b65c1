import { createHash } from 'node:crypto';
import type { Env } from '../runtime/ports.js';
import { type DriverRun, noAnswer, runDriver } from './driver.js';
import type { GatewayPorts, ScenarioGateway } from './gateway.js';
import type { Judgement } from './judge.js';
import type { DriverOrder } from './order.js';
import type { Scenario } from './scenario.js';
import { freePort, openScenario, type ScenarioRuntime, type ToldTimes } from './scenario-session.js';

/** How COMMAND is run. */
export interface RunSettings extends ToldTimes {
  readonly command: readonly string[];
  /** The address of its callback handler; undefined where it may open one itself. */
  readonly handler: string | undefined;
  /** It is killed at a random moment in every scenario that runs it once, and run again. */
  readonly isRestarted: boolean;
  /** Random moments are the same with the same seed. */
  readonly seed: string;
}

/** Runs COMMAND through one scenario, in a gateway and a folder of its own, and judges it. */
export async function runScenario(
  scenario: Scenario,
  number: number,
  settings: RunSettings,
  ports: GatewayPorts,
  runtime: ScenarioRuntime,
  stop: AbortSignal,
): Promise<Judgement> {
  const session = await openScenario(scenario, number, settings, ports, runtime);
  try {
    const { gateway, orders } = session;
    const env = { ...cleanEnv(runtime.env), ...session.env };
    const during = session.begin();
    const runs = await runAll(scenario, orders, { env, settings, gateway, runtime, stop });
    await Promise.race([during, runtime.clock.sleep(50)]);
    return await session.judge(runs);
  } finally {
    await session.close();
  }
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
function limitSeconds({ timeout, patience }: ToldTimes): number {
  return 3 * (timeout + patience);
}

/** Nothing of the user's own profiles: COMMAND must never reach another gateway than this one. */
function cleanEnv(env: Env): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !/^(?:PAYCLI|CERTIFY)_/.test(name)));
}
