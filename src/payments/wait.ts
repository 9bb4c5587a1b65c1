import type { Journal, Request } from '../journal/port.js';
import type { Clock, Random } from '../runtime/ports.js';
import { isUnknownWord, replyField, statusOf, threeDSecureStepIn } from '../spec/index.js';
import type { Classified } from './classify.js';
import { type Fields, isBeyondStatus, nothing } from './evidence.js';
import type { GatewayConnection, Watched } from './exchange.js';
import { isLastingFailure } from './failure.js';
import { type Answered, queryOutcome, recordAnswer } from './settle.js';

// One listener for all that wait for a signal: many lanes do at once.
const waiting = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls back once the signal is aborted; gives how to forget that. */
function whenAborted(signal: AbortSignal, wake: () => void): () => void {
  const all = waiting.get(signal) ?? new Set();
  if (!waiting.has(signal)) {
    waiting.set(signal, all);
    signal.addEventListener('abort', () => {
      for (const each of all) each();
    });
  }
  all.add(wake);
  return () => all.delete(wake);
}

/** Sleeps for `ms` milliseconds or until the signal is aborted; true when it was. */
export async function sleepOrAbort(clock: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return true;
  let forget = (): void => undefined;
  const stopped = new Promise<void>((resolve) => {
    forget = whenAborted(signal, resolve);
  });
  await Promise.race([clock.sleep(ms), stopped]).finally(forget);
  return signal.aborted;
}

/** Resolves when the signal is aborted; at once when it was already. */
export async function aborted(signal: AbortSignal): Promise<'stopped'> {
  if (!signal.aborted) await new Promise<void>((resolve) => whenAborted(signal, resolve));
  return 'stopped';
}

export interface WaitOptions {
  /** Queries status once; the query is given up at this time, by the monotonic clock. */
  readonly ask: (until: number) => Promise<Classified>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly random: Pick<Random, 'below'>;
  /** The longest wait; an hour at most in any case. */
  readonly timeoutMs: number;
  /** Milliseconds between the queries instead of the usual ones, the last of them repeated; for the sandbox. */
  readonly pauses?: readonly number[] | undefined;
  /** Whether an answer is about the request that is waited for, not about an older transaction of its order. */
  readonly isAbout?: ((fields: Fields) => boolean | Promise<boolean>) | undefined;
  /** The status was queried a moment ago, so it begins with a pause. */
  readonly hasJustAsked?: boolean;
  /** A further end of the wait, for an operation whose goal is no final status. */
  readonly until?: ((fields: Fields) => boolean) | undefined;
  /** Waits while the payer has to do something, for who only watches the order and cannot take the step. */
  readonly waitsForPayer?: boolean;
}

/**
 * `final`: the status is final, or `until` is true. `step`: the payer has to do something first. Still not final are
 * `timeout`, `unknown-word` (the word is `unknown` or undocumented, so money may have moved) and `unrelated` (the last
 * answer was about another transaction). `read-failed`: three queries in a row had no answer, or the first one had none
 * and waiting does not change that; `fields` are those of the last one that had any.
 */
export type Waited =
  | { readonly kind: 'final' | 'step' | 'timeout' | 'unrelated' | 'unknown-word'; readonly fields: Fields }
  | { readonly kind: 'read-failed'; readonly fields?: Fields; readonly last: Classified };

const minute = 60_000;
const hour = 60 * minute;
const maxFailures = 3;

export async function waitForOutcome(options: WaitOptions): Promise<Waited> {
  const { ask, clock, random, isAbout = () => true } = options;
  const start = clock.monotonic();
  const end = start + Math.min(options.timeoutMs, hour);
  let fields: Fields | undefined;
  let isRelated = true;
  let failures = 0;
  for (let queries = options.hasJustAsked === true ? 1 : 0; ; queries += 1) {
    if (queries > 0) {
      const ms = pauseAt(options.pauses, queries - 1) ?? usualPause(failures, clock.monotonic() - start, random);
      await clock.sleep(Math.min(Math.max(0, end - clock.monotonic()), ms));
    }
    const answer = await ask(end);
    if (answer.class === 'accepted' && answer.fields !== undefined) {
      [fields, failures] = [answer.fields, 0];
      isRelated = await isAbout(fields);
      const kind = isRelated ? endOf(fields, options) : undefined;
      if (kind !== undefined) return { kind, fields };
    } else failures += 1;
    const isOver = clock.monotonic() >= end;
    if (failures === maxFailures || (fields === undefined && (isOver || isLastingFailure(answer))))
      return { kind: 'read-failed', last: answer, ...(fields && { fields }) };
    if (isOver && fields !== undefined) return { kind: isRelated ? timeoutKind(fields) : 'unrelated', fields };
  }
}

function endOf(fields: Fields, { until, waitsForPayer }: WaitOptions): 'final' | 'step' | undefined {
  if (until?.(fields) === true || statusOf(replyField(fields, 'status') ?? '')?.final === true) return 'final';
  const step = threeDSecureStepIn(fields) ?? replyField(fields, 'html', 'redirectTo', 'redirect');
  return waitsForPayer === true || step === undefined ? undefined : 'step';
}

function timeoutKind(fields: Fields): 'timeout' | 'unknown-word' {
  return isUnknownWord(replyField(fields, 'status') ?? '') ? 'unknown-word' : 'timeout';
}

/** The pause after `queries` earlier queries; undefined without `pauses`. */
export function pauseAt(pauses: readonly number[] | undefined, queries: number): number | undefined {
  return pauses?.[queries] ?? pauses?.at(-1);
}

/**
 * Every few seconds, after five minutes every few minutes; jittered, so that many waiting at once do not query at once.
 * A failed query is repeated soon.
 */
function usualPause(failures: number, elapsedMs: number, random: Pick<Random, 'below'>): number {
  if (failures > 0) return 1000 * 2 ** (failures - 1) + random.below(1000);
  return elapsedMs < 5 * minute ? 3000 + random.below(2001) : 5 * minute + random.below(5 * minute + 1);
}

/** Milliseconds before each query for an unknown outcome. */
export function pausesForUnknown(profileClass: string): readonly number[] {
  return profileClass === 'sandbox' ? [0, 100, 400] : [0, 2000, 5000, 15_000, 60_000, 300_000];
}

export interface PollResult extends Answered {
  /** The user stopped it. */
  readonly isStopped: boolean;
}

interface PollOptions {
  readonly connection: GatewayConnection;
  readonly watched: Watched;
  /** Milliseconds before each query, up to a fifth more or less. */
  readonly pauses: readonly number[];
  /** Monotonic; the last query is asked by then, and given up soon after. */
  readonly until?: number | undefined;
  /** Called with each pause in milliseconds before it begins, and with each answer. */
  readonly progress?: { pausing(ms: number): void; asked(answer: Classified): unknown } | undefined;
}

/**
 * Queries the outcome of a request on a schedule until an answer proves something, or fails in a way that waiting does
 * not change; each answer is recorded.
 */
export async function pollUntilSettled(request: Request, journal: Journal, options: PollOptions): Promise<PollResult> {
  const { connection, until = Number.POSITIVE_INFINITY, progress } = options;
  const watched = { ...options.watched, until };
  const { clock, random } = connection.ports;
  const isHidden = isBeyondStatus(request.operation);
  const why = isHidden ? 'status cannot show the outcome of this operation' : 'status was not queried';
  let last: PollResult = { request, proof: nothing(why), isStopped: false };
  for (const pause of isHidden ? [] : options.pauses) {
    const jittered = Math.floor(pause * 0.8) + random.below(Math.floor(pause * 0.4) + 1);
    const ms = Math.min(jittered, Math.max(0, until - clock.monotonic()));
    progress?.pausing(ms);
    if (await sleepOrAbort(clock, ms, watched.signal)) return { ...last, isStopped: true };
    const answer = await queryOutcome(connection, last.request, watched);
    progress?.asked(answer);
    const answered = await recordAnswer(last.request, answer, journal, connection.assume['minor-digits']);
    last = { ...answered, isStopped: false };
    const isLasting = last.failure !== undefined && isLastingFailure(last.failure);
    if (last.proof.proves !== 'nothing' || isLasting || clock.monotonic() >= until) return last;
  }
  return last;
}
