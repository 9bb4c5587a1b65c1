import { speaksToPrograms } from '../config/output-forms.js';
import { catalogue, fail, isPaycliError, type PaycliError, renderError, renderErrorJson, type ShownError } from '../errors/index.js';
import type { Runtime } from '../runtime/ports.js';
import { withoutCardNumbers } from '../wire/redact.js';

/** Says on standard error what went wrong and gives the exit code. Anything that is no error of ours is a fault of paycli. */
export async function report(thrown: unknown, argv: readonly string[], runtime: Runtime): Promise<number> {
  const error = isPaycliError(thrown)
    ? await withCommand(thrown, argv, runtime)
    : (tooManyOpen(thrown) ?? (await unexpected(thrown, argv, runtime)));
  const json = speaksToPrograms(outputFlag(argv) ?? runtime.env['PAYCLI_OUTPUT'] ?? error.form);
  const colour = argv.includes('--no-color') ? false : argv.includes('--color') ? true : undefined;
  const shown = shownError(error);
  runtime.terminal.err(json ? renderErrorJson(shown) : renderError(shown, runtime.terminal.paint('err', colour)));
  if (depthOf(argv) >= 2) {
    const { framesOf } = await import('./crash.js');
    for (const frame of framesOf(thrown)) runtime.terminal.err(`    at ${frame}\n`);
  }
  return error.exit;
}

/** Checks far below the command line do not know whose help is to be seen. */
async function withCommand(error: PaycliError, argv: readonly string[], runtime: Runtime): Promise<PaycliError> {
  const { code, facts } = error;
  const { how } = facts;
  const isInside = typeof how === 'string' && how.includes('{command}');
  if (!isInside && (!catalogue[code].next.includes('{command}') || (facts['command'] ?? '') !== '')) return error;
  const { commandOf } = await import('./crash.js');
  const command = await commandOf(argv, runtime);
  const named = isInside ? { ...facts, how: how.replace('{command}', () => command) } : { ...facts, command };
  return Object.assign(fail(code, named, { cause: error }), { form: error.form });
}

/** How often --verbose was said, in any of its spellings. */
function depthOf(argv: readonly string[]): number {
  return argv.map((arg) => (arg === '--verbose' ? 1 : /^-v+$/.test(arg) ? arg.length - 1 : 0)).reduce<number>((sum, one) => sum + one, 0);
}

// Wrong input and wrong settings are told in the user's own words, among which a card number may have strayed. Later errors name
// orders, which must stay as they are.
const quoting: readonly number[] = [2, 3];

function shownError(error: PaycliError): ShownError {
  if (!quoting.includes(error.exit)) return error;
  const { code, exit, message, next, topic, beside } = error;
  const facts = Object.entries(error.facts).map(([name, fact]) => [name, typeof fact === 'string' ? withoutCardNumbers(fact) : fact]);
  return {
    code,
    exit,
    message: withoutCardNumbers(message),
    next: withoutCardNumbers(next),
    topic,
    facts: Object.fromEntries(facts),
    beside,
  };
}

/** Then not even a part of paycli can be loaded any more, such as the one that writes crash reports. */
function tooManyOpen(thrown: unknown): PaycliError | undefined {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code !== 'EMFILE' && code !== 'ENFILE') return undefined;
  const how = 'raise the limit with `ulimit -n`, then repeat the command; the journal knows what was sent';
  return fail('STORAGE', { what: 'a file', why: 'too many files are open already', how }, { cause: thrown });
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
