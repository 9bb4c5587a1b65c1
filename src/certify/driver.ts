import { exits, fail, printable } from '../errors/index.js';
import type { Captured, Clock, Env, Processes } from '../runtime/ports.js';
import { hidden, withoutCardData } from '../wire/mask.js';
import { type OutcomeWord, outcomeWords } from './scenario.js';

/** The outcome that COMMAND reported. COMMAND is the client under test, as in `paycli certify -- COMMAND`. */
export interface DriverAnswer {
  /** Undefined where it reported nothing that can be judged; `problem` is the reason. */
  readonly outcome: OutcomeWord | 'unsupported' | undefined;
  readonly from: 'last line' | 'exit code' | 'nothing printed' | undefined;
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

export interface DriverPorts {
  readonly processes: Pick<Processes, 'capture'>;
  readonly clock: Clock;
}

export interface DriverInput {
  readonly command: readonly string[];
  readonly env: Env;
  readonly folder: string;
  /** Ends the run; anything COMMAND reports after that is ignored. */
  readonly kill: AbortSignal;
  /** A run that takes longer is ended. */
  readonly limitMs: number;
  /** Masked in everything that COMMAND prints. */
  readonly secrets: readonly string[];
}

/** Runs COMMAND once, to its end. Rejects when it cannot be started. */
export async function runDriver(input: DriverInput, { processes, clock }: DriverPorts): Promise<DriverRun> {
  const { command, env, folder, kill } = input;
  const limit = new AbortController();
  const startedAt = clock.monotonic();
  let isOver = false;
  void clock.sleep(input.limitMs).then(() => isOver || limit.abort());
  const signal = AbortSignal.any([kill, limit.signal]);
  const captured = await processes
    .capture(command, { env, folder, signal })
    .catch((cause: unknown) => runFailure(command, cause));
  isOver = true;
  const ended = kill.aborted ? 'killed' : limit.signal.aborted ? 'too late' : 'by itself';
  const answer = ended === 'by itself' ? answerOf(Buffer.from(captured.out).toString('utf8'), captured.exit) : noAnswer;
  const errors = shownErrors(Buffer.from(captured.err).toString('utf8'), input.secrets);
  return { ...answer, exit: captured.exit, ms: Math.round(clock.monotonic() - startedAt), ended, errors };
}

/** Too much output is no answer; a program that does not start is a mistake of the command line. */
function runFailure([program = '']: readonly string[], cause: unknown): Captured {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code !== 'EFBIG') throw fail('USAGE', { why: `${program} cannot be started`, command: 'certify' }, { cause });
  return { exit: exits.fault, out: Buffer.alloc(0), err: Buffer.from('it printed more than 1 MiB') };
}

/** The answer of a run that was ended from outside. */
export const noAnswer: DriverAnswer = { outcome: undefined, from: undefined, problem: undefined, orderId: undefined };

const allWords = [...outcomeWords, 'unsupported'] as const;
const maxShownWord = 40;

/** The last line of its output as JSON, else its exit code, by the table of paycli. */
export function answerOf(out: string, exit: number): DriverAnswer {
  const line = out.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const given = line.startsWith('{') ? parseObject(line) : {};
  if (given === undefined) return { ...noAnswer, problem: 'the last line of its output begins with { but is not JSON' };
  if (!('outcome' in given)) return fromExit(exit, line === '');
  const { outcome: said, orderId: id } = given;
  const outcome = allWords.find((word) => word === said);
  const orderId = typeof id === 'string' || typeof id === 'number' ? String(id) : undefined;
  if (outcome !== undefined) return { outcome, from: 'last line', problem: undefined, orderId };
  const shown = shownText(JSON.stringify(said) ?? '').slice(0, maxShownWord);
  const words = `${allWords.slice(0, -1).join(', ')} and ${allWords.at(-1)}`;
  const problem = `it reported the outcome ${shown}; the outcomes are ${words}`;
  return { outcome, from: 'last line', problem, orderId };
}

function parseObject(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function fromExit(exit: number, printedNothing: boolean): DriverAnswer {
  const outcome = byExit.get(exit);
  if (outcome !== undefined) return { ...noAnswer, outcome, from: printedNothing ? 'nothing printed' : 'exit code' };
  const what = printedNothing
    ? 'it printed nothing'
    : 'the last line of its output is not a JSON object with an outcome';
  return { ...noAnswer, problem: `${what}, and exit code ${exit} stands for no outcome` };
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
// What is further up is not shown, and a driver may print a lot.
const maxReadErrors = 16_384;

/** The last lines of standard error, without card numbers, security codes and keys. */
export function shownErrors(text: string, secrets: readonly string[]): readonly string[] {
  const end = text.slice(-maxReadErrors);
  const masked = secrets.reduce((masking, secret) => masking.replaceAll(secret, hidden), end);
  return shownText(masked.replace(privateKeys, privateKey).replace(cutPrivateKey, privateKey))
    .split('\n')
    .map((line) => line.trimEnd().slice(0, maxLineLength))
    .filter((line) => line !== '')
    .slice(-maxErrorLines);
}

const privateKey = `${hidden} private key`;
const privateKeys = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*-----|$)/g;
const cutPrivateKey = /^[\s\S]*-----END [A-Z ]*PRIVATE KEY-----/;

function shownText(text: string): string {
  const lines = text.replaceAll(/\r\n?/g, '\n');
  return printable(withoutCardData(lines).replaceAll(/[a-z\d+_=]{24,}/gi, maskedToken));
}

/** Letters and digits mixed may be a key, a token or a checksum. */
function maskedToken(word: string): string {
  return /\d/.test(word) && /[a-z]/i.test(word) ? hidden : word;
}
