import { openLocalEngine } from '../../src/batch/engines/local.js';
import { systemClock } from '../../src/runtime/clock.js';
import { newFolder, open } from '../journal/support.js';
import { type EngineUnderTest, prepared } from './engine-suite.js';

/** The engine of one machine under the suite: each worker is a process over the same journal. */
export const localUnderTest: EngineUnderTest = {
  isShared: false,
  async open(plan, rate) {
    const folder = newFolder();
    const alive = new Set<number>();
    let pids = 0;
    return {
      async worker() {
        pids += 1;
        const pid = pids;
        alive.add(pid);
        const engine = openLocalEngine({
          ...{ plan, rate, clock: systemClock, limitsOf: () => ({}) },
          journal: open(folder, pid).journal,
          intentOf: (row) => prepared(plan, row.number).intent,
          isAlive: (sender) => sender.pid !== pid && alive.has(sender.pid),
        });
        return { engine, lapse: async () => void alive.delete(pid) };
      },
    };
  },
};
