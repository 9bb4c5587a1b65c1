import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { everyPart } from '../../src/cli/commands/index.js';
import { flagOf, isForbidden, isFromProfile } from '../../src/cli/core/flags.js';
import { treeBuilder } from '../../src/cli/core/program.js';
import { readPlaces } from '../../src/cli/docs/completion/model.js';
import { completionFiles } from '../../src/cli/docs/completion/scripts.js';
import { type Group, keysOf, lineOf, tablesOf } from '../../src/cli/docs/completion/tables.js';
import { nodeRuntime } from '../../src/runtime/node.js';
import { allOperations, testCards } from '../../src/spec/index.js';
import { isEvery } from '../support/every.js';
import { paycli } from '../support/runtime.js';

const runtime = nodeRuntime();
const build = treeBuilder(runtime, everyPart);
const fresh = await completionFiles(build);
const shellOf = { 'paycli.bash': 'bash', 'paycli.zsh': 'zsh', 'paycli.fish': 'fish', 'paycli.ps1': 'powershell' };

/** The first line that differs; the texts are too long to be shown. */
function difference(one: string, other: string): readonly string[] | undefined {
  const [a, b] = [one.split('\n'), other.split('\n')];
  const at = a.findIndex((line, i) => line !== b[i]);
  return one === other ? undefined : [a.at(at) ?? '', b.at(at) ?? ''].map((line) => line.slice(0, 300));
}

describe.each(Object.entries(shellOf))('%s', (file, shell) => {
  const committed = readFileSync(`completions/${file}`, 'utf8');
  // A comment may say that nothing is evaluated.
  const code = committed.replace(/^\s*#.*$/gm, '');

  test('is what the command tree says now', () => {
    expect(difference(committed, fresh[file] ?? ''), 'run `node bin/paycli.js __generate`').toBeUndefined();
  });

  if (isEvery || shell === 'bash')
    test('is what the command prints', async () => {
      const ran = await paycli(['completion', shell]);
      expect([ran.exit, ran.err]).toEqual([0, '']);
      expect(difference(ran.out, fresh[file] ?? '')).toBeUndefined();
    });

  test('has every operation, flag and test card', () => {
    for (const row of allOperations) {
      for (const word of row.command.replace(/ --api .*/, '').split(' ')) expect(committed).toContain(`'${word}|`);
      for (const key of Object.keys(row.fields))
        if (!isForbidden(row, key) && !isFromProfile(key)) expect(committed).toContain(`'${flagOf(key)}|`);
    }
    expect(committed).toContain(testCards.map(({ name }) => name).join(' '));
  });

  test('evaluates nothing and lets no shell list words by reading them', () => {
    expect(code.match(/\beval\b|compgen|Invoke-Expression|\biex\b|\(e\)|\$\{\(P|print -z/g) ?? []).toEqual([]);
  });
});

/** What a script finds for a place, by the rule of its tables. */
describe('the tables', async () => {
  const places = await readPlaces(build);
  const tables = tablesOf(places, lineOf);
  const under = (table: readonly Group[], path: string) =>
    new Set(
      keysOf(path).flatMap((key) => table.filter(({ paths }) => paths.includes(key)).flatMap(({ lines }) => lines)),
    );

  test.each(['commands', 'flags', 'arguments'] as const)(
    '%s: each place has all that is its own, and no other',
    (name) => {
      expect(places.length).toBeGreaterThan(300);
      for (const place of places) {
        const found = under(tables[name], place.path);
        expect([place.path, place[name].map(lineOf).filter((line) => !found.has(line))]).toEqual([place.path, []]);
        // Behind a tool a group such as card-ref is offered the flags of the tool a word too early.
        const isGroupOfTool = place.path.startsWith('sign ') && place.commands.length > 0;
        if (!isGroupOfTool)
          expect([place.path, [...found].sort()]).toEqual([place.path, [...new Set(place[name].map(lineOf))].sort()]);
      }
    },
  );

  test('are not written out for every tool of sign', () => {
    for (const file of Object.keys(shellOf)) expect(fresh[file]).not.toMatch(/'sign (diff|curl) sale'/);
  });
});

test('a shell without a script is refused with those that have one', async () => {
  const ran = await paycli(['completion', 'tcsh']);
  expect([ran.exit, ran.out]).toEqual([2, '']);
  expect(ran.err).toMatch(/bash, zsh, fish, powershell/);
});

test('help says in a line for each shell how to have it', async () => {
  const { out } = await paycli(['completion', '--help']);
  for (const shell of Object.values(shellOf)) expect(out).toMatch(new RegExp(`paycli completion ${shell} >`));
});

/** PowerShell is not to be had here, so its script is read instead of run; powershell.test.ts has its grammar. */
describe('the text for PowerShell', () => {
  const text = readFileSync('completions/paycli.ps1', 'utf8');

  test('brackets and quotes are balanced', () => {
    const bare = text
      .replace(/'(?:[^']|'')*'/g, "''")
      .replace(/^\s*#.*$/gm, '')
      .replace(/"(?:[^"`]|`.)*"/g, '""');
    expect(bare).not.toMatch(/''[^\s,;)}\]]*'/);
    const open: string[] = [];
    const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
    for (const sign of bare.replace(/[^()[\]{}]/g, '')) {
      if (pairs[sign] === undefined) open.push(sign);
      else expect(open.pop()).toBe(pairs[sign]);
    }
    expect(open).toEqual([]);
  });

  test('every line of a table has three parts', () => {
    const lines = [...text.matchAll(/^ {4}'((?:[^']|'')*)',?$/gm)].map(([, line = '']) => line);
    expect(lines.length).toBeGreaterThan(150);
    for (const line of lines) expect(line.split('|').length, line).toBeGreaterThanOrEqual(3);
  });

  test('registers for the native command, and calls only functions it defines or PowerShell has', () => {
    expect(text).toContain("Register-ArgumentCompleter -Native -CommandName 'paycli'");
    const code = text.replace(/'(?:[^']|'')*'/g, "''").replace(/^\s*#.*$/gm, '');
    const defined = [...code.matchAll(/^function script:([\w-]+)/gm)].map(([, name = '']) => name);
    const called = new Set(
      [...code.matchAll(/(?<=[\s({|])([A-Z][a-z]+-[A-Z][A-Za-z]+)/g)].map(([, name = '']) => name),
    );
    const known = ['Get-Command', 'Where-Object', 'ForEach-Object', 'Select-Object', 'Register-ArgumentCompleter'];
    expect([...called].filter((name) => !defined.includes(name) && !known.includes(name))).toEqual([]);
  });
});
