import type { PaycliError } from '../../errors/index.js';
import type { Intent, State } from '../../journal/index.js';
import type { BatchConnection } from '../connection.js';
import type { BatchRow, PlanStore } from '../plan.js';
import type { Halt } from './circuit-breaker.js';
import type { BatchEngine } from './engine.js';

/** How fast, how far and how cautiously a run sends. */
export interface RunOptions {
  /** How many requests may be on their way at once. */
  readonly concurrency: number;
  /** At most this many rows are sent in this run; 0 to query alone. */
  readonly maxRows: number;
  /** The share of unknown outcomes, from 0 to 1, among the newest 200 rows at which the run still goes on. */
  readonly maxUnknown: number;
  /**
   * How long the status of accepted rows is queried once no more rows are sent; and of the first row, before any other
   * row is sent. With 0 accepted rows are not waited for, except the first one.
   */
  readonly waitMs: number;
  /** Milliseconds between queries about an accepted row, when not at the gateway's usual pace. */
  readonly pauses: readonly number[] | undefined;
}

/** What a run works with. */
export interface RunPorts {
  readonly plan: PlanStore;
  readonly engine: BatchEngine;
  readonly connection: BatchConnection;
  readonly options: RunOptions;
  /** No further row or status query is sent; the replies of those already sent are waited for. */
  readonly stop: AbortSignal;
  /** The replies of what was sent are not waited for either. */
  readonly abort: AbortSignal;
  onEvent(event: RunEvent): void;
  /** Called right before a row may be sent. */
  onSend?(): void;
  /** Called right before a row is sent: false leaves it unsent; throws the error that forbids to send it. */
  mayBegin?(row: BatchRow): Promise<boolean>;
}

/** What a run reports while it runs; each is one line of output. */
export type RunEvent =
  /** The state of a row, when it is first known in this run and at each change. */
  | {
      readonly what: 'row';
      readonly number: number;
      readonly state: State;
      readonly intent: Intent;
      readonly reason: string;
    }
  /** A row was not sent. */
  | { readonly what: 'left'; readonly number: number; readonly reason: string }
  /** The gateway asked, by Retry-After, to send nothing for so long. */
  | { readonly what: 'pause'; readonly ms: number }
  /** The first row has no final status yet; the others wait for it, at most for `ms`. */
  | {
      readonly what: 'wait';
      readonly number: number;
      readonly state: State;
      readonly order: string | undefined;
      readonly ms: number;
    }
  /** No further row is sent. */
  | { readonly what: 'halt'; readonly why: string };

/** Why a run ended before all rows were sent; both undefined where it did not, or where the user stopped it. */
export interface RunEnd {
  /** The outcomes or replies that made it stop. */
  readonly halt: Halt | undefined;
  /** The error that forbids to send the remaining rows, such as an exceeded cap. */
  readonly refusal: PaycliError | undefined;
}
