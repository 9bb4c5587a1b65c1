import { expect, test } from 'vitest';
import { allOperations } from '../../src/spec/index.js';
import { paycli } from '../support/runtime.js';

test('help --json lists every command with what it does to money and how it may end', async () => {
  const ran = await paycli(['help', '--json']);
  const { commands }: { readonly commands: readonly Readonly<Record<string, unknown>>[] } = JSON.parse(ran.out);
  const listed = new Map(commands.map((each) => [each['command'], each]));
  for (const { command, effect, id } of allOperations.filter((row) => !row.command.includes(' --')))
    expect(listed.get(command)).toMatchObject({ effect, network: true, operation: id });
  for (const [command, effect, network, exits] of [
    ['sale', 'money', true, [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 130]],
    // Only a question can fail as one.
    ['status', 'read', true, [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 130]],
    ['profile show', 'local', false, [0, 1, 2, 3, 13]],
  ])
    expect(listed.get(command)).toMatchObject({ effect, network, exits });
  expect(listed.get('card-ref create')?.['flags']).toContainEqual(
    expect.objectContaining({ name: '--api', choices: ['v2', 'v4'] }),
  );
});
