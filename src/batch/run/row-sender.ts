import type { Intent } from '../../journal/index.js';
import type { Classified } from '../../payments/classify.js';
import { type OutcomeStore, queryOutcome, recordAnswer } from '../../payments/status-query.js';
import { submit } from '../../payments/submit.js';
import { abandoned } from '../../payments/transitions.js';
import type { Delivery } from '../../runtime/ports.js';
import { type BatchConnection, intentForRow, unsignedOf } from '../connection.js';
import type { Engine } from '../engine.js';
import type { BatchRow } from '../plan.js';
import { revalidateRow } from '../row-revalidation.js';

export interface WorkPorts {
  readonly engine: Engine;
  readonly connection: BatchConnection;
  /** Ends status queries. */
  readonly stop: AbortSignal;
  /** Ends what is on its way. */
  readonly abort: AbortSignal;
  /** Called right before a row may be sent. */
  onSend(): void;
  /** Called with each reply or loss. */
  received(delivery: Delivery): void;
}

/** What the gate made of a row. */
type RowResult =
  /** It left, or it is proven that it did not. */
  | { readonly kind: 'sent'; readonly intent: Intent; readonly classified: Classified }
  /** It was sent before: its end is known, or has to be asked for. */
  | { readonly kind: 'known'; readonly intent: Intent }
  /** Somebody else has it. */
  | { readonly kind: 'taken' };

/**
 * The longest time from asking whether a row may leave to its leaving: half the lease of a worker. Whoever waits or
 * sleeps longer may not know what others did meanwhile, and gives the row back unsent.
 */
const maxDelayMs = 30_000;

/** Records that a row may leave, sends it, and records what came of it. Throws what the engine throws. */
export async function sendOnce(
  row: BatchRow,
  { engine, connection, abort, onSend, received }: WorkPorts,
): Promise<RowResult> {
  revalidateRow(row, connection);
  const begin = async (asked: () => void) => {
    const [claimed] = await engine.begin([{ row, intent: intentForRow(connection, row) }], asked);
    const maySend = claimed?.do === 'send';
    if (maySend) onSend();
    return { claimed, maySend, earlierAttempt: claimed?.intent.mayHaveArrived === true };
  };
  const { leave, sent } = await submit(unsignedOf(connection, row), connection, begin, {
    signal: abort,
    received,
    maxDelayMs,
  });
  if (leave.claimed === undefined) return { kind: 'taken' };
  const { intent } = leave.claimed;
  if (sent === undefined) return { kind: 'known', intent: await markAbandoned(intent, engine) };
  const { to, result } = sent.transition;
  return { kind: 'sent', intent: await engine.recordResult(intent, to, result), classified: sent.classified };
}

/** A request whose sender is gone may have arrived. */
export async function markAbandoned(intent: Intent, engine: Engine): Promise<Intent> {
  return intent.state === 'sending' ? engine.recordResult(intent, abandoned.to, abandoned.result) : intent;
}

interface Asked {
  readonly intent: Intent;
  /** Why the answer moved nothing; undefined when it did, or agrees with what is known. */
  readonly doubt: string | undefined;
  /** The answer, where it was no status of the order. */
  readonly failure: Classified | undefined;
}

/** Asks for the outcome of a row once, at most until then, and records what the answer proves. */
export async function askOnce(
  before: Intent,
  { engine, connection, stop, received }: WorkPorts,
  until?: number,
): Promise<Asked> {
  const answer = await queryOutcome(connection, before, { signal: stop, until, received });
  const { intent, evidence, failure } = await recordAnswer(
    before,
    answer,
    withoutRepeats(engine),
    connection.assume['minor-digits'],
  );
  return { intent, doubt: evidence.proves === 'nothing' ? evidence.reason : undefined, failure };
}

/** The journal keeps what the payer has to do, and nothing else of an answer that moves nothing. */
function withoutRepeats(engine: Engine): OutcomeStore {
  return {
    async recordResult(intent, to, result) {
      const isWaiting = result.waitsFor !== undefined && result.waitsFor !== 'nothing';
      return to === intent.state && !isWaiting ? intent : engine.recordResult(intent, to, result);
    },
    remark: (intent, what, why) => engine.remark?.(intent, what, why),
    onOrder: (intent, orderId) => engine.onOrder?.(intent, orderId) ?? [],
  };
}
