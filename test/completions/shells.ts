import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Home, type Variables } from '../e2e/home.js';
import { program } from '../e2e/program.js';
import type { Program } from '../support/programs.js';

export type ShellName = 'bash' | 'zsh' | 'fish';

/** The shells, with what a test of them at a terminal needs. */
export const shells: readonly (readonly [ShellName, readonly Program[]])[] = [
  ['bash', ['tmux']],
  ['zsh', ['tmux', 'zsh']],
  ['fish', ['tmux', 'fish']],
];

const root = fileURLToPath(new URL('../..', import.meta.url));

export function scriptOf(name: ShellName): string {
  return join(root, 'completions', `paycli.${name}`);
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
  const env = {
    ...home.env,
    PATH: `${join(home.path, 'bin')}:${process.env['PATH'] ?? ''}`,
    LANG: 'C.UTF-8',
    TERM: 'screen-256color',
  };
  const made = async (operation: string, id: string): Promise<string> => {
    const card = ['--amount', '25.00', '--currency', 'EUR', '--test-card', 'approved'];
    const ran = await home.call([operation, ...card, '--client-order-id', id, '--wait', '--json']);
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
export function bashOffers(
  shop: Pick<Shop, 'home' | 'env'>,
  line: string,
  words = cut(line),
  flags: readonly string[] = [],
): string[] {
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
