import type { Command, Option } from 'commander';
import { allOperations } from '../../spec/index.js';
import type { Build } from './command-line.js';
import { declarationOf } from './define-command.js';

/**
 * Every command by its words (`card-ref create`; the program itself is ''), all with their options. One build gives
 * options to one operation only, so this builds once per operation: for generated texts, not for a run.
 */
export async function wholeTree(build: Build): Promise<ReadonlyMap<string, Command>> {
  const commands = new Map<string, Command>();
  for (const row of [undefined, ...allOperations]) {
    for (const [path, command] of walk('', await build(row))) {
      const known = commands.get(path);
      if (known === undefined || command.options.length > known.options.length) commands.set(path, command);
    }
  }
  return commands;
}

function walk(path: string, command: Command): [string, Command][] {
  return [[path, command], ...visibleCommands(command).flatMap((child) => walk(join(path, child.name()), child))];
}

/** Without the `help` that commander puts into groups by itself. */
export function visibleCommands(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((child) => child.name() !== 'help');
}

function join(...words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ');
}

/** Splits `sign card-ref create` into `sign` and `card-ref create`; undefined outside `sign`. */
function signParts(path: string): { readonly prefix: string; readonly operation: string } | undefined {
  const words = path.split(' ');
  if (words[0] !== 'sign' || words.length === 1) return undefined;
  return { prefix: 'sign', operation: join(...words.slice(1)) };
}

/** True for `sign sale` and the like, which repeat the commands that send. */
export function isOperationOfSign(path: string, tree: ReadonlyMap<string, Command>): boolean {
  const operation = signParts(path)?.operation ?? '';
  const command = operation === '' ? undefined : tree.get(operation);
  // `sign doctor` is a command of its own, and so is `doctor`.
  return command !== undefined && declarationOf(command) === undefined;
}

/** What `sign` adds to the flags of an operation; undefined for commands that take no operation. */
export function ownFlags(path: string, tree: ReadonlyMap<string, Command>): readonly Option[] | undefined {
  const [sample = ''] = allOperations.map((row) => row.command);
  const sampleCommand = tree.get(`${path} ${sample}`);
  if (signParts(`${path} ${sample}`)?.prefix !== path || sampleCommand === undefined) return undefined;
  const operationFlags = new Set(tree.get(sample)?.options.map((option) => option.long));
  const prefixFlags = new Set(tree.get(path)?.options.map((option) => option.long));
  return sampleCommand.options.filter(
    (option) => !option.hidden && !operationFlags.has(option.long) && !prefixFlags.has(option.long),
  );
}
