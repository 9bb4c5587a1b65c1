import { exits, fail, printable } from '../errors/index.js';
import type { Env, Runtime } from '../runtime/ports.js';
import { hidden, withoutCardData } from '../wire/mask.js';
import { deadline } from '../wire/time.js';
import { type OutcomeWord, outcomeWords } from './scenario.js';

/** The outcome that COMMAND reported. COMMAND is the client under test, as in `paycli certify -- COMMAND`. */
export interface DriverAnswer {
  /** Undefined where it reported nothing that can be judged; `problem` is the reason. */
  readonly outcome: OutcomeWord | 'unsupported' | undefined;
  readonly problem: string | undefined;
  readonly orderId: string | undefined;
}

/** How COMMAND ended, and the outcome it reported. */
export interface DriverRun extends DriverAnswer {
  readonly exit: number;
  readonly ms: number;
  readonly ended: 'by itself' | 'killed' | 'too late';
  /** The last lines it printed on standard error, masked. */
  readonly errors: readonly string[];
}

/**
 * Runs COMMAND once, to its end; `kill` ends it before. `secret` is masked in what it prints. Rejects when it cannot be
 * started.
 */
export async function runDriver(
  command: readonly string[],
  env: Env,
  secret: string,
  limitMs: number,
  kill: AbortSignal,
  { processes, clock, files }: Pick<Runtime, 'processes' | 'clock' | 'files'>,
): Promise<DriverRun> {
  const limit = deadline(limitMs);
  const startedAt = clock.monotonic();
  const signal = AbortSignal.any([kill, limit]);
  const captured = await processes
    .capture(command, { env, folder: files.folders.working, signal })
    .catch((cause: unknown) => {
      throw fail('USAGE', { why: `${command[0]} cannot be started`, command: 'certify' }, { cause });
    });
  const ended = kill.aborted ? 'killed' : limit.aborted ? 'too late' : 'by itself';
  const answer = ended === 'by itself' ? answerOf(Buffer.from(captured.out).toString('utf8'), captured.exit) : noAnswer;
  const errors = shownErrors(Buffer.from(captured.err).toString('utf8'), secret);
  return { ...answer, exit: captured.exit, ms: Math.round(clock.monotonic() - startedAt), ended, errors };
}

/** The answer of a run that was ended from outside. */
export const noAnswer: DriverAnswer = { outcome: undefined, problem: undefined, orderId: undefined };

const allWords = [...outcomeWords, 'unsupported'] as const;

/** The last line of its output as JSON, else its exit code, by the table of paycli. */
export function answerOf(out: string, exit: number): DriverAnswer {
  const line = out.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const given = line.startsWith('{') ? parseObject(line) : {};
  if (given === undefined) return { ...noAnswer, problem: 'the last line of its output begins with { but is not JSON' };
  const { outcome: said, orderId: id } = given;
  const isSaid = 'outcome' in given;
  const outcome = isSaid ? allWords.find((word) => word === said) : byExit.get(exit);
  const orderId = typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
  if (outcome !== undefined) return { outcome, problem: undefined, orderId };
  const wrong = isSaid ? 'the outcome in the last line is no known word' : `exit code ${exit} stands for no outcome`;
  const problem = `${wrong}; print {"outcome": WORD} last, with one of ${allWords.join(', ')}`;
  return { outcome, problem, orderId };
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** With 3, 6, 10 and 13 nothing was sent; 9 is a status that could not be read. */
const byExit: ReadonlyMap<number, OutcomeWord> = new Map([
  [exits.ok, 'paid'],
  [exits.configuration, 'refused'],
  [exits.refused, 'refused'],
  [exits.declined, 'declined'],
  [exits.notSent, 'refused'],
  [exits.pending, 'pending'],
  [exits.unknown, 'unknown'],
  [exits.readFailed, 'unknown'],
  [exits.refusedHere, 'refused'],
  [exits.storage, 'refused'],
]);

const maxErrorLines = 5;
const maxLineLength = 300;
const pem = /-----BEGIN [A-Z ]+-----[\s\S]*?(?:-----END [A-Z ]+-----|$)/g;

/** The last lines of standard error, without card numbers, security codes and keys. */
export function shownErrors(text: string, secret: string): readonly string[] {
  const masked = text.replace(pem, hidden).replaceAll(secret, hidden);
  return printable(withoutCardData(masked.replaceAll(/\r\n?/g, '\n')))
    .split('\n')
    .map((line) => line.trimEnd().slice(0, maxLineLength))
    .filter((line) => line !== '')
    .slice(-maxErrorLines);
}
