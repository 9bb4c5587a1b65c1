import { Command, CommanderError } from 'commander';
import type { Runtime } from '../../runtime/ports.js';
import { type Assume, assumeDefaults } from '../../spec/index.js';
import { type Declared, declaredBy } from '../command.js';
import { isSwitched, valueAfter } from '../flag-words.js';
import { assertKnownCommand, leafOf, pathOf, usageError } from '../usage.js';
import type { Build, CommandLine, ProgramContext, TreePart } from './command-line.js';
import type { CommonOptions } from './common-options.js';
import { declarationOf } from './define-command.js';
import { formatHelp } from './help-format.js';
import { layOutRoot } from './help-layout.js';
import { isSharedFlag } from './options.js';
import type { Prints } from './result-fields.js';
import { assertNoSecretKept, assertOrderIsNoCard } from './typed-card-numbers.js';
import {
  assertCompanionFlags,
  assertFlagValues,
  assertNothingEmpty,
  assertOrderNotHelp,
  trimOrder,
} from './usage-checks.js';

/**
 * Builds the command tree. Where the command line begins with a known command, only that one is built, and only the
 * wanted operation gets its options: building all of them costs start-up time.
 */
export async function buildProgram(given: Omit<ProgramContext, 'assume' | 'tree'>): Promise<Command> {
  const tree = treeBuilder(given.runtime, given.parts);
  const context: ProgramContext = { ...given, tree, assume: await assumeFor(given.commandLine, given.runtime) };
  const { runtime } = context;
  const { terminal } = runtime;
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
  for (const { add } of wanted(given.parts, context.commandLine)) await add(program, context);
  program.hook('preAction', (_, command) => {
    assertNoSecretKept(command);
    const declared = declaredBy(command);
    if (declared !== undefined) return checkChosen(command, printsOf(declared), runtime);
    assertCompanionFlags(command);
    trimOrder(command);
    assertNothingEmpty(command);
    assertOrderNotHelp(command);
    assertOrderIsNoCard(command);
    return checkChosen(command, declarationOf(command)?.prints ?? 'reply', runtime);
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

/** The parts with the requested command; all parts where help or a suggestion may be needed. */
function wanted(parts: readonly TreePart[], { argv: [first = ''], row }: CommandLine): readonly TreePart[] {
  // No typed command line has an operation without words: the tree of `sign` is being built, one operation at a time.
  if (first === '' && row !== undefined) return parts.filter(({ words }) => words.includes('sign'));
  const meant = parts.filter(({ words }) => words.includes(first));
  return meant.length > 0 ? meant : parts;
}

/**
 * Finds an unknown result field or an unreadable template before the command does anything. `--fields help` lists the
 * fields instead of running the command.
 */
async function checkChosen(command: Command, prints: Prints, runtime: Runtime): Promise<void> {
  const { select, template, dryRun = false } = command.opts<CommonOptions>();
  if (select === undefined && template === undefined) return;
  const path = pathOf(command);
  if (select === 'help') {
    runtime.terminal.out((await import('./field-list.js')).fieldListText(prints, path, dryRun));
    throw new CommanderError(0, 'paycli.fields', '');
  }
  const { checkNames, checkTemplateNames } = await import('./result-fields.js');
  checkNames(select, prints, path, dryRun);
  if (template !== undefined)
    checkTemplateNames((await import('../format/template.js')).namesInTemplate(template), prints, path, dryRun);
}

function printsOf({ result }: Declared): Prints {
  return result === 'reply' ? result : result.map(({ schema }) => schema);
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

/** Runs a command line to the end of its command. Throws for a word that is no command, and what commander throws. */
export async function runCommand(program: Command, line: CommandLine, topics: readonly string[]): Promise<void> {
  assertKnownCommand(program, line.argv, topics);
  if (line.isRaw !== true) assertFlagValues(program, line);
  await program.parseAsync(line.argv, { from: 'user' });
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
  const program = await buildProgram({ runtime, parts, commandLine, finish: { exit: 0 } });
  const { command, rest } = leafOf(program, commandLine.argv);
  if (commandLine.isRaw === true) return usageError(error, defaultOf(command), rest);
  return (await import('./usage-errors.js')).usageError(program, commandLine, error);
}

/** The command that a group without a word means: `payout` is `payout send`. */
function defaultOf(command: Command): Command {
  return command.commands.find((child) => child.name() === 'send') ?? command;
}
