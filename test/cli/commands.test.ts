import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { allOperations } from '../../src/spec/index.js';
import { paycli } from '../support/runtime.js';

interface Flag {
  readonly name: string;
  readonly choices: readonly string[] | null;
}

interface Entry {
  readonly command: string;
  readonly flags: readonly Flag[];
  readonly effect: string;
  readonly network: boolean;
  readonly exits: readonly number[];
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
    // By the effect: only a question can fail as one.
    ['sale', [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 130]],
    ['card-ref info', [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 130]],
    ['profile show', [0, 1, 2, 3, 13]],
    ['commands', [0, 1, 2, 13]],
    ['keys inspect', [0, 1, 2, 3, 11, 13, 130]],
  ])('%s may end with %j', (command, exits) => {
    expect(entry(command).exits).toEqual(exits);
  });
});
