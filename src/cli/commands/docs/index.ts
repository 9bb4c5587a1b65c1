import { Argument, type Command } from 'commander';
import type { Build, ProgramContext } from '../../core/command-line.js';
import { addGlobalOptions } from '../../core/options.js';

const names = ['bash', 'zsh', 'fish', 'powershell'];

/** How to have the script in every new shell, one line each. */
const completionHelp = `Completion script for a shell

In every new shell, from one line:
  # bash
  paycli completion bash >~/.paycli.bash && echo '. ~/.paycli.bash' >> ~/.bashrc
  # zsh
  paycli completion zsh >~/.paycli.zsh && echo '. ~/.paycli.zsh' >> ~/.zshrc
  # fish
  paycli completion fish > ~/.config/fish/completions/paycli.fish
  # PowerShell
  paycli completion powershell >> $PROFILE

The scripts run nothing of what is typed. Profiles and the orders of the
built-in sandbox are read from this machine. At a TAB zsh itself expands the
word before the cursor, $(…) included, for every command;
\`bindkey '^I' complete-word\` in ~/.zshrc ends that.`;

export function addCompletion(program: Command, { runtime, finish }: ProgramContext, tree: Build): void {
  const completion = program
    .command('completion')
    .summary('Completion script for a shell')
    .description(completionHelp)
    .helpGroup('Tools:');
  completion.addArgument(new Argument('<shell>', 'the shell the script is for').choices(names));
  completion.action(async (shell: string) => {
    const { runCompletion } = await import('./completion.js');
    finish.exit = await runCompletion(shell, tree, runtime);
  });
}

const commandsHelp = `List every command: what it takes, what it may do, how it can end

Examples:
  paycli commands
  paycli commands --json
  paycli commands --select command,effect,exits -o csv`;

export function addCommandList(program: Command, { runtime, finish }: ProgramContext, tree: Build): void {
  const list = program
    .command('commands')
    .summary('List every command, for programs and for people')
    .description(commandsHelp)
    .helpGroup('Tools:');
  addGlobalOptions(list).action(async () => {
    const { runCommands } = await import('./commands.js');
    finish.exit = await runCommands(list.opts(), tree, runtime);
  });
}
