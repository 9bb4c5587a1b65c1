import type { Journal, Request } from '../journal/port.js';
import type { Classified } from './classify.js';
import { type Proof, rowOf } from './evidence.js';
import type { GatewayConnection, Watched } from './exchange.js';
import { isLastingFailure } from './failure.js';
import { type Answered, queryOutcome, recordAnswer } from './settle.js';
import { sleepOrAbort } from './sleep.js';
import { jittered, pausesForUnknown } from './wait.js';

/** The result of polling. */
export interface PollResult extends Answered {
  /** The user stopped it. */
  readonly isStopped: boolean;
}

interface PollOptions {
  readonly connection: GatewayConnection;
  readonly watched: Watched;
  /** Of the profile, which decides the pauses. */
  readonly profileClass: string;
  /** One query instead of the whole schedule. */
  readonly isOnce: boolean;
  /** Monotonic; the last query is asked by then, and given up soon after. */
  readonly until?: number | undefined;
  /** Called with each pause in milliseconds before it begins, and with each answer. */
  readonly progress?: { pausing(ms: number): void; asked(answer: Classified): unknown } | undefined;
}

/** True for operations whose outcome no status answer shows; only other evidence settles them. */
export function isBeyondStatus(operation: string): boolean {
  return rowOf(operation)?.namedByStatus === undefined;
}

/**
 * Queries the outcome of a request on the schedule, or once, until an answer proves something, or fails in a way that
 * waiting does not change; each answer is recorded.
 */
export async function pollUntilSettled(request: Request, journal: Journal, options: PollOptions): Promise<PollResult> {
  const { connection, until = Number.POSITIVE_INFINITY, progress } = options;
  const watched = { ...options.watched, until };
  const { clock, random } = connection.ports;
  const isHidden = isBeyondStatus(request.operation);
  let last: PollResult = { request, proof: nothingAsked(isHidden), isStopped: false };
  if (isHidden) return last;
  for (const pause of options.isOnce ? [0] : pausesForUnknown(options.profileClass)) {
    const ms = Math.min(jittered(pause, random), Math.max(0, until - clock.monotonic()));
    progress?.pausing(ms);
    if (await sleepOrAbort(clock, ms, watched.signal)) return { ...last, isStopped: true };
    const answer = await queryOutcome(connection, last.request, watched);
    progress?.asked(answer);
    last = {
      ...(await recordAnswer(last.request, answer, journal, connection.assume['minor-digits'])),
      isStopped: false,
    };
    const isLasting = last.failure !== undefined && isLastingFailure(last.failure);
    if (last.proof.proves !== 'nothing' || isLasting || clock.monotonic() >= until) return last;
  }
  return last;
}

function nothingAsked(isHidden: boolean): Proof {
  const reason = isHidden ? 'status cannot show the outcome of this operation' : 'status was not queried';
  return { proves: 'nothing', reason, isOwn: false };
}
