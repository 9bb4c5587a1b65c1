import type { PaycliError } from '../../errors/index.js';
import type { Intent, State } from '../../journal/index.js';
import type { Delivery } from '../../runtime/ports.js';
import type { BatchConnection } from '../connection.js';
import type { Engine } from '../engine.js';
import type { BatchRow, PlanStore } from '../plan.js';
import type { Halt } from './circuit-breaker.js';

export interface RunOptions {
  readonly concurrency: number;
  /** At most so many rows are begun. */
  readonly maxRows: number;
  /** Share of unknown outcomes among the last 200 that is borne. */
  readonly maxUnknown: number;
  /**
   * How long accepted rows are asked about once no more are sent, and the first row before any other is; 0 leaves them
   * as they are, but for the first one.
   */
  readonly waitMs: number;
  /** Milliseconds between queries about an accepted row, when not at the gateway's usual pace. */
  readonly pauses: readonly number[] | undefined;
}

export interface RunPorts {
  readonly plan: PlanStore;
  readonly engine: Engine;
  readonly connection: BatchConnection;
  readonly options: RunOptions;
  /** Ends the beginning of rows and the asking; what is on its way is waited for. */
  readonly stop: AbortSignal;
  /** Ends what is on its way as well. */
  readonly abort: AbortSignal;
  onEvent(event: RunEvent): void;
  /** Called right before a row may be sent. */
  onSend?(): void;
  /** A reason to stop that has nothing to do with the row, such as a clock that is off. */
  inspectReply?(delivery: Delivery): string | undefined;
  /** Asked right before a row is begun: false leaves the row; throws what stands in its way. */
  mayBegin?(row: BatchRow): Promise<boolean>;
}

/** Something worth a line. */
export type RunEvent =
  | {
      readonly what: 'row';
      readonly number: number;
      readonly state: State;
      readonly intent: Intent;
      readonly reason: string;
    }
  | { readonly what: 'left'; readonly number: number; readonly reason: string }
  | { readonly what: 'pause'; readonly ms: number }
  /** The first row has no final answer yet, and the others wait for it so long at most. */
  | {
      readonly what: 'wait';
      readonly number: number;
      readonly state: State;
      readonly order: string | undefined;
      readonly ms: number;
    }
  | { readonly what: 'halt'; readonly why: string };

export interface RunEnd {
  /** Why rows are left, if not because the user stopped it. */
  readonly halt: Halt | undefined;
  /** A cap, or something like it, that stands in the way of the rows that are left. */
  readonly refusal: PaycliError | undefined;
}
