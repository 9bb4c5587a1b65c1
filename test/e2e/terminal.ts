import { join } from 'node:path';
import { execa } from 'execa';
import { eventually, type Home, type Variables } from './home.js';
import { program } from './program.js';

type Tmux = (...words: string[]) => Promise<string>;

export interface Place {
  readonly env?: Variables;
  /** Of the terminal; 100 when left out. */
  readonly columns?: number;
}

/** A person at a terminal of 50 rows, for which tmux stands. */
export class Screen {
  readonly #tmux: Tmux;

  private constructor(tmux: Tmux) {
    this.#tmux = tmux;
  }

  /** Starts paycli in a terminal; its exit code is printed below its output. */
  static async open(home: Home, argv: readonly string[], env: Variables = {}): Promise<Screen> {
    return Screen.run(home, `paycli ${argv.map(quoted).join(' ')}`, { env });
  }

  /** The same with a line for a shell, in which `paycli` stands for the program. */
  static async run(home: Home, line: string, { env = {}, columns = 100 }: Place = {}): Promise<Screen> {
    const options = {
      cwd: home.path,
      env: { LANG: 'C.UTF-8', ...home.envFor(line.split(' '), env) },
      extendEnv: false,
    } as const;
    const config = home.write('tmux.conf', 'set -g default-terminal screen-256color\n');
    const base = ['-u', '-S', join(home.path, 'tmux'), '-f', config];
    const tmux: Tmux = async (...words) => (await execa('tmux', [...base, ...words], options)).stdout;
    const named = `paycli() { ${[process.execPath, await program()].map(quoted).join(' ')} "$@"; }`;
    // Ctrl-C goes to everything in the terminal, and this shell has to stay.
    const script = `${named}; trap : INT; ${line}; printf '\\nexit %s\\n' $?; exec sleep 60`;
    await tmux('new-session', '-d', '-x', String(columns), '-y', '50', script);
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

function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
