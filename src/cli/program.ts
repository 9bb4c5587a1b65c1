import { Command, CommanderError } from 'commander';
import type { Runtime } from '../runtime/ports.js';
import { declaredBy, type RunContext } from './command.js';
import { everyCommand } from './commands/index.js';
import type { CommonOptions } from './core/common-options.js';
import { packageVersion } from './core/version.js';
import { addCommands, type BuildCommands, endOfHelp, helpLayout, type Words, wholeOf } from './group.js';
import { reportEnd, reportError } from './report-error.js';
import type { Schema } from './results.js';
import type { Printed, Run } from './run.js';
import { assertKnownCommand, assertNoKeyFlags, leafOf, pathOf, usage, usageError } from './usage.js';

export { reportError };

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
async function runAndReport(given: readonly string[], outside: Run): Promise<number> {
  const argv = helpAsFlag(given);
  const printed: Printed = {};
  const runtime = { ...outside, printed };
  let program: Command | undefined;
  const build: BuildCommands = async (words) => {
    program = await buildProgram(words, { runtime, argv, finish });
    return program;
  };
  const finish = { exit: 0 };
  try {
    assertNoKeyFlags(given);
    let exit = await runWithoutProgram(given, argv, build, runtime);
    if (exit === undefined) {
      const built = await build(argv);
      assertKnownCommand(built, argv, given[0] === 'help' ? (await import('./docs/topics.js')).topicNames : []);
      await built.parseAsync([...argv], { from: 'user' });
      exit = finish.exit;
    }
    if (exit !== 0) await reportEnd(exit, argv, runtime);
    return exit;
  } catch (thrown) {
    const { command = undefined, rest = [] } = program === undefined ? {} : leafOf(program, argv);
    if (thrown instanceof CommanderError) {
      // Help is no error.
      if (thrown.exitCode === 0 || command === undefined) return 0;
      return reportError(usageError(thrown, wholeOf(command), rest), argv, runtime);
    }
    return reportError(thrown, argv, runtime, command && pathOf(command));
  }
}

/** What needs no commands: topics, lists, and what only the build or a shell runs; undefined for any other line. */
async function runWithoutProgram(
  given: readonly string[],
  argv: readonly string[],
  build: BuildCommands,
  runtime: Runtime,
): Promise<number | undefined> {
  const [first = ''] = argv;
  if (given[0] === 'help') {
    const { helpTopic } = await import('./docs/topics.js');
    if (first === '--help' && given.includes('--json'))
      return (await import('./docs/command-list.js')).listCommands(await build('all'), runtime);
    const topic = helpTopic(given[1] ?? '', runtime.terminal.width);
    if (topic === undefined) return undefined;
    runtime.terminal.out(topic);
    return 0;
  }
  // Of the build, of a checkout, and of a shell at TAB: no help lists them.
  const option = argv[1] ?? '';
  if (first === '__complete') return (await import('./docs/complete.js')).complete(build, runtime);
  if (first === '__generate') return (await import('./docs/generate.js')).generate(option === '--check', runtime);
  if (first === '__man') return (await import('./docs/generate.js')).writePages(option, await build('all'), runtime);
  return undefined;
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
    .configureHelp(helpLayout)
    .addHelpText('afterAll', ({ command }) => endOfHelp(command, terminal.width))
    .helpOption('-h, --help', 'show help')
    .helpCommand(false)
    .version(packageVersion, '-V, --version', 'show the version');
  await addCommands(program, everyCommand, words, context);
  program.hook('preAction', (_, command) => {
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
  const { checkNames, fieldNames } = await import('./results.js');
  if (select !== 'help') return checkNames(select, schemas, dryRun);
  runtime.terminal.out(`${fieldNames(schemas, dryRun).join('\n')}\n`);
  throw new CommanderError(0, 'paycli.fields', '');
}

const rootHead = `Payments, payouts and cards through a gateway, with a built-in sandbox gateway.

Start here:
  paycli init                    set up a profile, step by step
  paycli sale -p sandbox --amount 5 --currency USD --test-card approved --wait
  paycli help runbooks           twelve tasks of support and operations`;
