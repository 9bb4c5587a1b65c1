import type { PaycliError } from '../errors/index.js';
import type { Begin, Journal, Request } from '../journal/port.js';
import type { Unsigned } from '../signing/index.js';
import type { Halt } from './breaker.js';
import type { BatchConnection, RowReader } from './rows.js';

/** How fast and how cautiously a run sends. */
export interface RunOptions {
  /** How many requests may be on their way at once. */
  readonly concurrency: number;
  /** Requests in a second. */
  readonly rate: number;
  /** The share of unknown outcomes, from 0 to 1, among the newest 200 rows at which the run still goes on. */
  readonly maxUnknown: number;
  /**
   * How long the status of accepted rows is queried once no more rows are sent; and of the first row, before any other
   * row is sent. With 0 accepted rows are not waited for, except the first one.
   */
  readonly waitMs: number;
  /** Milliseconds between queries about an open row, when not at the usual pace. */
  readonly pauseMs: number | undefined;
}

/** What a run works with. */
export interface RunPorts {
  readonly batch: string;
  readonly journal: Journal;
  readonly rows: RowReader;
  readonly connection: BatchConnection;
  readonly options: RunOptions;
  /** No further row or status query is sent; the replies of those already sent are waited for. */
  readonly stop: AbortSignal;
  /** The replies of what was sent are not waited for either. */
  readonly abort: AbortSignal;
  /** On what a row may begin. Throws CAP_EXCEEDED. */
  limitsOf(unsigned: Unsigned, request: Request): Promise<Pick<Begin, 'counts' | 'dayCap'>>;
  onEvent(event: RunEvent): void;
  /** Called right before a row may be sent. */
  onSend?(): void;
}

/** What a run reports while it runs; each is one line of output. */
export type RunEvent =
  /** The state of a row, when it is first known in this run and at each change. */
  | { readonly what: 'row'; readonly number: number; readonly request: Request }
  /** A row was not sent. */
  | { readonly what: 'left'; readonly number: number; readonly reason: string }
  /** The gateway asked, by Retry-After, to send nothing for so long. */
  | { readonly what: 'pause'; readonly ms: number }
  /** The first row has no final status yet; the others wait for it, at most for `ms`. */
  | { readonly what: 'wait'; readonly number: number; readonly request: Request; readonly ms: number }
  /** No further row is sent. */
  | { readonly what: 'halt'; readonly why: string };

/** Why a run ended before all rows were sent; both undefined where it did not, or where the user stopped it. */
export interface RunEnd {
  /** The outcomes or replies that made it stop. */
  readonly halt: Halt | undefined;
  /** The error that forbids to send the remaining rows, such as an exceeded cap. */
  readonly refusal: PaycliError | undefined;
}
