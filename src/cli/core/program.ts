import { Command, CommanderError } from 'commander';
import type { Runtime } from '../../runtime/ports.js';
import { type Assume, allOperations, assumeDefaults } from '../../spec/index.js';
import { type Build, type CommandLine, type ProgramContext, valueAfter } from './command-line.js';
import { addCommand, declarationOf, type LoadCommand } from './define-command.js';
import { isSwitched } from './flags.js';
import { formatHelp } from './help-format.js';
import { layOutRoot } from './help-sheet.js';
import { addOperations, type OperationLeaf } from './operation-commands.js';
import { addSendingOptions, type CommonOptions, isSharedFlag } from './options.js';
import {
  assertCompanionFlags,
  assertGivenOnce,
  assertKnownCommand,
  assertNamesNotEmpty,
  assertOrderNotHelp,
  leafOf,
  pathOf,
  trimOrder,
} from './usage-checks.js';

/** Part of the command tree: what adds the commands that begin with these words. */
interface TreePart {
  readonly words: readonly string[];
  readonly add: (program: Command, context: ProgramContext) => Promise<void>;
}

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

/** Every command that is not an operation, in the order of the root help. Its code is loaded when needed. */
const treeParts: readonly TreePart[] = [
  {
    words: ['sign'],
    add: async (program, context) => {
      const { addSign } = await import('../commands/sign/index.js');
      await addSign(program.command('sign').helpGroup('Tools:'), context);
    },
  },
  declared('init', async () => (await import('../commands/init/init.js')).init),
  declared('request', async () => (await import('../commands/operation/request.js')).request),
  declared('keys', async () => (await import('../commands/keys/index.js')).keys),
  declared('assumptions', async () => (await import('../commands/assumptions/index.js')).assumptions),
  declared('sandbox', async () => (await import('../commands/sandbox/index.js')).sandbox),
  declared('certify', async () => (await import('../commands/certify/certify.js')).certify),
  declared('3ds', async () => (await import('../commands/threeds/index.js')).threeds),
  declaredBelow('form', 'fill', async () => (await import('../commands/threeds/form-fill.js')).formFill),
  declared('callback', async () => (await import('../commands/callback/index.js')).callback),
  declared('orders', async () => (await import('../commands/order/orders.js')).orders),
  declared('order', async () => (await import('../commands/order/order.js')).order),
  declared('resolve', async () => (await import('../commands/journal/resolve.js')).resolve),
  declared('journal', async () => (await import('../commands/journal/index.js')).journal),
  declared('batch', async () => (await import('../commands/batch/index.js')).batch),
  declared('live', async () => (await import('../commands/live/index.js')).live),
  declared('support', async () => (await import('../commands/support/index.js')).support),
  declared('profile', async () => (await import('../commands/profile/index.js')).profile),
  declared('config', async () => (await import('../commands/config/index.js')).config),
  declared('whoami', async () => (await import('../commands/profile/whoami.js')).whoami),
  declared('doctor', async () => (await import('../commands/doctor/doctor.js')).doctor),
  declared('commands', async () => (await import('../commands/docs/commands.js')).commands),
  declared('completion', async () => (await import('../commands/docs/completion.js')).completion),
];

/**
 * Builds the command tree. Where the command line begins with a known command, only that one is built, and only the
 * wanted operation gets its options: building all of them costs start-up time.
 */
export async function buildProgram(given: Omit<ProgramContext, 'assume' | 'tree'>): Promise<Command> {
  const tree = treeBuilder(given.runtime);
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
  for (const { add } of wanted([operationsPart, ...treeParts], context.commandLine)) await add(program, context);
  program.hook('preAction', (_, command) => {
    assertGivenOnce(command, program, context.commandLine.argv);
    assertCompanionFlags(command);
    trimOrder(command);
    assertNamesNotEmpty(command);
    assertOrderNotHelp(command);
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
export function treeBuilder(runtime: Runtime): Build {
  return (row) => buildProgram({ runtime, commandLine: { argv: [], row }, finish: { exit: 0 } });
}

const operationWords = allOperations.flatMap(({ command, aliases = [] }) => [command.split(' ')[0] ?? '', ...aliases]);

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
  paycli sale --amount 10.42 --currency USD --test-card approved --wait
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
export async function runCommand(program: Command, argv: readonly string[], topics: readonly string[]): Promise<void> {
  assertKnownCommand(program, argv, topics);
  await program.parseAsync(argv, { from: 'user' });
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
): Promise<unknown> {
  if (!(error instanceof CommanderError)) return error;
  if (error.exitCode === 0) return undefined;
  const { usageError } = await import('./usage-errors.js');
  return usageError(await buildProgram({ runtime, commandLine, finish: { exit: 0 } }), commandLine, error);
}
