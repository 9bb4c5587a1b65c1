import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Journal } from '../../src/journal/port.js';
import { openSqliteJournal } from '../../src/journal/sqlite.js';
import { sqlite } from '../../src/runtime/database.js';
import { openFiles } from '../../src/runtime/files.js';
import { systemRandom } from '../../src/runtime/machine.js';
import type { Processes } from '../../src/runtime/ports.js';
import { systemProcesses } from '../../src/runtime/processes.js';
import { begin, newFolder, StoreClock, sale } from '../journal/support.js';

const isLinux = process.platform === 'linux';

function openAs(folder: string, own: Pick<Processes, 'pid' | 'place'>): Journal {
  const { host, isAlive } = systemProcesses;
  const journal = openSqliteJournal({
    databases: sqlite,
    files: openFiles({}, { home: folder, working: folder }),
    clock: new StoreClock(),
    random: systemRandom,
    process: { host, isAlive, pid: own.pid, place: own.place },
    path: join(folder, 'state', 'requests.db'),
    key: 'the key of this installation',
    who: 'tester',
  });
  onTestFinished(() => journal.close());
  return journal;
}

/** Whether this process takes one for gone that began a sale. */
async function isGone(pid: number, place = systemProcesses.place): Promise<boolean> {
  const folder = newFolder();
  await begin(openAs(folder, { pid, place }), sale);
  return (await openAs(folder, systemProcesses).markGone()).length === 1;
}

async function sleeper(): Promise<number> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid ?? 0;
}

describe('the process of a request', () => {
  test('is not gone while it runs', async () => {
    expect(await isGone(await sleeper())).toBe(false);
  });

  test('is gone when it ended', async () => {
    const pid = await sleeper();
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => systemProcesses.isAlive(pid)).toBe(false);
    expect(await isGone(pid)).toBe(true);
  });

  test.runIf(isLinux)('is not called gone by a number that belongs to another container', async () => {
    expect(await isGone(4_000_000, 'another')).toBe(false);
  });
});
