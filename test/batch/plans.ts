import { join } from 'node:path';
import { openPlan, type PlanPorts } from '../../src/batch/plan/plan-store.js';
import type { PlanStore } from '../../src/batch/plan.js';
import { cardFileHash } from '../../src/cli/commands/batch/plan-files.js';
import { openJournal } from '../../src/journal/index.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import { CountingRandom, TestClock } from '../support/runtime.js';
import { planned } from './files.js';

/** What a plan of a home is opened with: its files, and the key of its journal. */
export function portsOf(home: string): PlanPorts {
  const files = openFiles({ PAYCLI_CONFIG_DIR: join(home, 'config') }, { home, working: home });
  const path = join(home, 'state', 'journal.db');
  const database = sqlite.open(path);
  const sender = { host: 'test', pid: 1, version: '0' };
  const clock = new TestClock();
  const journal = openJournal({
    database,
    files,
    clock,
    random: new CountingRandom(),
    sender,
    checkpointPath: `${path}.tail.json`,
  });
  return {
    database: sqlite,
    files,
    clock,
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
