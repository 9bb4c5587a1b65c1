import type { AttemptResult, Intent, NewIntent, State } from '../journal/index.js';
import type { BatchRow } from './plan.js';

/** A row with what the gate keeps of it. */
export interface PreparedRow {
  readonly row: BatchRow;
  readonly intent: NewIntent;
}

/** What the gate said: only `send` may leave; `ask` may have left before; `show` has its end. */
export interface ClaimedRow {
  readonly row: BatchRow;
  readonly do: 'send' | 'ask' | 'show';
  readonly intent: Intent;
}

/** A row whose end is open. */
export interface OpenRow {
  readonly number: number;
  readonly intent: Intent;
}

export interface StateTotal {
  readonly state: State;
  /** Undefined where a row moves no money. */
  readonly currency: string | undefined;
  readonly count: number;
  readonly minor: string;
}

/**
 * Who decides whether a row is sent. Two engines keep these promises: on one machine the journal, on many the gate
 * table of PostgreSQL. Whatever hands out work, only a row that `begin` gave as `send` may leave, and it is given once.
 */
export interface Engine {
  /**
   * Numbers of rows that nobody has begun, in their order, at most so many; they are this worker's until it ends or
   * lets them go.
   */
  next(most: number): Promise<readonly number[]>;
  /** Notes that these may leave now, all flushed when it resolves. One that another worker has is left out. */
  begin(rows: readonly PreparedRow[]): Promise<readonly ClaimedRow[]>;
  /** Moves a row on, flushed when it resolves; gives the intent as it stands then. */
  settle(intent: Intent, to: State, result: AttemptResult): Promise<Intent>;
  /**
   * Rows that were sent by a worker that is gone, or whose end nobody knows yet: first those that may have arrived,
   * then those the gateway has taken. A lease that ran out makes `unknown`, never `planned`.
   */
  open(): AsyncIterable<OpenRow>;
  /** Count and money by state; rows nobody has begun are `planned`. The sums are those of the plan. */
  tally(): Promise<readonly StateTotal[]>;
  /**
   * Whether a row of it has its final status by the gateway: until then no second one is sent, whoever starts the batch
   * once more. Left out where that is always a person who looked.
   */
  hasFinalRow?(): Promise<boolean>;
  /** Stops the batch on all machines, until a person lets it go on. */
  halt?(why: string): Promise<void>;
  /** Waits until one more request may be sent: one rate for all workers. False when stopped. */
  pace(stop: AbortSignal): Promise<boolean>;
  /** What is known of these rows, by their numbers; those nobody has begun are left out. */
  find?(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>>;
  /** Notes something about an intent that does not move it. */
  remark?(intent: Intent, what: string, why: string): Promise<void>;
  /** Every intent known on an order, which decides what a status answer proves. */
  onOrder?(intent: Intent, orderId: string): readonly Intent[] | Promise<readonly Intent[]>;
  /** The keyed hash over what a request holds, where workers share one; else it is the journal's. */
  hash?(parts: readonly string[]): string;
  close(): Promise<void>;
}
