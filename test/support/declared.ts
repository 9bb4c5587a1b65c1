import { declarationOf } from '../../src/cli/core/define-command.js';
import { commandTree } from '../cli/golden/help.js';

/** The examples that these commands declare, and those of the commands below them: `journal` has those of `journal list`. */
export async function examplesOf(...paths: readonly string[]): Promise<readonly string[]> {
  const found = [...(await commandTree())].flatMap(([path, command]) => {
    const declaration = declarationOf(command);
    const isWanted = paths.some((wanted) => path === wanted || path.startsWith(`${wanted} `));
    return isWanted && declaration?.name === path ? (declaration.examples ?? []) : [];
  });
  if (found.length === 0) throw new Error(`no examples of ${paths.join(', ')}`);
  return found;
}
