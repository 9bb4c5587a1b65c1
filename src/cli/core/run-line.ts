import { join } from 'node:path';
import { isMachineReadable } from '../../config/settings.js';
import {
  catalogue,
  exits,
  fail,
  isOutOfFiles,
  isPaycliError,
  nextLine,
  type PaycliError,
  renderError,
  renderErrorJson,
  type ShownError,
  shownError,
  tooManyFilesOpen,
} from '../../errors/index.js';
import type { Paint, Printed, Runtime } from '../../runtime/ports.js';
import { cardNumbersIn, maskCard } from '../../wire/mask.js';
import { everyPart, isDeclared } from '../commands/index.js';
import { placedError, placeFlagsIn } from '../flag-words.js';
import { assertNoKeyFlags, helpMeant } from '../usage.js';
import { type CommandLine, type Finish, readCommandLine } from './command-line.js';

// Their flags describe another place than that of the commands they suggest, or one that they save in a profile.
const placeless: ReadonlySet<string> = new Set(['sandbox', 'init', 'profile']);

/** Runs one command line and gives the exit code of the process. The only catch of the program. */
export async function runLine(given: readonly string[], outside: Runtime): Promise<number> {
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
  const { writeToFile } = await import('./output-file.js');
  const into = { path: line.outputFile, mayHaveSent: () => mayHaveSent(line.argv, runtime) };
  return writeToFile(into, runtime, (inside) => runParsed(given, line, inside));
}

/**
 * Every run with a non-zero exit code writes an error. Where the whole result is on a terminal as text, only what to do
 * next is missing, unless the result names it.
 */
async function reportEnd(
  exit: number,
  argv: readonly string[],
  runtime: Runtime & { readonly printed: Printed },
): Promise<void> {
  const { printed } = runtime;
  if (printed.hasPrintedError === true || argv[0]?.startsWith('__') === true) return;
  const isNextShown = printed.next !== undefined || exit === exits.pending;
  if (printed.isOnScreen === true && isNextShown) return;
  const { endError } = await import('./run-end.js');
  const error = endError(exit, printed);
  if (printed.isOnScreen !== true) await writeError(error, printed.form, argv, runtime);
  else if (error.next !== '')
    await writePlain(`${nextLine(placedError(error, printed.place ?? {}), errPaint(argv, runtime))}\n`, runtime);
}

async function runParsed(given: readonly string[], line: CommandLine, runtime: Runtime): Promise<number> {
  const isHelp = given[0] === 'help';
  const text = isHelp
    ? (await import('../docs/topics.js')).helpTopic(given[1] ?? '', runtime.terminal.width)
    : undefined;
  if (text !== undefined) {
    runtime.terminal.out(text);
    return 0;
  }
  const { argv } = line;
  const finish: Finish = { exit: 0 };
  if (argv[0] === '--version' || argv[0] === '-V')
    return (await import('../commands/docs/version.js')).showVersion(argv, runtime);
  if (argv[0]?.startsWith('__') === true) {
    const exit = await (await import('../commands/hidden.js')).runHidden(argv, everyPart, runtime);
    if (exit !== undefined) return exit;
  }
  const { buildProgram, runCommand } = await import('./program.js');
  const program = await buildProgram({ runtime, parts: everyPart, commandLine: line, finish });
  if (isHelp && argv[0] === '--help') {
    program.outputHelp();
    runtime.terminal.out((await import('../docs/topics.js')).topicList(runtime.terminal.width));
    return 0;
  }
  const other = helpMeant(program, argv, isHelp);
  if (other !== undefined) {
    runtime.terminal.out(`\`${other.shown}\` is \`paycli ${other.meant.join(' ')}\`:\n\n`);
    const help = [...other.meant, '--help'];
    return runParsed(help, readCommandLine(help), runtime);
  }
  await runCommand(program, line, isHelp ? (await import('../docs/topics.js')).topicNames : []);
  return finish.exit;
}

async function commanderError(thrown: unknown, line: CommandLine, runtime: Runtime): Promise<unknown> {
  const program = await import('./program.js').catch(() => undefined);
  return program === undefined ? thrown : program.translateCommanderError(thrown, line, runtime, everyPart);
}

async function mayHaveSent(argv: readonly string[], runtime: Runtime): Promise<boolean> {
  const [{ namedCommand }, { factsOf }] = await Promise.all([
    import('./crash-report.js'),
    import('./command-facts.js'),
  ]);
  const command = await namedCommand(argv, runtime, everyPart);
  const effect = command === undefined ? 'none' : factsOf(command).effect;
  return effect === 'money' || effect === 'write';
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
 * Writes the error to standard error and returns the exit code. An error that is not a PaycliError is a bug in paycli.
 */
export async function reportError(thrown: unknown, argv: readonly string[], runtime: Runtime): Promise<number> {
  const error = isPaycliError(thrown)
    ? await withCommand(thrown, argv, runtime)
    : // No further module can be loaded then, not even the one that writes crash reports.
      isOutOfFiles(thrown)
      ? tooManyFilesOpen('a file', { cause: thrown })
      : await unexpected(thrown, argv, runtime);
  // One error per run: the one kept for its end is attached to the one that ended it.
  const earlier = runtime.printed?.error;
  if (earlier !== undefined) error.beside ??= earlier;
  await writeError(withoutTypedCards(error, argv), error.form, argv, runtime);
  if (verbosityOf(argv) >= 2) {
    const { framesOf } = await import('./crash-report.js');
    for (const frame of framesOf(thrown)) runtime.terminal.err(`    at ${frame}\n`);
  }
  return error.exit;
}

/** Writes the one error of a run. `form` is the output format of the configuration or of the command. */
async function writeError(
  error: ShownError,
  form: string | undefined,
  argv: readonly string[],
  runtime: Runtime,
): Promise<void> {
  const { terminal, env, printed } = runtime;
  const json = isMachineReadable(outputFlag(argv) ?? env['PAYCLI_OUTPUT'] ?? form);
  const { httpStatus } = error.facts;
  const http = printed?.httpStatus ?? (typeof httpStatus === 'number' ? httpStatus : undefined);
  const shown = placedError(error, printed?.place ?? {});
  if (json) return terminal.err(renderErrorJson({ ...shown, http }));
  await writePlain(renderError(shown, errPaint(argv, runtime), printed?.explained), runtime);
}

function errPaint(argv: readonly string[], { terminal }: Runtime): Paint {
  return terminal.paint('err', argv.includes('--no-color') ? false : argv.includes('--color') ? true : undefined);
}

async function writePlain(text: string, { terminal }: Runtime): Promise<void> {
  const { errWidth } = terminal;
  terminal.err(errWidth === undefined ? text : (await import('../../errors/text-width.js')).wrapText(text, errWidth));
}

/** Adds the command whose help the next step names: checks deep in the code do not know it. */
async function withCommand(error: PaycliError, argv: readonly string[], runtime: Runtime): Promise<PaycliError> {
  const { code, facts } = error;
  const { how } = facts;
  const isInside = typeof how === 'string' && how.includes('{command}');
  if (!isInside && (!catalogue[code].next.includes('{command}') || (facts['command'] ?? '') !== '')) return error;
  const { commandOf } = await import('./crash-report.js');
  const command = await commandOf(argv, runtime, everyPart);
  const named = isInside ? { ...facts, how: how.replace('{command}', () => command) } : { ...facts, command };
  return Object.assign(fail(code, named, { cause: error }), { form: error.form });
}

/** How often --verbose was given, in any of its spellings. */
function verbosityOf(argv: readonly string[]): number {
  return argv
    .map((arg) => (arg === '--verbose' ? 1 : /^-v+$/.test(arg) ? arg.length - 1 : 0))
    .reduce<number>((sum, one) => sum + one, 0);
}

// Errors about input and settings quote what was typed, which may be a card number by mistake.
const userInputExits: readonly number[] = [2, 3];
// Their values are numbers of their own: an order whose id looks like a card number is named by such a flag.
const numberFlags: readonly string[] = ['--order', '--order-id', '--client-order-id', '--phone'];

function withoutTypedCards(error: PaycliError, argv: readonly string[]): ShownError {
  const shown = shownError(error);
  if (!userInputExits.includes(error.exit)) return shown;
  const cards = argv.flatMap((word, at) =>
    numberFlags.some((flag) => argv[at - 1] === flag || word.startsWith(`${flag}=`)) ? [] : cardNumbersIn(word),
  );
  if (cards.length === 0) return shown;
  const masked = (text: string) => cards.reduce((masking, card) => masking.replaceAll(card, maskCard(card)), text);
  const facts = Object.entries(error.facts).map(([name, fact]) => [
    name,
    typeof fact === 'string' ? masked(fact) : fact,
  ]);
  return { ...shown, message: masked(error.message), next: masked(error.next), facts: Object.fromEntries(facts) };
}

async function unexpected(thrown: unknown, argv: readonly string[], runtime: Runtime): Promise<PaycliError> {
  const { nameOf, writeCrashReport } = await import('./crash-report.js');
  const reported = await writeCrashReport(thrown, argv, runtime, everyPart);
  const why = nameOf(thrown);
  return 'file' in reported
    ? fail(
        'INTERNAL',
        {
          why,
          how: `report it with the file ${reported.file}, which holds no payment data`,
          sent: 'if a request was under way, its outcome is unknown; `paycli resolve --all` resolves it before anything is repeated',
          file: reported.file,
        },
        { cause: thrown },
      )
    : fail(
        'INTERNAL',
        {
          why,
          how: `no crash report could be written (${reported.why}); run the command again with -vv and report the output`,
          sent: 'if a request was under way, its outcome is unknown; `paycli resolve --all` resolves it before anything is repeated',
        },
        { cause: thrown },
      );
}

/** What -o or --output says, in any of its spellings; the last one counts. --json and --fields say JSON. */
function outputFlag(argv: readonly string[]): string | undefined {
  if (argv.includes('--json')) return 'json';
  return outputWord(argv) ?? (argv.some((arg) => /^--fields(?:=|$)/.test(arg)) ? 'json' : undefined);
}

function outputWord(argv: readonly string[]): string | undefined {
  return argv
    .map((arg, at) =>
      (argv[at - 1] === '-o' || argv[at - 1] === '--output') && !arg.startsWith('--')
        ? arg
        : /^(?:--output=|-o(?=.))(.*)$/.exec(arg)?.[1],
    )
    .findLast((form) => form !== undefined);
}
