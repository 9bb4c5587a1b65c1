import type { Runtime } from './runtime/ports.js';

/**
 * Runs one command line and gives the exit code of the process. What a shell asks at a TAB has to be quick, so it loads
 * nothing else.
 */
export async function run(argv: readonly string[], runtime: Runtime): Promise<number> {
  if (argv[0] !== '__complete') return (await import('./cli/core/run-line.js')).runLine(argv, runtime);
  return (await import('./cli/docs/completion/answer.js')).answer(argv.slice(argv.indexOf('--') + 1), runtime);
}
