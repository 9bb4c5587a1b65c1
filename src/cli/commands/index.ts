import type { Command } from 'commander';
import { allOperations, type Operation } from '../../spec/index.js';
import { type RunContext, setUpDeclared } from '../command.js';
import type { ProgramContext, TreePart } from '../core/command-line.js';
import type { LoadCommand } from '../core/define-command.js';
import { operationCommand } from '../operation.js';

/** Groups of operations, and words that stand under another heading than payments. */
const headings: Readonly<Record<string, readonly [heading: string, brief?: string]>> = {
  payout: ['Payouts:', 'Send money out, in one or two steps'],
  transfer: ['Payouts:'],
  'card-ref': ['Cards:', 'Tokenize a card and view it'],
  rebill: ['Cards:'],
  recurring: ['Cards:'],
  'pan-eligibility': ['Cards:'],
  form: ['Hosted pages and 3-D Secure:', 'Hosted pages that collect the card data'],
  'upload-3ds': ['Hosted pages and 3-D Secure:', 'Submit 3-D Secure results'],
};

/** The first words of the commands of all operations, in the order of help, each with its aliases. */
export const operationWords: readonly (readonly string[])[] = [
  ...new Set(allOperations.map(({ command }) => command.split(' ')[0] ?? '')),
].map((word) => [word, ...aliasesOf(word)]);

function aliasesOf(word: string): readonly string[] {
  return allOperations.find(({ command }) => command === word)?.aliases ?? [];
}

/** Adds the commands of the operations that begin with this word. */
export function addOperationsUnder(word: string, program: Command, context: RunContext): void {
  const plain = allOperations.filter(({ command }) => !command.includes(' --'));
  const single = plain.find((row) => row.command === word);
  const [heading = 'Payments:', brief = ''] = headings[word] ?? [];
  if (single !== undefined) {
    const command = program.command(single.command).helpGroup(heading);
    for (const alias of single.aliases ?? []) command.alias(alias);
    add(command, single, context);
    return;
  }
  const group = program.command(word).helpGroup(heading).description(brief).usage('<command> [flags]');
  for (const row of plain.filter(({ command }) => command.startsWith(`${word} `))) {
    // `payout --amount …` is `payout send --amount …`.
    const isDefault = row.aliases?.includes(word) === true;
    const command = group.command(row.command.slice(word.length + 1), { isDefault });
    add(command, row, context);
    if (isDefault) group.helpInformation = () => command.helpInformation();
  }
  if (group.commands.every((command) => command.name() !== 'send')) group.action(() => group.outputHelp());
}

function add(command: Command, row: Operation, context: RunContext): void {
  const others = allOperations.filter((other) => other.command.startsWith(`${row.command} --api `));
  setUpDeclared(command, operationCommand(row, others), context);
}

function declared(word: string, load: LoadCommand): TreePart {
  return {
    words: [word],
    add: async (program, context) => {
      const [first = word, ...rest] = context.commandLine.argv;
      const { addCommand } = await import('../core/define-command.js');
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
      if (parent === undefined) return;
      const { addCommand } = await import('../core/define-command.js');
      await addCommand(parent, word, load, [], context);
    },
  };
}

/** Commands beside the operations that are declared. */
const declaredPaths: ReadonlySet<string> = new Set([
  'journal',
  'order',
  'orders',
  'request',
  'resolve',
  'assumptions',
  'init',
  'doctor',
  'support',
  '3ds decode',
  'profile show',
  'profile set',
  'profile set-key',
  'profile remove',
  'callback list',
  'callback send',
  'callback verify',
  'batch approve',
]);

/** True for a line whose command is declared: commander reads it as it is. */
export function isDeclared([first = '', second = '']: readonly string[]): boolean {
  if (operationWords.some((words) => words.includes(first))) return second !== 'fill';
  return declaredPaths.has(first) || declaredPaths.has(`${first} ${second}`);
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
  declared('assumptions', async () => (await import('./assumptions/assumptions.js')).assumptions),
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
  declared('support', async () => (await import('./support/support.js')).support),
  declared('profile', async () => (await import('./profile/index.js')).profile),
  declared('doctor', async () => (await import('./doctor/doctor.js')).doctor),
  declared('commands', async () => (await import('./docs/commands.js')).commands),
  declared('completion', async () => (await import('./docs/completion.js')).completion),
];
