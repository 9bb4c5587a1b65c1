import { join } from 'node:path';
import type { PlanHead } from '../../batch/plan.js';
import { fail } from '../../errors/index.js';
import type { Lock, Runtime } from '../../runtime/ports.js';
import { planFolder } from '../batch-plans.js';

/**
 * Holds a plan, and the file it was made from, against every other process of this user. Throws STORAGE, naming who has it.
 * Plans of one file hold rows of each other, so only one of them is sent at a time.
 */
export async function holdPlan({ id, file }: PlanHead, runtime: Runtime): Promise<Lock> {
  const held: Lock[] = [];
  const release = (): void => {
    for (const lock of held.splice(0).reverse()) lock.release();
  };
  try {
    held.push(await hold(`plan ${id}`, id, runtime));
    held.push(await hold(`another plan of ${file.path}`, `file-${file.sha256.slice(0, 32)}`, runtime));
    return { release };
  } catch (error) {
    release();
    throw error;
  }
}

async function hold(what: string, name: string, runtime: Runtime): Promise<Lock> {
  const { files, processes, clock } = runtime;
  const path = join(planFolder(runtime), `${name}.lock`);
  const note = `${path}.owner`;
  const lock = (await runtime.database()).lock(path);
  if (lock === undefined)
    throw fail('STORAGE', {
      what,
      why: `${ownerIn(note, runtime)} is sending it right now`,
      how: 'wait until it ends, or end it with Ctrl-C; then repeat the command',
    });
  try {
    const since = new Date(clock.now()).toISOString();
    files.writeText(note, `process ${processes.pid} on ${processes.host}, since ${since},\n`);
  } catch (cause) {
    lock.release();
    const how = 'see that the disk works and has room, then repeat the command';
    throw fail('STORAGE', { what: note, why: 'it cannot be written', how }, { cause });
  }
  return lock;
}

/** Its owner writes the note once it has the lock, so for a moment there is none, or that of an earlier one. */
function ownerIn(note: string, { files }: Runtime): string {
  try {
    return files.readText(note, 1000).trim();
  } catch {
    return 'another paycli';
  }
}
