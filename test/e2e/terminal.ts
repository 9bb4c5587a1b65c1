import { join } from 'node:path';
import { execa } from 'execa';
import { eventually, type Home } from './home.js';
import { program, quoted } from './program.js';

type Tmux = (...words: string[]) => Promise<string>;

/** A person at a terminal of 50 rows, for which tmux stands. */
export class Screen {
  readonly #tmux: Tmux;

  private constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  /** Starts paycli in a terminal; its exit code is printed below its output. */
  static async open(home: Home, argv: readonly string[]): Promise<Screen> {
    const options = {
      cwd: home.path,
      env: { LANG: 'C.UTF-8', ...home.envFor(argv, {}) },
      extendEnv: false,
    } as const;
    const config = home.write('tmux.conf', 'set -g default-terminal screen-256color\n');
    const base = ['-u', '-S', join(home.path, 'tmux'), '-f', config];
    const tmux: Tmux = async (...words) => (await execa('tmux', [...base, ...words], options)).stdout;
    const line = [process.execPath, await program(), ...argv].map(quoted).join(' ');
    // Ctrl-C goes to everything in the terminal, and this shell has to stay.
    const script = `trap : INT; ${line}; printf '\\nexit %s\\n' $?; exec sleep 60`;
    await tmux('new-session', '-d', '-x', '100', '-y', '50', script);
    return new Screen(tmux);
  }

  /** Keys by their names in tmux, or text. */
  async type(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys);
  }

  /** The text on the screen. */
  async text(): Promise<string> {
    return this.#tmux('capture-pane', '-p');
  }

  async until(pattern: RegExp): Promise<string> {
    let seen = '';
    return eventually(String(pattern), async () => {
      seen = await this.text();
      return pattern.test(seen) ? seen : undefined;
    }).catch((cause: unknown) => {
      throw new Error(`${String(pattern)} did not come up on this screen:\n${seen}`, { cause });
    });
  }

  /** Waits for the end of paycli. */
  async exit(): Promise<number> {
    const text = await this.until(/^exit \d+$/m);
    return Number(/^exit (\d+)$/m.exec(text)?.[1]);
  }

  async close(): Promise<void> {
    await this.#tmux('kill-server');
  }
}
