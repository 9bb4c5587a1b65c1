import { exits, fail } from '../errors/index.js';
import type { Captured, Clock, Env, Processes } from '../runtime/ports.js';
import { type OutcomeWord, outcomeWords } from './scenario.js';

/** How COMMAND ended, and what it said. */
export interface DriverRun {
  /** Undefined where it said nothing that can be judged; `why` says more. */
  readonly said: OutcomeWord | 'unsupported' | undefined;
  readonly orderId: string | undefined;
  readonly exit: number;
  readonly ms: number;
  readonly ended: 'by itself' | 'killed' | 'too late';
  /** The end of what it printed on standard error. */
  readonly errors: string;
}

export interface DriverPorts {
  readonly processes: Pick<Processes, 'capture'>;
  readonly clock: Clock;
}

export interface DriverInput {
  readonly command: readonly string[];
  readonly env: Env;
  readonly folder: string;
  /** Ends it; anything it says after that counts as not said. */
  readonly kill: AbortSignal;
  /** After so long it is ended. */
  readonly limitMs: number;
}

const shownErrors = 600;

/** Runs COMMAND once, to its end. Rejects when it cannot be started. */
export async function runDriver(input: DriverInput, { processes, clock }: DriverPorts): Promise<DriverRun> {
  const limit = new AbortController();
  const over = new AbortController();
  const startedAt = clock.monotonic();
  void clock.sleep(input.limitMs).then(() => (over.signal.aborted ? undefined : limit.abort()));
  const captured = await processes
    .capture(input.command, {
      env: input.env,
      folder: input.folder,
      signal: AbortSignal.any([input.kill, limit.signal]),
      withChildren: true,
    })
    .catch((cause: unknown) => notCaptured(input.command, cause))
    .finally(() => over.abort());
  const { exit } = captured;
  const isCut = input.kill.aborted || limit.signal.aborted;
  const answer = isCut ? nothingSaid : answerOf(Buffer.from(captured.out).toString('utf8'), exit);
  return {
    ...answer,
    exit,
    ms: Math.round(clock.monotonic() - startedAt),
    ended: input.kill.aborted ? 'killed' : limit.signal.aborted ? 'too late' : 'by itself',
    errors: Buffer.from(captured.err).toString('utf8').trim().slice(-shownErrors),
  };
}

/** Too much output is no answer; a program that does not start is a mistake of the command line. */
function notCaptured([program = '']: readonly string[], cause: unknown): Captured {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code !== 'EFBIG') throw fail('programNotStarted', { program, command: 'certify' }, { cause });
  return { exit: exits.fault, out: Buffer.alloc(0), err: Buffer.from('it printed more than 1 MiB') };
}

type Answer = Pick<DriverRun, 'said' | 'orderId'>;
const nothingSaid: Answer = { said: undefined, orderId: undefined };

/** The last line of its output as JSON, else its exit code, by the table of paycli. */
export function answerOf(out: string, exit: number): Answer {
  const line = out.trimEnd().split('\n').at(-1)?.trim() ?? '';
  const given = line.startsWith('{') ? objectIn(line) : undefined;
  if (given !== undefined && 'outcome' in given) {
    const said = wordIn(given['outcome']);
    const id = given['orderId'];
    return { said, orderId: typeof id === 'string' || typeof id === 'number' ? String(id) : undefined };
  }
  return { said: byExit.get(exit), orderId: undefined };
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

function wordIn(value: unknown): Answer['said'] {
  return value === 'unsupported' ? value : outcomeWords.find((word) => word === value);
}

function objectIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
