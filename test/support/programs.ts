import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Programs that tests call and a machine may lack. A test names those it needs as tags, with `{ tags: ['zsh'] }` or,
 * for a whole file, with a comment `@module-tag zsh`; where one of them is missing it is skipped. What every Debian has (sh, bash, coreutils, sed, awk, grep, tar, hostname, util-linux) counts
 * as there.
 */
export const programs = [
  'chromium',
  'curl',
  'dash',
  'fish',
  'jq',
  'namespaces',
  'openssl',
  'perl',
  'php',
  'postgres',
  'python3',
  'strace',
  'tmux',
  'zsh',
] as const;
export type Program = (typeof programs)[number];

declare module 'vitest' {
  interface TestTags {
    readonly program: Program;
  }
}

/** Where a program lies; undefined where it is missing. PostgreSQL's own are on no path in Debian. */
export function pathOf(name: string): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), ...postgresFolders()]
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .find(isProgram);
}

/** Newest version first. */
function postgresFolders(): string[] {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).sort((one, other) => Number(other) - Number(one)) : [];
  return versions.map((version) => join(root, version, 'bin'));
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function runs(command: string, ...words: readonly string[]): boolean {
  return spawnSync(command, words, { stdio: 'ignore' }).status === 0;
}

/** The words before a command that give it a network and a host name of its own, in which it is root. */
export const ownMachine: readonly string[] =
  process.getuid?.() === 0 ? ['unshare', '--net', '--uts'] : ['unshare', '--user', '--map-root-user', '--net', '--uts'];

/** Those that are more than one file of their name: a container may have them and not let them do their work. */
const checks: Readonly<Partial<Record<Program, () => boolean>>> = {
  namespaces: () =>
    runs('ip', '-V') && runs(ownMachine[0] ?? '', ...ownMachine.slice(1), 'ip', 'link', 'set', 'lo', 'up'),
  postgres: () => ['initdb', 'postgres', 'pg_dump'].every((name) => pathOf(name) !== undefined),
  strace: () => runs('strace', '-qq', '-f', '-o', '/dev/null', 'true'),
};

/** The programs this machine lacks. */
export function missingPrograms(): Program[] {
  return programs.filter((name) => !(checks[name]?.() ?? pathOf(name) !== undefined));
}
