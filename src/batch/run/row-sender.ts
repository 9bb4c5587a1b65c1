import type { Intent } from '../../journal/index.js';
import type { Classified } from '../../payments/classify.js';
import { compareOrder } from '../../payments/same-order.js';
import { type OutcomeStore, queryOutcome, recordAnswer } from '../../payments/status-query.js';
import { submit } from '../../payments/submit.js';
import { abandoned } from '../../payments/transitions.js';
import type { Delivery } from '../../runtime/ports.js';
import { type BatchConnection, intentForRow, unsignedOf } from '../connection.js';
import type { BatchRow } from '../plan.js';
import { revalidateRow } from '../row-revalidation.js';
import type { BatchEngine } from './engine.js';

/** What sending and querying one row works with. */
export interface RowPorts {
  readonly engine: BatchEngine;
  readonly connection: BatchConnection;
  /** Ends status queries. */
  readonly stop: AbortSignal;
  /** The reply to a payment request is no longer waited for. */
  readonly abort: AbortSignal;
  /** Called right before a row may be sent. */
  onSend(): void;
  /** Called with each reply, and with each failure to get one. */
  received(delivery: Delivery): void;
}

/** What came of sending a row. */
type RowResult =
  /** This process sent it, or tried to and it is proven that nothing was sent. */
  | { readonly kind: 'sent'; readonly intent: Intent; readonly classified: Classified }
  /** It was sent before: its outcome is known, or has to be queried. */
  | { readonly kind: 'known'; readonly intent: Intent }
  /** Another process is sending it. */
  | { readonly kind: 'taken' };

/** Asks the engine whether a row may be sent, sends it, and records the result. Throws what the engine throws. */
export async function sendOnce(
  row: BatchRow,
  { engine, connection, abort, onSend, received }: RowPorts,
): Promise<RowResult> {
  revalidateRow(row, connection);
  const begin = async () => {
    const [claimed] = await engine.begin([{ row, intent: intentForRow(connection, row) }]);
    const maySend = claimed?.do === 'send';
    if (maySend) onSend();
    return { claimed, maySend, earlierAttempt: claimed?.intent.mayHaveArrived === true, intent: claimed?.intent };
  };
  const { leave, sent } = await submit(unsignedOf(connection, row), connection, begin, {
    signal: abort,
    received,
  });
  if (leave.claimed === undefined) return { kind: 'taken' };
  const { intent } = leave.claimed;
  if (sent === undefined) return { kind: 'known', intent: await markAbandoned(intent, engine) };
  const { to, result } = sent.transition;
  return { kind: 'sent', intent: await engine.recordResult(intent, to, result), classified: sent.classified };
}

/** Makes a request unknown whose sender is gone: it may have arrived. Any other is returned as it is. */
export async function markAbandoned(intent: Intent, engine: BatchEngine): Promise<Intent> {
  return intent.state === 'sending' ? engine.recordResult(intent, abandoned.to, abandoned.result) : intent;
}

/** What a status query tells about a row. */
interface RowQueryResult {
  readonly intent: Intent;
  /** Why the answer proves nothing; undefined where it does. */
  readonly doubt: string | undefined;
  /** The answer, where it was no status of the order. */
  readonly failure: Classified | undefined;
  /** It showed the order as it was sent. */
  readonly isShown: boolean;
}

/**
 * Queries the outcome of a row once and records what the answer proves. `until`, on the monotonic clock, is when the
 * query is given up.
 */
export async function queryOnce(
  before: Intent,
  { engine, connection, stop, received }: RowPorts,
  until?: number,
): Promise<RowQueryResult> {
  const answer = await queryOutcome(connection, before, { signal: stop, until, received });
  const minorDigits = connection.assume['minor-digits'];
  const store = withoutUnchanged(engine);
  const { intent, evidence, failure, fields } = await recordAnswer(before, answer, store, minorDigits);
  const isShown = fields !== undefined && compareOrder(before, fields, minorDigits) === 'same';
  return { intent, doubt: evidence.proves === 'nothing' ? evidence.reason : undefined, failure, isShown };
}

/**
 * The engine without results that leave the state as it is: a row may be queried hundreds of times. Only a step that is
 * expected from the payer is recorded all the same.
 */
function withoutUnchanged(engine: BatchEngine): OutcomeStore {
  return {
    async recordResult(intent, to, result) {
      const isPayerExpected = result.waitsFor !== undefined && result.waitsFor !== 'nothing';
      return to === intent.state && !isPayerExpected ? intent : engine.recordResult(intent, to, result);
    },
    remark: (intent, what, why) => engine.remark(intent, what, why),
    onOrder: (intent, orderId) => engine.onOrder(intent, orderId),
  };
}
