import { setMaxListeners } from 'node:events';
import { homedir, userInfo } from 'node:os';
import { isAbsolute } from 'node:path';
import { fail, isOutOfFiles } from '../errors/index.js';
import { systemClock } from './clock.js';
import { openFiles } from './files.js';
import type { Runtime } from './ports.js';
import { systemProcesses } from './processes.js';
import { newRsaPair, systemRandom } from './random.js';
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
    files: openFiles(env, { home: homeFolder(), working: workingFolder() }),
    processes: systemProcesses,
    async prompter(colour) {
      const { openPrompter } = await import('./prompter.js');
      return openPrompter({
        stdin: process.stdin,
        screen: process.stderr,
        colour: wantsColour(env, process.stderr.isTTY, colour),
      });
    },
    async transport(options) {
      const { openTransport } = await import('./transport.js');
      return openTransport(options, env);
    },
    async database() {
      const { sqlite } = await import('./database.js').catch((cause: unknown) => {
        if (isOutOfFiles(cause)) throw cause;
        throw fail(
          'STORAGE',
          {
            what: 'SQLite',
            why: `it does not run on ${process.platform}-${process.arch}, or its installation is incomplete`,
            how: 'run `npm rebuild @photostructure/sqlite` where paycli is installed',
          },
          { cause },
        );
      });
      return sqlite;
    },
    async postgres(address) {
      const { openPostgres } = await import('./postgres.js');
      return openPostgres(address);
    },
    async keyring() {
      const { openKeyring } = await import('./keyring.js');
      return openKeyring(env);
    },
    rsaPair: newRsaPair,
  };
}

/** Undefined without HOME for a user id that has no entry, as in a container. An empty HOME is none. */
function homeFolder(): string | undefined {
  for (const read of [homedir, () => userInfo().homedir]) {
    try {
      const home = read();
      if (isAbsolute(home)) return home;
    } catch {}
  }
  return undefined;
}

/** The working folder may have been removed; then only relative paths have no meaning. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    return '/';
  }
}
