import type { Command } from 'commander';
import { fail, nearest } from '../errors/index.js';

/** Stops at a command that does not exist, naming the nearest one; never runs the guess. */
export function suggestInstead(program: Command, argv: readonly string[]): void {
  let at: Command = program;
  for (const word of argv) {
    if (word.startsWith('-')) return;
    if (at.commands.length === 0) return;
    const child = at.commands.find((command) => command.name() === word || command.aliases().includes(word));
    if (child === undefined) throw unknownCommand(at, word);
    at = child;
  }
}

function unknownCommand(parent: Command, word: string): Error {
  const names = parent.commands.flatMap((command) => [command.name(), ...command.aliases()]);
  const guess = nearest(word, names);
  const path = pathOf(parent);
  const shown = /\d{6}/.test(word) ? 'that word' : `\`${word.slice(0, 40)}\``;
  const hint = guess === undefined ? `; there are: ${names.join(', ')}` : `; did you mean \`${[path, guess].filter(Boolean).join(' ')}\`?`;
  return fail('USAGE', { why: `${shown} is no command of paycli${path === '' ? '' : ` ${path}`}${hint}`, command: path });
}

function pathOf(command: Command): string {
  const names: string[] = [];
  for (let at: Command | null = command; at?.parent; at = at.parent) names.unshift(at.name());
  return names.join(' ');
}
