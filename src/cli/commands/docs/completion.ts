import bash from '../../../../completions/paycli.bash';
import fish from '../../../../completions/paycli.fish';
import powershell from '../../../../completions/paycli.ps1';
import zsh from '../../../../completions/paycli.zsh';
import { defineCommand } from '../../command.js';

const scripts: ReadonlyMap<string, string> = new Map(Object.entries({ bash, zsh, fish, powershell }));

/** How to install the script for every new shell, one line each. */
const about = `To have it in every new shell, run one line once:
  # bash
  paycli completion bash >~/.paycli.bash && echo '. ~/.paycli.bash' >> ~/.bashrc
  # zsh
  paycli completion zsh >~/.paycli.zsh && echo '. ~/.paycli.zsh' >> ~/.zshrc
  # fish
  paycli completion fish > ~/.config/fish/completions/paycli.fish
  # PowerShell
  paycli completion powershell >> $PROFILE

The scripts never execute what you type. Profiles are read from
this machine. On TAB, zsh itself expands the word
before the cursor, $(…) included, for every command;
\`bindkey '^I' complete-word\` in ~/.zshrc turns that off.`;

export const completion = defineCommand({
  summary: 'Completion script for a shell',
  help: about,
  heading: 'Tools:',
  args: { shell: { text: 'the shell the script is for', choices: [...scripts.keys()] } },
  flags: {},
  effect: 'local',
  result: [],
  run: async ({ args: { shell }, runtime }) => {
    runtime.terminal.out(scripts.get(shell) ?? '');
    return 0;
  },
});
