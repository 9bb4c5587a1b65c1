import { join } from 'node:path';
import { openPlan, type PlanPorts } from '../../src/batch/plan/plan-store.js';
import type { PlanStore } from '../../src/batch/plan.js';
import { cardFileHash } from '../../src/cli/commands/batch/plan-files.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import { CountingRandom, TestClock } from '../support/runtime.js';
import { planned } from './files.js';

/** What a plan of a home is opened with. */
export function portsOf(home: string): PlanPorts {
  const files = openFiles({ PAYCLI_CONFIG_DIR: join(home, 'config') }, { home, working: home });
  return {
    database: sqlite,
    files,
    clock: new TestClock(),
    cardFileHash: cardFileHash({ files, random: new CountingRandom() }),
  };
}

export function openPlanIn(home: string, id: string): PlanStore {
  return openPlan(join(home, 'state', 'batches', `${id}.db`), portsOf(home));
}

/** Plans a file of a home and opens what came of it. */
export async function openPlanOf(home: string, file: string, flags: readonly string[] = []): Promise<PlanStore> {
  const { plan } = await planned(home, [file, ...flags]);
  return openPlanIn(home, plan);
}
