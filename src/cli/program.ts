import { Command, CommanderError } from 'commander';
import { fail, isPaycliError } from '../errors/index.js';
import type { Printed, Runtime } from '../runtime/ports.js';
import { nameableWord } from '../wire/secret-names.js';
import { declaredBy, type RunContext } from './command.js';
import { everyCommand } from './commands/index.js';
import type { CommonOptions } from './core/common-options.js';
import { addCommands, type BuildCommands, groupBy, type Words } from './group.js';
import { formatHelp } from './help.js';
import { reportEnd, reportError as writeErrorOf } from './report-error.js';
import type { Schema } from './results.js';
import {
  assertKnownCommand,
  assertNoKeyFlags,
  assertNoSecretKept,
  leafOf,
  pathOf,
  usage,
  usageError,
} from './usage.js';

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
  const argv = helpAsFlag(given);
  const printed: Printed = {};
  const runtime = { ...outside, printed };
  try {
    assertNoKeyFlags(given);
    assertCommandFirst(given);
    const exit = await run(given, argv, runtime);
    if (exit !== 0) await reportEnd(exit, argv, runtime);
    return exit;
  } catch (thrown) {
    const error = isPaycliError(thrown) ? thrown : await commanderError(thrown, argv, runtime);
    // Help is no error; an undefined thrown by a library is one.
    return error === undefined && thrown !== undefined ? 0 : reportError(error, argv, runtime);
  }
}

async function run(given: readonly string[], argv: readonly string[], runtime: Runtime): Promise<number> {
  const [first = ''] = argv;
  const finish = { exit: 0 };
  const build: BuildCommands = (words) => buildProgram(words, { runtime, argv, finish });
  const isHelp = given[0] === 'help';
  if (isHelp && first === '--help' && given.includes('--json'))
    return (await import('./docs/command-list.js')).listCommands(await build('all'), runtime);
  const topic = isHelp ? await topicText(given[1], runtime) : undefined;
  if (topic !== undefined) {
    runtime.terminal.out(topic);
    return 0;
  }
  if (first === '--version' || first === '-V')
    return (await import('./commands/docs/version.js')).showVersion(argv, runtime);
  if (first.startsWith('__')) {
    const exit = await (await import('./commands/hidden.js')).runHidden(argv, build, runtime);
    if (exit !== undefined) return exit;
  }
  const program = await build(argv);
  if (isHelp && first === '--help') {
    program.outputHelp();
    runtime.terminal.out((await import('./docs/topics.js')).topicList(runtime.terminal.width));
    return 0;
  }
  assertKnownCommand(program, argv, isHelp ? (await import('./docs/topics.js')).topicNames : []);
  await program.parseAsync([...argv], { from: 'user' });
  return finish.exit;
}

async function topicText(name: string | undefined, { terminal }: Runtime): Promise<string | undefined> {
  return (await import('./docs/topics.js')).helpTopic(name ?? '', terminal.width);
}

/** Flags follow the command: before it commander would not know them. Throws USAGE. */
function assertCommandFirst(given: readonly string[]): void {
  const [first = ''] = given;
  if (!first.startsWith('-') || ['--help', '-h', '--version', '-V'].includes(first)) return;
  const command = given.find((word) => Object.hasOwn(everyCommand, word));
  const isAlone = given.every((word, at) => word.startsWith('-') || given[at - 1]?.startsWith('-'));
  const flag = nameableWord(first.split('=')[0] ?? '') ?? 'a flag';
  const where = command === undefined ? 'they follow it' : `flags follow it: \`paycli ${command} … ${flag}\``;
  const why =
    command === undefined && isAlone
      ? 'no command is given, only flags'
      : `${flag} stands before the command; ${where}`;
  throw fail('USAGE', { why, command: command ?? '' });
}

/** `help sale` is `sale --help`. Flags are kept: they decide how an error is printed. */
function helpAsFlag(argv: readonly string[]): readonly string[] {
  if (argv[0] !== 'help') return argv;
  const rest = argv.slice(1);
  return [...rest.filter((arg) => !arg.startsWith('-')), '--help', ...rest.filter((arg) => arg.startsWith('-'))];
}

/** Builds the commands that `words` mean; where they mean none, all of them, without what is below them. */
export async function buildProgram(words: Words, context: RunContext): Promise<Command> {
  const { runtime } = context;
  const { terminal } = runtime;
  const program = new Command('paycli')
    .description(rootHead)
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
    .configureHelp({ showGlobalOptions: false, formatHelp })
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .option('-V, --version', 'show the version');
  await addCommands(program, everyCommand, words, context);
  program.hook('preAction', (_, command) => {
    assertNoSecretKept(command);
    const declared = declaredBy(command);
    return declared === undefined ? undefined : checkChosen(command, declared.result, runtime);
  });
  program.action(() => program.outputHelp());
  return program;
}

/** Finds an unknown result field before the command does anything. `--fields help` lists them instead of running it. */
async function checkChosen(command: Command, schemas: readonly Schema[], runtime: Runtime): Promise<void> {
  const { select, dryRun = false } = command.opts<CommonOptions>();
  if (select === undefined) return;
  if (!/[^\s,]/.test(select)) throw usage('--fields names no field', command);
  const { checkNames, fieldNames } = await import('./core/result-fields.js');
  if (select !== 'help') return checkNames(select, schemas, dryRun);
  runtime.terminal.out(`${fieldNames(schemas, dryRun).join('\n')}\n`);
  throw new CommanderError(0, 'paycli.fields', '');
}

const rootHead = `Payments, payouts and cards through a gateway, with a built-in sandbox gateway.

Start here:
  paycli init                    set up a profile, step by step
  paycli sale -p sandbox --amount 5 --currency USD --test-card approved --wait
  paycli help runbooks           twelve tasks of support and operations`;

/** Turns commander's errors into ours; undefined for help and version, which commander throws too. */
async function commanderError(error: unknown, argv: readonly string[], runtime: Runtime): Promise<unknown> {
  if (!(error instanceof CommanderError)) return error;
  if (error.exitCode === 0) return undefined;
  const program = await buildProgram(argv, { runtime, argv, finish: { exit: 0 } });
  const { command, rest } = leafOf(program, argv);
  return usageError(error, wholeOf(command), rest);
}

/** The command that a group without a word means: `payout` is `payout send`. */
function wholeOf(command: Command): Command {
  const { whole } = groupBy(command) ?? {};
  return command.commands.find((child) => child.name() === whole) ?? command;
}

/** Writes the error of a run to standard error and returns the exit code. */
export async function reportError(thrown: unknown, argv: readonly string[], runtime: Runtime): Promise<number> {
  return writeErrorOf(thrown, argv, runtime, () => commandName(argv, runtime));
}

/** The command that a line begins with, without later words, which may hold data; '' where none can be built. */
async function commandName(argv: readonly string[], runtime: Runtime): Promise<string> {
  try {
    return pathOf(leafOf(await buildProgram(argv, { runtime, argv, finish: { exit: 0 } }), argv).command);
  } catch {
    return '';
  }
}
