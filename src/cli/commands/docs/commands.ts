import type { Runtime } from '../../../runtime/ports.js';
import type { Build } from '../../core/command-line.js';
import type { CommonOptions } from '../../core/common-options.js';
import { defineCommand } from '../../core/define-command.js';
import { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { type DescribedCommand, describeCommands } from '../../docs/command-list.js';

export const commands = defineCommand({
  name: 'commands',
  heading: 'Tools:',
  summary: 'List every command with its effects and exit codes',
  help: 'List every command: its arguments, its effects and its exit codes',
  examples: ['commands', 'commands --json', 'commands --fields command,effect,exits -o csv'],
  effect: 'none',
  network: false,
  exits: [],
  prints: ['commands'],
  run: ({ options, tree, runtime }) => runCommands(options, tree, runtime),
});

/** Prints the description of every command. */
async function runCommands(options: CommonOptions, tree: Build, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const found = await describeCommands(tree);
  await report.show({
    document: { schema: 'paycli.commands/1', paycli: packageVersion, commands: found },
    list: 'commands',
    sheet: () => ({
      columns: [{ head: 'command' }, { head: 'effect' }, { head: 'what it does', flexible: true }],
      rows: found.map((command) => [shownName(command), command.effect, command.summary]),
    }),
  });
  return 0;
}

function shownName({ command, takesOperation, aliases }: DescribedCommand): string {
  return [[command, ...aliases].join('|'), ...(takesOperation ? ['OPERATION'] : [])].join(' ');
}
