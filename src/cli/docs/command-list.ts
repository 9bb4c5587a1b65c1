import type { Command, Option } from 'commander';
import { type ExitName, exits, exitsByEffect } from '../../errors/index.js';
import type { Runtime } from '../../runtime/ports.js';
import { operationNamed } from '../../spec/index.js';
import { declaredBy } from '../command.js';
import { packageVersion } from '../core/version.js';
import { groupBy } from '../group.js';
import { pathOf } from '../usage.js';

/** `help --json`: every command with its arguments, flags, effect and exit codes. */
export async function listCommands(program: Command, { terminal }: Runtime): Promise<number> {
  const commands = walkCommands(program).map(describeCommand);
  const document = { schema: 'paycli.commands/1', paycli: packageVersion, commands };
  terminal.out(`${JSON.stringify(document, null, 2)}\n`);
  return 0;
}

/** The commands below one, in the order of help. */
export function walkCommands(command: Command): readonly Command[] {
  return command.commands.flatMap((child) => [child, ...walkCommands(child)]);
}

const everyExit: readonly ExitName[] = ['ok', 'fault', 'usage', 'storage'];

function describeCommand(command: Command) {
  const declared = declaredBy(command);
  const row = operationNamed(pathOf(command));
  const { effect = 'local', note = null, examples = [] } = declared ?? {};
  const ends: readonly ExitName[] = declared === undefined ? [] : exitsByEffect[effect];
  return {
    command: pathOf(command),
    aliases: command.aliases(),
    /** The words and flags of an operation may follow. */
    takesOperation: groupBy(command)?.operations !== undefined,
    summary: command.summary(),
    arguments: command.registeredArguments.map((argument) => ({
      name: argument.name(),
      required: argument.required,
      repeatable: argument.variadic,
      description: argument.description,
    })),
    flags: command.options.filter(({ hidden }) => !hidden).map(describeFlag),
    effect,
    network: effect !== 'local',
    exits: [...new Set([...everyExit, ...ends].map((name) => exits[name]))].sort((a, b) => a - b),
    note,
    examples: examples.map((example) => `paycli ${example}`),
    operation: row?.id ?? null,
    path: row?.path ?? null,
  };
}

function describeFlag({ long, short, flags, argChoices, helpGroupHeading, description }: Option) {
  return {
    name: long ?? flags,
    short: short ?? null,
    value: /<(.+)>$/.exec(flags)?.[1] ?? null,
    choices: argChoices ?? null,
    group: (helpGroupHeading ?? 'Flags:').replace(/:$/, ''),
    description,
  };
}
