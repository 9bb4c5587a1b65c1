import { type Intent, unsettledStates } from '../journal/index.js';
import { isBeyondStatus } from '../payments/evidence.js';
import { jittered, pauseAt, pausesForUnknown, usualPause } from '../payments/wait.js';
import type { Random } from '../runtime/ports.js';
import type { Question } from './agenda.js';

export interface Surroundings {
  /** Monotonic. */
  readonly now: number;
  /** Of the profile. */
  readonly class: string;
  readonly random: Pick<Random, 'below'>;
  /** Whether an accepted row is waited for. */
  readonly mayWait: boolean;
  /** Milliseconds between questions about an accepted row, when not at the gateway's usual pace. */
  readonly pauses: readonly number[] | undefined;
}

/** Whether a status answer can tell anything more of it. */
export function mayBeAsked({ operation, state }: Intent): boolean {
  return !isBeyondStatus(operation) && unsettledStates.includes(state);
}

/** Milliseconds until an open row is asked about next; undefined when it is asked about no more. */
export function pauseBefore({ intent, asked, since }: Omit<Question, 'due'>, around: Surroundings): number | undefined {
  if (intent.state === 'unknown') {
    const pause = pausesForUnknown(around.class)[asked];
    return pause === undefined ? undefined : jittered(pause, around.random);
  }
  return around.mayWait ? (pauseAt(around.pauses, asked) ?? usualPause(around.now - since, around.random)) : undefined;
}

/** Among those about an unknown outcome, counted from nought. */
export function lastQuestion(profileClass: string): number {
  return pausesForUnknown(profileClass).length - 1;
}
