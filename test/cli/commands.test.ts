import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { declarationOf } from '../../src/cli/core/define-command.js';
import { exitCodes } from '../../src/errors/index.js';
import { allOperations, operationNamed } from '../../src/spec/index.js';
import { paycli } from '../support/runtime.js';
import { commandTree } from './golden/help.js';

interface Flag {
  readonly name: string;
  readonly short: string | null;
  readonly value: string | null;
  readonly choices: readonly string[] | null;
  readonly repeatable: boolean;
  readonly required: boolean;
  readonly group: string;
  readonly description: string;
}

interface Entry {
  readonly command: string;
  readonly aliases: readonly string[];
  readonly takesOperation: boolean;
  readonly isGroup: boolean;
  readonly summary: string;
  readonly usage: string;
  readonly arguments: readonly { readonly name: string; readonly required: boolean; readonly repeatable: boolean }[];
  readonly flags: readonly Flag[];
  readonly effect: string;
  readonly network: boolean;
  readonly exits: readonly number[];
  readonly note: string | null;
  readonly examples: readonly string[];
  readonly operation: string | null;
}

const home = mkdtempSync(join(tmpdir(), 'paycli-test-'));
afterAll(() => rmSync(home, { recursive: true }));
const ran = await paycli(['commands', '--json'], { home });
const listed: { readonly schema: string; readonly commands: readonly Entry[] } = JSON.parse(ran.out);

function entry(command: string): Entry {
  return listed.commands.find((each) => each.command === command) ?? expect.unreachable(`no ${command}`);
}

function flag(command: string, name: string): Flag {
  return entry(command).flags.find((each) => each.name === name) ?? expect.unreachable(`no ${name}`);
}

describe('paycli commands --json', () => {
  test('ends with 0 and its schema', () => {
    expect([ran.exit, ran.err, listed.schema]).toEqual([0, '', 'paycli.commands/1']);
  });

  test('has every operation, with what it does to money', () => {
    for (const row of allOperations.filter(({ command }) => !command.includes(' --'))) {
      const { effect, network, operation } = entry(row.command);
      expect([row.command, effect, network, operation]).toEqual([row.command, row.effect, true, row.id]);
    }
    // The one that is chosen by a flag of another.
    expect(flag('card-ref create', '--api')).toMatchObject({ choices: ['v2', 'v4'] });
  });

  test.each([
    ['sale', 'money', true],
    ['void', 'money', true],
    ['status', 'read', true],
    ['card-ref create', 'write', true],
    ['request', 'money', true],
    ['resolve', 'read', true],
    ['sign', 'none', false],
    ['keys generate', 'none', false],
    ['sandbox start', 'none', false],
  ])('%s: effect %s, network %s', (command, effect, network) => {
    expect(entry(command)).toMatchObject({ effect, network });
  });

  test.each([
    // By the table of exit codes: only what has a status can be declined, and only a question can fail as one.
    ['sale', [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 130]],
    ['form sale', [0, 1, 2, 3, 4, 6, 8, 10, 13, 130]],
    ['card-ref info', [0, 1, 2, 3, 4, 9, 10, 13, 130]],
    ['commands', [0, 1, 2, 13]],
    ['keys inspect', [0, 1, 2, 3, 11, 13, 130]],
    ['journal verify', [0, 1, 2, 11, 13]],
  ])('%s may end with %j', (command, exits) => {
    expect(entry(command).exits).toEqual(exits);
  });

  test('every code has a meaning', () => {
    const known: readonly number[] = exitCodes.map(({ code }) => code);
    expect(listed.commands.flatMap(({ exits }) => exits).filter((exit) => !known.includes(exit))).toEqual([]);
  });

  test('flags: name, short, value, choices, how often, whether needed, heading', () => {
    expect(flag('sale', '--amount')).toMatchObject({
      short: null,
      value: '10.42',
      required: true,
      repeatable: false,
      group: 'Required fields',
    });
    expect(flag('sale', '--field')).toMatchObject({
      value: 'name=value',
      required: false,
      repeatable: true,
      group: 'Other fields',
    });
    expect(flag('sale', '--verbose')).toMatchObject({ short: '-v', value: null, repeatable: true });
    expect(flag('keys convert', '--to').choices).toEqual(['pkcs8', 'pkcs1', 'spki']);
    expect(flag('keys convert', '--to').repeatable).toBe(false);
    expect(flag('keys generate', '--out').required).toBe(true);
    expect(flag('journal list', '--state').repeatable).toBe(true);
    expect(flag('whoami', '--profile')).toMatchObject({ short: '-p', value: 'name', group: 'Connection' });
  });

  test('arguments, aliases and examples', () => {
    expect(entry('account-verification').aliases).toEqual(['verify']);
    expect(entry('capture').arguments).toMatchObject([{ name: 'order', required: false, repeatable: false }]);
    expect(entry('keys inspect').arguments).toMatchObject([
      { name: 'file', required: true },
      { name: 'public', required: false },
    ]);
    expect(entry('sandbox start').arguments).toMatchObject([{ name: 'command', repeatable: true }]);
    expect(entry('sale').examples[0]).toMatch(/^paycli sale --profile sandbox --amount 10.42 /);
    expect(entry('profile add').examples).toHaveLength(4);
  });

  test('sign and its tools take the words and flags of an operation, told once', () => {
    expect(
      listed.commands
        .filter(({ takesOperation }) => takesOperation)
        .map(({ command }) => command)
        .sort(),
    ).toEqual([
      'sign',
      ...['csharp', 'curl', 'diff', 'find-mistake', 'java', 'node', 'php', 'python', 'verify'].map(
        (tool) => `sign ${tool}`,
      ),
    ]);
    expect(listed.commands.filter(({ command }) => /^sign .*(sale|card-ref)/.test(command))).toEqual([]);
    expect(flag('sign', '--explain').value).toBeNull();
    expect(flag('sign verify', '--control').value).toBe('value');
    expect(flag('sign verify', '--request-file').value).toBe('file');
  });

  test('groups hold other commands and do nothing', () => {
    expect(entry('card-ref')).toMatchObject({ isGroup: true, effect: 'none', network: false });
  });
});

test('for people: a line each, with what it does to money', async () => {
  const { out } = await paycli(['commands']);
  expect(out).toMatch(/^sale +money +Charge a card/m);
  expect(out).toMatch(/^account-verification\|verify +/m);
  expect(out).toMatch(/^sign diff OPERATION +none /m);
});

test('its own examples run', async () => {
  const { examples } = entry('commands');
  expect(examples).toHaveLength(3);
  for (const example of examples) expect((await paycli(example.split(' ').slice(1))).exit).toBe(0);
});

test('chosen fields as CSV', async () => {
  const { out } = await paycli(['commands', '--select', 'command,effect', '-o', 'csv']);
  expect(out).toContain('"sale","money"');
});

test('a declaration has the words of its command, and every command has one that is no operation', async () => {
  const tree = await commandTree();
  const leaves = [...tree].filter(
    ([path, command]) => path !== '' && command.commands.length === 0 && operationNamed(path) === undefined,
  );
  const names = leaves.map(([path, command]) => [path, declarationOf(command)?.name]);
  expect(names.length).toBeGreaterThan(70);
  // What stands below `sign` has the declaration of the command of sign.
  expect(names.filter(([path, name = '?']) => path !== name && !path?.startsWith('sign '))).toEqual([]);
});
