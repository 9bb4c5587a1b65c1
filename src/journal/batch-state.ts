import { fail, type PaycliError } from '../errors/index.js';

/** Whether rows of a batch may be begun, whichever machine asks. */
export const batchStates = {
  running: 'its rows are sent',
  paused: 'a person paused it',
  halted: 'it stopped automatically; a person has to continue it',
  withdrawn: 'rows never sent are withdrawn for good',
  archived: 'every row has its final status, and data needed only for sending was removed',
} as const;

export type BatchState = keyof typeof batchStates;

/** A person alone leads back to `running`; from `withdrawn` only to `archived`, and from there nowhere. */
const moves: Readonly<Record<BatchState, readonly BatchState[]>> = {
  running: ['paused', 'halted', 'withdrawn', 'archived'],
  paused: ['running', 'halted', 'withdrawn'],
  halted: ['running', 'withdrawn'],
  withdrawn: ['archived'],
  archived: [],
};

export function mayMoveBatch(from: BatchState, to: BatchState): boolean {
  return moves[from].includes(to);
}

export function isBatchState(word: string): word is BatchState {
  return Object.hasOwn(batchStates, word);
}

/** Who said what became of a batch. */
export interface BatchStateChange {
  readonly state: BatchState;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The user, or `paycli` where it stopped by itself. */
  readonly by: string;
  readonly host: string;
  readonly reason: string;
}

const heldReasons = {
  paused: 'batchPaused',
  halted: 'batchHalted',
  withdrawn: 'batchWithdrawn',
  archived: 'batchArchived',
} as const;

/** Undefined while rows may be begun; else what to throw. */
export function batchHeldError(batch: string, change: BatchStateChange | undefined): PaycliError | undefined {
  if (change === undefined || change.state === 'running') return undefined;
  const { state, by, host, reason } = change;
  const facts = { batch, by, host, reason };
  return fail(heldReasons[state], facts);
}
