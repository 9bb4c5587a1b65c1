import { setMaxListeners } from 'node:events';
import { homedir } from 'node:os';
import { isAbsolute } from 'node:path';
import { fail } from '../errors/index.js';
import { openFiles } from './files.js';
import { systemClock, systemRandom } from './machine.js';
import type { Runtime } from './ports.js';
import { systemProcesses } from './processes.js';
import { openTerminal, wantsColour } from './terminal.js';

/** The runtime on Node. What costs start-up time is loaded at first use. */
export function nodeRuntime(): Runtime {
  // Many requests wait for one signal.
  setMaxListeners(0);
  const env = process.env;
  return {
    env,
    terminal: openTerminal(env),
    clock: systemClock,
    random: systemRandom,
    files: openFiles(env, {
      // None for a user id that has no entry, as in a container, without HOME. An empty HOME is none.
      home: folderIn(homedir),
      working: folderIn(process.cwd),
    }),
    processes: systemProcesses,
    async prompter(colour) {
      const { openPrompter } = await import('./prompter.js');
      const { stdin, stderr } = process;
      return openPrompter({ stdin, screen: stderr, colour: wantsColour(env, stderr.isTTY, colour) });
    },
    transport: async (options) => (await import('./transport.js')).openTransport(options, env),
    async database() {
      const { sqlite } = await import('./database.js').catch((cause: unknown) => {
        const why = `it does not run on ${process.platform}-${process.arch}, or its installation is incomplete`;
        const how = 'run `npm rebuild @photostructure/sqlite` where paycli is installed';
        throw fail('STORAGE', { what: 'SQLite', why, how }, { cause });
      });
      return sqlite;
    },
    postgres: async (address) => (await import('./postgres.js')).openPostgres(address),
    keyring: async () => (await import('./keyring.js')).openKeyring(env),
  };
}

function folderIn(read: () => string): string | undefined {
  try {
    const folder = read();
    return isAbsolute(folder) ? folder : undefined;
  } catch {
    return undefined;
  }
}
