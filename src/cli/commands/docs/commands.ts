import type { Runtime } from '../../../runtime/ports.js';
import type { Build } from '../../core/command-line.js';
import type { CommonOptions } from '../../core/options.js';
import { Reporter } from '../../core/reporter.js';
import { packageVersion } from '../../core/version.js';
import { type DescribedCommand, describeCommands } from '../../docs/command-list.js';

/** Prints every command with what programs and people want to know of it. */
export async function runCommands(options: CommonOptions, tree: Build, runtime: Runtime): Promise<number> {
  const report = new Reporter(options, undefined, runtime);
  const commands = await describeCommands(tree);
  await report.show({
    document: { schema: 'paycli.commands/1', paycli: packageVersion, commands },
    list: 'commands',
    sheet: () => ({
      columns: [{ head: 'command' }, { head: 'effect' }, { head: 'what it does', flexible: true }],
      rows: commands.map((command) => [shownName(command), command.effect, command.summary]),
    }),
  });
  return 0;
}

function shownName({ command, takesOperation, aliases }: DescribedCommand): string {
  return [[command, ...aliases].join('|'), ...(takesOperation ? ['OPERATION'] : [])].join(' ');
}
