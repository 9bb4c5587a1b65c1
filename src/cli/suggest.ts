import type { Command } from 'commander';
import { fail, nearest } from '../errors/index.js';

/** Stops at a command that does not exist, naming the nearest one; never runs the guess. After `help` a topic may be meant as well. */
export function suggestInstead(program: Command, argv: readonly string[], topics: readonly string[] = []): void {
  const { command, rest } = leafOf(program, argv);
  const [word] = rest;
  if (word === undefined || word.startsWith('-') || command.commands.length === 0) return;
  throw unknownCommand(command, word, command === program ? topics : []);
}

/** The command that the first words name, as far as they name one, and what follows them. */
export function leafOf(program: Command, argv: readonly string[]): { readonly command: Command; readonly rest: readonly string[] } {
  let command = program;
  for (const [at, word] of argv.entries()) {
    const child = command.commands.find((each) => each.name() === word || each.aliases().includes(word));
    if (child === undefined) return { command, rest: argv.slice(at) };
    command = child;
  }
  return { command, rest: [] };
}

// More would be a wall of words; the help they are told to see has them in groups.
const mostNames = 12;

function unknownCommand(parent: Command, word: string, topics: readonly string[]): Error {
  const names = parent.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const path = pathOf(parent);
  const start = path === '' ? 'paycli' : `paycli ${path}`;
  const meant = nearest(word, [...names, ...topics]);
  const list = names.length > mostNames ? '' : `; there are: ${names.join(', ')}`;
  const shown = /\d{6}/.test(word) ? 'that word' : `\`${word.slice(0, 40)}\``;
  const isTopic = meant !== undefined && !names.includes(meant);
  const hint = meant === undefined ? list : `; did you mean \`${start}${isTopic ? ' help' : ''} ${meant}\`?`;
  return fail('USAGE', {
    why: `${shown} is no command of ${start}${topics.length === 0 ? '' : ' and no help topic'}${hint}`,
    command: path,
  });
}

/** The words of a command without `paycli`; '' for the program itself. */
export function pathOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}
