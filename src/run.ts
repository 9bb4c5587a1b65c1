import { readCommandLine } from './cli/argv.js';
import { buildProgram, type Finish, translateCommanderError } from './cli/program.js';
import { suggestInstead } from './cli/suggest.js';
import { fail, isPaycliError, type PaycliError, renderError, renderErrorJson } from './errors/index.js';
import type { Runtime } from './runtime/ports.js';
import { printableJson } from './wire/redact.js';

/** Runs one command line and gives the exit code of the process. The only catch of the program. */
export async function run(given: readonly string[], runtime: Runtime): Promise<number> {
  const finish: Finish = { exit: 0 };
  const { argv, row } = readCommandLine(helpAsFlag(given));
  try {
    if (await answeredByHelp(given, runtime)) return 0;
    const program = buildProgram({ runtime, commandLine: { argv, row }, finish });
    if (argv[0] === '__root-help') {
      program.outputHelp();
      return 0;
    }
    if (argv[0] === '__generate') return (await import('./cli/reference.js')).generate(argv.includes('--check'), runtime);
    suggestInstead(program, argv);
    await program.parseAsync(argv, { from: 'user' });
    return finish.exit;
  } catch (thrown) {
    const error = translateCommanderError(thrown, row?.command ?? (/^[a-z-]{1,20}$/.test(argv[0] ?? '') ? (argv[0] ?? '') : ''));
    return error === undefined ? 0 : report(error, argv, runtime);
  }
}

/** `help sale` is `sale --help`. */
function helpAsFlag(argv: readonly string[]): readonly string[] {
  if (argv[0] !== 'help') return argv;
  return [...argv.slice(1).filter((arg) => !arg.startsWith('-')), '--help'];
}

async function answeredByHelp(argv: readonly string[], runtime: Runtime): Promise<boolean> {
  if (argv[0] !== 'help' || argv[1] === undefined) return false;
  const { helpTopic } = await import('./cli/help/topics.js');
  const text = helpTopic(argv[1]);
  if (text !== undefined) runtime.terminal.out(text);
  return text !== undefined;
}

function report(thrown: unknown, argv: readonly string[], runtime: Runtime): number {
  const error = isPaycliError(thrown) ? thrown : unexpected(thrown);
  const json =
    argv.includes('--output=json') ||
    runtime.env['PAYCLI_OUTPUT'] === 'json' ||
    argv.some((arg, at) => arg === 'json' && (argv[at - 1] === '-o' || argv[at - 1] === '--output'));
  const colour = argv.includes('--no-color') ? false : argv.includes('--color') ? true : undefined;
  runtime.terminal.err(json ? printableJson(renderErrorJson(error)) : renderError(error, runtime.terminal.paint('err', colour)));
  const depth = argv.filter((arg) => arg === '--verbose' || arg === '-v').length + (argv.includes('-vv') ? 2 : 0);
  if (depth >= 2 && thrown instanceof Error && thrown.stack !== undefined) runtime.terminal.err(`${frames(thrown.stack)}\n`);
  return error.exit;
}

/** The stack without its first line, whose message may hold anything. */
function frames(stack: string): string {
  return stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n');
}

function unexpected(thrown: unknown): PaycliError {
  const why = thrown instanceof Error ? thrown.name : typeof thrown;
  return fail(
    'INTERNAL',
    { why, sent: 'if a request was under way its outcome is unknown, so ask `paycli status` before repeating it' },
    { cause: thrown },
  );
}
