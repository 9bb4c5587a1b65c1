import { expect, test } from 'vitest';
import { everyPart } from '../../src/cli/commands/index.js';
import { wholeTree } from '../../src/cli/core/command-tree.js';
import { treeBuilder } from '../../src/cli/core/program.js';
import type { Runtime } from '../../src/runtime/ports.js';
import { paycli } from '../support/runtime.js';

/** Every command that has both flags, by its words. */
async function commandsWith(...flags: readonly string[]): Promise<readonly string[]> {
  let runtime: Runtime | undefined;
  await paycli(['--version'], {
    outside: (usual) => {
      runtime = usual;
      return usual;
    },
  });
  const tree = await wholeTree(treeBuilder(runtime ?? expect.unreachable('no runtime'), everyPart));
  return [...tree].flatMap(([path, command]) =>
    flags.every((flag) => command.options.some(({ long }) => long === flag)) && !path.startsWith('sign ') ? [path] : [],
  );
}

test('--wait-timeout without --wait is refused by every command that has both, and nothing is sent', async () => {
  const commands = await commandsWith('--wait', '--wait-timeout');
  expect(commands).toEqual(expect.arrayContaining(['sale', 'status', 'capture', 'payout send', 'transfer']));
  for (const words of commands) {
    const ran = await paycli([...words.split(' '), '--wait-timeout', '20']);
    expect([words, ran.exit, ran.err, ran.requests]).toEqual([
      words,
      2,
      expect.stringContaining('--wait-timeout does nothing without --wait'),
      [],
    ]);
  }
});

test('with --wait it is taken', async () => {
  const line = [
    'sale',
    '--amount',
    '10.42',
    '--currency',
    'EUR',
    '--test-card',
    'slow',
    '--wait',
    '--wait-timeout',
    '2',
  ];
  expect((await paycli(line)).exit).toBe(7);
});

test.each([[['resolve', 'order-1', '--confirm-resend', 'order-1'], '--confirm-resend does nothing without --resend']])(
  '%j is refused, since it would change nothing',
  async (argv, words) => {
    const ran = await paycli(argv);
    expect([ran.exit, ran.err]).toEqual([2, expect.stringContaining(words)]);
  },
);
