import type { PayerStep } from '../spec/index.js';
import type { Sum } from './intent.js';
import type { DayLimit } from './limits.js';

/** What came of an attempt. */
export interface Result {
  /** In words of paycli. */
  readonly reason: string;
  /** The gateway's id of the order. */
  readonly orderId?: string | undefined;
  /** Fields of the reply that may be kept. */
  readonly outcome?: Readonly<Record<string, string>> | undefined;
  /** What the payer has to do by the reply; left out where it does not tell. Kept while the outcome is open. */
  readonly waitsFor?: PayerStep | 'nothing' | undefined;
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
}
