import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { fail, isPaycliError } from '../errors/index.js';
import type { Printed, Runtime } from '../runtime/ports.js';
import { type Assume, assumeDefaults } from '../spec/index.js';
import { nameableWord } from '../wire/secret-names.js';
import { type Declared, declaredBy } from './command.js';
import { everyPart, isDeclared } from './commands/index.js';
import {
  type Build,
  type CommandLine,
  commandAt,
  type Finish,
  type ProgramContext,
  readCommandLine,
  type TreePart,
} from './core/command-line.js';
import type { CommonOptions } from './core/common-options.js';
import { formatHelp } from './core/help-format.js';
import { layOutRoot } from './core/help-layout.js';
import type { Prints } from './core/result-fields.js';
import { isSharedFlag, isSwitched, placeFlags, placeFlagsIn, valueAfter } from './flags.js';
import { reportEnd, reportError as writeErrorOf } from './report-error.js';
import {
  assertKnownCommand,
  assertNoKeyFlags,
  assertNoSecretKept,
  assertOrderIsNoCard,
  helpMeant,
  leafOf,
  pathOf,
  usage,
  usageError,
} from './usage.js';

// Their flags describe another place than that of the commands they suggest, or one that they save in a profile.
const placeless: ReadonlySet<string> = new Set(['sandbox', 'init', 'profile']);

/** Runs one command line and gives the exit code of the process. */
export async function runLine(given: readonly string[], outside: Runtime): Promise<number> {
  const atEnd: (() => Promise<unknown>)[] = [];
  try {
    return await runAndReport(given, { ...outside, atEnd });
  } finally {
    await Promise.allSettled(atEnd.map((end) => end()));
  }
}

/** The only catch of the program. */
async function runAndReport(given: readonly string[], outside: Runtime): Promise<number> {
  const isRaw = isDeclared(helpAsFlag(given));
  const isPlaceless = isRaw || placeless.has(given[0] ?? '');
  const printed: Printed = { place: isPlaceless ? {} : { gateway: placeFlagsIn(given) } };
  let runtime = { ...outside, printed };
  const line = isRaw
    ? ({ argv: helpAsFlag(given), row: undefined, isRaw } as const)
    : readCommandLine(helpAsFlag(given));
  try {
    runtime = { ...withSandboxName(given, outside), printed };
    assertNoKeyFlags(given);
    assertCommandFirst(given);
    const exit = await runWithOutput(given, line, runtime);
    if (exit !== 0) await reportEnd(exit, line.argv, runtime);
    return exit;
  } catch (thrown) {
    const error = isPaycliError(thrown) ? thrown : await commanderError(thrown, line, runtime);
    // Help is no error; an undefined thrown by a library is one.
    return error === undefined && thrown !== undefined ? 0 : reportError(error, line.argv, runtime);
  }
}

async function runWithOutput(given: readonly string[], line: CommandLine, runtime: Runtime): Promise<number> {
  if (line.outputFile === undefined) return runParsed(given, line, runtime);
  const { writeToFile } = await import('./core/output-file.js');
  const into = { path: line.outputFile, mayHaveSent: () => mayHaveSent(line.argv, runtime) };
  return writeToFile(into, runtime, (inside) => runParsed(given, line, inside));
}

async function runParsed(given: readonly string[], line: CommandLine, runtime: Runtime): Promise<number> {
  const isHelp = given[0] === 'help';
  const text = isHelp
    ? (await import('./docs/topics.js')).helpTopic(given[1] ?? '', runtime.terminal.width)
    : undefined;
  if (text !== undefined) {
    runtime.terminal.out(text);
    return 0;
  }
  const { argv } = line;
  const finish: Finish = { exit: 0 };
  if (argv[0] === '--version' || argv[0] === '-V')
    return (await import('./commands/docs/version.js')).showVersion(argv, runtime);
  if (argv[0]?.startsWith('__') === true) {
    const exit = await (await import('./commands/hidden.js')).runHidden(
      argv,
      (commandLine) => buildProgram({ runtime, commandLine, finish }),
      runtime,
    );
    if (exit !== undefined) return exit;
  }
  const program = await buildProgram({ runtime, commandLine: line, finish });
  if (isHelp && argv[0] === '--help') {
    program.outputHelp();
    runtime.terminal.out((await import('./docs/topics.js')).topicList(runtime.terminal.width));
    return 0;
  }
  const other = helpMeant(program, argv, isHelp);
  if (other !== undefined) {
    runtime.terminal.out(`\`${other.shown}\` is \`paycli ${other.meant.join(' ')}\`:\n\n`);
    const help = [...other.meant, '--help'];
    return runParsed(help, readCommandLine(help), runtime);
  }
  assertKnownCommand(program, argv, isHelp ? (await import('./docs/topics.js')).topicNames : []);
  if (line.isRaw !== true) (await import('./core/usage-checks.js')).assertFlagValues(program, line);
  await program.parseAsync(argv, { from: 'user' });
  return finish.exit;
}

async function mayHaveSent(argv: readonly string[], runtime: Runtime): Promise<boolean> {
  const { factsOf } = await import('./core/command-facts.js');
  const command = await namedCommand(argv, runtime);
  const effect = command === undefined ? 'none' : factsOf(command).effect;
  return effect === 'money' || effect === 'write';
}

/** Flags of a declared command follow it: before it commander would not know them. Throws USAGE. */
function assertCommandFirst(given: readonly string[]): void {
  if (given[0]?.startsWith('-') !== true) return;
  const at = commandAt(given);
  const command = given.slice(at);
  if (at === 0 || !isDeclared(command)) return;
  const flag = nameableWord(given[0]?.split('=')[0] ?? '') ?? 'a flag';
  throw fail('USAGE', {
    why: `${flag} stands before the command; flags follow it: \`paycli ${command[0]} … ${flag}\``,
    command: command[0] ?? '',
  });
}

/** `help sale` is `sale --help`. Flags are kept: they decide how an error is printed. */
function helpAsFlag(argv: readonly string[]): readonly string[] {
  if (argv[0] !== 'help') return argv;
  const rest = argv.slice(1);
  return [...rest.filter((arg) => !arg.startsWith('-')), '--help', ...rest.filter((arg) => arg.startsWith('-'))];
}

/**
 * The flag --name of the sandbox commands sets PAYCLI_SANDBOX, which everything that opens a sandbox reads. Without
 * either they are about the only sandbox there is; `start` and `reset` make and remove one, so they take no other.
 */
function withSandboxName(argv: readonly string[], runtime: Runtime): Runtime {
  const sandboxArgs = argv[0] === 'sandbox' ? argv.slice(0, argv.includes('--') ? argv.indexOf('--') : undefined) : [];
  const at = sandboxArgs.findLastIndex((arg) => arg === '--name' || arg.startsWith('--name='));
  const given =
    sandboxArgs[at]?.startsWith('--name=') === true ? sandboxArgs[at].slice('--name='.length) : sandboxArgs[at + 1];
  const isUnnamed = at === -1 && (runtime.env['PAYCLI_SANDBOX'] ?? '') === '';
  const takesOnly = isUnnamed && argv[0] === 'sandbox' && !['start', 'reset'].includes(argv[1] ?? '');
  const name = at !== -1 ? given : takesOnly ? onlySandbox(runtime) : undefined;
  return name === undefined ? runtime : { ...runtime, env: { ...runtime.env, PAYCLI_SANDBOX: name } };
}

/** Undefined where there is none, or several. */
function onlySandbox({ files }: Runtime): string | undefined {
  const names = files.list(join(files.folders.data, 'sandbox')).filter((file) => file.endsWith('.db'));
  return names.length === 1 ? names[0]?.slice(0, -'.db'.length) : undefined;
}

/**
 * Builds the command tree. Where the command line begins with a known command, only that one is built, and only the
 * wanted operation gets its options: building all of them costs start-up time.
 */
export async function buildProgram(
  given: Pick<ProgramContext, 'runtime' | 'commandLine' | 'finish'>,
): Promise<Command> {
  const tree = treeBuilder(given.runtime);
  const context: ProgramContext = { ...given, tree, assume: await assumeFor(given.commandLine, given.runtime) };
  const { runtime } = context;
  const { terminal } = runtime;
  const program = new Command('paycli')
    .description('Payments, payouts and cards through a gateway, with a built-in sandbox gateway.')
    .usage('<command> [flags] | --version')
    .exitOverride()
    .enablePositionalOptions()
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
  for (const { add } of wanted(context.commandLine)) await add(program, context);
  program.hook('preAction', (_, command) => {
    assertNoSecretKept(command);
    const declared = declaredBy(command);
    if (declared !== undefined) {
      if (runtime.printed !== undefined && !placeless.has(context.commandLine.argv[0] ?? ''))
        runtime.printed.place = { gateway: placeFlags(command.opts()) };
      return checkChosen(command, printsOf(declared), runtime);
    }
    return checkOldCommand(command, runtime);
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
  const { loadProfile } = await import('../config/index.js');
  const profile = valueAfter(argv, ['-p', '--profile']);
  const loaded = await loadProfile({ profile }, runtime).catch(() => undefined);
  return loaded?.profile?.assume ?? assumeDefaults;
}

/** Builds the whole tree again; with the flags of an operation, only the commands that take one. */
export function treeBuilder(runtime: Runtime): Build {
  return (row) => buildProgram({ runtime, commandLine: { argv: [], row }, finish: { exit: 0 } });
}

/** The parts with the requested command; all parts where help or a suggestion may be needed. */
function wanted({ argv: [first = ''], row }: CommandLine): readonly TreePart[] {
  // No typed command line has an operation without words: the tree of `sign` is being built, one operation at a time.
  if (first === '' && row !== undefined) return everyPart.filter(({ words }) => words.includes('sign'));
  const meant = everyPart.filter(({ words }) => words.includes(first));
  return meant.length > 0 ? meant : everyPart;
}

/** The checks of a command that is not declared yet. */
async function checkOldCommand(command: Command, runtime: Runtime): Promise<void> {
  const checks = await import('./core/usage-checks.js');
  const { declarationOf } = await import('./core/define-command.js');
  checks.assertCompanionFlags(command);
  checks.trimOrder(command);
  checks.assertNothingEmpty(command);
  checks.assertOrderNotHelp(command);
  assertOrderIsNoCard(command);
  return checkChosen(command, declarationOf(command)?.prints ?? 'reply', runtime);
}

/**
 * Finds an unknown result field or an unreadable template before the command does anything. `--fields help` lists the
 * fields instead of running the command.
 */
async function checkChosen(command: Command, prints: Prints, runtime: Runtime): Promise<void> {
  const { select, template, dryRun = false } = command.opts<CommonOptions>();
  if (select === undefined && template === undefined) return;
  const path = pathOf(command);
  if (select !== undefined && template !== undefined)
    throw usage('--fields and --template cannot be combined; give one of them', command);
  if (select !== undefined && !/[^\s,]/.test(select)) throw usage('--fields names no field', command);
  if (select === 'help') {
    runtime.terminal.out((await import('./core/field-list.js')).fieldListText(prints, path, dryRun));
    throw new CommanderError(0, 'paycli.fields', '');
  }
  const { checkNames, checkTemplateNames } = await import('./core/result-fields.js');
  checkNames(select, prints, path, dryRun);
  if (template !== undefined)
    checkTemplateNames((await import('./format/template.js')).namesInTemplate(template), prints, path, dryRun);
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

/** Turns commander's errors into ours; undefined for help and version, which commander throws too. */
async function commanderError(error: unknown, commandLine: CommandLine, runtime: Runtime): Promise<unknown> {
  if (!(error instanceof CommanderError)) return error;
  if (error.exitCode === 0) return undefined;
  const program = await buildProgram({ runtime, commandLine, finish: { exit: 0 } });
  const { command, rest } = leafOf(program, commandLine.argv);
  if (commandLine.isRaw === true) return usageError(error, defaultOf(command), rest);
  return (await import('./core/usage-errors.js')).usageError(program, commandLine, error);
}

/** The command that a group without a word means: `payout` is `payout send`. */
function defaultOf(command: Command): Command {
  return command.commands.find((child) => child.name() === 'send') ?? command;
}

/** Writes the error of a run to standard error and returns the exit code. */
export async function reportError(thrown: unknown, argv: readonly string[], runtime: Runtime): Promise<number> {
  const commandName = async () => {
    const command = await namedCommand(argv, runtime);
    return command === undefined ? '' : pathOf(command);
  };
  return writeErrorOf(thrown, argv, runtime, commandName);
}

/** The command that a line begins with, without later words, which may hold data; undefined where none can be built. */
async function namedCommand(argv: readonly string[], runtime: Runtime): Promise<Command | undefined> {
  try {
    return leafOf(await treeBuilder(runtime)(undefined), argv).command;
  } catch {
    return undefined;
  }
}
