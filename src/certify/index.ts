import type { DatabaseOpener } from '../runtime/ports.js';
import { type Judgement, notRun, verdicts } from './judge.js';
import { type RunSettings, runScenario, type ScenarioRuntime } from './run-scenario.js';
import type { Scenario } from './scenario.js';
import { callbackScenarios } from './scenarios/callback.js';
import { formatScenarios } from './scenarios/format.js';
import { moneyScenarios } from './scenarios/money.js';
import { outageScenarios } from './scenarios/outage.js';
import { threedsScenarios } from './scenarios/threeds.js';

export { type Judgement, notRun, type Verdict } from './judge.js';
export { type OutcomeWord, type Scenario, type Tag, tags } from './scenario.js';

/** Every scenario, in the order of the report. */
export const scenarios: readonly Scenario[] = [
  ...moneyScenarios,
  ...outageScenarios,
  ...callbackScenarios,
  ...threedsScenarios,
  ...formatScenarios,
];

export interface CertifySettings extends RunSettings {
  /** 0 for any free one; with another, scenarios run one after the other. */
  readonly port: number;
  readonly callbackHosts: readonly string[];
  /** Its gateways take what programs of this family send against the description. */
  readonly isCompatible?: boolean;
}

export type CertifyRuntime = ScenarioRuntime & { database(): Promise<DatabaseOpener> };

// Scenarios mostly wait, so there are more at once than a machine has processors.
const maxAtOnce = 8;

/**
 * Runs COMMAND through scenarios, side by side where they can be; calls `onJudged` as each ends. What failed comes
 * first; what `stop` leaves is not run.
 */
export async function certify(
  chosen: readonly Scenario[],
  settings: CertifySettings,
  runtime: CertifyRuntime,
  stop: AbortSignal,
  onJudged: (judgement: Judgement) => void = () => undefined,
): Promise<readonly Judgement[]> {
  const { port, timeout, callbackHosts, isCompatible = false } = settings;
  const ports = {
    ...{ clock: runtime.clock, database: await runtime.database(), rsa: runtime.random.rsaPem() },
    ...{ port, timeoutMs: timeout * 1000, callbackHosts, isCompatible },
  };
  const results = new Map<Scenario, Judgement>();
  const waiting = [...chosen];
  const broken = new AbortController();
  const ending = AbortSignal.any([stop, broken.signal]);
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined && !ending.aborted; next = waiting.shift()) {
      const number = scenarios.indexOf(next);
      const judgement = await runScenario(next, number, settings, ports, runtime, ending);
      // What was stopped halfway says nothing about COMMAND.
      if (ending.aborted) return;
      results.set(next, judgement);
      onJudged(judgement);
    }
  };
  const workers = Array.from({ length: port === 0 ? maxAtOnce : 1 }, work);
  // One that cannot go on stops the others, and all of them clean up before the error is reported.
  for (const worker of workers) worker.catch(() => broken.abort());
  await Promise.allSettled(workers);
  await Promise.all(workers);
  const judged = chosen.map((one) => results.get(one) ?? notRun(one, 'the run was stopped before it finished'));
  return judged.sort((one, other) => verdicts.indexOf(one.verdict) - verdicts.indexOf(other.verdict));
}
