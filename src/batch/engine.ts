import type { AttemptResult, Intent, NewIntent, State } from '../journal/index.js';
import type { BatchRow } from './plan.js';

/** A row with its intent, as the engine records it. */
export interface PreparedRow {
  readonly row: BatchRow;
  readonly intent: NewIntent;
}

/** What the engine decided: `send` may be sent; `ask` may have been sent before; `show` has its outcome. */
export interface ClaimedRow {
  readonly row: BatchRow;
  readonly do: 'send' | 'ask' | 'show';
  readonly intent: Intent;
}

/** A row whose outcome is open. */
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
 * Decides whether a row is sent. There are two engines: on one machine the journal, on many the gate table of
 * PostgreSQL. Only a row that `begin` returned as `send` may be sent, and it is returned as such once.
 */
export interface Engine {
  /**
   * Numbers of rows that no worker has begun, in their order, at most `max`; they are reserved for this worker until
   * it ends or releases them.
   */
  next(max: number): Promise<readonly number[]>;
  /**
   * Records that these may be sent, all flushed when it resolves. One that another worker has is left out. `asked` is
   * called right before it is asked for, once more for each try: what was found out before counts no more then.
   */
  begin(rows: readonly PreparedRow[], asked?: () => void): Promise<readonly ClaimedRow[]>;
  /** Records the result of a row, flushed when it resolves; returns the updated intent. */
  recordResult(intent: Intent, to: State, result: AttemptResult): Promise<Intent>;
  /**
   * Rows that were sent by a worker that is gone, or whose outcome is open: first those that may have arrived, then
   * those the gateway has accepted. An expired lease makes a row `unknown`, never `planned`.
   */
  open(): AsyncIterable<OpenRow>;
  /** Count and money by state; rows that no worker has begun are `planned`. The sums are those of the plan. */
  tally(): Promise<readonly StateTotal[]>;
  /**
   * Whether a row of it has its final status by the gateway: until then no second one is sent, whoever starts the batch
   * once more. Left out where that is always a person who looked.
   */
  hasFinalRow?(): Promise<boolean>;
  /**
   * Waits until no other worker has anything to do; true when one of them left a row that is to be taken up. Left out
   * where there are no others.
   */
  waitForOtherWorkers?(): Promise<boolean>;
  /** Stops the batch on all machines, until a person lets it go on. */
  halt?(why: string): Promise<void>;
  /** Waits until one more request may be sent: one rate for all workers. False when stopped. */
  pace(stop: AbortSignal): Promise<boolean>;
  /** What is known of these rows, by their numbers; those that no worker has begun are left out. */
  find?(rows: readonly BatchRow[]): Promise<ReadonlyMap<number, Intent>>;
  /** Records something about an intent without a change of state. */
  remark?(intent: Intent, what: string, why: string): Promise<void>;
  /** Every intent known on an order, which decides what a status answer proves. */
  onOrder?(intent: Intent, orderId: string): readonly Intent[] | Promise<readonly Intent[]>;
  /** The keyed hash over the content of a request, where workers share one; else it is the journal's. */
  hash?(parts: readonly string[]): string;
  close(): Promise<void>;
}
