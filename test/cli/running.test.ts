import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isRunning, senderOf } from '../../src/cli/core/user-stores.js';
import type { Sender } from '../../src/journal/index.js';
import type { Processes } from '../../src/runtime/ports.js';
import { systemProcesses } from '../../src/runtime/processes.js';

const own = senderOf(systemProcesses);
const isLinux = process.platform === 'linux';
/** Root may make a namespace of processes; elsewhere the kernel may forbid it. */
const mayUnshare = isLinux && spawnSync('unshare', ['--pid', '--fork', '--mount-proc', 'true']).status === 0;

async function sleeper(): Promise<number> {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child, 'spawn');
  return child.pid ?? 0;
}

/** What a process of that id would have recorded. */
const writtenBy = (pid: number, other: Partial<Sender> = {}): Sender => ({
  ...own,
  pid,
  started: systemProcesses.startOf(pid),
  ...other,
});
const runs = (sender: Sender, processes: Processes = systemProcesses) => isRunning(sender, { processes });

describe('whether the process that wrote a line still runs', () => {
  test('it does while it is that very process', async () => {
    expect(runs(writtenBy(await sleeper()))).toBe(true);
  });

  test.runIf(isLinux)('it does not when its number belongs to another process by now', async () => {
    expect(runs(writtenBy(await sleeper(), { started: '1' }))).toBe(false);
  });

  test.runIf(isLinux)('it does not after the machine was started anew, whoever has its number', async () => {
    expect(runs(writtenBy(await sleeper(), { boot: '00000000-0000-4000-8000-000000000000' }))).toBe(false);
  });

  test.runIf(isLinux)('it does not, as far as anybody here can tell, in another container', async () => {
    expect(runs(writtenBy(await sleeper(), { namespace: 'pid:[1]' }))).toBe(false);
  });

  test('it does not on another machine, or when it is this process under a former number', () => {
    expect(runs(writtenBy(process.ppid, { host: 'elsewhere' }))).toBe(false);
    expect(runs(own)).toBe(false);
  });

  test.runIf(isLinux)('it does not when it ended and its parent has not asked after it yet', async () => {
    // The shell becomes a sleep, which never asks; only then does its child end, when its input does.
    const shell = spawn('sh', ['-c', 'cat <&3 3<&- & echo $!; exec sleep 60 3<&-'], {
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    onTestFinished(() => void shell.kill('SIGKILL'));
    const [, out, , input] = shell.stdio;
    const [said] = await once(out ?? expect.unreachable(), 'data');
    const pid = Number(String(said));
    await expect.poll(() => readFileSync(`/proc/${shell.pid}/comm`, 'latin1')).toBe('sleep\n');
    input?.destroy();
    await expect.poll(() => readFileSync(`/proc/${pid}/stat`, 'latin1')).toMatch(/\) Z /);
    expect(systemProcesses.isAlive(pid)).toBe(true);
    expect(systemProcesses.startOf(pid)).toBeUndefined();
  });

  test.runIf(isLinux)('the start is read behind a program name with blanks and brackets', async () => {
    const script =
      'process.title = "a) R 1 (b"; console.log(require("node:fs").readFileSync("/proc/self/stat", "latin1")); setTimeout(() => {}, 60000)';
    const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = await once(child.stdout, 'data');
    // Field 22 by hand: the twentieth behind the last bracket.
    expect(systemProcesses.startOf(child.pid ?? 0)).toBe(String(said).split(') ').at(-1)?.split(' ')[19]);
  });

  test.runIf(mayUnshare)('process 2 of a container is not process 2 of this one', () => {
    const script = `
      const { readFileSync, readlinkSync } = require('node:fs');
      console.log(JSON.stringify({ pid: process.pid, boot: readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim(), namespace: readlinkSync('/proc/self/ns/pid') }));`;
    const said = execFileSync('unshare', [
      '--pid',
      '--fork',
      '--mount-proc',
      'sh',
      '-c',
      '"$0" -e "$1"; true',
      process.execPath,
      script,
    ]);
    const there: Pick<Sender, 'pid' | 'boot' | 'namespace'> = JSON.parse(said.toString());
    expect(there.pid).toBe(2);
    expect(there.boot).toBe(own.boot);
    expect(there.namespace).not.toBe(own.namespace);
    // Process 2 runs here as well, or is taken to.
    const processes: Processes = { ...systemProcesses, isAlive: () => true, startOf: () => '5' };
    expect(runs({ ...own, ...there, started: '5' }, processes)).toBe(false);
  });
});
