import type { Command } from 'commander';
import { allOperations, type Operation } from '../spec/index.js';

/** Builds the command tree in which this operation has its options. */
export type Build = (row: Operation | undefined) => Command;

/**
 * Every command by its words (`card-ref create`; the program itself is ''), all with their options. One build gives options to
 * one operation only, so this builds once per operation: for generated texts, not for a run.
 */
export function wholeTree(build: Build): ReadonlyMap<string, Command> {
  const commands = new Map<string, Command>();
  for (const row of [undefined, ...allOperations]) {
    for (const [path, command] of walk('', build(row))) {
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

export function join(...words: readonly string[]): string {
  return words.filter((word) => word !== '').join(' ');
}
