import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import type { Build } from '../../core/command-line.js';
import { completionScript, shells } from '../../docs/completion/scripts.js';

/** Prints the completion script of a shell. Throws USAGE for a shell that has none. */
export async function runCompletion(shell: string, tree: Build, runtime: Runtime): Promise<number> {
  const script = await completionScript(shell, tree);
  if (script === undefined)
    throw fail('USAGE', {
      why: `there is no completion for that shell; there is: ${Object.keys(shells).join(', ')}`,
      command: 'completion',
    });
  runtime.terminal.out(script);
  return 0;
}
