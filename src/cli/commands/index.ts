import type { Command } from 'commander';
import type { ProgramContext, TreePart } from '../core/command-line.js';
import { addCommand, type LoadCommand } from '../core/define-command.js';
import { addOperationsUnder, operationWords } from './operations.js';

function declared(word: string, load: LoadCommand): TreePart {
  return {
    words: [word],
    add: (program, context) => {
      const [first = word, ...rest] = context.commandLine.argv;
      return addCommand(program, word, load, first === word ? rest : undefined, context);
    },
  };
}

/** A command in a group of operations. */
function declaredBelow(group: string, word: string, load: LoadCommand): TreePart {
  return {
    words: [group],
    add: async (program, context) => {
      const parent = program.commands.find((command) => command.name() === group);
      if (parent !== undefined) await addCommand(parent, word, load, [], context);
    },
  };
}

/** True for a line whose command is declared: commander reads it as it is. */
export function isDeclared([first = '', second = '']: readonly string[]): boolean {
  if (first === 'profile') return second === 'show';
  return first === 'journal' || (operationWords.some((words) => words.includes(first)) && second !== 'fill');
}

/** Every command, in the order of the root help. Its code is loaded when needed. */
export const everyPart: readonly TreePart[] = [
  ...operationWords.map((words) => ({
    words,
    add: async (program: Command, { runtime, finish, commandLine }: ProgramContext) =>
      addOperationsUnder(words[0] ?? '', program, { runtime, finish, argv: commandLine.argv }),
  })),
  {
    words: ['sign'],
    add: async (program, context) => {
      const { addSign } = await import('./sign/index.js');
      await addSign(program.command('sign').helpGroup('Tools:'), context);
    },
  },
  declared('init', async () => (await import('./init/init.js')).init),
  declared('request', async () => (await import('./operation/request.js')).request),
  declared('keys', async () => (await import('./keys/index.js')).keys),
  declared('assumptions', async () => (await import('./assumptions/index.js')).assumptions),
  declared('sandbox', async () => (await import('./sandbox/index.js')).sandbox),
  declared('certify', async () => (await import('./certify/certify.js')).certify),
  declared('3ds', async () => (await import('./threeds/index.js')).threeds),
  declaredBelow('form', 'fill', async () => (await import('./threeds/form-fill.js')).formFill),
  declared('callback', async () => (await import('./callback/index.js')).callback),
  declared('orders', async () => (await import('./order/orders.js')).orders),
  declared('order', async () => (await import('./order/order.js')).order),
  declared('resolve', async () => (await import('./journal/resolve.js')).resolve),
  declared('journal', async () => (await import('./journal/journal.js')).journal),
  declared('batch', async () => (await import('./batch/index.js')).batch),
  declared('support', async () => (await import('./support/index.js')).support),
  declared('profile', async () => (await import('./profile/index.js')).profile),
  declared('doctor', async () => (await import('./doctor/doctor.js')).doctor),
  declared('commands', async () => (await import('./docs/commands.js')).commands),
  declared('completion', async () => (await import('./docs/completion.js')).completion),
];
