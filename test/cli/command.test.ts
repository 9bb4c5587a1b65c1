import { Command } from 'commander';
import { describe, expect, test } from 'vitest';
import { defineCommand, type FlagsFor, on, setUpDeclared, word } from '../../src/cli/command.js';
import type { DocumentOf, EntryOf } from '../../src/cli/results.js';
import { paycli } from '../support/runtime.js';

const common = { summary: 'a trial', examples: [], effect: 'local', result: ['clock'] } as const;
const flags = { limit: word('<number>', 'at most this many'), all: on('everything') };

describe('a declaration', () => {
  test('does not compile with a misspelt flag, argument or field', () => {
    const args = { order: { text: 'an order' } };
    defineCommand({
      ...common,
      args,
      flags,
      // @ts-expect-error a flag that the command does not have
      conflicts: [['limit', 'al']],
      // @ts-expect-error the same
      run: async ({ flags: given }) => Number(given.limt),
    });
    // @ts-expect-error an argument that it does not have
    defineCommand({ ...common, args, flags, run: async ({ args: given }) => given.ordr.length });
    // @ts-expect-error a field that its result does not have
    const document: DocumentOf<'journal'> = { schema: 'paycli.journal/1', totl: 1 };
    // @ts-expect-error a field that an entry of it does not have
    const entry: EntryOf<'journal'> = { stat: 'done' };
    // @ts-expect-error a flag that its options do not have
    const declared = { limt: flags.limit } satisfies FlagsFor<{ limit: string }>;
    expect([document, entry, declared]).toHaveLength(3);
  });
});

/** The runtime of a test, taken from a command that runs in it. */
async function ran(argv: readonly string[]) {
  let got: unknown;
  const usual = await new Promise<Parameters<typeof setUpDeclared>[2]['runtime']>((resolve) => {
    void paycli(['--version'], {
      outside: (runtime) => {
        resolve(runtime);
        return runtime;
      },
    });
  });
  const declared = defineCommand({
    ...common,
    flags,
    conflicts: [['limit', 'all']],
    run: async ({ flags: given }) => {
      got = given;
      return 0;
    },
  });
  const program = new Command('paycli').exitOverride().configureOutput({ writeErr: () => undefined });
  setUpDeclared(program.command('trial'), declared, { runtime: usual, argv, finish: { exit: 1 } });
  const error = await program.parseAsync([...argv], { from: 'user' }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { got, error };
}

test.each([
  [['trial', '--limit', '--all'], 'has no value'],
  [['trial', '--limit', ''], 'is empty'],
  [['trial', '--limit', '1', '--limit', '2'], 'is given twice'],
  [['trial', '--limit', '1', '--all'], 'cannot be combined'],
])('%j is refused by commander: %s', async (argv, why) => {
  const { got, error } = await ran(argv);
  expect([got, String(error)]).toEqual([undefined, expect.stringContaining(why)]);
});

test('a text that begins like a flag is given with =', async () => {
  expect((await ran(['trial', '--limit=--all'])).got).toMatchObject({ limit: '--all' });
});
