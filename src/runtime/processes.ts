import type { SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readlinkSync } from 'node:fs';
import { constants, hostname, userInfo } from 'node:os';
import { fail } from '../errors/index.js';
import { type Env, hasCode } from './machine.js';

const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type Stop = 'SIGINT' | 'SIGTERM';

interface CaptureOptions {
  readonly env: Env;
  readonly folder: string;
  readonly input?: string;
  /** Ends the program, and those that it started, at once. */
  readonly signal: AbortSignal;
}

export const systemProcesses = {
  pid: process.pid,
  /** Within which pids are unique: a boot of the machine, and in it a container. Undefined but on Linux. */
  get place() {
    // The number of the namespace of pids stands in the link: pid:[4026531836].
    return readIfAllowed(
      () => `${readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim()} ${readlinkSync('/proc/self/ns/pid')}`,
    );
  },
  // By the effective user id, as files are owned; an id without a name, as in some containers, is its own name.
  get user() {
    const uid = process.geteuid?.();
    const name = readIfAllowed(() => userInfo().username) ?? `user ${uid ?? 'unknown'}`;
    return { name, id: uid === undefined ? name.toLowerCase() : String(uid) };
  },
  host: hostname(),
  nodeVersion: process.versions.node,
  platform: `${process.platform} ${process.arch}`,
  isAlive(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch (error) {
      // It exists and belongs to another user.
      return hasCode(error, 'EPERM');
    }
  },
  end: (pid: number) => void process.kill(pid, 'SIGTERM'),
  /**
   * Starts a program with the streams of this one and further variables; with `err` its output goes to standard error.
   * Throws USAGE when it cannot be started.
   */
  async start(command: readonly string[], env: Env, output?: 'err') {
    const stdio: SpawnOptions['stdio'] = ['inherit', output === 'err' ? 2 : 'inherit', 'inherit'];
    const { child, exit } = await launch(command, { stdio, env: { ...process.env, ...env } }).catch(
      (cause: unknown) => {
        throw fail('USAGE', { why: `${command[0]} cannot be started` }, { cause });
      },
    );
    return { exit, signal: (name: Stop) => void child.kill(name) };
  },
  capture,
  /** Shows a web address in the user's browser. False when there is none to start. */
  async browse(url: string): Promise<boolean> {
    const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
    // Without a screen such a program ends at once, or waits in the terminal.
    if (program === 'xdg-open' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return false;
    const started = await launch([program, url], { stdio: 'ignore', detached: true }).catch(() => undefined);
    started?.child.unref();
    return started !== undefined;
  },
  every(ms: number, work: () => void) {
    const timer = setInterval(work, ms).unref();
    return () => clearInterval(timer);
  },
  /** Calls back at a signal to stop; returns how to stop listening. */
  onStop(callback: (signal: Stop) => void) {
    // A closed terminal sends SIGHUP, which is handled like SIGTERM.
    const stop = (signal: NodeJS.Signals) => callback(signal === 'SIGINT' ? signal : 'SIGTERM');
    for (const signal of stopSignals) process.on(signal, stop);
    return () => {
      for (const signal of stopSignals) process.off(signal, stop);
    };
  },
};

/** Not on macOS and Windows, and not where /proc is hidden. */
function readIfAllowed(read: () => string): string | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/** Rejects when the program cannot be started. */
async function launch([program = '', ...args]: readonly string[], options: SpawnOptions) {
  // Loaded here, since few commands need it and all would pay for it.
  const { spawn } = await import('node:child_process');
  const child = spawn(program, args, { windowsHide: true, ...options });
  const exit = new Promise<number>((resolve) => {
    // 128 and the number of the signal that ended it, as shells have it.
    child.once('close', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  // One that may not be signalled, such as sudo, is no fault of the command.
  child.on('error', () => {});
  await once(child, 'spawn');
  return { child, exit };
}

/** Runs a program to its end. Rejects when it cannot be started. */
export async function capture(command: readonly string[], options: CaptureOptions) {
  const { env, folder: cwd, input = '', signal } = options;
  // In a group of its own, so that what it starts is ended with it.
  const { child, exit } = await launch(command, { cwd, env, detached: process.platform !== 'win32' });
  const { stdin, stdout, stderr } = child;
  const end = () => {
    try {
      process.kill(-(child.pid ?? Number.NaN), 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
    // What has left the group may hold them open for ever.
    for (const stream of [stdin, stdout, stderr]) stream?.destroy();
  };
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  stdout?.on('data', (piece: Buffer) => out.push(piece));
  stderr?.on('data', (piece: Buffer) => err.push(piece));
  // A program that never reads its input is no error.
  stdin?.on('error', () => {});
  stdin?.end(input);
  signal.addEventListener('abort', end);
  if (signal.aborted) end();
  const code = await exit;
  signal.removeEventListener('abort', end);
  return { exit: code, out: Buffer.concat(out), err: Buffer.concat(err) };
}
