import { declarationOf } from '../../src/cli/core/define-command.js';
import { commandTree } from '../cli/golden/help.js';

/** The examples that these commands declare, and those of the commands below them: `journal` has those of `journal list`. */
export async function examplesOf(...paths: readonly string[]): Promise<readonly string[]> {
  const tree = [...(await commandTree())];
  const found = paths.map((wanted) =>
    tree.flatMap(([path, command]) => {
      const declaration = declarationOf(command);
      const isWanted = path === wanted || path.startsWith(`${wanted} `);
      return isWanted && declaration?.name === path ? (declaration.examples ?? []) : [];
    }),
  );
  const without = paths.filter((_, at) => found[at]?.length === 0);
  if (without.length > 0) throw new Error(`no examples of ${without.join(', ')}`);
  return found.flat();
}
