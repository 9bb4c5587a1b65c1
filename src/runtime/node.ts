import { homedir } from 'node:os';
import { systemClock } from './clock.js';
import { openFiles } from './files.js';
import type { Runtime } from './ports.js';
import { systemProcesses } from './processes.js';
import { systemRandom } from './random.js';
import { openTerminal, wantsColour } from './terminal.js';

/** The real world. What costs start-up time is loaded when it is first asked for. */
export function nodeRuntime(): Runtime {
  const env = process.env;
  return {
    env,
    terminal: openTerminal(env),
    clock: systemClock,
    random: systemRandom,
    files: openFiles(env, { home: homedir(), working: process.cwd() }),
    processes: systemProcesses,
    async prompter() {
      const { openPrompter } = await import('./prompter.js');
      return openPrompter({ stdin: process.stdin, screen: process.stderr, colour: wantsColour(env, process.stderr.isTTY) });
    },
    async transport(options) {
      const { openTransport } = await import('./transport.js');
      return openTransport(options, env);
    },
    async database() {
      const { sqlite } = await import('./database.js');
      return sqlite;
    },
  };
}
