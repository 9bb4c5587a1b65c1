import { allCommands } from '../../src/cli/commands/index.js';
import { runLine } from '../../src/cli/core/run-line.js';
import { answer } from '../../src/cli/docs/completion/answer.js';
import type { Runtime } from '../../src/runtime/ports.js';

/** Runs a command line in this process, as `bin/paycli.js` does, where completions are a program of their own. */
export async function run(argv: readonly string[], runtime: Runtime): Promise<number> {
  return argv[0] === '__complete'
    ? answer(argv.slice(argv.indexOf('--') + 1), runtime)
    : runLine(argv, runtime, allCommands);
}
