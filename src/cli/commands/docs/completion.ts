import bash from '../../../../completions/paycli.bash';
import fish from '../../../../completions/paycli.fish';
import powershell from '../../../../completions/paycli.ps1';
import zsh from '../../../../completions/paycli.zsh';
import { fail } from '../../../errors/index.js';
import type { Runtime } from '../../../runtime/ports.js';
import { defineCommand } from '../../core/define-command.js';

const scripts: ReadonlyMap<string, string> = new Map(Object.entries({ bash, zsh, fish, powershell }));
const shells = [...scripts.keys()];

/** How to install the script for every new shell, one line each. */
const about = `Completion script for a shell

To have it in every new shell, run one line once:
  # bash
  paycli completion bash >~/.paycli.bash && echo '. ~/.paycli.bash' >> ~/.bashrc
  # zsh
  paycli completion zsh >~/.paycli.zsh && echo '. ~/.paycli.zsh' >> ~/.zshrc
  # fish
  paycli completion fish > ~/.config/fish/completions/paycli.fish
  # PowerShell
  paycli completion powershell >> $PROFILE

The scripts never execute what you type. Profiles and the orders of the
built-in sandbox are read from this machine. On TAB, zsh itself expands the
word before the cursor, $(…) included, for every command;
\`bindkey '^I' complete-word\` in ~/.zshrc turns that off.`;

export const completion = defineCommand({
  name: 'completion',
  heading: 'Tools:',
  summary: 'Completion script for a shell',
  help: about,
  args: [['<shell>', 'the shell the script is for', shells]],
  hasGlobalFlags: false,
  effect: 'none',
  network: false,
  exits: [],
  prints: [],
  run: ({ args: [shell = ''], runtime }) => runCompletion(shell, runtime),
});

/** Prints the completion script of a shell. Throws USAGE for a shell that has none. */
async function runCompletion(shell: string, runtime: Runtime): Promise<number> {
  const script = scripts.get(shell);
  if (script === undefined)
    throw fail('USAGE', {
      why: `there is no completion for that shell; available: ${shells.join(', ')}`,
      command: 'completion',
    });
  runtime.terminal.out(script);
  return 0;
}
