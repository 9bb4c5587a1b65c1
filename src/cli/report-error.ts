import { isMachineReadable } from '../config/settings.js';
import {
  catalogue,
  type ErrorCode,
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
} from '../errors/index.js';
import type { Paint } from '../runtime/ports.js';
import { cardNumbersIn, maskCard } from '../wire/mask.js';
import type { Printed, Run } from './run.js';

/**
 * Every run with a non-zero exit code writes an error. Where the whole result is on a terminal as text, only what to do
 * next is missing, unless the result names it.
 */
export async function reportEnd(
  exit: number,
  argv: readonly string[],
  runtime: Run & { readonly printed: Printed },
): Promise<void> {
  const { printed } = runtime;
  if (printed.hasPrintedError === true || argv[0]?.startsWith('__') === true) return;
  const isNextShown = printed.next !== undefined || exit === exits.pending;
  if (printed.isOnScreen === true && isNextShown) return;
  const error = endError(exit, printed);
  if (printed.isOnScreen !== true) await writeError(error, printed.form, argv, runtime);
  else if (error.next !== '') await writePlain(`${nextLine(error, errPaint(argv, runtime))}\n`, runtime);
}

/**
 * Writes the error of a run to standard error and returns the exit code. One that is not a PaycliError is a bug in
 * paycli. `command` is that of the line, as far as it is known.
 */
export async function reportError(
  thrown: unknown,
  argv: readonly string[],
  runtime: Run,
  command = '',
): Promise<number> {
  const error = isPaycliError(thrown)
    ? withCommand(thrown, command)
    : isOutOfFiles(thrown)
      ? tooManyFilesOpen('a file', { cause: thrown })
      : unexpected(thrown);
  // One error per run: the one kept for its end is attached to the one that ended it.
  const earlier = runtime.printed?.error;
  if (earlier !== undefined) error.beside ??= earlier;
  await writeError(withoutTypedCards(error, argv), error.form, argv, runtime);
  return error.exit;
}

/** Writes the one error of a run. `form` is the output format of the configuration or of the command. */
async function writeError(
  error: ShownError,
  form: string | undefined,
  argv: readonly string[],
  runtime: Run,
): Promise<void> {
  const { terminal, env, printed } = runtime;
  const { httpStatus } = error.facts;
  const http = printed?.httpStatus ?? (typeof httpStatus === 'number' ? httpStatus : undefined);
  if (isMachineReadable(outputFlag(argv) ?? env['PAYCLI_OUTPUT'] ?? form))
    return terminal.err(renderErrorJson({ ...error, http }));
  await writePlain(renderError(error, errPaint(argv, runtime)), runtime);
}

/** What -o, --json or --fields says of the format, also on a line that could not be parsed. */
function outputFlag(argv: readonly string[]): string | undefined {
  if (argv.includes('--json')) return 'json';
  const words = argv.map((arg, at) =>
    ['-o', '--output'].includes(argv[at - 1] ?? '') ? arg : /^(?:--output=|-o(?=.))(.*)$/.exec(arg)?.[1],
  );
  const isChosen = argv.some((arg) => /^--fields(?:=|$)/.test(arg));
  return words.findLast((word) => word !== undefined) ?? (isChosen ? 'json' : undefined);
}

function errPaint(argv: readonly string[], { terminal }: Run): Paint {
  return terminal.paint('err', argv.includes('--no-color') ? false : argv.includes('--color') ? true : undefined);
}

async function writePlain(text: string, { terminal }: Run): Promise<void> {
  const { errWidth } = terminal;
  terminal.err(errWidth === undefined ? text : (await import('../errors/text-width.js')).wrapText(text, errWidth));
}

/** Adds the command whose help the next step names: checks deep in the code do not know it. */
function withCommand(error: PaycliError, command: string): PaycliError {
  const { code, facts, form, beside } = error;
  const { how } = facts;
  const same = { form, beside };
  if (typeof how === 'string' && how.includes('{command}'))
    return Object.assign(
      fail(code, { ...facts, how: how.replace('{command}', () => command) }, { cause: error }),
      same,
    );
  if (!catalogue[code].next.includes('{command}') || (facts['command'] ?? '') !== '') return error;
  return Object.assign(fail(code, { ...facts, command }, { cause: error }), same);
}

// Their values are numbers of their own: an order whose id looks like a card number is named by such a flag.
const idFlags: readonly string[] = ['--order', '--order-id', '--client-order-id', '--phone'];

/** Errors about input and settings quote what was typed, which may be a card number by mistake. */
function withoutTypedCards(error: PaycliError, argv: readonly string[]): ShownError {
  const shown = shownError(error);
  if (error.exit !== exits.usage && error.exit !== exits.configuration) return shown;
  const isId = (word: string, at: number) =>
    idFlags.some((flag) => argv[at - 1] === flag || word.startsWith(`${flag}=`));
  const cards = argv.flatMap((word, at) => (isId(word, at) ? [] : cardNumbersIn(word)));
  const masked = (text: string) => cards.reduce((done, card) => done.replaceAll(card, maskCard(card)), text);
  const facts = Object.entries(error.facts).map(([name, fact]) => [
    name,
    typeof fact === 'string' ? masked(fact) : fact,
  ]);
  return { ...shown, message: masked(error.message), next: masked(error.next), facts: Object.fromEntries(facts) };
}

/** The error for a bug in paycli: its class and its place in this package, as its message may hold data. */
function unexpected(thrown: unknown): PaycliError {
  const { name = '', stack = '' } = thrown instanceof Error ? thrown : {};
  const kind = /^[A-Za-z]{1,40}$/.test(name) ? name : 'an error';
  // A message of several lines may look like calls.
  const calls = thrown instanceof Error ? stack.replace(thrown.message, '') : '';
  const place = /^ {4}at .*[\\/]((?:dist|src|test)[\\/][\w.\\/-]+:\d+:\d+)\)?$/m.exec(calls)?.[1];
  const sent =
    'if a request was under way, its outcome is unknown; `paycli resolve` resolves it before anything is repeated';
  const why = place === undefined ? kind : `${kind} at ${place}`;
  return fail('INTERNAL', { why, how: 'report it with this line and the command', sent }, { cause: thrown });
}

/** The error of a command that printed a result and ended with this code, and what to do about it. */
const errors: Readonly<Record<number, readonly [code: ErrorCode, how?: string]>> = {
  [exits.refused]: ['REFUSED', 'correct what was refused, then run the command again'],
  [exits.declined]: [
    'DECLINED',
    'do not repeat it unchanged; another attempt at a payment needs a new client order id',
  ],
  [exits.notSent]: ['NOT_SENT'],
  [exits.pending]: ['PENDING', '`paycli status ORDER --wait` polls again'],
  [exits.unknown]: ['OUTCOME_UNKNOWN', 'paycli resolve'],
  [exits.readFailed]: ['READ_FAILED'],
  [exits.checkFailed]: ['CHECK_FAILED', 'correct what the result reports'],
  [exits.batchLeft]: ['BATCH_LEFT', '`paycli batch run PLAN` continues with them'],
  [exits.interrupted]: ['INTERRUPTED'],
  [exits.terminated]: ['TERMINATED'],
};

/**
 * The one error of a run that ended with a non-zero code and threw none: the one that its command named, else one made
 * of the exit code and of what the result says.
 */
function endError(exit: number, { error, next, meaning: why = 'see the result', isOfProgram }: Printed): ShownError {
  if (error !== undefined) return { ...shownError(error), exit };
  const said = exit === exits.checkFailed ? `a check failed: ${why}` : why;
  const [code, how] = errors[exit] ?? ['INTERNAL', '`paycli journal` shows what was sent'];
  const facts = { why: said, how, may: 'money may have moved' };
  const made = isOfProgram === true ? fail('PROGRAM_FAILED', { exit }) : fail(code, facts);
  return { ...shownError(made), next: next ?? made.next, exit, facts: {} };
}
