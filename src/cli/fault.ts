import { fail, isPaycliError, type PaycliError, renderError, renderErrorJson, type ShownError } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { withoutCardNumbers } from '../wire/redact.js';

/** Says on standard error what went wrong and gives the exit code. Anything that is no error of ours is a fault of paycli. */
export async function report(thrown: unknown, argv: readonly string[], runtime: Runtime): Promise<number> {
  const error = isPaycliError(thrown) ? thrown : await unexpected(thrown, argv, runtime);
  const json = (outputFlag(argv) ?? runtime.env['PAYCLI_OUTPUT'] ?? error.form) === 'json';
  const colour = argv.includes('--no-color') ? false : argv.includes('--color') ? true : undefined;
  const shown = shownError(error);
  runtime.terminal.err(json ? renderErrorJson(shown) : renderError(shown, runtime.terminal.paint('err', colour)));
  const depth = argv.filter((arg) => arg === '--verbose' || arg === '-v').length + (argv.includes('-vv') ? 2 : 0);
  if (depth >= 2) {
    const { framesOf } = await import('./crash.js');
    for (const frame of framesOf(thrown)) runtime.terminal.err(`    at ${frame}\n`);
  }
  return error.exit;
}

// Wrong input and wrong settings are told in the user's own words, among which a card number may have strayed. Later errors name
// orders, which must stay as they are.
const quoting: readonly number[] = [2, 3];

function shownError(error: PaycliError): ShownError {
  if (!quoting.includes(error.exit)) return error;
  const { code, exit, message, next } = error;
  const facts = Object.entries(error.facts).map(([name, fact]) => [name, typeof fact === 'string' ? withoutCardNumbers(fact) : fact]);
  return { code, exit, message: withoutCardNumbers(message), next: withoutCardNumbers(next), facts: Object.fromEntries(facts) };
}

async function unexpected(thrown: unknown, argv: readonly string[], runtime: Runtime): Promise<PaycliError> {
  const { nameOf, writeCrashReport } = await import('./crash.js');
  const reported = await writeCrashReport(thrown, argv, runtime);
  const how =
    'file' in reported
      ? `report it with the file ${reported.file}, which holds no payment data`
      : `no crash report could be written (${reported.why}); run the command again with -vv and report what it prints`;
  const sent = 'if a request was under way its outcome is unknown; `paycli resolve --all` settles it before anything is repeated';
  return fail('INTERNAL', { why: nameOf(thrown), how, sent }, { cause: thrown });
}

/** What -o or --output says, in any of its spellings; the last one counts. */
function outputFlag(argv: readonly string[]): string | undefined {
  return argv
    .map((arg, at) => (argv[at - 1] === '-o' || argv[at - 1] === '--output' ? arg : /^(?:--output=|-o(?=.))(.*)$/.exec(arg)?.[1]))
    .findLast((form) => form !== undefined);
}
