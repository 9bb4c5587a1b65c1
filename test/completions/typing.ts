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

/** Start files with nothing in them but a prompt, the script, and what one test wants besides. */
function writeStartFiles(home: Home, extra: string): void {
  const readline = ['set bell-style none', 'set show-all-if-ambiguous on', 'set page-completions off', 'set completion-query-items 0'];
  home.write('bashrc', [`PS1='> '`, ...readline.map((line) => `bind '${line}'`), `. ${scriptOf('bash')}`, extra, ''].join('\n'));
  home.write('.zshrc', [`PS1='> '`, 'LISTMAX=1000', 'setopt no_beep', `. ${scriptOf('zsh')}`, extra, ''].join('\n'));
  mkdirSync(join(home.path, '.config/fish/completions'), { recursive: true });
  home.write('.config/fish/config.fish', `function fish_prompt; echo '> '; end\nfunction fish_greeting; end\n${extra}\n`);
  copyFileSync(scriptOf('fish'), join(home.path, '.config/fish/completions/paycli.fish'));
}

/** A shell at a terminal of 110 columns and 45 rows, with the completion loaded the way the help says. */
export class Typing {
  readonly #tmux: (...words: string[]) => Promise<string>;

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

  /** Types a line and TAB, as a person would; gives the screen once it says what is awaited. The line is then abandoned. */
  async tab(line: string, awaited: RegExp, tabs = 1): Promise<string> {
    await this.#tmux('send-keys', '-l', line);
    for (let i = 0; i < tabs; i++) await this.#tmux('send-keys', 'Tab');
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
    await this.#tmux('send-keys', '-l', line);
    await this.#tmux('send-keys', 'Tab');
    await this.#tmux('send-keys', '-l', 'QQ');
    await eventually(`the shell goes on after ${line}`, async () => ((await this.text()).includes('QQ') ? true : undefined));
    await this.settle();
  }

  /** Abandons the line and clears the screen. Never by Enter: a line that was not abandoned after all must not run. */
  async settle(): Promise<void> {
    const isEmpty = async () => ((await this.text()).trimEnd().split('\n').at(-1) === '>' ? true : undefined);
    await eventually('the line is abandoned', async () => {
      await this.#tmux('send-keys', 'C-c');
      return eventually('an empty line', isEmpty, 200).catch(() => undefined);
    });
    await eventually('the screen is clear', async () => {
      await this.#tmux('send-keys', 'C-l');
      return eventually('nothing but a prompt', async () => ((await this.text()).trim() === '>' ? true : undefined), 200).catch(
        () => undefined,
      );
    });
  }

  async close(): Promise<void> {
    await this.#tmux('kill-server');
  }
}
