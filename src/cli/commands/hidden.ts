import type { Command } from 'commander';
import type { Runtime } from '../../runtime/ports.js';
import type { CommandLine } from '../core/command-line.js';

/** Runs a command of the build, of a checkout or of a shell at TAB, which no help lists; undefined for any other command line. */
export async function runHidden(
  [word = '', option = '']: readonly string[],
  program: (commandLine: CommandLine) => Promise<Command>,
  runtime: Runtime,
): Promise<number | undefined> {
  switch (word) {
    case '__man':
      return (await import('../docs/man/pages.js')).writePages(option, (row) => program({ argv: [], row }), runtime);
    case '__complete':
      return (await import('../docs/completion/answer.js')).answer(program, runtime);
    case '__generate':
      return (await import('../docs/generate.js')).generate(option === '--check', runtime);
    default:
      return undefined;
  }
}
