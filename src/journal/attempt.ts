import type { Database } from '../runtime/ports.js';
import { isPayerStep, type PayerStep, payerSteps } from '../spec/index.js';
import { factsIn } from './chain.js';
import type { Sum } from './intent.js';
import type { DayLimit } from './spending.js';

/** The result of an attempt. */
export interface AttemptResult {
  /** In words of paycli. */
  readonly reason: string;
  /** The gateway's id of the order. */
  readonly orderId?: string | undefined;
  /** Fields of the reply that may be kept. */
  readonly outcome?: Readonly<Record<string, string>> | undefined;
  /** The step that the reply expects from the payer; left out where it does not say. Kept while it is pending. */
  readonly waitsFor?: PayerStep | 'nothing' | undefined;
  /** The answer names this very request, and not only its order. */
  readonly isNamed?: boolean;
  /** The order was found at the gateway before the request was sent from here. */
  readonly isElsewhere?: true;
  /** Status said that the gateway itself does not know the outcome of what it had accepted. */
  readonly isUnknownAtGateway?: true;
}

/** The conditions under which an attempt may begin, and what its line keeps besides. */
export interface SendLimits {
  /** What it counts against limits; the sum of the intent when left out. */
  readonly counts?: Sum | undefined;
  readonly day?: DayLimit | undefined;
  /** The plan whose lock is held: no other process on this machine sends its rows. */
  readonly plan?: string | undefined;
  /** It may not begin where it repeats another payment; as of when, see `PlanOptions`. */
  readonly isUnique?: boolean;
  readonly repeatSince?: number | undefined;
  /** It was sent before this journal began, and is only recorded here. */
  readonly isCopy?: boolean;
  /** Where the request asks for callbacks (see `callbackAddress`). */
  readonly callbackTo?: string | undefined;
}

/** The step that a pending order expects from its payer. */
export interface Waiting {
  readonly for: PayerStep;
  /**
   * Milliseconds since 1970: when it was sent, for a payer may have been asked for this at once; when a reply first
   * said so, where an earlier one had said something else.
   */
  readonly since: number;
}

/**
 * By the newest line that has it; undefined for an intent that is not accepted, and where no line has it, as in older
 * journals.
 */
export function waitingOf(database: Database, intentId: number): Waiting | undefined {
  const lines = database.all('SELECT to_state, at, facts FROM moves WHERE intent_id = ? ORDER BY id DESC', intentId);
  let newest: Waiting | undefined;
  for (const { to_state: to, at, facts } of lines) {
    if (to === 'accepted') {
      const { waitsFor } = factsIn(String(facts));
      // 3-D Secure as such, before its step was known, is no step of its own.
      if (newest !== undefined && waitsFor !== undefined && waitsFor !== 'three-d-secure') return newest;
      if (waitsFor === 'nothing') return undefined;
      if (isPayerStep(waitsFor)) newest ??= { for: waitsFor, since: Number(at) };
    } else if (newest === undefined) return undefined;
    else if (to === 'sending') return { ...newest, since: Number(at) };
  }
  return newest;
}

/** The reason of a line that changes no state. */
export function waitingReason(step: PayerStep | 'nothing'): string {
  return step === 'nothing' ? 'no longer waiting for the payer' : `waiting for the payer: ${payerSteps[step]}`;
}
