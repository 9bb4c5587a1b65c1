import type { Command } from 'commander';
import type { ProgramContext } from './context.js';
import { addGlobalOptions } from './options.js';
import type { Build } from './whole-tree.js';

const about = `List every command: what it takes, what it may do, how it can end

Examples:
  paycli commands
  paycli commands --json
  paycli commands --select command,effect,exits -o csv`;

export function addCommandList(program: Command, { runtime, finish }: ProgramContext, tree: Build): void {
  const list = program
    .command('commands')
    .summary('List every command, for programs and for people')
    .description(about)
    .helpGroup('Tools:');
  addGlobalOptions(list).action(async () => {
    const { runCommands } = await import('./commands/commands.js');
    finish.exit = await runCommands(list.opts(), tree, runtime);
  });
}
