import type { Classified } from './classify.js';
import { isBeyondStatus } from './evidence.js';
import { isLastingFailure } from './failure.js';
import type { GatewayConnection, Watched } from './gateway-connection.js';
import type { PaymentRecord } from './payment-record.js';
import { sleepOrAbort } from './sleep.js';
import { queryOutcome, type StatusResult } from './status-query.js';
import { jittered, pausesForUnknown } from './wait.js';

/** The result of polling. */
export interface PollResult extends Omit<StatusResult, 'intent'> {
  /** The user stopped it. */
  readonly stopped: boolean;
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

/**
 * Queries the outcome of a request on the schedule, or once, until an answer proves something, or fails in a way that
 * waiting does not change; each answer is recorded.
 */
export async function pollUntilResolved(record: PaymentRecord, options: PollOptions): Promise<PollResult> {
  if (isBeyondStatus(record.intent.operation)) return { evidence: beyondStatus, stopped: false };
  const { connection, until = Number.POSITIVE_INFINITY, progress } = options;
  const watched = { ...options.watched, until };
  const { clock, random } = connection.ports;
  let last: PollResult = { evidence: { proves: 'nothing', reason: 'status was not queried' }, stopped: false };
  for (const pause of options.isOnce ? [0] : pausesForUnknown(options.profileClass)) {
    const ms = Math.min(jittered(pause, random), Math.max(0, until - clock.monotonic()));
    progress?.pausing(ms);
    if (await sleepOrAbort(clock, ms, watched.signal)) return { ...last, stopped: true };
    const answer = await queryOutcome(connection, record.intent, watched);
    progress?.asked(answer);
    const { intent: _, ...result } = await record.recordAnswer(answer);
    last = { ...result, stopped: false };
    const isLasting = last.failure !== undefined && isLastingFailure(last.failure);
    if (last.evidence.proves !== 'nothing' || isLasting || clock.monotonic() >= until) return last;
  }
  return last;
}

const beyondStatus = { proves: 'nothing', reason: 'status cannot show the outcome of this operation' } as const;
