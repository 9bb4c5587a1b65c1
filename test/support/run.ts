import { runLine } from '../../src/cli/program.js';
import type { Runtime } from '../../src/runtime/ports.js';

/** Runs a command line in this process, as `bin/paycli.js` does. */
export async function run(argv: readonly string[], runtime: Runtime): Promise<number> {
  return runLine(argv, runtime);
}
