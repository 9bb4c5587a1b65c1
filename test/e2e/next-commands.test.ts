import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { placedCommands, placeFlagsIn, withPlace } from '../../src/cli/core/placed-commands.js';
import { flagsFor } from '../../src/cli/format/command-flags.js';

const root = new URL('../..', import.meta.url).pathname;
const paycli = (...argv: readonly string[]) =>
  execFileSync(process.execPath, [join(root, 'bin/paycli.js'), ...argv], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 << 20,
  });

interface Listed {
  readonly command: string;
  readonly aliases: readonly string[];
  readonly takesOperation: boolean;
  readonly effect: string;
  readonly flags: readonly { readonly name: string; readonly short: string | null }[];
}

const listed: readonly Listed[] = JSON.parse(paycli('commands', '--json')).commands;
const byName = new Map(listed.flatMap((each) => [each.command, ...each.aliases].map((name) => [name, each] as const)));
const globalFlags = new Set([...paycli('help', 'flags').matchAll(/--[a-z][a-z-]*/g)].map(([flag]) => flag));

/** Commands to paste that the sources name in backquotes, with a value as {…}. In a template they are escaped. */
const suggested = [
  ...new Set(
    readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name))
      .flatMap((name) => [
        ...readFileSync(join(root, 'src', name), 'utf8').matchAll(
          /\\`paycli ([a-z0-9](?:(?!\\`).)*)\\`|`paycli ([a-z0-9][^`$\n]*)`/g,
        ),
      ])
      .map(([, inTemplate, plain = '']) => (inTemplate ?? plain).replace(/\$\{[^{}]*\}/g, '{…}'))
      .filter((words) => !words.includes('$')),
  ),
];

/** The longest command that the words begin with; undefined where they begin with a value. */
function commandOf(words: readonly string[]): Listed | undefined {
  const ends = [4, 3, 2, 1].map((count) => byName.get(words.slice(0, count).join(' ')));
  return ends.find((found) => found !== undefined);
}

describe('each command that a text suggests', () => {
  test('is found in the texts', () => {
    expect(suggested.length).toBeGreaterThan(100);
  });

  test.each(suggested)('%s', (words) => {
    const plain = words
      .replace(/'[^']*'/g, 'QUOTED')
      .replace(/\[?\{[^}]*\}\]?/g, ' VALUE ')
      .replace(/ -- .*$/, '');
    expect(plain).not.toMatch(/[|<>&;()]/);
    const list = plain.trim().split(/\s+/);
    if (list[0] === 'help' || /^(?:-|__)/.test(list[0] ?? '') || /^(?:VALUE|[A-Z]+|…|\{)/.test(list[0] ?? '')) return;
    const command = commandOf(list);
    expect(command, `no command: ${words}`).toBeDefined();
    const operation = command?.takesOperation === true ? commandOf(list.slice(1)) : undefined;
    const own = new Set(
      [command, operation].flatMap((each) => each?.flags ?? []).flatMap(({ name, short }) => [name, short]),
    );
    const flags = list.filter((word) => /^--?[a-z]/i.test(word)).map((word) => word.replace(/=.*$/, ''));
    expect(flags.filter((flag) => !own.has(flag) && !globalFlags.has(flag) && flag !== '--help')).toEqual([]);
  });
});

describe('the flags of a connection that a suggested command repeats', () => {
  const database = ' --engine postgres://pay@db.example/pay --row-key-file rows.key --engine-password-file p';
  const all = `${database} --profile 'a b' --base-url http://127.0.0.1:1/x --login 'it'\\''s --live' --endpoint-id 9 --live`;
  const values: Readonly<Record<string, string>> = {
    '--engine': ' --engine postgres://pay@db.example/pay',
    '--row-key-file': ' --row-key-file rows.key',
    '--engine-password-file': ' --engine-password-file p',
    '--profile': " --profile 'a b'",
    '--base-url': ' --base-url http://127.0.0.1:1/x',
    '--login': " --login 'it'\\''s --live'",
    '--endpoint-id': ' --endpoint-id 9',
    '--live': ' --live',
  };
  const withProfile = listed.filter(({ flags }) => flags.some(({ name }) => name === '--profile'));

  test.each(withProfile.map((each) => [each.command, each] as const))('%s takes each of them', (command, { flags }) => {
    const taken = Object.entries(values).filter(([flag]) => flags.some(({ name }) => name === flag));
    expect(flagsFor(command, all)).toBe(taken.map(([, text]) => text).join(''));
  });
});

describe('the profile of a command line', () => {
  test.each([
    [['status', '1', '-p', 'px'], ' --profile px'],
    [['status', '1', '-ppx'], ' --profile px'],
    [['status', '1', '--profile=px', '--live'], ' --profile px --live'],
    [
      ['status', '1', '--base-url', 'http://127.0.0.1:1/x', '--login', 'a b'],
      " --base-url http://127.0.0.1:1/x --login 'a b'",
    ],
    [['status', '1'], ''],
    [['sandbox', 'start', '--run', '--', 'paycli', 'sale', '-p', 'px'], ''],
  ])('%j', (argv, flags) => {
    expect(placeFlagsIn(argv)).toBe(flags);
  });

  test('is added to every suggested command that needs it, once', () => {
    expect(
      withPlace('run `paycli doctor --online`, then `paycli resolve 1 --profile a`', { gateway: ' --profile px' }),
    ).toBe('run `paycli doctor --online --profile px`, then `paycli resolve 1 --profile a`');
    expect(withPlace('`paycli orders`, `paycli status --help`', { gateway: ' --profile px' })).toBe(
      '`paycli orders`, `paycli status --help`',
    );
  });

  test.each(placedCommands)('%s takes it', (name) => {
    expect(byName.get(name)?.flags.map((flag) => flag.name)).toContain('--profile');
  });
});
