import type { Runtime } from '../../runtime/ports.js';
import { operationWords, treeBuilder } from '../core/program.js';
import { everyPart } from './index.js';
import { paymentParts } from './payment-parts.js';

/** Runs a command of the build or of a checkout, which no help lists; undefined for any other command line. */
export async function runHidden(
  [word = '', option = '']: readonly string[],
  runtime: Runtime,
): Promise<number | undefined> {
  const build = treeBuilder(runtime, everyPart);
  switch (word) {
    case '__man':
      return (await import('../docs/man/pages.js')).writePages(option, build, runtime);
    case '__help-sheets':
      return (await import('../docs/write-help-sheets.js')).writeHelpSheets(option, build, runtime);
    case '__payment-commands':
      runtime.terminal.out(`${paymentCommands().join('\n')}\n`);
      return 0;
    case '__texts':
      return (await import('../docs/source-texts.js')).printSourceTexts(runtime);
    case '__generate':
      return (await import('../docs/generate.js')).generate(option === '--check', build, runtime);
    default:
      return undefined;
  }
}

/** The first words of the commands that the program of payments alone has as well: see `src/entry.ts`. */
function paymentCommands(): readonly string[] {
  const others = everyPart.filter((part) => !paymentParts.includes(part)).flatMap(({ words }) => words);
  const own = [...operationWords, ...paymentParts.flatMap(({ words }) => words)];
  return [...new Set(own)].filter((word) => !word.includes(' ') && !others.includes(word));
}
