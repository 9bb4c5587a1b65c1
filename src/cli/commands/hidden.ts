import type { Runtime } from '../../runtime/ports.js';
import { signOperationTools, type TreePart } from '../core/command-line.js';
import { operationWords, treeBuilder } from '../core/program.js';

/** Runs a command of the build or of a checkout, which no help lists; undefined for any other command line. */
export async function runHidden(
  [word = '', option = '']: readonly string[],
  parts: readonly TreePart[],
  runtime: Runtime,
): Promise<number | undefined> {
  const build = treeBuilder(runtime, parts);
  switch (word) {
    case '__man':
      return (await import('../docs/man/pages.js')).writePages(option, build, runtime);
    case '__help-sheets':
      return (await import('../docs/write-help-sheets.js')).writeHelpSheets(option, build, runtime);
    case '__payment-commands':
      runtime.terminal.out(`${paymentCommands(parts).join('\n')}\n`);
      return 0;
    case '__texts':
      return (await import('../docs/source-texts.js')).printSourceTexts(runtime);
    case '__generate':
      return (await import('../docs/generate.js')).generate(option === '--check', build, runtime);
    default:
      return undefined;
  }
}

/** How the commands begin that the program of payments has as well: an operation, or `sign` and an operation. */
function paymentCommands(parts: readonly TreePart[]): readonly string[] {
  const words = [...new Set(operationWords.map((each) => each.split(' ')[0] ?? ''))];
  const others = parts.flatMap((part) => part.words);
  const signed = words.filter((word) => !signOperationTools.has(word)).map((word) => `sign ${word}`);
  return [...words.filter((word) => !others.includes(word)), ...signed];
}
