import type { Runtime } from '../../runtime/ports.js';
import type { TreePart } from '../core/command-line.js';
import { treeBuilder } from '../core/program.js';

/** Runs a command of the build, of a checkout or of a shell at TAB, which no help lists; undefined for any other command line. */
export async function runHidden(
  [word = '', option = '']: readonly string[],
  parts: readonly TreePart[],
  runtime: Runtime,
): Promise<number | undefined> {
  const build = treeBuilder(runtime, parts);
  switch (word) {
    case '__man':
      return (await import('../docs/man/pages.js')).writePages(option, build, runtime);
    case '__complete':
      return (await import('../docs/completion/answer.js')).answer(parts, runtime);
    case '__generate':
      return (await import('../docs/generate.js')).generate(option === '--check', runtime);
    default:
      return undefined;
  }
}
