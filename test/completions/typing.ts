import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { eventually, type Home } from '../e2e/home.js';
import { type ShellName, type Shop, scriptOf } from './shells.js';

const starts: Readonly<Record<ShellName, (home: Home) => readonly string[]>> = {
  bash: (home) => ['bash', '--rcfile', join(home.path, 'bashrc'), '-i'],
  zsh: () => ['zsh', '-d', '-i'],
  fish: () => ['fish', '--private', '-i'],
};

/**
 * Start files with nothing in them but the script, what one test wants besides, and a prompt. The prompt comes last:
 * seen on the screen, it says that the script is loaded.
 */
function writeStartFiles(home: Home, extra: string): void {
  const readline = [
    'set bell-style none',
    'set show-all-if-ambiguous on',
    'set page-completions off',
    'set completion-query-items 0',
  ];
  const loads = (name: ShellName) => [`. '${scriptOf(name)}' && PS1='> '`, ''];
  home.write('bashrc', ['PS1=', ...readline.map((line) => `bind '${line}'`), extra, ...loads('bash')].join('\n'));
  home.write('.zshrc', ['PS1=', 'LISTMAX=1000', 'setopt no_beep', extra, ...loads('zsh')].join('\n'));
  mkdirSync(join(home.path, '.config/fish/completions'), { recursive: true });
  // Without it, fish starts a program that reads all manual pages and writes here, even after the test is over.
  mkdirSync(join(home.path, '.local/share/fish/generated_completions'), { recursive: true });
  home.write(
    '.config/fish/config.fish',
    `function fish_prompt; echo '> '; end\nfunction fish_greeting; end\n${extra}\n`,
  );
  copyFileSync(scriptOf('fish'), join(home.path, '.config/fish/completions/paycli.fish'));
}

/** A shell at a terminal of 110 columns and 45 rows, with the completion loaded the way the help says. */
export class Typing {
  readonly #tmux: (...words: string[]) => Promise<string>;
  #settled = 0;

  private constructor(tmux: (...words: string[]) => Promise<string>) {
    this.#tmux = tmux;
  }

  static async open(name: ShellName, shop: Shop, extra = ''): Promise<Typing> {
    const { home, env } = shop;
    writeStartFiles(home, extra);
    const conf = home.write('tmux.conf', 'set -g default-terminal screen-256color\nset -g escape-time 0\n');
    const options = { cwd: home.path, env, extendEnv: false } as const;
    const base = ['-u', '-S', join(home.path, `tmux-${name}`), '-f', conf];
    const tmux = async (...words: string[]) => (await execa('tmux', [...base, ...words], options)).stdout;
    await tmux('new-session', '-d', '-x', '110', '-y', '45', ...starts[name](home));
    const typing = new Typing(tmux);
    await eventually(`the prompt of ${name}`, async () => ((await typing.text()).includes('>') ? true : undefined));
    await typing.settle();
    return typing;
  }

  async text(): Promise<string> {
    return this.#tmux('capture-pane', '-p');
  }

  /**
   * Types a line and TAB, as a person would; gives the screen once it says what is awaited. The line is then abandoned.
   */
  async tab(line: string, awaited: RegExp, tabs = 1): Promise<string> {
    await this.#tmux('send-keys', '-l', line, ';', 'send-keys', ...Array(tabs).fill('Tab'));
    let seen = '';
    try {
      return await eventually(
        `${awaited} after ${line}`,
        async () => {
          seen = await this.text();
          return awaited.test(seen) ? seen : undefined;
        },
        5000,
      );
    } catch (cause) {
      throw new Error(`${awaited} did not come up after ${line}:\n${seen}`, { cause });
    } finally {
      await this.settle();
    }
  }

  /** Types a line and TAB and waits until the shell has dealt with it: it shows what is typed after that. */
  async tabOnly(line: string): Promise<void> {
    await this.#tmux('send-keys', '-l', line, ';', 'send-keys', 'Tab', ';', 'send-keys', '-l', 'QQ');
    await eventually(`the shell goes on after ${line}`, async () =>
      (await this.text()).includes('QQ') ? true : undefined,
    );
    await this.settle();
  }

  /**
   * Abandons the line and clears the screen. By keys alone, which the shell takes in their order: the signal of Ctrl-C
   * overtakes them, and a bash that it meets in the middle of a completion completes nothing any more before the next
   * command. Never by Enter either: a line that was not abandoned after all must not run.
   */
  async settle(): Promise<void> {
    this.#settled += 1;
    await this.#showsOnly(`:${this.#settled}`);
    await this.#showsOnly('');
  }

  /**
   * The line editor has dealt with all keys so far once it shows a word it has not shown before, or that this word is
   * gone.
   */
  async #showsOnly(word: string): Promise<void> {
    await eventually(`nothing but the prompt and '${word}'`, async () => {
      const typed = word === '' ? [] : [';', 'send-keys', '-l', word];
      await this.#tmux('send-keys', 'C-u', 'C-l', ...typed);
      const isShown = async () => ((await this.text()).trim() === `> ${word}`.trim() ? true : undefined);
      return eventually(word, isShown, 2000).catch(() => undefined);
    });
  }

  async close(): Promise<void> {
    await this.#tmux('kill-server');
  }
}
