import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
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

function openAs(folder: string, own: Pick<Processes, 'pid' | 'place' | 'startOf'>): Journal {
  const { host, isAlive } = systemProcesses;
  const journal = openSqliteJournal({
    databases: sqlite,
    files: openFiles({}, { home: folder, working: folder }),
    clock: new StoreClock(),
    random: systemRandom,
    process: { host, isAlive, pid: own.pid, place: own.place, startOf: own.startOf },
    path: join(folder, 'state', 'requests.db'),
    key: 'the key of this installation',
    who: 'tester',
  });
  onTestFinished(() => journal.close());
  return journal;
}

/** Whether this process takes one for gone that began a sale. */
async function isGone(pid: number, other: { place?: string; started?: string | undefined } = {}): Promise<boolean> {
  const folder = newFolder();
  const { place = systemProcesses.place, started = systemProcesses.startOf(pid) } = other;
  await begin(openAs(folder, { pid, place, startOf: () => started }), sale);
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

  test.runIf(isLinux)('is gone when it ended, even if its number belongs to another process by now', async () => {
    const pid = await sleeper();
    expect(await isGone(pid, { started: '1' })).toBe(true);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => systemProcesses.isAlive(pid)).toBe(false);
    expect(await isGone(pid, { started: '1' })).toBe(true);
  });

  test.runIf(isLinux)('is not called gone by a number that belongs to another container', async () => {
    expect(await isGone(4_000_000, { place: 'another' })).toBe(false);
  });

  test.runIf(isLinux)('is gone when it ended and its parent has not asked after it yet', async () => {
    // The shell becomes a sleep, which never asks; only then does its child end, when its input does.
    const shell = spawn('sh', ['-c', 'cat <&3 3<&- & echo $!; exec sleep 60 3<&-'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    onTestFinished(() => void shell.kill('SIGKILL'));
    const [, out, , input] = shell.stdio;
    const [said] = await once(out ?? expect.unreachable(), 'data');
    const pid = Number(String(said));
    const started = systemProcesses.startOf(pid);
    await expect.poll(() => readFileSync(`/proc/${shell.pid}/comm`, 'latin1')).toBe('sleep\n');
    input?.destroy();
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'latin1')).toMatch(/\) Z /);
    expect(systemProcesses.isAlive(pid)).toBe(true);
    expect(await isGone(pid, { started })).toBe(true);
  });

  test.runIf(isLinux)('is known by its start, behind a program name with blanks and brackets', async () => {
    const script =
      'process.title = "a) R 1 (b"; console.log(require("node:fs").readFileSync("/proc/self/stat", "latin1")); setTimeout(() => {}, 60000)';
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = await once(child.stdout, 'data');
    // Field 22 by hand: the twentieth behind the last bracket.
    expect(systemProcesses.startOf(child.pid ?? 0)).toBe(String(said).split(') ').at(-1)?.split(' ')[19]);
  });
});
