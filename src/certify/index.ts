import type { DatabaseOpener } from '../runtime/ports.js';
import type { GatewayPorts } from './gateway.js';
import { type Judgement, notRun } from './judge.js';
import { type RunSettings, runScenario, type ScenarioRuntime } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { scenarios } from './scenarios/index.js';

export type { Judgement, Verdict } from './judge.js';
export { type OutcomeWord, type Scenario, type Tag, tags } from './scenario.js';
export { scenarios } from './scenarios/index.js';

export interface CertifySettings extends RunSettings {
  /** 0 for any free one; with another, scenarios run one after the other. */
  readonly port: number;
  readonly callbackHosts: readonly string[];
}

export type CertifyRuntime = ScenarioRuntime & { database(): Promise<DatabaseOpener> };

/** What the gateways of a run share. */
export async function gatewayPorts(
  { port, timeout, callbackHosts }: CertifySettings,
  { clock, database, random }: CertifyRuntime,
): Promise<GatewayPorts> {
  return { clock, database: await database(), rsa: random.rsaPem(), port, timeoutMs: timeout * 1000, callbackHosts };
}

// Scenarios mostly wait, so there are more at once than a machine has processors.
const maxAtOnce = 8;

/**
 * Runs COMMAND through scenarios, side by side where they can be; calls `onJudged` as each ends. In table order; what
 * `stop` leaves is not run.
 */
export async function certify(
  chosen: readonly Scenario[],
  settings: CertifySettings,
  runtime: CertifyRuntime,
  stop: AbortSignal,
  onJudged: (judgement: Judgement) => void = () => undefined,
): Promise<readonly Judgement[]> {
  const ports = await gatewayPorts(settings, runtime);
  const results = new Map<Scenario, Judgement>();
  // The longest first, so that none of them is left over for the end.
  const waiting = [...chosen].sort((one, other) => lengthOf(other) - lengthOf(one));
  const broken = new AbortController();
  const ending = AbortSignal.any([stop, broken.signal]);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !ending.aborted; next = waiting.shift()) {
      const judgement = await runScenario(
        asked(next, settings),
        scenarios.indexOf(next),
        settings,
        ports,
        runtime,
        ending,
      );
      // What was stopped halfway says nothing about COMMAND.
      if (ending.aborted) return;
      results.set(next, judgement);
      onJudged(judgement);
    }
  };
  const workers = Array.from({ length: settings.port === 0 ? maxAtOnce : 1 }, work);
  // One that cannot go on stops the others, and all of them clean up before the error is reported.
  for (const worker of workers) worker.catch(() => broken.abort());
  await Promise.allSettled(workers);
  await Promise.all(workers);
  return chosen.map((scenario) => results.get(scenario) ?? notRun(scenario, 'the run was stopped before it finished'));
}

/** A client that is killed anywhere may rightly not know what became of its request, or not have sent it. */
function asked(scenario: Scenario, { isRestarted }: CertifySettings): Scenario {
  if (!isRestarted || scenario.runs !== undefined) return scenario;
  const { timesMoneyMoved, reports } = scenario.expect;
  const honest = ['unknown', 'pending', 'refused'] as const;
  return {
    ...scenario,
    expect: {
      ...scenario.expect,
      timesMoneyMoved: [0, ...timesMoneyMoved],
      reports: [...reports, ...honest],
      anySpeed: true,
    },
  };
}

function lengthOf({ setUp, runs, expect: { reports } }: Scenario): number {
  const waits = reports.includes('pending') ? 5000 : 0;
  return waits + (setUp?.settleMs ?? 0) + (runs === undefined ? 0 : 1000) + (setUp?.fault === undefined ? 0 : 1000);
}
