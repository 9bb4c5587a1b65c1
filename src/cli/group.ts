import type { Command, Help } from 'commander';
import { widthOf, wrapText } from '../errors/text-width.js';
import { allOperations, type Operation } from '../spec/index.js';
import { type Declared, declaredBy, type RunContext, setUpDeclared } from './command.js';
import { isSharedFlag, sharedHeadings } from './flags.js';

/** A group of commands under one word. */
export interface CommandGroup {
  readonly summary: string;
  readonly heading?: string;
  readonly usage?: string;
  readonly examples?: readonly string[];
  /** By the word after the group's, in the order of help. */
  readonly commands: Readonly<Record<string, LoadCommand>>;
  /** Every operation is a command in it as well. */
  readonly operations?: DeclareOperation;
  /** The command in it that its word alone means. */
  readonly whole?: string;
  /** What its word does alone, beside the commands in it. */
  readonly own?: Declared;
}

/** Loads a command or a nested group when it is needed. */
export type LoadCommand = () => Promise<Declared | CommandGroup>;

/** The command of an operation; `others` are the rows of its further API versions. */
export type DeclareOperation = (row: Operation, others: readonly Operation[]) => Declared;

/** Builds the commands that some words mean. */
export type BuildCommands = (words: Words) => Promise<Command>;

/** The words that follow a command; `all` for the whole tree, undefined for a command without those below it. */
export type Words = readonly string[] | 'all' | undefined;

const groups = new WeakMap<Command, CommandGroup>();

/** The group that a command is; undefined for a command by itself. */
export function groupBy(command: Command): CommandGroup | undefined {
  return groups.get(command);
}

/** The command that a group without a word means: `payout` is `payout send`. */
export function wholeOf(command: Command): Command {
  const { whole } = groupBy(command) ?? {};
  return command.commands.find((child) => child.name() === whole) ?? command;
}

/**
 * Adds the command or group that a word means. Of a group only the command that `words` start with is built, if there
 * is one: a whole group costs start-up time.
 */
export async function addCommand(
  parent: Command,
  word: string,
  load: LoadCommand,
  words: Words,
  context: RunContext,
  isDefault = false,
): Promise<void> {
  const loaded = await load();
  const command = parent.command(word, { isDefault });
  if ('isDeclared' in loaded) {
    for (const alias of loaded.aliases ?? [])
      if (parent.commands.every((each) => each.name() !== alias)) command.alias(alias);
    setUpDeclared(command, loaded, context);
    if (isDefault) parent.helpInformation = () => command.helpInformation();
  } else await addGroup(command, loaded, words, context);
}

async function addGroup(command: Command, group: CommandGroup, words: Words, context: RunContext): Promise<void> {
  const { summary, heading, usage = '<command> [flags]', commands, operations, whole } = group;
  groups.set(command, group);
  if (group.own !== undefined) setUpDeclared(command, group.own, context);
  else {
    command.summary(summary).description(summary).usage(usage);
    if (whole === undefined || words === undefined) command.action(() => command.outputHelp());
  }
  command.enablePositionalOptions();
  if (heading !== undefined) command.helpGroup(heading);
  // With those of every operation the whole tree would be too large.
  const own = operations === undefined || words === 'all' ? {} : operationCommands(operations);
  await addCommands(command, { ...commands, ...own }, words, context, whole);
}

/** Adds those of some commands that `words` mean, or all of them. */
export async function addCommands(
  parent: Command,
  all: Readonly<Record<string, LoadCommand>>,
  words: Words,
  context: RunContext,
  whole?: string,
): Promise<void> {
  if (words === undefined) return;
  const [first = '', ...rest] = words === 'all' ? [] : words;
  const meant = allOperations.find(({ aliases }) => aliases?.includes(first) === true)?.command ?? '';
  const wanted = [first, meant].find((word) => Object.hasOwn(all, word));
  for (const [word, load] of Object.entries(all)) {
    if (wanted !== undefined && word !== wanted) continue;
    const below = words === 'all' ? words : wanted === undefined ? undefined : rest;
    await addCommand(parent, word, load, below, context, word === whole);
  }
}

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

/** A command for every operation, by the first words of their commands. */
export function operationCommands(declare: DeclareOperation): Readonly<Record<string, LoadCommand>> {
  const plain = allOperations.filter(({ command }) => !command.includes(' --'));
  const words = [...new Set(plain.map(({ command }) => command.split(' ')[0] ?? ''))];
  return Object.fromEntries(words.map((word) => [word, async () => commandOrGroup(word, plain, declare)]));
}

function commandOrGroup(word: string, rows: readonly Operation[], declare: DeclareOperation): Declared | CommandGroup {
  const [heading = 'Payments:', summary = ''] = headings[word] ?? [];
  const single = rows.find(({ command }) => command === word);
  if (single !== undefined) return { ...declared(single, declare), heading, aliases: single.aliases ?? [] };
  const members = rows.filter(({ command }) => command.startsWith(`${word} `));
  const next = ({ command }: Operation) => command.slice(word.length + 1);
  // `payout --amount …` is `payout send --amount …`.
  const whole = members.find(({ aliases }) => aliases?.includes(word) === true);
  const commands = Object.fromEntries(members.map((row) => [next(row), async () => declared(row, declare)]));
  return { summary, heading, commands, ...(whole === undefined ? {} : { whole: next(whole) }) };
}

function declared(row: Operation, declare: DeclareOperation): Declared {
  return declare(
    row,
    allOperations.filter((other) => other.command.startsWith(`${row.command} --api `)),
  );
}

/** The root help lists these commands by name only: they are for setup and inspection. */
const namedOnly = 'Tools:';

/** How commander writes the help of a command. */
export const helpLayout: Partial<Help> = {
  showGlobalOptions: false,
  displayWidth: widthOf,
  styleUsage: (text) => text.replace('[options]', '[flags]'),
  visibleOptions: ({ options }) => options.filter((option) => !option.hidden && !isSharedFlag(option)),
  visibleCommands: (command) =>
    command.commands.filter((child) => command.parent !== null || child.helpGroup() !== namedOnly),
  subcommandTerm: (command) => [command.name(), ...command.aliases()].join('|'),
  argumentDescription: ({ description, argChoices }) => withChoices(description, argChoices),
  optionDescription: ({ description, argChoices }) => withChoices(description, argChoices),
};

/** Adds the choices unless the description names them already. */
function withChoices(description: string, choices: readonly string[] = []): string {
  return choices.every((choice) => description.includes(choice))
    ? description
    : `${description}; one of ${choices.join(', ')}`;
}

/** What follows the help of a command: examples, and where the flags are described that many commands have. */
export function endOfHelp(command: Command, width: number): string {
  if (command.parent === null) return wrapText(endOfRoot(command), width);
  const meant = wholeOf(command);
  const examples = declaredBy(meant)?.examples ?? groupBy(meant)?.examples ?? [];
  const headings = new Set(meant.options.filter(isSharedFlag).map((option) => option.helpGroupHeading));
  const shared = Object.entries(sharedHeadings).flatMap(([heading, words]) => (headings.has(heading) ? [words] : []));
  const parts = [
    ...(examples.length === 0 ? [] : [`Examples:\n${examples.map((line) => `  paycli ${line}`).join('\n')}`]),
    ...(shared.length === 0 ? [] : [`Global flags (${shared.join(', ')}): \`paycli help output\``]),
  ];
  return wrapText(parts.map((part) => `\n${part}`).join('\n'), width);
}

function endOfRoot({ commands }: Command): string {
  const tools = commands.filter((command) => command.helpGroup() === namedOnly).map((command) => command.name());
  return `
Tools (\`paycli help WORD\` describes each):
${tools.join(', ')}

Topics (\`paycli help TOPIC\`): runbooks, money-safety, profiles, output, batches, callbacks, 3ds, signing, sandbox, certify, assumptions, glossary, development`;
}
