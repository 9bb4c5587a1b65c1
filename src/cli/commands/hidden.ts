import type { Runtime } from '../../runtime/ports.js';
import type { BuildCommands } from '../group.js';

/** Runs a command of the build, of a checkout or of a shell at TAB, which no help lists; undefined for any other line. */
export async function runHidden(
  [word = '', option = '']: readonly string[],
  build: BuildCommands,
  runtime: Runtime,
): Promise<number | undefined> {
  switch (word) {
    case '__man':
      return (await import('../docs/man.js')).writePages(option, await build('all'), runtime);
    case '__complete':
      return (await import('../docs/complete.js')).complete(build, runtime);
    case '__generate':
      return (await import('../docs/generate.js')).generate(option === '--check', runtime);
    default:
      return undefined;
  }
}
