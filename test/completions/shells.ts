import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { eventually, Home, type Variables } from '../e2e/home.js';
import { program } from '../e2e/program.js';

export type ShellName = 'bash' | 'zsh' | 'fish';

const root = fileURLToPath(new URL('../..', import.meta.url));

export function scriptOf(name: ShellName): string {
  return join(root, 'completions', `paycli.${name}`);
}

/** The commands are Debian packages of the same names. Installed where that is possible; without them nothing is skipped. */
export function requireCommands(...names: readonly string[]): void {
  const missing = () => names.filter((name) => spawnSync('sh', ['-c', 'command -v "$1"', 'sh', name]).status !== 0);
  if (missing().length > 0 && process.getuid?.() === 0) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync('apt-get', ['update', '-q'], { stdio: 'ignore' });
    spawnSync('apt-get', ['install', '-qy', '--no-install-recommends', ...missing()], { stdio: 'ignore', env });
  }
  if (missing().length > 0) throw new Error(`these tests need the Debian packages: ${missing().join(' ')}`);
}

/** A user with `paycli` on the path, two profiles, and orders in the sandbox. */
export interface Shop {
  readonly home: Home;
  readonly env: Variables;
  /** Order ids of the gateway, by the user's own id. */
  readonly orders: Readonly<Record<'shop:17' | 'sold-1', string>>;
}

const config = `default-profile: sandbox
profiles:
  shop-test: { class: test, base-url: 'https://sandbox.gateway.example/x', login: shop, endpoint-id: 4001, control-key-file: ~/key }
  shop-live: { class: live, base-url: 'https://gateway.example/x', login: shop, endpoint-id: 7001, control-key-file: ~/key }
`;

export async function openShop(): Promise<Shop> {
  const home = new Home(config);
  mkdirSync(join(home.path, 'bin'));
  symlinkSync(await program(), join(home.path, 'bin/paycli'));
  const env = { ...home.env, PATH: `${join(home.path, 'bin')}:${process.env['PATH'] ?? ''}`, LANG: 'C.UTF-8', TERM: 'screen-256color' };
  const made = async (operation: string, id: string): Promise<string> => {
    const card = ['--amount', '25.00', '--currency', 'EUR', '--test-card', 'approved'];
    const ran = await home.run([operation, ...card, '--client-order-id', id, '--wait', '--json']);
    const order = /"orderId": ?"(\d+)"/.exec(ran.out)?.[1];
    if (order === undefined) throw new Error(`no order: ${ran.out}${ran.err}`);
    return order;
  };
  const orders = { 'shop:17': await made('preauth', 'shop:17'), 'sold-1': await made('sale', 'sold-1') };
  // An id that a shell would run, if it were ever put on a line.
  await made('preauth', '`touch X`');
  return { home, env, orders };
}

/** Puts a program in place of `paycli` that writes down what it is given. */
export function spy({ home, env }: Shop): { readonly env: Variables; readonly log: string } {
  const [folder, log] = [join(home.path, 'spy'), join(home.path, 'spy.log')];
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'paycli'), `#!/bin/sh\nprintf '<%s>' "$@" >>'${log}'\n`, { mode: 0o755 });
  writeFileSync(log, '');
  return { env: { ...env, PATH: `${folder}:${env['PATH'] ?? ''}` }, log };
}

/** The words of a line as readline gives them: cut at blanks, and at ':' and '='. */
function cut(line: string): string[] {
  return line.split(' ').flatMap((word) => (word === '' ? [''] : word.split(/([=:])/).filter((part) => part !== '')));
}

/** What bash offers for a line whose last word is being typed. */
export function bashOffers(shop: Pick<Shop, 'home' | 'env'>, line: string, words = cut(line), flags: readonly string[] = []): string[] {
  const driver = `. "$1"; COMP_LINE=$2; shift 2
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_POINT=\${#COMP_LINE} COMPREPLY=()
_paycli
for reply in \${COMPREPLY[@]+"\${COMPREPLY[@]}"}; do printf '%s\\n' "$reply"; done`;
  const argv = ['--norc', ...flags, '-c', driver, 'bash', scriptOf('bash'), line, ...words];
  return lines(execFileSync('bash', argv, { cwd: shop.home.path, env: shop.env, encoding: 'utf8' }));
}

/** What fish offers for lines, by its own completion driver: one process for all of them. */
export function fishOffers(shop: Pick<Shop, 'home' | 'env'>, typed: readonly string[]): string[][] {
  const driver = 'source $argv[1]\nfor line in $argv[2..-1]\n  complete -C "$line"\n  printf \'\\x1e\'\nend';
  const argv = ['--no-config', '-c', driver, scriptOf('fish'), ...typed];
  const out = execFileSync('fish', argv, { cwd: shop.home.path, env: shop.env, encoding: 'utf8' });
  return out.split('\x1e').slice(0, -1).map(lines);
}

function lines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t')[0] ?? '');
}

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
