import type { Command } from 'commander';
import { allOperations, type Operation } from '../../spec/index.js';
import { type RunContext, setUpDeclared } from '../command.js';
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
