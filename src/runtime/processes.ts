import { fail } from '../errors/index.js';
import type { Child, Env, Processes } from './ports.js';

export const systemProcesses: Processes = {
  pid: process.pid,
  nodeVersion: process.versions.node,
  isAlive(pid) {
    try {
      process.kill(pid, 0);
      return true;
    } catch (error) {
      // It is there, and somebody else's.
      return error instanceof Error && 'code' in error && error.code === 'EPERM';
    }
  },
  end: (pid) => void process.kill(pid, 'SIGTERM'),
  start,
  browse,
  onStop(callback) {
    const stop = (signal: NodeJS.Signals) => {
      if (signal === 'SIGINT' || signal === 'SIGTERM') callback(signal);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
    return () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    };
  },
};

async function start([program = '', ...args]: readonly string[], env: Env): Promise<Child> {
  // Only one command ever needs these, and all of them would pay for it.
  const [{ spawn }, { constants }] = await Promise.all([import('node:child_process'), import('node:os')]);
  const child = spawn(program, args, { stdio: 'inherit', env: { ...process.env, ...env } });
  const exit = new Promise<number>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(fail('USAGE', { why: `${program} cannot be started`, command: 'sandbox start' }, { cause })));
  });
  return { exit, signal: (name) => void child.kill(name) };
}

const browsers: Partial<Readonly<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  // Not `cmd /c start`, which would read an & in the address.
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

async function browse(url: string): Promise<boolean> {
  const { spawn } = await import('node:child_process');
  const [program, ...args] = browsers[process.platform] ?? ['xdg-open'];
  // Without a screen such a program ends at once, or waits in the terminal.
  if (program === 'xdg-open' && !process.env['DISPLAY'] && !process.env['WAYLAND_DISPLAY']) return false;
  const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
  const isStarted = await new Promise<boolean>((resolve) => {
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
  });
  child.unref();
  return isStarted;
}
