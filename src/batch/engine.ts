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

/** How many rows are in a state, and what they come to in one currency. */
export interface StateTotal {
  readonly state: State;
  /** Undefined where a row moves no money. */
  readonly currency: string | undefined;
  readonly count: number;
  /** Their sum in minor units, as decimal digits. */
  readonly minor: string;
}

/**
 * Decides whether a row is sent, and records what came of it. There are two engines: the journal, where one machine
 * runs the batch, and the table `gate` in PostgreSQL, where several do. A worker is one process that runs the batch.
 * Only a row that `begin` returned as `send` may be sent, and it is returned as such once.
 */
export interface Engine {
  /**
   * Numbers of rows that no worker has begun, in their order, at most `max`; they are reserved for this worker until
   * it ends or releases them.
   */
  next(max: number): Promise<readonly number[]>;
  /**
   * Records that these rows may be sent; all is on disk when the promise resolves. A row that another worker has is
   * left out of the result. `onAsked` is called right before the storage is asked, again for each try: the time within
   * which the row has to be sent counts from its last call.
   */
  begin(rows: readonly PreparedRow[], onAsked?: () => void): Promise<readonly ClaimedRow[]>;
  /** Records the result of a row, on disk when the promise resolves; returns the updated intent. */
  recordResult(intent: Intent, to: State, result: AttemptResult): Promise<Intent>;
  /**
   * Rows that were sent by a worker that is gone, or whose outcome is open: first those that may have arrived, then
   * those the gateway has accepted. An expired lease makes a row `unknown`, never `planned`.
   */
  open(): AsyncIterable<OpenRow>;
  /**
   * Rows and amounts by state and currency; rows that no worker has begun are `planned`. Amounts are those of the plan.
   */
  tally(): Promise<readonly StateTotal[]>;
  /**
   * Whether the gateway has reported a final status for a row of the batch: until then no second row is sent, even when
   * the batch is started again. Left out where only a person starts it again, who saw how the first run ended.
   */
  hasFinalRow?(): Promise<boolean>;
  /**
   * Waits until no other worker has anything to do; true when one of them left a row that this worker has to continue.
   * Left out where there are no others.
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
  /** The keyed hash over the content of a request, where workers share its key; left out: that of the journal. */
  hash?(parts: readonly string[]): string;
  close(): Promise<void>;
}
