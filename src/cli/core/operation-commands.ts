import { Argument, type Command } from 'commander';
import { fail, suggest } from '../../errors/index.js';
import { allOperations, type Operation, operationNamed, operations } from '../../spec/index.js';
import { nameableWord } from '../../wire/secret-names.js';
import type { ProgramContext } from './command-line.js';
import { operationsMeant } from './command-synonyms.js';
import type { CommonOptions, Typed } from './common-options.js';
import { withExamples } from './examples.js';
import { addFieldOptions, addFlags, connectionFlags, type Flag, globalFlags } from './options.js';

/** The operation of this name. Throws USAGE naming the nearest one; `command` is the one whose help the error names. */
export function findOperation(name: string, command: string): (typeof operations)[number] {
  const row = operations.find((candidate) => candidate === operationNamed(name));
  if (row !== undefined) return row;
  throw fail('USAGE', {
    why: `there is no operation ${nameableWord(name) ?? 'of that name'}${suggestOperation(name)}`,
    command,
  });
}

/** A hint for a word that is not an operation. */
export function suggestOperation(name: string): string {
  const meant = operationsMeant(name);
  if (meant.length > 0) return `; did you mean ${meant.join(' or ')}?`;
  const known = allOperations.flatMap(({ command, aliases, id }) => [command, ...(aliases ?? []), id]);
  return suggest(name, known, '; `paycli --help` lists them');
}

/** What the command of an operation is, under each parent: `sale …`, `sign sale …`. */
export interface OperationLeaf {
  /** Command lines for its help, without the word `paycli`. */
  examples(row: Operation): readonly string[];
  /** Flags of its own, besides those of the operation and of the connection. */
  addOptions(command: Command, row: Operation): void;
  /** `command` has the values of its own flags. */
  run(row: Operation, typed: Typed, command: Command): Promise<number>;
}

const groups: readonly (readonly [name: string, brief: string, heading: string])[] = [
  ['payout', 'Send money out, in one or two steps', 'Payouts:'],
  ['card-ref', 'Tokenize a card and view it', 'Cards:'],
  ['form', 'Hosted pages that collect the card data', 'Hosted pages and 3-D Secure:'],
  ['upload-3ds', 'Submit 3-D Secure results', 'Hosted pages and 3-D Secure:'],
];

const headingByCommand: Readonly<Record<string, string>> = {
  transfer: 'Payouts:',
  rebill: 'Cards:',
  recurring: 'Cards:',
  'pan-eligibility': 'Cards:',
};

/** Understood before the tree is built: see readCommandLine. */
const apiFlag: Flag = [
  '--api <version>',
  'v2, signed with the control key, or v4, with RSA-SHA256 (v2)',
  { choices: ['v2', 'v4'] },
];

/**
 * Adds a command per operation. Only the wanted one gets its options: building all of them costs start-up time. Where
 * the whole tree is built operation by operation, only the wanted one is added at all.
 */
export function addOperations(parent: Command, leaf: OperationLeaf, context: ProgramContext): void {
  const parents = new Map<string, Command>();
  for (const row of allOperations) {
    if (!isAdded(row, context)) continue;
    const [first = '', second] = row.command.split(' ');
    if (second === undefined) {
      const command = parent.command(first).helpGroup(headingByCommand[first] ?? 'Payments:');
      for (const alias of row.aliases ?? []) if (!isTaken(parent, alias)) command.alias(alias);
      setUp(command, row, leaf, context);
      continue;
    }
    const group = parents.get(first) ?? addGroup(parent, first);
    parents.set(first, group);
    const plain = group.commands.find((command) => command.name() === second);
    // An operation of another API version replaces the plain one when it is requested.
    if (plain === undefined) setUp(group.command(second), row, leaf, context);
    else if (isWanted(row, context)) setUp(plain, row, leaf, context);
  }
}

/** No typed command line has an operation without words: see treeBuilder. */
function isAdded(row: Operation, context: ProgramContext): boolean {
  const { argv, row: wanted } = context.commandLine;
  return argv.length > 0 || wanted === undefined || isWanted(row, context);
}

/** A word that is a command of its own is no alias. */
function isTaken(parent: Command, name: string): boolean {
  return parent.commands.some((command) => command.name() === name);
}

function addGroup(parent: Command, name: string): Command {
  const [, brief = '', heading = 'Tools:'] = groups.find(([word]) => word === name) ?? [];
  const group = parent.command(name).description(brief).helpGroup(heading).usage('<command> [flags]');
  return group.action(() => group.outputHelp());
}

function setUp(command: Command, row: Operation, leaf: OperationLeaf, context: ProgramContext): void {
  command.summary(row.brief).description(withExamples(row.brief, leaf.examples(row)));
  if (!isWanted(row, context)) {
    command.action(() => undefined);
    return;
  }
  if (takesOrder(row))
    command.addArgument(
      new Argument('[order]', 'the order: its gateway order id or your client order id (idempotency key)'),
    );
  const keyByAttribute = addFieldOptions(command, row, context.assume);
  if (allOperations.some(({ command: other }) => other.startsWith(`${row.command} --api `)))
    addFlags(command, [{ heading: 'API version:' }, apiFlag]);
  leaf.addOptions(command, row);
  addFlags(command, [...connectionFlags, ...globalFlags]);
  command.action(async (...given: unknown[]) => {
    const order = takesOrder(row) && typeof given[0] === 'string' ? given[0] : undefined;
    context.finish.exit = await leaf.run(row, readTyped(command.opts(), keyByAttribute, order), command);
  });
}

function isWanted(row: Operation, { commandLine }: ProgramContext): boolean {
  return commandLine.row?.id === row.id;
}

/** Follow-ups and status may name the gateway's order id as a plain word. */
function takesOrder(row: Operation): boolean {
  return !row.opens && 'orderId' in row.fields;
}

function readTyped(
  options: CommonOptions & Readonly<Record<string, unknown>>,
  keyByAttribute: ReadonlyMap<string, string>,
  order: string | undefined,
): Typed {
  const fields: Record<string, string> = {};
  for (const [attribute, key] of keyByAttribute) {
    const value = options[attribute];
    if (typeof value === 'string') fields[key] = value;
  }
  return { fields, order, options };
}
