import type { Journal, Request } from '../journal/port.js';
import type { Clock } from '../runtime/ports.js';
import type { Classified } from './classify.js';
import { isBeyondStatus, nothing } from './evidence.js';
import type { GatewayConnection, Watched } from './exchange.js';
import { isLastingFailure } from './failure.js';
import { type Answered, queryOutcome, recordAnswer } from './settle.js';

/** Sleeps for `ms` milliseconds or until the signal is aborted; true when it was. */
export async function sleepOrAbort(clock: Pick<Clock, 'sleep'>, ms: number, signal: AbortSignal): Promise<boolean> {
  const woken = new AbortController();
  await Promise.race([clock.sleep(ms), aborted(signal, woken.signal)]).finally(() => woken.abort());
  return signal.aborted;
}

/** Resolves when the signal is aborted; at once when it was already. `until` ends the waiting. */
export async function aborted(signal: AbortSignal, until?: AbortSignal): Promise<'stopped'> {
  const options = { once: true, ...(until && { signal: until }) };
  if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, options));
  return 'stopped';
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
  /** Called with each answer. */
  readonly asked?: ((answer: Classified) => unknown) | undefined;
}

/**
 * Queries the outcome of a request on a schedule until an answer proves something, or fails in a way that waiting does
 * not change; each answer is recorded.
 */
export async function pollUntilSettled(request: Request, journal: Journal, options: PollOptions): Promise<PollResult> {
  const { connection, until = Number.POSITIVE_INFINITY } = options;
  const watched = { ...options.watched, until };
  const { clock, random } = connection.ports;
  const isHidden = isBeyondStatus(request.operation);
  const why = isHidden ? 'status cannot show the outcome of this operation' : 'status was not queried';
  let last: PollResult = { request, proof: nothing(why), isStopped: false };
  for (const pause of isHidden ? [] : options.pauses) {
    const jittered = Math.floor(pause * 0.8) + random.below(Math.floor(pause * 0.4) + 1);
    const ms = Math.min(jittered, Math.max(0, until - clock.monotonic()));
    if (await sleepOrAbort(clock, ms, watched.signal)) return { ...last, isStopped: true };
    const answer = await queryOutcome(connection, last.request, watched);
    options.asked?.(answer);
    const answered = await recordAnswer(last.request, answer, journal, connection.assume['minor-digits']);
    last = { ...answered, isStopped: false };
    const isLasting = last.failure !== undefined && isLastingFailure(last.failure);
    if (last.proof.proves !== 'nothing' || isLasting || clock.monotonic() >= until) return last;
  }
  return last;
}
