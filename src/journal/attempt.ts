import type { Database } from '../runtime/ports.js';
import { isPayerStep, type PayerStep, payerSteps } from '../spec/index.js';
import { factsIn } from './chain.js';
import type { Sum } from './intent.js';
import type { DayLimit } from './spending.js';

/** What came of an attempt. */
export interface AttemptResult {
  /** In words of paycli. */
  readonly reason: string;
  /** The gateway's id of the order. */
  readonly orderId?: string | undefined;
  /** Fields of the reply that may be kept. */
  readonly outcome?: Readonly<Record<string, string>> | undefined;
  /** What the payer has to do by the reply; left out where it does not tell. Kept while the outcome is open. */
  readonly waitsFor?: PayerStep | 'nothing' | undefined;
  /** Status said that the gateway itself does not know the outcome of what it had accepted. */
  readonly isUnknownAtGateway?: true;
}

/** On what an attempt may begin. */
export interface SendLimits {
  /** What it counts against limits; the sum of the intent when left out. */
  readonly counts?: Sum | undefined;
  readonly day?: DayLimit | undefined;
  /** The lease that stands in for the login. */
  readonly lease?: number | undefined;
  /** The plan whose lock is held: nobody else on this machine sends its rows meanwhile. */
  readonly plan?: string | undefined;
  /** It was sent elsewhere and is only written down here. */
  readonly isCopy?: boolean;
  /** The plan whose row another engine sent, for a copy of it. */
  readonly copyOf?: string;
}

/** What an order whose outcome is open waits for its payer to do. */
export interface Waiting {
  readonly for: PayerStep;
  /** When a reply said so first, in milliseconds since 1970. */
  readonly since: number;
}

/**
 * What the newest line that tells says; undefined for an intent that is not accepted, and where no line tells, as in
 * older journals.
 */
export function waitingOf(database: Database, intentId: number): Waiting | undefined {
  const lines = database.all('SELECT to_state, at, facts FROM moves WHERE intent_id = ? ORDER BY id DESC', intentId);
  for (const { to_state: to, at, facts } of lines) {
    if (to !== 'accepted') return undefined;
    const { waitsFor } = factsIn(String(facts));
    if (isPayerStep(waitsFor)) return { for: waitsFor, since: Number(at) };
    if (waitsFor === 'nothing') return undefined;
  }
  return undefined;
}

/** Why a line was added that changes no state. */
export function waitingReason(step: PayerStep | 'nothing'): string {
  return step === 'nothing' ? 'no longer waiting for the payer' : `waiting for the payer: ${payerSteps[step]}`;
}
