import type { PostgresEngine } from '../../batch/engines/postgres-engine.js';
import type { Run } from '../../batch/run.js';
import type { RunEnd } from '../../batch/run-ports.js';

/** Runs until the batch has its end on all workers, taking up what those that ended left behind. */
export async function runTogether(engine: PostgresEngine, newRun: () => Run): Promise<RunEnd> {
  for (;;) {
    const end = await newRun().toEnd();
    if (end.halt !== undefined || end.refusal !== undefined || !(await engine.othersLeft())) return end;
  }
}
