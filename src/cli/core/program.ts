import { Command, CommanderError } from 'commander';
import type { Runtime } from '../../runtime/ports.js';
import { type Assume, allOperations, assumeDefaults } from '../../spec/index.js';
import { type Build, type CommandLine, type ProgramContext, type TreePart, valueAfter } from './command-line.js';
import { declarationOf } from './define-command.js';
import { isSwitched } from './flags.js';
import { formatHelp } from './help-format.js';
import { layOutRoot } from './help-layout.js';
import { addOperations, type OperationLeaf } from './operation-commands.js';
import { addSendingOptions, type CommonOptions, isSharedFlag } from './options.js';
import { assertNoSecretKept, assertOrderIsNoCard } from './typed-card-numbers.js';
import {
  assertCompanionFlags,
  assertFlagValues,
  assertKnownCommand,
  assertNothingEmpty,
  assertOrderNotHelp,
  leafOf,
  pathOf,
  trimOrder,
} from './usage-checks.js';

/**
 * Builds the command tree. Where the command line begins with a known command, only that one is built, and only the
 * wanted operation gets its options: building all of them costs start-up time.
 */
export async function buildProgram(given: Omit<ProgramContext, 'assume' | 'tree'>): Promise<Command> {
  const tree = treeBuilder(given.runtime, given.parts);
  const context: ProgramContext = { ...given, tree, assume: await assumeFor(given.commandLine, given.runtime) };
  const { terminal } = context.runtime;
  const program = new Command('paycli')
    .description('Payments, payouts and cards through a gateway, with a built-in sandbox gateway.')
    .usage('<command> [flags] | --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => terminal.out(text),
      writeErr: () => undefined,
      getOutHelpWidth: () => terminal.width,
      getErrHelpWidth: () => terminal.width,
      getOutHasColors: () => false,
    })
    .configureHelp({
      showGlobalOptions: false,
      subcommandTerm: (command) => [command.name(), ...command.aliases()].join('|'),
      visibleOptions: (command) =>
        command.options.filter((option) => !option.hidden && option.long !== '--help' && !isSharedFlag(option)),
      formatHelp,
      minWidthToWrap: 20,
      styleTitle: (title) => (title === 'Options:' ? 'Flags:' : title),
      styleUsage: (usage) => usage.replace('[options]', '[flags]'),
      optionDescription: ({ description, argChoices }) => withChoices(description, argChoices),
      argumentDescription: ({ description, argChoices }) => withChoices(description, argChoices),
    })
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .option('-V, --version', 'show the version');
  for (const { add } of wanted([operationsPart, ...given.parts], context.commandLine)) await add(program, context);
  program.hook('preAction', (_, command) => {
    assertCompanionFlags(command);
    trimOrder(command);
    assertNothingEmpty(command);
    assertOrderNotHelp(command);
    assertOrderIsNoCard(command);
    assertNoSecretKept(command);
    return checkChosen(command);
  });
  program
    .addHelpText('after', () => layOutRoot(rootFooter, program.configureOutput().getOutHelpWidth?.() ?? 80))
    .action(() => program.outputHelp());
  return program;
}

/**
 * The profile's assumptions, read only where one decides about a flag: other commands read no file at the start. Errors
 * in the profile are reported later.
 */
async function assumeFor({ argv, row }: CommandLine, runtime: Runtime): Promise<Assume> {
  if (argv.length === 0 || row === undefined || !isSwitched(row)) return assumeDefaults;
  const { loadProfile } = await import('../../config/index.js');
  const profile = valueAfter(argv, ['-p', '--profile']);
  const loaded = await loadProfile({ profile }, runtime).catch(() => undefined);
  return loaded?.profile?.assume ?? assumeDefaults;
}

/** Builds the whole tree again; with the flags of an operation, only the commands that take one. */
export function treeBuilder(runtime: Runtime, parts: readonly TreePart[]): Build {
  return (row) => buildProgram({ runtime, parts, commandLine: { argv: [], row }, finish: { exit: 0 } });
}

/** The words that the command of an operation begins with. */
const operationWords: readonly string[] = allOperations.flatMap(({ command, aliases = [] }) => [
  command.split(' ')[0] ?? '',
  ...aliases,
]);

const operationsPart: TreePart = {
  words: operationWords,
  add: async (program, context) => addOperations(program, sending(context.runtime), context),
};

/** The parts with the requested command; all parts where help or a suggestion may be needed. */
function wanted(parts: readonly TreePart[], { argv: [first = ''], row }: CommandLine): readonly TreePart[] {
  // No typed command line has an operation without words: the whole tree is being built, one operation at a time.
  if (first === '' && row !== undefined)
    return parts.filter(({ words }) => words === operationWords || words.includes('sign'));
  const meant = parts.filter(({ words }) => words.includes(first));
  return meant.length > 0 ? meant : parts;
}

/** Finds an unknown result field or an unreadable template before the command does anything. */
async function checkChosen(command: Command): Promise<void> {
  const { select, template, dryRun = false } = command.opts<CommonOptions>();
  if (select === undefined && template === undefined) return;
  const { checkNames, checkTemplateNames } = await import('./result-fields.js');
  const path = pathOf(command);
  const prints = declarationOf(command)?.prints ?? 'reply';
  checkNames(select, prints, path, dryRun);
  if (template !== undefined)
    checkTemplateNames((await import('../format/template.js')).namesInTemplate(template), prints, path, dryRun);
}

/** Adds the choices unless the description names them already. */
function withChoices(description: string, choices: readonly string[] = []): string {
  return choices.every((choice) => description.includes(choice))
    ? description
    : `${description}; one of ${choices.join(', ')}`;
}

const rootFooter = `
Start here:
  paycli sale -p sandbox --amount 5 --currency USD --test-card approved --wait
  paycli sale --help             the flags of one command
  paycli help exit-codes         a topic; also: flags, money-safety, states,
      live, output, environment, profiles, secrets, signing, signing-steps,
      assumptions, sandbox, test-suites, certify, 3ds, callbacks, batches,
      runbooks, glossary, development`;

/** `sale …`: the operation itself. */
function sending(runtime: Runtime): OperationLeaf {
  return {
    examples: (row) => row.examples,
    addOptions: (command, row) => void addSendingOptions(command, row),
    run: async (row, typed) =>
      (await import('../commands/operation/send.js')).runOperation(row, typed, 'from flags', runtime),
  };
}

/** Runs a command line to the end of its command. Throws for a word that is no command, and what commander throws. */
export async function runCommand(program: Command, line: CommandLine, topics: readonly string[]): Promise<void> {
  assertKnownCommand(program, line.argv, topics);
  assertFlagValues(program, line);
  await program.parseAsync(line.argv, { from: 'user' });
}

/**
 * Prints the fields of a command's result with their meaning, and does nothing else. Throws USAGE for an unknown
 * command and for one that prints no fields.
 */
export async function listFields(program: Command, argv: readonly string[], runtime: Runtime): Promise<void> {
  assertKnownCommand(program, argv);
  const { command } = leafOf(program, argv);
  const { fieldListText } = await import('./field-list.js');
  const prints = command.commands.length > 0 ? [] : (declarationOf(command)?.prints ?? 'reply');
  runtime.terminal.out(fieldListText(prints, pathOf(command), argv.includes('--dry-run')));
}

/** Turns commander's errors into ours; undefined for help and version, which commander throws too. */
export async function translateCommanderError(
  error: unknown,
  commandLine: CommandLine,
  runtime: Runtime,
  parts: readonly TreePart[],
): Promise<unknown> {
  if (!(error instanceof CommanderError)) return error;
  if (error.exitCode === 0) return undefined;
  const { usageError } = await import('./usage-errors.js');
  return usageError(await buildProgram({ runtime, parts, commandLine, finish: { exit: 0 } }), commandLine, error);
}
