import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { execa } from 'execa';
import { eventually, type Home, type Variables } from './home.js';
import { program } from './program.js';

/** tmux is what stands for a terminal here. It is installed where that is possible; without it nothing is skipped. */
export function requireTmux(): void {
  if (isThere()) return;
  if (process.getuid?.() === 0) {
    execFileSync('apt-get', ['update', '-q'], { stdio: 'ignore' });
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    execFileSync('apt-get', ['install', '-qy', '--no-install-recommends', 'tmux'], { stdio: 'ignore', env });
  }
  if (!isThere()) throw new Error('this test needs the Debian package tmux');
}

function isThere(): boolean {
  return spawnSync('tmux', ['-V']).status === 0;
}

type Tmux = (...words: string[]) => Promise<string>;

/** A person at a terminal of 100 columns and 50 rows. */
export class Screen {
  readonly #tmux: Tmux;

  private constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  /** Starts paycli in a terminal; its exit code is printed below its output. */
  static async open(home: Home, argv: readonly string[], env: Variables = {}): Promise<Screen> {
    const options = { cwd: home.path, env: { ...home.env, LANG: 'C.UTF-8', ...env }, extendEnv: false } as const;
    const config = home.write('tmux.conf', 'set -g default-terminal screen-256color\n');
    const base = ['-u', '-S', join(home.path, 'tmux'), '-f', config];
    const tmux: Tmux = async (...words) => (await execa('tmux', [...base, ...words], options)).stdout;
    const command = [process.execPath, await program(), ...argv].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    // Ctrl-C goes to everything in the terminal, and this shell has to stay.
    await tmux('new-session', '-d', '-x', '100', '-y', '50', `trap : INT; ${command}; printf '\\nexit %s\\n' $?; exec sleep 60`);
    return new Screen(tmux);
  }

  /** Keys by their names in tmux, or text. */
  async type(...keys: string[]): Promise<void> {
    await this.#tmux('send-keys', ...keys);
  }

  /** The text on the screen; with its colour codes where asked. */
  async text(how: 'plain' | 'coloured' = 'plain'): Promise<string> {
    return this.#tmux('capture-pane', '-p', ...(how === 'coloured' ? ['-e'] : []));
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
