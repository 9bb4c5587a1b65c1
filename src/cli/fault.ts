import { fail, isPaycliError, type PaycliError, renderError, renderErrorJson } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { printableJson } from '../wire/redact.js';

/** Says on standard error what went wrong and gives the exit code. Anything that is no error of ours is a fault of paycli. */
export function report(thrown: unknown, argv: readonly string[], runtime: Runtime): number {
  const error = isPaycliError(thrown) ? thrown : unexpected(thrown);
  const json = (outputFlag(argv) ?? runtime.env['PAYCLI_OUTPUT'] ?? error.form) === 'json';
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

/** What -o or --output says, in any of its spellings; the last one counts. */
function outputFlag(argv: readonly string[]): string | undefined {
  return argv
    .map((arg, at) => (argv[at - 1] === '-o' || argv[at - 1] === '--output' ? arg : /^(?:--output=|-o(?=.))(.*)$/.exec(arg)?.[1]))
    .findLast((form) => form !== undefined);
}
